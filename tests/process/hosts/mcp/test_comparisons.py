"""The host of MCP servers compares: files, two clients, lists, and a server that was started again."""

import json

import pytest
from tests.process.hosts.mcp.servers import COMMAND, note, opened, wire

from aptix_conformance.core.model import Change, Kind, Stimulus
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.file_change import FileChange
from aptix_conformance.targets import Target, ToolSettings

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
    assert texts == ['"mcp"', '"ExampleClient"'] * 3


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
