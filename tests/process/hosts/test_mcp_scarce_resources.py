"""MCP's servers are called while their disk is full, their folder is read-only, or no file descriptor is left; and not for longer."""

import json
import stat

import pytest

from aptix_conformance.core.errors import HostError
from aptix_conformance.core.model import Change, Kind, OtherDisturbance, Outcome, ScarceResource, Stimulus
from aptix_conformance.core.model.codec import replace
from aptix_conformance.hosts import MIB, Environment, Limits
from aptix_conformance.systems.mcp.pool import McpPool
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import Target, ToolSettings

SERVER = """
import errno, json, os, sys, time
from pathlib import Path
HOME = Path.home()
EMPTY = os.open("/dev/null", os.O_RDONLY)
served = []

def fault(action):
    try:
        action()
    except OSError as error:
        return errno.errorcode[error.errno]
    return ""

def write(text="x" * 5000):
    (HOME / "made").write_text(text)

def faults():
    \"\"\"What cannot be done now, each with its error.\"\"\"
    tried = {"open": lambda: os.close(os.open("/dev/null", os.O_RDONLY)), "write": write, "folder": lambda: (HOME / "d").mkdir(exist_ok=True)}
    return {name: found for name, action in tried.items() if (found := fault(action))}

def call():
    found = faults()
    return {"content": [{"type": "text", "text": json.dumps(found)}], "isError": bool(found)}
"""
SERVES = """
for line in sys.stdin:
    message = json.loads(line)
    if message.get("id") is None:
        continue
    known = {
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}},
        "tools/list": {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]},
        "ping": {},
    }
    result = known.get(message["method"])
    if message["method"] == "tools/call":
        served.append(message)
        result = call()
    said = {"error": {"code": -32601, "message": "no"}} if result is None else {"result": result}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}), flush=True)
"""
COMMAND = "python server.py"


@pytest.fixture
def opened(tmp_path):
    """Opens a host for the tool of the server above, with `changes` before it serves."""
    (tmp_path / "project").mkdir()
    pools = []

    def make(changes="", settings=None, timeout=5.0):
        root = tmp_path / "project"
        (root / "server.py").write_text(SERVER + changes + SERVES)
        limits = Limits(timeout=timeout, start=10.0)
        pools.append(McpPool(Environment(root, (), limits=limits, systems=OURS.traits)))
        return pools[-1].open(Target(f"mcp:{COMMAND}#t", "mcp", COMMAND, "t"), settings or ToolSettings())

    yield make
    for pool in pools:
        pool.close()


def scarce(name):
    return Stimulus(
        "resources", Change(Kind.DISTURBED, number=1), "{}", None, disturbance=ScarceResource(name)
    )


PLAIN = replace(scarce("full-disk"), disturbance=None)


def said(message):
    """What a response to the server's tool says: what could not be done."""
    return json.loads(json.loads(message)["result"]["content"][0]["text"])


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("full-disk", {"write": "ENOSPC"}),
        ("read-only-folder", {"write": "EACCES", "folder": "EACCES"}),
        ("no-descriptors", {"open": "EMFILE", "write": "EMFILE"}),
    ],
)
def test_one_thing_is_scarce_during_the_call_and_nothing_after_it(opened, name, found):
    call = opened().execute(scarce(name))
    assert call.disturbed.reached
    assert said(call.result.facts.message) == found
    assert [said(message) for message in call.result.facts.afterwards] == [{}]
    assert call.result.facts.renewed is None
    assert call.refused


def test_the_process_of_the_other_calls_goes_on_beside_it(opened):
    host = opened("call = lambda: {'content': [{'type': 'text', 'text': str(len(served))}]}")
    before, apart, after = (host.execute(plan).result.payload for plan in (PLAIN, scarce("full-disk"), PLAIN))
    assert (before, apart, after) == ("1", "1", "2")


def test_what_was_loaded_before_is_no_matter_of_descriptors(opened):
    """A first call that loads code needs a descriptor, and that is the start of a server."""
    changes = """
def call():
    import wave
    return {"content": []}
"""
    assert opened(changes).execute(scarce("no-descriptors")).succeeded


