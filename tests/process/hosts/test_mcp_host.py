"""The host of MCP servers: how servers are opened, listed, called and watched, also hostile ones."""

import json

import pytest
from tests.stimuli import stimulus

from aptix_conformance import canaries
from aptix_conformance.errors import TargetError
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.model import Change, Kind, Outcome, ProtocolStimulus, Stimulus
from aptix_conformance.model.codec import replace
from aptix_conformance.model.file_change import FileChange
from aptix_conformance.systems.mcp.pool import McpPool
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import Target, ToolSettings

SERVER = """
import json, os, sys, time
LEGACY = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
MODERN = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
TOOL = {"name": "echo", "inputSchema": {"type": "object"}}
listed = {"tools": [TOOL]}
known = {"initialize": LEGACY, "ping": {}}

def write(message):
    os.write(1, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\\n")

def call(arguments):
    return {"content": [{"type": "text", "text": json.dumps(arguments)}]}

def answer(method, params):
    if method == "tools/list":
        return listed
    return call(params.get("arguments")) if method == "tools/call" else known.get(method)

def serve():
    for line in sys.stdin:
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if "id" in message:
            result = answer(message["method"], message.get("params", {}))
            said = {"error": {"code": -32601, "message": "no"}} if result is None else {"result": result}
            write({"id": message["id"], **said})
"""


@pytest.fixture
def bench(tmp_path):
    """Makes a pool for a server: the one above, with `changes` before it serves."""
    pools = []

    def make(changes, start=10.0, serves="serve()"):
        (tmp_path / "server.py").write_text(f"{SERVER}\n{changes}\n{serves}\n")
        limits = Limits(timeout=5.0, start=start)
        environment = Environment(
            tmp_path, (), canaries=canaries.environment(0), limits=limits, systems=OURS.traits
        )
        pools.append(McpPool(environment))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


COMMAND = "python server.py"
SETTINGS = ToolSettings()


def opened(pool):
    return pool.open(Target(f"mcp:{COMMAND}#echo", "mcp", COMMAND, "echo"), SETTINGS)


@pytest.mark.parametrize(
    ("variable", "settings"),
    [
        ("ECHO_PAT", ToolSettings(env={"A": "for ${ECHO_PAT}"})),
        ("A_TOKEN", ToolSettings(env={"A_TOKEN": "${ECHO}"})),
        ("ECHO_PAT", ToolSettings(command=("python", "server.py", "for ${ECHO_PAT}"))),
    ],
    ids=["env", "named by the key", "command"],
)
def test_a_server_gets_what_its_table_takes_from_the_environment_and_no_secret_of_it_is_shown(
    bench, monkeypatch, variable, settings
):
    monkeypatch.setenv("ECHO_PAT", "a1b2c3d4e5f6")
    monkeypatch.setenv("ECHO", "a1b2c3d4e5f6")
    says = "' '.join([*sys.argv[1:], os.environ.get('A', ''), os.environ.get('A_TOKEN', '')])"
    pool = bench(f"call = lambda _: {{'content': [{{'type': 'text', 'text': {says}}}]}}")
    found = pool.open(Target(f"mcp:{COMMAND}#echo", "mcp", COMMAND, "echo"), settings).execute(
        stimulus("valid", "minimal", "{}", None)
    )
    assert found.result.payload.strip().removeprefix("for ") == canaries.standing_for(variable)
    with pytest.raises(TargetError) as caught:
        bench(f"sys.exit({says})").list_tools(COMMAND, settings)
    assert canaries.standing_for(variable) in str(caught.value)
    assert "a1b2c3d4e5f6" not in str(caught.value)


def test_a_variable_that_a_table_takes_and_that_is_not_set_is_an_error(bench):
    with pytest.raises(TargetError, match=r"`env\.A` needs the environment variable NOT_SET_AT_ALL"):
        bench("").list_tools(COMMAND, ToolSettings(env={"A": "${NOT_SET_AT_ALL}"}))


