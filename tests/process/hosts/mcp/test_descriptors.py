"""What calls leave open in a server and the processes that it starts is counted."""

import pytest
from tests.process.hosts.mcp.servers import note, opened

from aptix_conformance.runners.mcp.descriptors import open_descriptors

KEEPING = "kept = []\nplain = call\ndef call(arguments):\n    {}\n    return plain(arguments)"


def counts(pool):
    host = opened(pool)
    return [host.execute(note(str(number))).descriptors for number in range(3)]


@pytest.mark.parametrize(
    ("body", "growth"),
    [("kept.append(open('/dev/null'))", 3), ("kept[:] = [open('/dev/null')]", 1), ("pass", 0)],
)
def test_files_that_a_server_leaves_open_are_counted(bench, body, growth):
    found = counts(bench(KEEPING.format(body)))
    assert found[-1][1] - found[0][0] == growth


def test_what_its_children_have_open_is_counted_too(bench):
    child = "import subprocess; kept.append(subprocess.Popen(['sleep', '60'], stdin=subprocess.DEVNULL))"
    found = counts(bench(KEEPING.format(child)))
    assert found[-1][1] - found[0][0] >= 9


def test_what_else_a_server_leaves_is_counted_by_kind(bench):
    body = (
        "import subprocess, tempfile, threading, time; kept.append(subprocess.Popen(['sleep', '60'], stdin=subprocess.DEVNULL)); "
        "tempfile.mkstemp(); threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    )
    host = opened(bench(KEEPING.format(body)))
    held = [host.execute(note(str(number))).held for number in range(3)]
    grown = [{kind: after - before for kind, before, after in each} for each in held]
    assert grown == [{"child processes": 1, "temporary files": 1, "threads": 1}] * 3


def test_what_ends_by_itself_after_a_call_is_no_growth(bench):
    body = "import threading, time; threading.Thread(target=time.sleep, args=(0.05,)).start()"
    host = opened(bench(KEEPING.format(body)))
    held = [host.execute(note(str(number))).held for number in range(6)][2:]
    assert not [each for each in held for kind, before, after in each if kind == "threads" and after > before]


def test_nothing_is_counted_of_a_process_that_is_not_there_or_not_ours():
    assert open_descriptors(None) is None
    assert open_descriptors(2**22 + 1) is None