def test_descendants_of_the_server_get_no_descriptor_either(opened):
    changes = """
import subprocess
CHILD = subprocess.Popen(["sh", "-c", "read line; ( : < /dev/null ) 2>/dev/null; echo $?"], stdin=-1, stdout=-1)
def call():
    if len(served) == 1:
        return {"content": []}
    CHILD.stdin.write(b"go\\n"); CHILD.stdin.flush()
    status = int(CHILD.stdout.readline())
    return {"content": [{"type": "text", "text": str(status)}]}
"""
    assert opened(changes).execute(scarce("no-descriptors")).result.payload != "0"


def test_files_that_were_there_may_not_be_written_and_may_again_afterwards(opened, tmp_path):
    """Neither do the author's own files change, of which the server has a copy, nor what a link names."""
    notes = tmp_path / "project" / "notes"
    (notes / "deep").mkdir(parents=True)
    (notes / "deep" / "note.txt").write_text("as it was")
    changes = """
LINK = Path("link")
if not LINK.is_symlink():
    LINK.symlink_to(Path(__file__).resolve())
NOTE = Path("deep/note.txt")
def call():
    found = fault(lambda: NOTE.write_text("changed"))
    return {"content": [{"type": "text", "text": json.dumps([found, oct(NOTE.stat().st_mode & 0o777)])}], "isError": bool(found)}
"""
    modes = {path: path.stat().st_mode for path in tmp_path.rglob("*")}
    host = opened(changes, ToolSettings(files=notes))
    (tmp_path / "project" / "server.py").chmod(0o644)
    call = host.execute(scarce("read-only-folder"))
    (error, mode), (none, again) = map(said, (call.result.facts.message, *call.result.facts.afterwards))
    assert (error, none) == ("EACCES", "")
    assert int(mode, 8) & 0o222 == 0
    assert int(again, 8) & stat.S_IWUSR
    assert (notes / "deep" / "note.txt").read_text() == "as it was"
    assert {path: path.stat().st_mode for path in modes} == modes
    assert (tmp_path / "project" / "server.py").stat().st_mode & 0o777 == 0o644


def test_a_server_that_stays_broken_is_started_anew_to_compare(opened):
    changes = """
broken = []
def call():
    found = faults() or broken
    broken.extend(found)
    return {"content": [{"type": "text", "text": json.dumps(list(found))}], "isError": bool(found)}
"""
    facts = opened(changes).execute(scarce("full-disk")).result.facts
    assert len(facts.afterwards) == 3
    assert all(map(said, facts.afterwards))
    assert said(facts.renewed) == []


def test_a_server_that_ends_or_hangs_is_seen_and_the_next_call_has_a_process(opened):
    ends = opened("def call():\n    sys.exit(7) if faults() else None\n    return {'content': []}\n")
    call = ends.execute(scarce("full-disk"))
    assert call.outcome is Outcome.CRASHED
    assert "exit status 7" in call.incident
    assert ends.execute(PLAIN).succeeded
    waits = "def call():\n    while faults():\n        time.sleep(0.01)\n    return {'content': []}\n"
    assert opened(waits, timeout=1.0).execute(scarce("read-only-folder")).outcome is Outcome.TIMED_OUT


def test_a_server_that_needs_more_than_a_small_disk_to_start_is_left_out(opened):
    host = opened(f"(HOME / 'cache').write_bytes(bytes({40 * MIB}))")
    call = host.execute(scarce("full-disk"))
    assert "does not start with a disk of 32 MiB" in call.left_out
    assert host.execute(PLAIN).result is not None


def test_a_disk_that_the_server_has_closed_to_itself_is_not_filled(opened):
    call = opened("os.chmod(HOME, 0o100)\n").execute(scarce("full-disk"))
    assert call.outcome is Outcome.RETURNED
    assert not call.disturbed.reached


def test_what_no_host_knows_is_refused(opened):
    unknown = replace(PLAIN, disturbance=OtherDisturbance("resource:air"))
    with pytest.raises(HostError, match="there is no disturbance resource:air"):
        opened().execute(unknown)


def test_only_a_contained_process_can_lack_something(opened):
    assert "resource" in opened().disturbances
    host = opened(settings=ToolSettings(side_effects="none"))
    assert "resource" not in host.disturbances
    call = host.execute(scarce("read-only-folder"))
    assert not call.disturbed.reached
    assert said(call.result.facts.message) == {}