def wire(name):
    return Stimulus("wire", Change(Kind.DISTURBED, number=1), "{}", None, disturbance=ProtocolStimulus(name))


HOSTILE = {
    "ends at once": ("sys.exit('no database')", "exit status 1"),
    "many tools": ("listed['tools'] = [{**TOOL, 'name': f't{n}'} for n in range(10_000)]", "more than 2000 tools"),
    "an old revision": ("LEGACY['protocolVersion'] = '2024-11-05'", "speaks the revision '2024-11-05'"),
    "a line without end": ("while True: sys.stdout.write('x' * 65536)", "a line of more than 32 MiB"),
    "refuses": ("del known['initialize']", "refuses initialize"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "said"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_server_is_one_line_that_says_what_it_did(bench, changes, said):
    with pytest.raises(TargetError, match=rf"^mcp:python server\.py: .*{said}"):
        bench(changes).list_tools(COMMAND, SETTINGS)


@pytest.mark.parametrize(
    ("changes", "fault", "breach"),
    [
        ("listed['nextCursor'] = 'again'", "has no end: a nextCursor came twice", "end"),
        ("listed['tools'] = {}", "gave no list of tools", "form"),
        ("listed['nextCursor'] = 5", "gave a nextCursor that is no string: 5", "form"),
    ],
)
def test_a_list_that_cannot_be_read_to_its_end_is_read_as_far_as_it_goes(bench, changes, fault, breach):
    """The server is examined, and it says in one line what was not read."""
    pool = bench(changes)
    found = pool.list_tools(COMMAND, SETTINGS)
    assert found.tools == (("",) if "{}" in changes else ("", "echo"))
    (note,) = found.passed_over
    assert note.startswith(f"mcp:python server.py: tools/list {fault}")
    server = pool.open(Target(f"mcp:{COMMAND}", "mcp", COMMAND, ""), SETTINGS).describe()
    assert server.facts.list_breach == breach
    assert server.facts.list_fault.startswith(fault)


def test_a_server_is_not_examined_in_a_revision_that_it_does_not_speak(bench):
    pool = bench("")
    asked = Target(f"mcp:{COMMAND}#@2026-07-28", "mcp", COMMAND, "@2026-07-28")
    with pytest.raises(TargetError, match="does not speak the revision 2026-07-28"):
        pool.open(asked, SETTINGS).describe()


def test_what_a_server_printed_before_it_ended_is_shown_for_one_of_its_tools_too(bench):
    with pytest.raises(TargetError, match=r"#echo: loading it did not work: .*it printed: .*no database"):
        opened(bench("sys.exit('no database')")).describe()


@pytest.mark.parametrize("first", ["", "print('<html>502</html>', flush=True)"], ids=["silent", "HTML"])
def test_a_server_that_never_answers_is_given_up(bench, first):
    pool = bench(first, start=1.0, serves="for line in sys.stdin: pass")
    with pytest.raises(TargetError, match=r"no answer within 1 s(.*html>502)?"):
        pool.list_tools(COMMAND, SETTINGS)


def test_entries_without_a_name_are_failures_and_the_others_are_listed(bench):
    found = bench("listed['tools'] = [TOOL, {'inputSchema': {}}, 5]").list_tools(COMMAND, SETTINGS)
    assert found.tools == ("", "echo")
    assert list(found.failures) == ["entry 2 of tools/list", "entry 3 of tools/list"]


@pytest.mark.parametrize(
    ("changes", "revision"),
    [
        ("", "2025-11-25"),
        ("known = {'server/discover': MODERN}", "2026-07-28"),
        ("known['server/discover'] = MODERN", "2026-07-28"),
        ("known['server/discover'] = {'supportedVersions': ['2027-01-01']}", "2025-11-25"),
        # It reads only what it knows, and so never answers server/discover.
        (
            "old = answer\ndef answer(m, p):\n    if m == 'server/discover': raise SystemExit\n    return old(m, p)",
            "2025-11-25",
        ),
    ],
    ids=["legacy", "modern", "both", "newer", "ends on what it does not know"],
)
def test_the_newest_common_revision_is_spoken_and_remembered(bench, changes, revision):
    pool = bench(changes)
    found = opened(pool).describe()
    assert found.facts.revision == revision
    assert found.edition == f"mcp-{revision}"
    assert json.loads(pool.module_for(COMMAND, SETTINGS))["revision"] == revision


def test_calls_come_back_as_results_and_what_came_beside_them_is_kept(bench):
    host = opened(
        bench(
            "def call(a):\n    print('asked', flush=True)\n    write({'method': 'n'})\n    return {'content': [], 'isError': True}"
        )
    )
    found = host.execute(stimulus("valid", "minimal", '{"a": 1}', None))
    assert found.refused
    assert found.stdout.text == "asked\n"
    assert [json.loads(text)["method"] for text in found.result.facts.others] == ["n"]


def test_arguments_reach_the_server_as_they_are_written(bench):
    host = opened(bench(""))
    found = host.execute(stimulus("valid", "minimal", '{"é": 1.50,\n "é": 12345678901234567890}', None))
    assert json.loads(found.result.payload) == {"é": 12345678901234567890}
    together = [stimulus("repeat", "together:2:a-1", f'{{"n": {n}}}', None) for n in range(5)]
    assert [json.loads(each.result.payload)["n"] for each in host.execute_together(together)] == [
        0,
        1,
        2,
        3,
        4,
    ]
    assert host.check_sentinels(last=True) is None


@pytest.mark.parametrize(
    ("changes", "outcome", "said"),
    [
        ("def call(a): os._exit(7)", Outcome.CRASHED, "exit status 7"),
        ("def call(a):\n    os.close(1)\n    time.sleep(60)", Outcome.CRASHED, "closed its standard output"),
        ("def call(a): print('x' * (33 << 20))", Outcome.CRASHED, "32 MiB"),
    ],
    ids=["ends", "closes its output", "a long line"],
)
def test_a_server_that_ends_in_a_call_is_a_crash_of_that_call(bench, changes, outcome, said):
    found = opened(bench(changes)).execute(stimulus("valid", "minimal", "{}", None), timeout=30.0)
    assert found.outcome is outcome
    assert said in found.incident


def test_a_line_to_which_no_response_is_owed_shows_what_it_caused(bench):
    """The server answers the notification, and keeps silent on the line that is not JSON."""
    host = opened(
        bench("""
old = serve
def serve():
    for line in sys.stdin:
        if "aptix-no-such-notification" in line:
            write({"id": None, "error": {"code": -1, "message": "what?"}})
        elif "jsonrpc" in line:
            m = json.loads(line)
            if "id" in m:
                write({"id": m["id"], "result": answer(m["method"], m.get("params", {})) or {}})
""")
    )
    answered, silent = (
        host.execute(wire(name)).result.facts for name in ("unknown-notification", "not-json")
    )
    assert (answered.message, len(answered.others)) == (None, 1)
    assert (silent.message, silent.others) == (None, ())


def test_a_server_starts_without_network_and_in_the_directory_that_is_configured(bench, tmp_path):
    inner = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    inner.mkdir()
    reach = "import socket\ndef call(a):\n    try:\n        socket.create_connection(('192.0.2.1', 80), 1)\n    except OSError as e:\n        return {'content': [{'type': 'text', 'text': f'{os.getcwd()} {type(e).__name__}'}]}"
    settings = ToolSettings(command=("python", str(tmp_path / "server.py")), directory=str(inner))
    host = bench(reach).open(Target("mcp:named#echo", "mcp", "named", "echo"), settings)
    found = host.execute(stimulus("valid", "minimal", "{}", None))
    assert found.result.payload.startswith(f"{inner} ")
    assert found.result.facts.directory == str(inner)
    assert found.result.payload.split()[1] != "TimeoutError"
    assert host.containment != "none"


def test_a_late_error_about_another_line_is_no_answer_to_a_request(bench):
    """It answers the line that is not JSON only after the next request, by an error without an id."""
    host = opened(
        bench("""
late = []
def serve():
    for line in sys.stdin:
        try:
            m = json.loads(line)
        except ValueError:
            late.append({"id": None, "error": {"code": -32700, "message": "no JSON"}})
            continue
        if m["method"] == "ping" and late:
            write(late.pop())
        if "id" in m:
            write({"id": m["id"], "result": answer(m["method"], m.get("params", {})) or {}})
""")
    )
    host.execute(wire("not-json"))
    found = host.execute(wire("ping")).result.facts
    assert "result" in json.loads(found.message)
    assert len(found.others) == 1


def test_a_server_that_floods_with_notifications_is_still_answered_for(bench):
    host = opened(
        bench("""
import threading
def flood():
    for _ in range(20_000): write({"method": "notifications/own"})
def call(arguments):
    threading.Thread(target=flood, daemon=True).start()
    return {"content": []}
""")
    )
    found = host.execute(stimulus("valid", "minimal", "{}", None))
    assert found.succeeded
    assert len(found.result.facts.others) <= 50


def test_what_ends_a_server_is_observed_and_the_next_stimulus_starts_it_anew(bench):
    """It dies of an array for params; it is silent on a batch, and ends with its input."""
    pool = bench("")
    host = pool.open(Target(f"mcp:{COMMAND}", "mcp", COMMAND, ""), SETTINGS)
    assert host.describe().kind == "server"
    found = {
        name: host.execute(wire(name)).result.facts
        for name in ("params-array", "lone-surrogate", "batch", "text-id", "end-of-input")
    }
    ended = {name: facts.ended for name, facts in found.items() if facts.ended}
    assert ended == {
        "params-array": "the server ended with exit status 1",
        "end-of-input": "exit status 0",
    }
    assert "result" in json.loads(found["lone-surrogate"].message)
    assert json.loads(found["text-id"].message)["id"] == "aptix-1"
    assert found["batch"].others == ()


def test_a_very_long_list_is_still_a_result_for_a_request_with_a_text_for_its_id(bench):
    pool = bench("listed['tools'] = [{**TOOL, 'description': 'x' * 100_000}]")
    host = pool.open(Target(f"mcp:{COMMAND}", "mcp", COMMAND, ""), SETTINGS)
    message = json.loads(host.execute(wire("text-id")).result.facts.message)
    assert message == {"jsonrpc": "2.0", "id": "aptix-1", "result": {}}


def test_a_call_that_is_answered_after_later_light_requests_is_no_silence(bench):
    pool = bench("""
import threading
def serve():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer(message["method"], message.get("params", {}))
            said = {"id": message["id"], "result": result} if result else {"id": message["id"], "error": {"code": -32601, "message": "no"}}
            if message["method"] == "tools/call":
                threading.Timer(0.3, write, [said]).start()
            else:
                write(said)
""")
    host = pool.open(Target(f"mcp:{COMMAND}", "mcp", COMMAND, ""), SETTINGS)
    assert host.execute(wire("lone-surrogate")).result.facts.message is not None


def test_a_request_is_unanswered_when_later_ones_were_answered(bench):
    """It drops half of a character, and answers an integer of 5,000 digits late."""
    host = bench("""
late = []
old = answer
def answer(method, params):
    arguments = params.get("arguments") or {}
    if arguments.get("a") == chr(0xD800):
        raise KeyError
    return old(method, params)
def serve():
    sys.set_int_max_str_digits(0)
    for line in sys.stdin:
        m = json.loads(line)
        if "7" * 5000 in line:
            late.append(m["id"])
            continue
        try:
            write({"id": m["id"], "result": answer(m["method"], m.get("params", {})) or {}})
        except KeyError:
            continue
        while late:
            write({"id": late.pop(), "result": {}})
""").open(Target(f"mcp:{COMMAND}", "mcp", COMMAND, ""), SETTINGS)
    assert host.execute(wire("lone-surrogate")).result.facts.message is None
    assert "result" in json.loads(host.execute(wire("long-integer")).result.facts.message)


APPENDS = """
def call(arguments):
    with open("notes.txt", "a") as file:
        file.write(arguments["note"])
    return {"content": []}
"""


@pytest.fixture
def notes(tmp_path):
    """Settings that give a server a folder with a file."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "notes.txt").write_text("milk")
    return ToolSettings(files=str(folder))


def note(text):
    return Stimulus("valid", Change(Kind.MINIMAL), json.dumps({"note": text}), None)


def test_a_call_is_compared_with_the_files_that_its_tool_was_given(bench, notes):
    host = bench(APPENDS).open(Target(f"mcp:{COMMAND}#echo", "mcp", COMMAND, "echo"), notes)
    first, nothing = host.execute(note(" bread")), host.execute(note(""))
    host.restore_files()
    again = host.execute(note(" bread"))
    changed = (FileChange("notes.txt", "changed", given=True),)
    assert [call.result.facts.changes for call in (first, nothing, again)] == [changed, (), changed]
    assert again.earlier == 0


def test_a_server_without_files_is_not_compared(bench):
    assert opened(bench("")).execute(note("")).result.facts.changes is None


ASKS = """
import socket
def call(arguments):
    try:
        socket.getaddrinfo(arguments["host"], 80)
    except OSError:
        pass
    return {"content": []}
"""


@pytest.mark.parametrize(("name", "is_another"), [("api.example.com", True), ("localhost", False)])
def test_attempts_to_reach_another_machine_are_counted(bench, name, is_another):
    asked = Stimulus("valid", Change(Kind.MINIMAL), json.dumps({"host": name}), None)
    call = opened(bench(ASKS)).execute(asked)
    assert bool(call.result.facts.attempts) is is_another
    assert call.network == (("another machine",) if is_another else ())


def test_the_attempts_of_a_server_that_is_not_contained_are_not_counted(bench):
    host = bench("").open(
        Target(f"mcp:{COMMAND}#echo", "mcp", COMMAND, "echo"), ToolSettings(side_effects="none")
    )
    assert host.execute(note("")).result.facts.attempts is None


CHANGING = """
known = {"server/discover": MODERN}
names = ["echo"]

def answer(method, params):
    if method == "tools/list":
        %s
        return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names]}
    if method == "tools/call":
        names.append("another")
        return call(params["_meta"]["io.modelcontextprotocol/clientInfo"]["name"])
    return known.get(method)
