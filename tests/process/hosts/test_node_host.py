"""The Node host: what it loads, how it sees the values of JavaScript, and what ends a tool's process."""

import json
import shutil
from itertools import chain, repeat
from pathlib import Path

import pytest
from tests.stimuli import stimulus

from aptix_conformance.errors import TargetError
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.model import Outcome
from aptix_conformance.systems.art.facts import Oddity
from aptix_conformance.systems.art.pool import NodeHostPool
from aptix_conformance.systems.pools import Systems
from aptix_conformance.targets import Target, ToolSettings

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on PATH")

CONTEXT = {"callId": "c-1", "traceId": "t-1", "threadId": "h-1"}
ANSWER = {"callId": "c-1", "toolName": "tool", "status": "success"}
TOOL = """
export class Tool {
  schema = { name: 'tool', description: 'Does it.', inputSchema: { type: 'object', properties: {} } };
  async execute(input, context) {
    const answer = { callId: context.callId, toolName: this.schema.name, status: 'success' };
    %s
  }
}
"""


class Bench:
    def __init__(self, place):
        self.place = place
        limits = Limits(timeout=5.0, start=20.0)
        self.systems = Systems(Environment(rootdir=place, sys_path=(), limits=limits))
        self.number = 0

    def write(self, name, text):
        file = self.place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def with_jiti(self, project):
        """Let a project have the jiti of the reference tools."""
        (self.place / project / "node_modules").mkdir()
        (self.place / project / "node_modules" / "jiti").symlink_to(JITI)

    def open(self, locator, export="Tool", **settings):
        target = Target(f"art:{locator}#{export}", "art", locator, export)
        return self.systems.open(target, ToolSettings(**settings))

    def tool(self, body, **settings):
        """A tool whose execute is `body`, in a process of its own."""
        self.number += 1
        self.write(f"tool{self.number}.mjs", TOOL % body)
        return self.open(f"./tool{self.number}.mjs", **settings)

    def call(self, body, arguments="{}", **settings):
        return self.tool(body, **settings).execute(stimulus("test", "generated", arguments, CONTEXT))

    def output(self, expression):
        """What becomes of an output."""
        return self.call(f"return {{ ...answer, output: {expression} }};").result

    def tools(self, locator):
        return self.systems.list_tools("art", locator, ToolSettings()).tools


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    made = Bench(tmp_path_factory.mktemp("node"))
    yield made
    made.systems.close()


# ---- loading


def test_the_exports_that_are_tools_are_listed(bench):
    """Classes and instances; a factory has to be named."""
    bench.write(
        "many.mjs",
        TOOL % "return answer;"
        + "export const instance = new Tool();\nexport const makeTool = () => new Tool();\n"
        + "export const number = 3;\nexport class Other {}\nexport default Tool;\n",
    )
    found = bench.systems.list_tools("art", "./many.mjs", ToolSettings())
    assert found.tools == ("Tool", "instance")
    assert found.passed_over == ("makeTool may be a factory of a tool: name it after the #, as in #makeTool",)


@pytest.mark.parametrize(
    ("export", "how"), [("Tool", "class"), ("instance", "instance"), ("makeTool", "factory")]
)
def test_a_class_an_instance_and_a_factory_are_tools(export, how, bench):
    """A factory may be asynchronous."""
    extra = "export const instance = new Tool();\nexport const makeTool = async () => new Tool();\n"
    bench.write("shapes.mjs", TOOL % "return { ...answer, output: 1 };" + extra)
    host = bench.open("./shapes.mjs", export)
    assert host.describe().facts.exported == how
    assert host.execute(stimulus("test", "generated", "{}", CONTEXT)).succeeded


ARROW = """
class Base {
  execute = async (input, context) => ({ callId: context.callId, toolName: 'tool', status: 'success', output: 1 });
}
class Tool extends Base {
  schema = { name: 'tool', description: 'Does it.', inputSchema: { type: 'object', properties: {} } };
}
class Runner { run(tool) { return tool.execute(); } }
export { Tool, Runner };
"""


def test_a_class_whose_execute_is_a_field_is_a_tool(bench):
    """Also where the class that it extends has the field. A class that calls the execute of others is none."""
    bench.write("arrow.mjs", ARROW)
    assert bench.systems.list_tools("art", "./arrow.mjs", ToolSettings()).tools == ("Tool",)
    host = bench.open("./arrow.mjs", "Tool")
    assert host.describe().facts.exported == "class"
    assert host.execute(stimulus("test", "generated", "{}", CONTEXT)).succeeded


