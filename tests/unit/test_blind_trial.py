"""The blind trial: its tools and labels are those that were committed, and its command makes projects that the suite can read."""

import hashlib
from pathlib import Path
from types import SimpleNamespace

import pytest
from corpus.trial import page
from corpus.trial.trial_tools import HERE, Label, Runtimes, _configuration, read_labels

from aptix_conformance import Run
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import failed_target_report

RUNTIMES = Runtimes(Path("/a/python"), Path("/a/node"))


def test_no_tool_and_no_label_was_changed_after_the_first_examination():
    lines = (HERE / "digests.txt").read_text(encoding="utf-8").splitlines()
    digests = {path: digest for digest, _, path in (line.partition("  ") for line in lines)}
    assert {path: hashlib.sha256((HERE / path).read_bytes()).hexdigest() for path in digests} == digests


@pytest.mark.parametrize(
    "label", {label.kind: label for label in read_labels()}.values(), ids=lambda each: each.kind
)
def test_the_project_of_a_tool_can_be_read(tmp_path, label: Label):
    (tmp_path / "tool").mkdir()
    (tmp_path / "pyproject.toml").write_text(_configuration(label, RUNTIMES), encoding="utf-8")
    with Run.open(tmp_path):
        pass


def tool(**kinds):
    """The report of a tool that has a verdict of each kind on a MUST rule."""
    verdicts = tuple(
        VerdictReport(rule, "a-rule", Level.MUST, (), kind, 1, "", None) for rule, kind in kinds.items()
    )
    return replace(
        failed_target_report("a", "mcp", "mcp-2025-11-25", ""), kind="tool", error=None, verdicts=verdicts
    )


def label(name, fault=None):
    return Label(name, "mcp-python", "a_tool", fault, "must" if fault else None, "a report")


def test_what_is_not_examined_or_inconclusive_counts_neither_as_found_nor_as_missed(monkeypatch, tmp_path):
    labels = [label("t1", "it hangs"), label("t2", "it leaks"), label("t3"), label("t4", "it lies")]
    seen = {
        "t1": tool(EXC002=VerdictKind.FAIL),
        "t2": tool(EXC004=VerdictKind.INCONCLUSIVE),
        "t3": tool(EXC001=VerdictKind.FAIL),
    }
    for name in seen:
        (tmp_path / f"{name}.json").touch()
    judged = [
        page.Judgement("t1", "EXC002", "fault", "it does"),
        page.Judgement("t3", "EXC001", "invented", "no"),
    ]
    monkeypatch.setattr(page, "read_report", lambda path: SimpleNamespace(tools=[seen[path.stem]]))
    monkeypatch.setattr(page, "read_judgements", lambda: judged)
    text = page.render(labels, tmp_path)
    assert "- 3 of 4 tools are examined; the others count nowhere\n" in text
    assert "- recall, of faults that the author calls must: 1 of 2 found, 50%\n" in text
    assert "- precision, of findings of MUST rules: 1 of 2 true, 50%\n" in text
    assert '| t4 (mcp-python) | must: "it lies" | — | — | not examined |' in text
    assert text.partition("## What was missed")[2].strip() == "- t2 (must): it leaks Shown by: — (a report)"