"""


def test_a_call_is_made_by_two_clients_by_turns_as_long_as_they_get_different_answers(bench):
    facts = opened(bench(CHANGING % "pass")).execute(wire("two-clients")).result.facts
    texts = [json.loads(text)["result"]["content"][0]["text"] for text in (*facts.others, facts.message)]
    assert texts == ['"aptix-conformance"', '"claude-ai"'] * 3


@pytest.mark.parametrize(
    ("by_itself", "lists"), [("pass", [["echo"], ["echo", "another"]]), ("names.append(str(len(names)))", [])]
)
def test_lists_around_a_call_are_compared_only_where_they_do_not_change_by_themselves(
    bench, by_itself, lists
):
    host = opened(bench(CHANGING % by_itself))
    host.execute(wire("followed-call"))
    facts = host.execute(wire("between-lists")).result.facts
    pages = [json.loads(text) for text in (*facts.others, facts.message) if text]
    assert [[tool["name"] for tool in page["result"]["tools"]] for page in pages] == lists


KEEPING = """
import atexit
known = {"server/discover": MODERN}
kept = []

def read():
    return open("notes.txt").read().split()

def save():
    with open("notes.txt", "w") as file:
        file.write(" ".join(kept))

def call(arguments):
    kept.append(arguments["note"])
    %s
    return {"content": [{"type": "text", "text": " ".join(kept)}]}

