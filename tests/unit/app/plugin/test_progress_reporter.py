"""Which findings have a line: on a terminal each, in a log the first of the run."""

import dataclasses
from types import SimpleNamespace

import pytest

from aptix_conformance.app.plugin import progress_reporter
from aptix_conformance.app.plugin.items import PREFIX
from aptix_conformance.app.plugin.progress_reporter import ProgressReporter
from aptix_conformance.app.run.progress import Tick


@pytest.mark.parametrize(("is_live", "shown"), [(True, ["a", "b"]), (False, ["a"])])
def test_a_terminal_shows_each_finding_and_a_log_the_first(is_live, shown, monkeypatch):
    lines = []
    monkeypatch.setattr(progress_reporter, "_is_live", lambda config: is_live)
    monkeypatch.setattr(progress_reporter, "_display", lambda config: SimpleNamespace(show=lines.append))
    reporter = ProgressReporter(SimpleNamespace(), lambda: None, tuple)
    for name in "ab":
        tick = Tick(name, "valid", 1, 6.0, broken="ARG005", is_finding=True)
        sent = SimpleNamespace(nodeid=f"{PREFIX}{name}::status", aptix_tick=dataclasses.asdict(tick))
        reporter.pytest_runtest_logreport(sent)
    assert [line.partition(":")[0] for line in lines] == shown


def test_the_entry_of_a_server_is_known_by_the_prefix_of_its_spec():
    reporter = ProgressReporter(SimpleNamespace(), lambda: None, lambda: ("mcp",))
    names = ["mcp%3Apython%20server.py", "add", "mcp_add"]
    reporter.pytest_xdist_node_collection_finished([f"{PREFIX}{name}::status" for name in names])
    assert (reporter.run.tools, reporter.run.servers) == ({*names}, {names[0]})
