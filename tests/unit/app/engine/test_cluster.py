"""A tool whose named workers are lost each time is given up."""

from types import SimpleNamespace

import pytest
from tests.unit.app.engine.test_store import REPORT
from tests.unit.app.run.test_run import Hosts, opened

from aptix_conformance.app.engine import cluster as module
from aptix_conformance.app.engine.cluster import Cluster
from aptix_conformance.app.engine.store import Store
from aptix_conformance.app.engine.tasks import Asker
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind

pytest.importorskip("fsspec", reason="the extra `distributed` is not installed")


class Client:
    """Accepts tasks and never ends one."""

    def __init__(self):
        self.submitted = []

    def submit(self, *_words, workers, **_options):
        self.submitted.append(workers)
        return SimpleNamespace(
            key=str(len(self.submitted)), cancel=lambda: None, add_done_callback=lambda _: None
        )


class OneWorker:
    """A worker beside one that is not used; it has another address at each look, since its tool ends it."""

    has_unfit, threads, asked = True, 1, ()

    def __init__(self):
        self.looks = 0

    def look(self):
        self.looks += 1
        self.fit = (f"tcp://w:{self.looks}",)
        self.present = dict.fromkeys((*self.fit, "tcp://unfit:1"), 1)


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LOOK", 0.001)
    run = opened(tmp_path, Hosts({"pkg:A": "agent_a"}), 'tools = ["pkg"]\n')
    found = run.list_tools()
    lines = []
    made = Cluster(
        Client(), OneWorker(), Asker.of(run, found), Store.open(str(tmp_path / "results")), lines.append
    )
    return made, found.tools[0], lines


def test_a_tool_that_ends_its_named_worker_each_time_is_given_up(cluster):
    made, tool, lines = cluster
    ((_, report),) = made.examine_each([tool])
    assert report.error == "3 workers were lost while they examined this tool and nothing else"
    assert len(made.client.submitted) == 6
    assert lines == ["agent_a was on 3 workers that were lost: it is examined once more, after all others"]


@pytest.mark.parametrize("codes", [[], ["XXX001"], None], ids=["none", "others", "its own"])
def test_only_a_result_with_the_rules_of_its_tool_is_taken(cluster, codes):
    made, tool, lines = cluster
    asked = made.asker.task(tool)
    own = [each.rule.code for each in tool.applicable_rules()]
    verdicts = tuple(
        VerdictReport(code, code, Level.MUST, (), VerdictKind.PASS, 1, "", None)
        for code in (own if codes is None else codes)
    )
    report = replace(REPORT, tool=asked.tool, target=asked.target, edition=asked.edition, verdicts=verdicts)
    made.store.write(asked, report)
    ((_, given),) = made.examine_each([tool])
    assert given.is_cached is (codes is None)
    assert any("has other rules" in line for line in lines) is (codes is not None)