%s
"""


def restarted(host, text):
    """What a call gave twice in a new process, after another one; empty where that was not seen."""
    host.execute(note("milk"))
    plan = replace(wire("restarted-call"), arguments=json.dumps({"note": text}))
    facts = host.execute(plan).result.facts
    found = [*facts.others, facts.message] if facts.message else []
    return [json.loads(each)["result"]["content"][0]["text"] for each in found]


@pytest.mark.parametrize(
    ("in_call", "at_start", "said"),
    [
        ("pass", "", ["tea", "tea tea"]),
        ("save()", "kept = read()", ["milk milk tea", "milk milk tea tea"]),
        ("pass", "kept = read(); atexit.register(save)", ["milk milk tea", "milk milk tea tea"]),
    ],
    ids=["in memory", "in a file", "saved at the end"],
)
def test_a_call_after_a_restart_finds_files_and_no_memory(bench, notes, in_call, at_start, said):
    pool = bench(KEEPING % (in_call, at_start))
    host = pool.open(Target(f"mcp:{COMMAND}#echo", "mcp", COMMAND, "echo"), notes)
    assert restarted(host, "tea") == said
    assert host.execute(note("rice")).result.payload == f"{said[-1]} rice"


def test_a_server_that_does_not_end_of_its_own_is_not_compared_with_a_new_one(bench):
    """It might have saved what it keeps; and it serves on in a new process."""
    host = opened(bench(KEEPING % ("pass", ""), serves="serve()\ntime.sleep(600)"))
    assert restarted(host, "tea") == []
    assert host.execute(note("rice")).result.payload == "rice"


def test_a_server_that_cannot_be_started_again_is_not_compared(bench, notes):
    pool = bench(KEEPING % ("save()", "if 'milk tea' in open('notes.txt').read(): raise SystemExit(4)"))
    host = pool.open(Target(f"mcp:{COMMAND}#echo", "mcp", COMMAND, "echo"), notes)
    host.execute(note("milk"))
    host.execute(note("tea"))
    facts = host.execute(wire("restarted-call")).result.facts
    assert (facts.message, facts.ended) == (None, "the server ended with exit status 4")


def test_a_restart_before_any_call_shows_nothing(bench):
    host = opened(bench(KEEPING % ("pass", "")))
    plan = replace(wire("restarted-call"), arguments=json.dumps({"note": "tea"}))
    assert host.execute(plan).result.facts.message is None


def test_what_a_server_in_python_prints_shows_with_the_call_that_printed_it(bench):
    printing = """
