"""ART's fixtures: what tests/acceptance/test_fixtures.py, which examines them, does not look at."""

import re
import shutil
from pathlib import Path

import pytest

from aptix_conformance import Run, RunOptions
from aptix_conformance.core.contracts import load
from aptix_conformance.systems.rulebook import all_rules

FIXTURES = Path(__file__).parents[2] / "fixtures" / "art"
CONFORMING = sorted(path.stem for path in (FIXTURES / "conforming").glob("*.mjs"))
NONCONFORMING = sorted(path.stem for path in (FIXTURES / "nonconforming").glob("*.mjs"))
RULES = {rule.code: rule for rule in all_rules()}
EDITION = load().default_edition("art")


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on PATH")
@pytest.mark.clause("ART.4.1")
def test_every_call_has_a_call_a_trace_and_a_thread_of_its_own():
    """Fresh for each, also for the fifty that are made at the same time."""
    module, tool = "./conforming/stock_quote.mjs", "StockQuoteTool"
    with Run.open(FIXTURES / "conforming", RunOptions(examples=10, root=FIXTURES, limited=False)) as run:
        (found,) = run.find(f"art:{module}#{tool}").all_found()
        calls = run.examine(found).exploration.calls
    together = [call for call in calls if call.plan.label.startswith("together:50:")]
    assert len(together) == 50
    for name in ("callId", "traceId", "threadId"):
        given = [call.plan.context[name] for call in calls]
        assert len(set(given)) == len(given)


@pytest.mark.parametrize("name", NONCONFORMING)
def test_a_nonconforming_tool_is_named_for_a_rule_and_a_fault_and_names_its_twin(name):
    """A reader finds the rule by the file's name and the conforming tool by its first lines."""
    match = re.fullmatch(r"([A-Z]{3}\d{3})_[a-z0-9_]+", name)
    assert match is not None
    assert RULES[match.group(1)].level(EDITION) is not None
    text = (FIXTURES / "nonconforming" / f"{name}.mjs").read_text(encoding="utf-8")
    twin = re.search(r"^// Conforming twin: (\w+)\.mjs$", text, re.MULTILINE)
    assert twin is not None
    assert twin.group(1) in CONFORMING


def test_every_rule_of_art_has_a_nonconforming_tool():
    """No rule of the area goes unproved."""
    proved = {name.partition("_")[0] for name in NONCONFORMING}
    assert [code for code in RULES if code.startswith("ART") and code not in proved] == []


def test_every_clause_of_art_has_a_rule_unless_nothing_could_check_it():
    """The rules cover the document."""
    cited = {clause for rule in RULES.values() for clause in rule.clauses}
    clauses = [clause for clause in load().clauses.values() if clause.document == "ART"]
    assert [clause.id for clause in clauses if clause.kind != "open" and clause.id not in cited] == []
