"""What the suite sends besides calls is told to people in words."""

import pytest

from aptix_conformance.core.model import Call, Change, Kind, Outcome, ProtocolStimulus, Stimulus
from aptix_conformance.core.model.notation import write_disturbance
from aptix_conformance.examine.what_suite_did import what_suite_did
from aptix_conformance.systems.mcp import cancelling, conversations, probe
from aptix_conformance.systems.mcp.wire import WORDS, stimulus


def planned():
    """Every name that a probe of MCP plans."""
    for names in (*probe._OF_TOOLS.values(), *probe._OF_ONE_REVISION.values(), *probe._OVER_HTTP.values()):
        yield from names
    for names in probe._HOSTILE_OF_ONE_REVISION.values():
        yield from names
    yield from (*probe._OF_SERVERS, *probe._HOSTILE, *probe._ENDS, "task", "cancelled-task", "unknown-task")
    yield from (cancelling._WATCHED, cancelling._AFTERWARDS, cancelling._AT_PROGRESS)
    yield from (*cancelling._SHORT_MOMENTS, *cancelling._LONG_MOMENTS, conversations.RESTARTED.name)


def test_each_stimulus_has_words_and_no_words_are_left_over():
    assert sorted(WORDS) == sorted(set(planned()))


def done(disturbance):
    plan = Stimulus("wire", Change(Kind.DISTURBED, number=1), "{}", None, "either", disturbance)
    return what_suite_did(Call(plan, Outcome.RETURNED, 0.0))


def test_the_report_says_what_was_sent():
    assert done(stimulus("ping")) == "The suite sent a ping."
    assert done(ProtocolStimulus("of-an-older-report")).endswith("disturbed it (wire:of-an-older-report).")


@pytest.mark.parametrize("name", sorted(WORDS))
def test_the_host_reads_the_name_alone(name):
    assert write_disturbance(stimulus(name)) == f"wire:{name}"