def call(arguments):
    print("asked")
    return {"content": []}
"""
    assert opened(bench(printing)).execute(stimulus("valid", "minimal", "{}", None)).stdout.text == "asked\n"


LEGACY_TASKS = """
def answer(method, params):
    if method == "tools/list":
        return {"tools": [{**TOOL, "execution": {"taskSupport": "required"}}]}
    if method == "tools/call":
        return {"task": {"taskId": "1"}} if "task" in params else %s
    return known.get(method)
"""


def test_a_plain_call_and_a_task_are_made_by_turns_as_long_as_their_answers_are_of_different_forms(bench):
    facts = opened(bench(LEGACY_TASKS % "call(params['arguments'])")).execute(wire("as-task")).result.facts
    results = [json.loads(text)["result"] for text in (*facts.others, facts.message)]
    assert ["task" in result for result in results] == [True, *[False, True] * 3]


def test_a_tool_that_is_called_as_a_task_only_says_nothing_of_arguments_by_refusing_a_plain_call(bench):
    host = opened(bench(LEGACY_TASKS % "None"))
    assert host.execute(note("")).result.successful is None
    assert host.execute(wire("as-task")).result.facts.message


TASKS = """
import itertools, random
LEGACY["capabilities"]["tasks"] = {"cancel": {}, "requests": {"tools": {"call": {}}}}
TOOL["execution"] = {"taskSupport": "optional"}
numbers, looks, states = itertools.count(1), {}, {}
MEMBERS = {"createdAt": "2025-11-25T10:30:00Z", "lastUpdatedAt": "2025-11-25T10:30:00Z", "ttl": 60000}
looked_at, steps = 1, ("completed",)

