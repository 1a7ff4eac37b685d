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


def test_nothing_is_counted_of_a_process_that_is_not_there_or_not_ours():
    assert open_descriptors(None) is None
    assert open_descriptors(2**22 + 1) is None
