"""The Node host: declarations, calls, and what ends a tool's process."""

import json
import shutil
from itertools import chain, repeat

import pytest
from tests.process.hosts.node.benches import CONTEXT, TOOL
from tests.stimuli import stimulus

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import Outcome

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on PATH")


# ---- the declaration


def test_the_schema_stands_in_the_generic_members_too(bench):
    """So that the rules and generators that all systems share can read it."""
    found = bench.tool("return answer;").describe()
    schema = json.loads(found.schema.text)
    assert (found.system, found.tool_name.value, found.usage_text.value) == ("art", "tool", "Does it.")
    assert schema["parameters"] == {"type": "object", "properties": {}}
    assert json.loads(found.facts.schema.text)["name"] == "tool"


def test_the_ajv_of_the_project_is_asked(bench):
    """Version 8, wherever the project has it."""
    package = json.dumps({"name": "ajv", "version": "8.99.0", "main": "./ajv.js"})
    bench.write("asked/node_modules/ajv/package.json", package)
    refuses = "module.exports = class { compile(schema) { if (schema.title) throw new Error('strict mode: ' + schema.title); } };"
    bench.write("asked/node_modules/ajv/ajv.js", refuses)
    bench.write("asked/tool.mjs", TOOL.replace("properties: {}", "title: 'T'") % "return answer;")
    found = bench.open("./asked/tool.mjs").describe().facts.input_compiled
    assert (found.validator, found.fault) == ("ajv 8.99.0", "Error: strict mode: T")


def test_a_folder_for_temporary_files_that_is_not_there_is_no_fault_of_the_tool(bench):
    assert bench.call("return answer;", env={"TMPDIR": "/nowhere"}).outcome is Outcome.RETURNED


# ---- incidents


@pytest.mark.parametrize(
    ("body", "outcome", "incident"),
    [
        ("process.exit(3);", Outcome.CRASHED, "exit status 3: the process was made to exit with status 3"),
        (
            "Promise.reject(new Error('lost')); return answer;",
            Outcome.CRASHED,
            "exit status 1: a rejection that nobody handled: Error: lost",
        ),
        (
            "setTimeout(() => { throw new Error('late'); }); return answer;",
            Outcome.CRASHED,
            "exit status 1: an exception that nobody caught: Error: late",
        ),
        ("for (;;);", Outcome.TIMED_OUT, "no answer within 1 s"),
        ("await new Promise(() => {});", Outcome.TIMED_OUT, "no answer within 1 s"),
        (
            "const fs = await import('node:fs'); fs.readFileSync(0);",
            Outcome.TIMED_OUT,
            "no answer within 1 s",
        ),
        ("for await (const line of process.stdin) return answer;", Outcome.TIMED_OUT, "no answer within 1 s"),
        ("process.kill(process.pid, 'SIGKILL');", Outcome.CRASHED, "killed by signal 9 (SIGKILL)"),
    ],
)
def test_what_ends_the_process_is_the_tools_doing(body, outcome, incident, bench):
    """The error says it in words where the host can still speak; the next call has a process of its own."""
    host = bench.tool(f"if (input.bad) {{ {body} }} return {{ ...answer, output: 1 }};", timeout=1.0)
    # What ends it late may let another call through: how many, the machine decides.
    texts = chain(['{"bad":true}'], repeat("{}", 1_000))
    calls = (host.execute(stimulus("test", "generated", text, CONTEXT)) for text in texts)
    seen = next(call for call in calls if call.outcome is not Outcome.RETURNED)
    assert (seen.outcome, seen.incident) == (outcome, incident)
    assert host.execute(stimulus("test", "generated", "{}", CONTEXT)).succeeded


def test_what_is_printed_is_kept_apart_and_attributed(bench):
    """console, streams and native writes; a tool may print on every call."""
    call = bench.call(
        "console.log('one'); process.stdout.write('two\\n'); console.error('three'); return { ...answer, output: 1 };"
    )
    assert (call.stdout.text, call.stderr.text) == ("one\ntwo\n", "three\n")
    assert call.succeeded


def test_prototypes_that_the_tool_changes_do_not_garble_the_protocol(bench):
    """What the tool makes of JSON, the sentinels notice."""
    host = bench.tool(
        "Object.prototype.toJSON = () => 'gone'; Array.prototype.map = null; return { ...answer, output: 1 };"
    )
    assert host.check_sentinels() is None
    call = host.execute(stimulus("test", "generated", "{}", CONTEXT))
    assert call.outcome is Outcome.RETURNED
    assert "and with other content" in host.check_sentinels()


# ---- calls


@pytest.mark.clause("ART.4.1")
def test_fifty_calls_at_once_have_fifty_identities(bench):
    """One instance serves them all, each with a context of its own."""
    host = bench.tool("await null; return { ...answer, output: { context } };")
    contexts = [{name: f"{value}-{number}" for name, value in CONTEXT.items()} for number in range(50)]
    calls = host.execute_together([stimulus("test", "together", "{}", context) for context in contexts])
    assert [json.loads(call.result.payload)["context"] for call in calls] == contexts
    assert [json.loads(call.result.facts.text)["callId"] for call in calls] == [c["callId"] for c in contexts]