def state(number):
    return {"taskId": number, "status": states[number], **MEMBERS}

def begun():
    number = str(next(numbers))
    looks[number], states[number] = 0, "working"
    return {"task": state(number)}

def looked(number):
    looks[number] += 1
    if states[number] == "working" and looks[number] > looked_at:
        states[number] = steps[0]
    return state(number)

def ended(number):
    states[number] = "completed"
    return call("done")

def cancelled(number):
    if states[number] == "completed":
        return None
    states[number] = "cancelled"
    return state(number)

def answer(method, params):
    if method == "tools/list":
        return listed
    if method == "tools/call":
        return begun() if "task" in params else call("done")
    if method.startswith("tasks/"):
        of = {"get": looked, "result": ended, "cancel": cancelled}[method.removeprefix("tasks/")]
        return of(params["taskId"]) if params["taskId"] in states else None
    return known.get(method)

"""


def of_tasks(pool, name="task", tool="echo", timeout=0.5):
    target = Target(f"mcp:{COMMAND}#{tool}".rstrip("#"), "mcp", COMMAND, tool)
    return pool.open(target, ToolSettings(timeout=timeout)).execute(wire(name))


def followed(observed):
    """What was asked about each task, in its order; plain calls are those about the task 0."""
    steps = observed.result.facts.steps
    return {number: [step.asked for step in steps if step.task == number] for number in (0, 1, 2, 3)}


def test_a_task_is_followed_to_its_end_another_is_waited_for_and_a_third_is_cancelled(bench):
    observed = of_tasks(bench(TASKS), timeout=5.0)
    assert observed.outcome is Outcome.RETURNED
    assert json.loads(observed.result.facts.message)["result"]["task"]["taskId"] == "1"
    assert followed(observed) == {
        0: ["call"] * 3,
        1: ["create", "get", "get", "result", "get", "cancel", "get"],
        2: ["create", "result", "get"],
        3: ["create", "cancel", "get", "get"],
    }


@pytest.mark.parametrize(
    ("changes", "asked"),
    [
        ("steps = ('working',)", ["create", "get+", "cancel", "get", "get"]),
        (
            "MEMBERS['pollInterval'] = 31_536_000_000; steps = ('working',)",
            ["create", "get", "get", "cancel", "get", "get"],
        ),
        ("steps = ('input_required',)", ["create", "get", "get"]),
        ("steps = ('done',)", ["create", "get", "get"]),
        ("steps = ([],)", ["create", "get", "get"]),
        ("MEMBERS['ttl'] = 0", ["create"]),
        ("MEMBERS['taskId'] = 5", ["create"]),
        ("MEMBERS['taskId'] = 'x' * 2**20", []),
        ("MEMBERS['statusMessage'] = 'x' * 2**20", []),
        ("begun = lambda: {'task': []}", ["create"]),
        ("begun = lambda: None", ["create"]),
        ("looked = lambda number: time.sleep(1)", ["create", "get"]),
    ],
)
def test_a_hostile_task_is_left_alone_in_time(bench, changes, asked):
    """What is asked is asked within the time of a call, and no call counts as hanging."""
    observed = of_tasks(bench(TASKS + changes))
    assert observed.outcome is Outcome.RETURNED
    found = followed(observed)
    looks = found[1].count("get") - 2
    assert found[1] == [each for word in asked for each in (["get"] * looks if word == "get+" else [word])]
    assert found[2] == found[3] == []


@pytest.mark.parametrize("interval", ["-1", "0", "'soon'", "None", "float('nan')", "10**400", "True"])
def test_a_time_between_two_looks_that_is_none_is_passed_over(bench, interval):
    observed = of_tasks(bench(f"{TASKS}MEMBERS['pollInterval'] = {interval}"))
    assert followed(observed)[1][:3] == ["create", "get", "get"]


def test_a_result_that_is_refused_before_the_end_is_asked_for_once_more(bench):
    impatient = (
        "ended = lambda number: call('done') if states[number] == 'completed' else None; looked_at = 0"
    )
    assert followed(of_tasks(bench(TASKS + impatient)))[2] == ["create", "result", "get", "result"]


def test_a_silence_about_a_task_is_a_step_without_an_answer_and_the_last(bench):
    silent = "ended = lambda number: time.sleep(1)"
    observed = of_tasks(bench(TASKS + silent))
    assert followed(observed)[1] == ["create", "get", "get", "result"]
    assert observed.result.facts.steps[-1].message == ""


def test_a_server_is_asked_about_a_task_that_there_is_not(bench):
    observed = of_tasks(bench(TASKS), "unknown-task", tool="")
    assert [json.loads(step.message)["error"]["code"] for step in observed.result.facts.steps] == [-32601] * 3
    assert followed(observed)[0] == ["get", "result", "cancel"]


ENDS_LATER = """
import threading
def cancelled(number):
    states[number] = "cancelled"
    threading.Timer(0.1, lambda: os._exit(4)).start()
    return state(number)
