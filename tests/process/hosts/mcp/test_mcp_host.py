"""The host of MCP servers: how servers are opened, listed, called and watched, also hostile ones."""

import json
import re

import pytest
from tests.process.hosts.mcp.servers import COMMAND, SETTINGS, note, opened, wire
from tests.stimuli import stimulus

from aptix_conformance.core.errors import TargetError, UnlistedError
from aptix_conformance.core.model import Outcome, canaries
from aptix_conformance.targets import Target, ToolSettings


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


HOSTILE = {
    "ends at once": ("sys.exit('no database')", "exit status 1"),
    "many tools": ("listed['tools'] = [{**TOOL, 'name': f't{n}'} for n in range(10_000)]", "more than 2,000 tools.*: let it list fewer"),
    "an old revision": ("LEGACY['protocolVersion'] = '2024-10-07'", "speaks the revision '2024-10-07'"),
    "a line without end": ("while True: sys.stdout.write('x' * 65536)", "a line of more than 32 MiB"),
    "refuses": ("del known['initialize']", "refuses initialize"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "said"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_server_is_one_line_that_says_what_it_did(bench, changes, said):
    with pytest.raises(TargetError, match=rf"^mcp:python server\.py: .*{said}"):
        bench(changes).list_tools(COMMAND, SETTINGS)


def test_the_second_of_two_tools_of_one_name_is_a_failure_of_its_own(bench):
    """It is not examined, so the run must not be green. An entry that only stands twice hides no tool."""
    found = bench("listed['tools'] += [{**TOOL, 'description': 'Another.'}, TOOL]").list_tools(
        COMMAND, SETTINGS
    )
    assert found.tools == ("", "echo")
    assert found.failures == {
        f"mcp:{COMMAND}#entry-2-of-the-list": "entry 2 of tools/list has the name 'echo' of entry 1 and says something else, so no call can be "
        "meant for it, and it is not examined: give it another name (MCP.S.7)"
    }


def test_as_many_tools_are_listed_as_are_read(bench):
    pool = bench("listed['tools'] = [{**TOOL, 'name': f't{n}'} for n in range(2_000)]")
    assert len(pool.list_tools(COMMAND, SETTINGS).tools) == 1 + 2_000


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


def test_a_server_that_does_not_start_is_told_once_with_what_it_printed(bench):
    """It is started twice before that is known."""
    with pytest.raises(TargetError) as caught:
        bench("sys.exit('no database')").list_tools(COMMAND, SETTINGS)
    assert str(caught.value) == (
        "mcp:python server.py: loading it did not work: the server ended with exit status 1 before it answered: "
        "start it by hand and fix that; it printed: no database"
    )


BY_TURNS = """
old, times = answer, []
def answer(m, p):
    if m == "tools/list":
        times.append(m)
        return {"tools": [TOOL] if len(times) in WHEN else []}
    return old(m, p)
"""


@pytest.mark.parametrize("when", [{1, 2}, {1, 3}, {1}], ids=["gone later", "by turns", "gone"])
def test_a_tool_that_is_listed_at_one_reading_only_is_not_read_and_the_error_says_so(bench, when):
    """There is no definition that a rule could judge."""
    host = opened(bench(f"WHEN = {when}{BY_TURNS}"))
    with pytest.raises(
        UnlistedError, match=r"^mcp:python server\.py: the server lists the tool 'echo' at one reading"
    ):
        host.describe()


def test_a_tool_that_is_listed_each_time_is_read_each_time(bench):
    host = opened(bench(f"WHEN = range(99){BY_TURNS}"))
    assert host.describe().facts == host.describe().facts


def test_a_server_without_tools_is_one_error_that_says_what_to_do(bench):
    """Nothing was examined, so nothing may look green."""
    with pytest.raises(
        TargetError, match=r"^mcp:python server\.py: the server lists no tools.*register its tools"
    ):
        bench("listed['tools'] = []").list_tools(COMMAND, SETTINGS)


@pytest.mark.parametrize(
    ("changes", "asked", "said"),
    [
        ("", "ecko", "lists no tool 'ecko'; did you mean 'echo'?"),
        ("", "draw", "lists no tool 'draw'; it lists 'echo'"),
        (
            "listed['tools'] = [{**TOOL, 'name': f'say_{n}'} for n in range(7)]",
            "draw",
            "lists no tool 'draw'; it lists 'say_0', 'say_1', 'say_2', 'say_3', 'say_4' and 2 more",
        ),
    ],
)
def test_a_tool_that_is_not_listed_is_refused_with_what_is(bench, changes, asked, said):
    pool = bench(changes)
    with pytest.raises(UnlistedError, match=re.escape(f"mcp:python server.py: the server {said}")):
        pool.open(Target(f"mcp:{COMMAND}#{asked}", "mcp", COMMAND, asked), SETTINGS)


@pytest.mark.parametrize(("listed", "stimulus", "is_sent"), [
    ("echo", "inherited-tool", True), ("constructor", "inherited-tool", False),
    ("echo", "other-case", True), ("1", "other-case", False),
])  # fmt: skip
def test_a_name_that_the_server_lists_is_not_called_as_an_unknown_one(bench, listed, stimulus, is_sent):
    host = bench(f'TOOL["name"] = {listed!r}').open(Target(f"mcp:{COMMAND}", "mcp", COMMAND, ""), SETTINGS)
    assert (host.execute(wire(stimulus)).result.facts.message is not None) is is_sent


PAGES = """
def answer(m, p, old=answer):
    if m != "tools/list":
        return old(m, p)
    place = int(p.get("cursor", "0"))
    tools = [{**TOOL, "name": f"t{place}_{n}"} for n in range(EACH)]
    return {"tools": tools, **({"nextCursor": str(place + 1)} if place < LAST else {})}
"""


@pytest.mark.parametrize(
    ("each", "last", "examined", "left_out"),
    [(1, 1_000_000, 10, 90), (15, 1_000_000, 15, 1_485), (1, 60, 61, 0), (30, 3, 120, 0)],
)
def test_of_a_list_without_an_end_the_first_tools_are_examined_and_the_others_are_named(
    bench, each, last, examined, left_out
):
    """A list with an end is examined to its end."""
    found = bench(f"EACH, LAST = {each}, {last}{PAGES}").list_tools(COMMAND, SETTINGS)
    assert len(found.tools) == 1 + examined
    assert list(found.failures) == ([f"{left_out} of the tools of mcp:{COMMAND}"] if left_out else [])
    for said in found.failures.values():
        assert f"{examined} of the {examined + left_out} tools that were read are examined, and t" in said


def test_a_tool_knows_the_sdk_below_it_as_its_server_does(bench, monkeypatch):
    """What the SDK breaks by itself is its own on tools, too."""
    monkeypatch.setattr("aptix_conformance.systems.mcp.pool.used", lambda command, folder: ("zod 3.25.76",))
    pool = bench("")
    server = pool.open(Target(f"mcp:{COMMAND}", "mcp", COMMAND, ""), SETTINGS).describe()
    for declaration in (server, opened(pool).describe()):
        assert declaration.facts.breaks_by_itself("MCP055", "") == "zod 3.25.76"


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
    changes = "listed['tools'] = [TOOL, {'inputSchema': {}}, 5, {**TOOL, 'name': ''}]"
    found = bench(changes).list_tools(COMMAND, SETTINGS)
    assert found.tools == ("", "echo")
    entries = [f"mcp:{COMMAND}#entry-{place}-of-the-list" for place in (2, 3, 4)]
    assert list(found.failures) == entries
    nameless, number, empty = (found.failures[entry] for entry in entries)
    assert "has no name that is a text (MCP.S.1)" in nameless
    assert "has no name that is a text (MCP.S.1)" in number
    assert "has an empty name" in empty
    assert "(MCP.S.5)" in empty
    assert "MCP.S.1)" not in empty


@pytest.mark.parametrize(
    ("changes", "revision"),
    [
        ("", "2025-11-25"),
        ("LEGACY['protocolVersion'] = '2025-06-18'", "2025-06-18"),
        ("LEGACY['protocolVersion'] = '2025-03-26'", "2025-03-26"),
        ("LEGACY['protocolVersion'] = '2024-11-05'", "2024-11-05"),
        ("known = {'server/discover': MODERN}", "2026-07-28"),
        ("known['server/discover'] = MODERN", "2026-07-28"),
        ("known['server/discover'] = {'supportedVersions': ['2027-01-01']}", "2025-11-25"),
        # It reads only what it knows, and so never answers server/discover.
        (
            "old = answer\ndef answer(m, p):\n    if m == 'server/discover': raise SystemExit\n    return old(m, p)",
            "2025-11-25",
        ),
    ],
    ids=[
        "legacy",
        "of June 2025",
        "of March 2025",
        "of 2024",
        "modern",
        "both",
        "newer",
        "ends on what it does not know",
    ],
)
def test_the_newest_common_revision_is_spoken_and_remembered(bench, changes, revision):
    pool = bench(changes)
    found = opened(pool).describe()
    assert found.facts.revision == revision
    assert found.edition == f"mcp-{revision}"
    assert json.loads(pool.module_for(COMMAND, SETTINGS))["revision"] == revision


SEVERAL = """
shake = answer
def answer(method, params):
    asked = params.get("protocolVersion")
    if method == "initialize" and asked in ("2024-11-05", "2025-03-26", "2025-06-18"):
        return {**LEGACY, "protocolVersion": asked}
    return shake(method, params)
"""


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_server_of_several_revisions_is_opened_in_the_one_that_is_named(bench, revision):
    pool = bench(SEVERAL)
    assert pool.list_tools(COMMAND, SETTINGS).tools == ("", "echo")
    host = pool.open(Target(f"mcp:{COMMAND}#@{revision}", "mcp", COMMAND, f"@{revision}"), SETTINGS)
    assert host.describe().edition == f"mcp-{revision}"
    assert opened(pool).describe().edition == "mcp-2025-11-25"


def test_a_revision_that_is_named_and_not_spoken_is_said(bench):
    pool = bench("")
    with pytest.raises(TargetError, match="does not speak the revision 2025-03-26"):
        pool.open(Target(f"mcp:{COMMAND}#@2025-03-26", "mcp", COMMAND, "@2025-03-26"), SETTINGS).describe()


BATCHED = """
LEGACY["protocolVersion"] = "2025-03-26"
def serve():
    for line in sys.stdin:
        message = json.loads(line)
        several = message if isinstance(message, list) else [message]
        said = [{"jsonrpc": "2.0", "id": m["id"], "result": answer(m["method"], m.get("params", {}))} for m in several if "id" in m]
        if said:
            os.write(1, json.dumps(ANSWERED).encode() + b"\\n")
"""


@pytest.mark.parametrize(
    ("answered", "ids"),
    [("said if several is message else said[0]", ["aptix-4", "aptix-5"]), ("said[0]", ["aptix-4"])],
    ids=["each", "the first only"],
)
def test_a_batch_is_sent_in_the_revision_that_has_them_and_its_answers_come_in_an_array(bench, answered, ids):
    pool = bench(BATCHED.replace("ANSWERED", answered))
    host = pool.open(Target(f"mcp:{COMMAND}", "mcp", COMMAND, ""), SETTINGS)
    found = host.execute(wire("batched-requests")).result.facts
    assert [json.loads(text)["id"] for text in found.others] == ids
    assert not found.ended


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
        ("def call(a): os._exit(7)", Outcome.CRASHED, "the server ended with exit status 7"),
        (
            "def call(a):\n    os.close(1)\n    time.sleep(60)",
            Outcome.CRASHED,
            "the server closed its standard output",
        ),
        (
            "def call(a): print('x' * (33 << 20))",
            Outcome.CRASHED,
            "the server sent a line of more than 32 MiB",
        ),
    ],
    ids=["ends", "closes its output", "a long line"],
)
def test_a_server_that_ends_in_a_call_is_a_crash_of_that_call(bench, changes, outcome, said):
    found = opened(bench(changes)).execute(stimulus("valid", "minimal", "{}", None), timeout=30.0)
    assert (found.outcome, found.incident) == (outcome, said)


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


