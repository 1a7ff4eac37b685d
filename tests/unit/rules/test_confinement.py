"""EXC015 finds the canary in what came back, and what was written beside the folder; nothing else."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.contracts import load
from aptix_conformance.core.model import Change, Kind, Raised
from aptix_conformance.core.model.confinement import CANARY
from aptix_conformance.examine.applicable import ApplicableRule
from aptix_conformance.examine.judge import if_asked
from aptix_conformance.targets.settings import ToolSettings


def tried(detail="parent", **seen):
    """A call of the probe confined."""
    made = b.call(probe="confined", **{"outside": (), **seen})
    return b.replace(made, plan=b.replace(made.plan, change=Change(Kind.VARIED, "path", detail)))


def found(call):
    assert b.RULES["EXC015"].when(call)
    return list(b.RULES["EXC015"].findings(call))


def test_a_result_with_the_canary_has_read_outside():
    (finding,) = found(tried("link, a folder", result=b.success({"text": f"- {CANARY}.txt"})))
    assert finding.message == "The result shows what lies outside of the folder."
    assert finding.cause == ("path", "read", "link")


def test_so_has_a_failure_or_an_exception_that_quotes_it():
    assert found(tried(result=b.failure(f"No JSON: {CANARY}")))
    raised = Raised("ValueError", f"No JSON: {CANARY}", "")
    assert found(tried(raised=raised))


def test_a_planted_file_that_changed_was_written():
    (finding,) = found(tried("option", outside=("new-7a90c4d2.txt",)))
    assert finding.message == "The call made or changed, outside of the folder: new-7a90c4d2.txt."
    assert finding.cause == ("path", "written", "option")


def test_the_ways_of_one_kind_are_one_cause():
    shown = b.success({"text": CANARY})
    causes = {found(tried(way, result=shown))[0].cause for way in ("parent", "parent, by name", "link")}
    assert len(causes) == 2


def test_a_refusal_that_repeats_the_path_is_kept():
    assert not found(tried(result=b.failure("../canary-7a90c4d2/canary.txt is outside.")))
    assert not found(tried(result=b.success({"text": "../notes-canary-7a90c4d2/canary.txt"})))


def test_other_calls_and_those_where_nobody_looked_are_not_judged():
    when = b.RULES["EXC015"].when
    assert not when(b.call(outside=()))
    assert not when(tried(outside=None))
    assert not when(tried("emptied-folder"))
    assert not when(tried(result=None, outcome=b.Outcome.TIMED_OUT))


@pytest.mark.parametrize(
    ("edition", "level"),
    [
        ("mcp-2025-11-25", "MUST"),
        ("aptix-tul-011", "SHOULD"),
        ("art-0.4.16", "SHOULD"),
        ("amplifier-1.0.0", "SHOULD"),
    ],
)
def test_it_binds_by_a_clause_of_mcp_and_is_advice_elsewhere(edition, level):
    assert b.RULES["EXC015"].level(load().editions[edition]) == level


def test_it_does_not_apply_where_no_folder_is_declared():
    rule = b.RULES["EXC015"]
    applicable = ApplicableRule(rule, rule.level(load().editions["aptix-tul-011"]), None)
    assert 'confined_to = "FOLDER"' in if_asked(applicable, ToolSettings()).exempt.words
    assert if_asked(applicable, ToolSettings(confined_to="notes")).exempt is None