@pytest.mark.parametrize(
    ("locator", "export", "message"),
    [
        ("./nowhere.mjs", "Tool", "there is no file"),
        ("no-such-package", "Tool", "npm install it"),
        ("./broken.mjs", "Tool", "importing ./broken.mjs raised Error: no luck"),
        ("./plain.mjs", "Missing", "Missing is not exported; its tools are Tool"),
        ("./plain.mjs", "number", "number is number, and has no execute"),
    ],
)
def test_what_cannot_be_loaded_is_told_in_a_sentence(locator, export, message, bench):
    """For the tool's author."""
    bench.write("broken.mjs", "throw new Error('no luck');")
    bench.write("plain.mjs", TOOL % "return answer;" + "export const number = 3;\n")
    with pytest.raises(TargetError, match=message):
        bench.open(locator, export)


@pytest.mark.parametrize(
    ("exports", "file"),
    [({"main": "./lib.cjs"}, "lib.cjs"), ({"exports": {"import": "./lib.mjs"}}, "lib.mjs")],
)
def test_a_bare_name_is_a_package_of_the_project(exports, file, bench):
    """Resolved as Node.js does it from there, also where it can only be imported."""
    source = TOOL % "return { ...answer, output: 1 };"
    if file.endswith(".cjs"):
        source = source.replace("export class Tool", "exports.Tool = class Tool") + ";"
    name = f"@scope/pkg-{file.partition('.')[2]}"
    bench.write(
        f"node_modules/{name}/package.json", json.dumps({"name": name, "version": "1.0.0", **exports})
    )
    bench.write(f"node_modules/{name}/{file}", source)
    assert bench.open(name).execute(stimulus("test", "generated", "{}", CONTEXT)).succeeded


def test_typescript_without_jiti_says_what_to_install(bench):
    """One line."""
    bench.write("typed.ts", "export const x: number = 1;")
    with pytest.raises(TargetError, match="npm install --save-dev jiti"):
        bench.tools("./typed.ts")


JITI = Path(__file__).parents[3] / "reference_tools" / "art" / "node_modules" / "jiti"
needs_jiti = pytest.mark.skipif(not JITI.is_dir(), reason="reference_tools/art: npm install")
PATHS = """
{
  // as editors write it
  "extends": "./base.json",
  "compilerOptions": { "strict": true, /* and */ },
}
"""
BASE = """{ "compilerOptions": { "baseUrl": "./src", "paths": { "@lib/*": ["none/*", "lib/*"], "#one": ["./lib/one.ts"] } } }"""
IMPORTING = (
    """
import { one } from '#one';
import { two } from '@lib/two.js';
import { two as again } from 'lib/two';
"""
    + TOOL % "return { ...answer, output: one + two + again };"
)


@needs_jiti
@pytest.mark.parametrize(
    "files",
    [
        {"tsconfig.json": PATHS, "base.json": BASE},
        {
            "tsconfig.json": '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
            "tsconfig.app.json": BASE,
        },
    ],
    ids=["extends", "references"],
)
def test_the_paths_of_a_projects_tsconfig_are_honoured(files, bench):
    """With baseUrl, wildcards, comments, and where another file has them."""
    project = f"paths-{len(files['tsconfig.json'])}"
    for name, text in files.items():
        bench.write(f"{project}/{name}", text)
    bench.write(f"{project}/src/lib/one.ts", "export const one: number = 1;")
    bench.write(f"{project}/src/lib/two.ts", "export const two: number = 2;")
    bench.write(f"{project}/src/tools/sum.ts", IMPORTING)
    bench.with_jiti(project)
    called = bench.open(f"./{project}/src/tools/sum.ts").execute(stimulus("test", "generated", "{}", CONTEXT))
    assert called.result.payload == "5"


@needs_jiti
def test_a_tsconfig_that_extends_what_is_not_installed_is_named_where_it_matters(bench):
    """A tool that needs no paths is loaded all the same."""
    bench.write("unread/tsconfig.json", '{ "extends": "@tsconfig/none/tsconfig.json" }')
    bench.write("unread/plain.ts", TOOL % "return { ...answer, output: 1 as number };")
    bench.write("unread/sum.ts", IMPORTING)
    bench.with_jiti("unread")
    assert bench.tools("./unread/plain.ts") == ("Tool",)
    with pytest.raises(
        TargetError, match=r"Cannot find module '#one'; tsconfig.json cannot be read: .*@tsconfig/none"
    ):
        bench.tools("./unread/sum.ts")


def test_a_tool_that_runs_by_another_name_is_named(bench):
    """It looks like a tool, and the framework could not call it."""
    bench.write(
        "runs.mjs", "export class Runner { getSchema() { return {}; } async run(input) { return input; } }"
    )
    assert (
        "Runner has run() and no execute"
        in bench.systems.list_tools("art", "./runs.mjs", ToolSettings()).passed_over[0]
    )


