"""With less time or fewer calls, each verdict is the same, or inconclusive: a sample of `tests/acceptance/matrix/speeds.py`."""

import pytest
from tests.acceptance.matrix.laboratory import laboratory
from tests.acceptance.matrix.specimens import matching
from tests.acceptance.matrix.speeds import differences, examined

from aptix_conformance.core.model.verdict import Obstacle, VerdictKind

TITLES = (
    "conforming/basket",
    "nonconforming/ARG005_a_buyer_of_its_members",
    "nonconforming/RES012_leaves_its_transaction_open",
    "mcp/conforming/capitals",
)


@pytest.fixture(scope="module")
def usual():
    """A laboratory, and what each specimen of the sample is examined to be."""
    with laboratory() as own:
        yield own, [(specimen, own.examine(specimen)) for specimen in matching(TITLES)]


def test_slower_calls_change_no_verdict(usual):
    own, sample = usual
    for specimen, before in sample:
        assert list(differences(before, examined(own, specimen, "slow", before))) == []


def test_what_a_deadline_leaves_out_is_inconclusive(usual):
    own, sample = usual
    for specimen, before in sample:
        after = examined(own, specimen, "cut", before)
        assert list(differences(before, after)) == []
        verdicts = [verdict for each in after for verdict in each.examination.verdicts]
        cut = [verdict for verdict in verdicts if verdict.obstacle is Obstacle.CUT]
        assert {verdict.verdict for verdict in cut} == {VerdictKind.INCONCLUSIVE}


def test_a_quick_plan_finds_the_faults_and_passes_no_tool(usual):
    _, sample = usual
    calls, more = 0, 0
    with laboratory(thoroughness="quick") as own:
        for specimen, before in sample:
            after = own.examine(specimen)
            assert list(differences(before, after, "quick")) == []
            calls += sum(len(each.examination.exploration.calls) for each in after)
            more += sum(len(each.examination.exploration.calls) for each in before)
            failed = [
                verdict.verdict is VerdictKind.FAIL for each in after for verdict in each.examination.verdicts
            ]
            assert any(failed) is ("nonconforming" in specimen.title)
            assert {each.examination.status for each in after} <= {"nonconforming", "incomplete"}
    assert calls < 0.25 * more  # the sample draws 15 calls of a probe and not 100