def test_a_call_that_is_answered_after_later_calls_is_no_silence(bench):
    """The first call is answered after the third: a server may work on several at once."""
    pool = bench("""
calls = []
def serve():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer(message["method"], message.get("params", {}))
            said = {"id": message["id"], "result": result} if result else {"id": message["id"], "error": {"code": -32601, "message": "no"}}
            if message["method"] == "tools/call":
                calls.append(said)
            if calls[:1] != [said]:
                write(said)
            if calls[2:] == [said]:
                write(calls[0])
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


def test_what_a_server_in_python_prints_shows_with_the_call_that_printed_it(bench):
    printing = """
def call(arguments):
    print("asked")
    return {"content": []}
"""
    assert opened(bench(printing)).execute(stimulus("valid", "minimal", "{}", None)).stdout.text == "asked\n"


@pytest.mark.parametrize(
    ("result", "successful"),
    [("{'resultType': 'task'}", None), ("{**call({}), 'resultType': 'own'}", True), ("call({})", True)],
)
def test_a_result_of_another_type_without_content_is_no_success(bench, result, successful):
    changes = f"def answer(method, params): return {{'tools/list': listed, 'tools/call': {result}, **known}}.get(method)"
    assert opened(bench(changes)).execute(note("")).result.successful is successful


PRINTS = """
def call(arguments):
    os.write(1, BEFORE)
    return {"content": [{"type": "text", "text": "done"}]}
def write(message, write=write):
    write(message)
    if "content" in message.get("result", {}):
        os.write(1, AFTER)
"""


@pytest.mark.parametrize(
    ("before", "after"), [(b"x", b""), (b'{"x": [', b""), (b"", b"x"), (b"{}", b"\n")], ids=str
)
def test_a_response_that_shares_its_line_counts_and_all_of_the_line_is_shown(bench, before, after):
    """The silence that a client would see follows from what was printed, and takes no time here."""
    host = opened(bench(f"BEFORE, AFTER = {before!r}, {after!r}{PRINTS}"))
    for _ in range(2):
        found = host.execute(note(""))
        if after != b"x":  # it stands at the start of the next line then
            assert before.decode() in found.stdout.text
            assert '"jsonrpc"' in found.stdout.text
        assert (found.outcome, found.result.payload) == (Outcome.RETURNED, "done")


def test_a_response_that_is_logged_before_it_is_sent_is_one_response(bench):
    logs = "def write(message, write=write):\n    print('sends', json.dumps({'jsonrpc': '2.0', **message}), flush=True)\n    write(message)"
    found = opened(bench(logs)).execute(wire("followed-call"))
    assert not found.result.facts.others


def test_what_a_server_prints_before_a_call_is_the_servers_and_no_tools(bench):
    pool = bench("print('serving', flush=True)")
    assert not opened(pool).execute(wire("between-lists")).stdout.text
    server = pool.open(Target(f"mcp:{COMMAND}", "mcp", COMMAND, ""), SETTINGS)
    server.execute(wire("end-of-input"))
    assert "serving" in server.execute(wire("ping")).stdout.text


def test_a_response_that_lost_its_result_is_no_refusal_and_nothing_that_was_printed(bench):
    """`JSON.stringify` leaves out a result that is undefined; MCP020 says so, and no call waits for another response."""
    losing = "say = write\nwrite = lambda said: say({n: v for n, v in said.items() if n != 'result' or 'content' not in v})"
    found = opened(bench(losing)).execute(note("x"))
    assert (found.outcome, found.stdout.text) == (Outcome.RETURNED, "")
    assert found.result.successful is None