def test_without_node_a_target_says_what_to_install(bench, monkeypatch):
    """One line, and nothing looks green."""
    monkeypatch.setenv("PATH", str(bench.place))
    with pytest.raises(
        TargetError, match=r"needs Node.js 20 or later, and there is no `node` on PATH: install"
    ):
        NodeHostPool(bench.systems.environment).list_tools("./plain.mjs", ToolSettings())


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 18.20.4 /bin/false", "is 18.20.4: install a later one"),
        ("exit 1", "is none that runs: install a later one"),
    ],
)
def test_a_node_that_will_not_do_is_told_before_anything_runs(script, message, bench, monkeypatch, tmp_path):
    """One line, too."""
    (tmp_path / "node").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(TargetError, match=message):
        NodeHostPool(bench.systems.environment).list_tools("./plain.mjs", ToolSettings())


def test_a_script_that_stands_for_node_is_seen_through(bench, monkeypatch, tmp_path):
    """Version managers put scripts on PATH that need a home directory of their own, or close descriptors."""
    real = shutil.which("node")
    (tmp_path / "node").write_text(
        f"#!/usr/bin/env python3\nimport subprocess, sys\nsys.exit(subprocess.run([{real!r}, *sys.argv[1:]]).returncode)\n"
    )
    (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    bench.write("plain.mjs", TOOL % "return answer;")
    with NodeHostPool(bench.systems.environment) as pool:
        assert pool.list_tools("./plain.mjs", ToolSettings()).tools == ("Tool",)


def test_a_constructor_that_wants_something_is_told_of_factories(bench):
    """What it wants, nobody but its author can give."""
    bench.write(
        "wants.mjs",
        TOOL.replace("async execute", "constructor(options) { this.key = options.key; }\n  async execute")
        % "",
    )
    assert bench.open("./wants.mjs").describe().construction_error.endswith("export a factory that makes it")


def test_a_constructor_that_throws_is_described_all_the_same(bench):
    """Why no instance could be made stands in the declaration, and no call is made."""
    bench.write(
        "thrower.mjs",
        TOOL.replace("async execute", "constructor() { throw new TypeError('no key'); }\n  async execute")
        % "",
    )
    host = bench.open("./thrower.mjs")
    assert host.describe().construction_error == "making an instance raised TypeError: no key"
    assert host.execute(stimulus("test", "generated", "{}", CONTEXT)).outcome is Outcome.NOT_CONSTRUCTED


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


# ---- values


@pytest.mark.parametrize(
    ("expression", "oddities"),
    [
        ("undefined", {("output", "undefined")}),
        ("{ a: undefined, b: [undefined] }", {("output.a", "undefined"), ("output.b[0]", "undefined")}),
        (
            "[NaN, Infinity, -Infinity, -0]",
            {
                ("output[0]", "NaN"),
                ("output[1]", "Infinity"),
                ("output[2]", "-Infinity"),
                ("output[3]", "-0"),
            },
        ),
        ("{ f() {}, s: Symbol('x') }", {("output.f", "function"), ("output.s", "symbol")}),
        ("{ [Symbol('key')]: 1 }", {("output", "symbol")}),
        ("[1, , 3]", {("output[1]", "hole")}),
        ("{ get a() { return 1; } }", {("output.a", "getter")}),
        ("{ toJSON: () => 1 }", {("output", "toJSON"), ("output.toJSON", "function")}),
        ("new Map([[1, 2]])", {("output", "class Map")}),
        ("{ when: new Date(0) }", {("output.when", "class Date")}),
        ("new (class Money { amount = 1; })()", {("output", "class Money")}),
        ("new Proxy({}, {})", {("output", "proxy")}),
        ("'\\ud800'", {("output", "lone surrogate")}),
        ("Object.create(null)", set()),
        ("{ a: [1, 'x', null, true, { b: 1.5 }] }", set()),
    ],
)
def test_values_are_seen_for_what_they_are(expression, oddities, bench):
    """Before they are serialised."""
    result = bench.output(expression)
    assert set(result.facts.oddities) == {Oddity(place, what) for place, what in oddities}
    assert result.facts.fault is None


@pytest.mark.parametrize(
    ("expression", "oddity", "fault", "output", "unwritten"),
    [
        ("10n", Oddity("output", "BigInt"), "TypeError", None, "output"),
        (
            "{ n: 10n, x: [1, NaN] }",
            Oddity("output.n", "BigInt"),
            "TypeError",
            {"n": None, "x": [1, None]},
            "output.n",
        ),
        (
            "(() => { const a = {}; a.b = [a]; return a; })()",
            Oddity("output.b[0]", "cycle"),
            "TypeError",
            {"b": [None]},
            "output.b[0]",
        ),
        (
            "{ get a() { throw new RangeError('no'); }, b: 1 }",
            Oddity("output.a", "getter"),
            "RangeError: no",
            {"a": None, "b": 1},
            "output.a",
        ),
        (
            "{ on: { toJSON() { throw new Error('never'); }, a: 1n }, f() {} }",
            Oddity("output.on", "toJSON"),
            "Error: never",
            {"on": {"a": None}},
            "output.on.a",
        ),
        (
            "{ day: new Date(0), n: new Number(3), m: new Map(), u: undefined, x: [, () => 1, 1n] }",
            Oddity("output.x[2]", "BigInt"),
            "TypeError",
            {"day": "1970-01-01T00:00:00.000Z", "n": 3, "m": {}, "x": [None, None, None]},
            "output.x[2]",
        ),
        (
            "new Proxy({ a: 1n, b: 2 }, {})",
            Oddity("output", "proxy"),
            "TypeError",
            {"a": None, "b": 2},
            "output.a",
        ),
        (
            "new Proxy({}, { ownKeys() { throw new Error('trap'); } })",
            Oddity("output", "proxy"),
            "Error: trap",
            None,
            "output",
        ),
    ],
)
def test_what_cannot_be_serialised_is_told_and_harms_nobody(
    expression, oddity, fault, output, unwritten, bench
):
    """The call came back all the same, and all that can be written is written."""
    result = bench.output(expression)
    assert oddity in result.facts.oddities
    assert fault in result.facts.fault
    assert json.loads(result.facts.text) == {**ANSWER, "output": output}
    assert (result.facts.unwritten, result.payload, result.successful) == ((unwritten,), None, True)


def test_a_member_that_throws_when_it_is_read_leaves_the_others(bench):
    facts = bench.call("return { ...answer, get output() { throw new Error('no'); } };").result.facts
    assert (json.loads(facts.text), facts.unwritten) == ({**ANSWER, "output": None}, ("output",))


def test_a_cycle_through_the_result_is_cut_where_it_closes(bench):
    result = bench.call("const found = { ...answer, output: 1 }; found.self = [found]; return found;").result
    assert json.loads(result.facts.text) == {**ANSWER, "output": 1, "self": [None]}
    assert (result.facts.unwritten, result.payload) == (("self[0]",), "1")


def test_of_a_result_that_lists_no_members_nothing_is_written(bench):
    body = "return new Proxy({ ...answer, output: 1 }, { ownKeys() { throw new Error('trap'); } });"
    facts = bench.call(body).result.facts
    assert (facts.text, facts.unwritten) == (None, ("",))


ENDLESS = """{
  ownKeys: () => ['a', 'b'],
  get: () => endless(),
  getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true }),
}"""


@pytest.mark.parametrize(
    "expression",
    [
        "Array.from({ length: 200_000 }, (_, n) => BigInt(n))",
        "(() => { const a = [1n]; a.length = 4e9; return a; })()",
        "Array.from({ length: 60 }).reduce((below) => ({ a: below, b: below }), 1n)",
        "Array.from({ length: 9_000 }).reduce((below) => [below], 1n)",
        f"(() => {{ const endless = () => new Proxy({{}}, {ENDLESS}); return {{ a: 1n, b: endless() }}; }})()",
    ],
    ids=["many", "sparse", "shared", "deep", "endless"],
)
def test_what_is_written_in_part_has_an_end(expression, bench):
    """50 places at most are named."""
    facts = bench.output(expression).facts
    assert json.loads(facts.text)["status"] == "success"
    assert 0 < len(facts.unwritten) <= 50


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("return;", "undefined"),
        ("return null;", "null"),
        ("return 'x';", "string"),
        ("return [1];", "array"),
        ("return 7n;", "bigint"),
    ],
)
def test_what_is_no_object_is_no_tool_result(statement, kind, bench):
    """Whatever it is."""
    result = bench.call(statement).result
    assert (result.is_invoke_result, result.facts.kind) == (False, kind)


@pytest.mark.parametrize(
    ("thrown", "type_name", "message", "category"),
    [
        ("new RangeError('too far')", "RangeError", "too far", "exception"),
        ("'a text'", "string", "a text", "exception"),
        ("null", "null", "", "nothing"),
        ("undefined", "undefined", "", "nothing"),
        ("{ get message() { throw 1; } }", "Object", "[object Object]", "exception"),
        ("new Proxy(new Error('x'), { get() { throw 1; } })", "proxy", "<a Proxy>", "exception"),
    ],
)
def test_whatever_is_thrown_is_told(thrown, type_name, message, category, bench):
    """Null and undefined can be thrown, too."""
    raised = bench.call(f"throw {thrown};").raised
    assert (raised.type_name, raised.message, raised.category) == (type_name, message, category)


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
    """It is told in words where the host can still speak; the next call has a process of its own."""
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