@pytest.mark.parametrize("timer", ["setTimeout(%s)", "setTimeout(%s, 1)", "setImmediate(%s)"])
def test_what_a_call_throws_right_after_its_answer_is_its_own(bench, timer):
    """However long the next call takes to arrive, it is not the one that ends the process."""
    late = timer % "() => { throw new Error('late'); }"
    host = bench.tool(f"if (input.late) {late}; return answer;")
    for _ in range(5):
        assert host.execute(stimulus("test", "generated", "{}", CONTEXT)).outcome is Outcome.RETURNED
        call = host.execute(stimulus("test", "generated", '{"late": true}', CONTEXT))
        assert call.outcome is Outcome.CRASHED
        assert "Error: late" in call.incident


def test_a_tool_that_handles_what_nobody_caught_lives_on(bench):
    """It has a handler for the whole process: dubious, but nothing ends."""
    body = "if (!this.on) process.on('uncaughtException', () => { this.on = true; }); setTimeout(() => { throw new Error('late'); });"
    host = bench.tool(f"{body} return answer;")
    calls = [host.execute(stimulus("test", "generated", "{}", CONTEXT)) for _ in range(3)]
    assert [(call.outcome, call.earlier) for call in calls] == [(Outcome.RETURNED, n) for n in range(3)]


def test_the_sentinels_come_back_as_they_should(bench):
    """Whatever tool is loaded beside them."""
    host = bench.tool("return answer;")
    assert host.check_sentinels() is None
    assert host.check_sentinels(last=True) is None


SHARED = {
    "process.chdir('/')": "the working directory",
    "process.env.RATE = '1'": "the environment variable RATE",
    "delete process.env.PATH": "the environment variable PATH",
    "process.exitCode = 1": "process.exitCode",
    "console.log = () => {}": "console.log",
    "Math.random = () => 0.5": "Math.random",
    "Array.prototype.last = function last() { return this.at(-1); }": "the members of Array.prototype",
}


@pytest.mark.parametrize("statement", SHARED)
def test_what_a_call_leaves_changed_is_named(statement, bench):
    call = bench.call(f"{statement}; return {{ ...answer, output: {{}} }};")
    assert call.left_changed == (SHARED[statement],)


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("process.on('SIGTERM', () => 1)", [(), *[("the listeners of process for SIGTERM",)] * 2]),
        ("this.heard ??= process.on('SIGTERM', () => 1)", [()] * 3),
        ("const f = () => 1; process.on('SIGTERM', f); process.off('SIGTERM', f)", [()] * 3),
        ("process.env.RATE = '1'; delete process.env.RATE", [()] * 3),
        ("await import('node:dns')", [()] * 3),
    ],
)
def test_only_what_grows_with_calls_or_is_not_undone_is_named(statement, found, bench):
    host = bench.tool(f"{statement}; return {{ ...answer, output: {{}} }};")
    calls = [host.execute(stimulus("test", "generated", "{}", CONTEXT)) for _ in range(3)]
    assert [call.left_changed for call in calls] == found


@pytest.mark.parametrize(
    ("statement", "growth"),
    [
        ("openSync('/dev/null')", 3),
        ("this.opened ??= openSync('/dev/null')", 1),
        ("closeSync(openSync('/dev/null'))", 0),
    ],
)
def test_what_calls_leave_open_is_counted(statement, growth, bench):
    imported = "const { openSync, closeSync } = await import('node:fs')"
    host = bench.tool(f"{imported}; {statement}; return {{ ...answer, output: {{}} }};")
    counts = [host.execute(stimulus("test", "generated", "{}", CONTEXT)).descriptors for _ in range(3)]
    assert counts[-1][1] - counts[0][0] == growth


MISSING = r"^install the package 'no-such-package' for /.*, or correct that name: "


@pytest.mark.parametrize(
    "body",
    [
        "await import('no-such-package');",
        "(await import('node:module')).createRequire(import.meta.url)('no-such-package/part');",
        "try { await import('no-such-package'); } catch (error) { return { ...answer, status: 'error', error: error.message }; }",
    ],
)
def test_a_missing_package_is_no_answer_of_the_tool(bench, body):
    """Also where the tool catches the error, and where calls run at the same time."""
    host = bench.tool(body)
    plan = stimulus("test", "generated", "{}", CONTEXT)
    with pytest.raises(TargetError, match=MISSING):
        host.execute(plan)
    with pytest.raises(TargetError, match=MISSING):
        host.execute_together([plan, plan])


@pytest.mark.parametrize(
    "body",
    [
        "await import(input.name);",
        "await import('./not-there.mjs');",
        "(await import('node:module')).createRequire(import.meta.url)('there/not-there');",
        "throw Object.assign(new Error(`Cannot find package '${['some', 'thing'].join('-')}'`), { code: 'ERR_MODULE_NOT_FOUND' });",
        "throw new Error(\"Cannot find package 'no-such-package'\");",
    ],
)
def test_what_is_no_fault_of_the_set_up_is_for_the_tool_to_answer(bench, body):
    """What an argument names, a file of its own, a part of what is there, and what it says by itself."""
    bench.write("node_modules/there/package.json", "{}")
    assert bench.call(body, '{"name": "named-by-an-argument"}').outcome is Outcome.RAISED


def test_a_tool_that_cannot_be_made_without_a_missing_package_is_not_loaded(bench):
    bench.write("making.mjs", TOOL % "" + "export async function make() { await import('no-such-package'); }")
    with pytest.raises(TargetError, match=MISSING):
        bench.open("./making.mjs", "make")