"""


def test_a_server_that_ends_of_a_cancellation_is_seen_for_the_server_alone(bench):
    pool = bench(TASKS + ENDS_LATER)
    of_server, of_tool = (
        of_tasks(pool, name, tool) for name, tool in (("cancelled-task", ""), ("task", "echo"))
    )
    assert of_server.result.facts.ended == "the server ended with exit status 4"
    assert followed(of_server)[1][:2] == ["create", "cancel"]
    assert of_tool.outcome is Outcome.RETURNED
    assert of_tool.result.facts.ended == ""
    assert followed(of_tool)[3][:2] == ["create", "cancel"]


ASKING = """
known = {"server/discover": MODERN}
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

def answer(method, params):
    if method == "tools/list":
        return listed
    if method != "tools/call":
        return known.get(method)
    if not params["_meta"][CAPABILITIES]:
        return %s
    if "inputResponses" in params:
        return call([params["requestState"], params["inputResponses"]])
    return {"resultType": "input_required", "requestState": "a9-b", "inputRequests": {"name": {"method": "elicitation/create"}}}
"""


def test_a_tool_that_asks_is_declined_and_gets_its_state_as_it_was_and_changed(bench):
    facts = opened(bench(ASKING % "call('plain')")).execute(wire("asking")).result.facts
    assert json.loads(facts.message)["result"]["resultType"] == "input_required"
    texts = [json.loads(text)["result"]["content"][0]["text"] for text in facts.others]
    declined = {"name": {"action": "decline"}}
    states = ["a9-b", "a9-b", "a0-b", "a9-"]
    assert [json.loads(text) for text in texts] == ["plain", *([state, declined] for state in states)]


NEEDING = """
def write(message):
    error = {"error": {"code": -32021, "message": "no"}} if "error" in message else {}
    os.write(1, json.dumps({"jsonrpc": "2.0", **message, **error}).encode() + b"\\n")
"""


def test_a_tool_that_needs_a_client_it_can_ask_says_nothing_of_arguments(bench):
    host = opened(bench(ASKING % "None" + NEEDING))
    assert host.execute(note("")).result.successful is None


@pytest.mark.parametrize(
    ("result", "successful"),
    [("{'resultType': 'task'}", None), ("{**call({}), 'resultType': 'own'}", True), ("call({})", True)],
)
def test_a_result_of_another_type_without_content_is_no_success(bench, result, successful):
    changes = f"def answer(method, params): return {{'tools/list': listed, 'tools/call': {result}, **known}}.get(method)"
    assert opened(bench(changes)).execute(note("")).result.successful is successful
