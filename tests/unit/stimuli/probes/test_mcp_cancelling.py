"""The probe that cancels calls of MCP's tools: which calls, at which moments, and when it is enough."""

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Outcome, Result
from aptix_conformance.examine.scan import key_of
from aptix_conformance.systems.mcp.cancelling import CANCELLING
from aptix_conformance.systems.mcp.facts import McpResult, TokenedCall

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}
SUCCESS = Result("CallToolResult", True, True, facts=McpResult('{"result": {}}'))


def answered(text, seconds=0.001, label="minimal", waited=0.0):
    return Call(stimulus("valid", label, text, {}), Outcome.RETURNED, seconds, SUCCESS, waited=waited)


@pytest.fixture
def run(make_subject):
    """Runs the probe behind some calls, over a tool whose calls take `took` seconds, or by their arguments; gives (what is done, arguments) of each."""

    def go(calls, took, progress=0, **cancelled):
        subject, seen = make_subject(SCHEMA), list(calls)
        for plan in CANCELLING.fixed(subject, seen):
            told = {} if "watched" in plan.label else {"sent": 0.1, "read": 0.2, **cancelled}
            lasts = took[plan.arguments] if isinstance(took, dict) else took
            tokened = TokenedCall(1, lasts, in_time=progress, **told)
            result = Result("message", False, facts=McpResult(None, tokened=tokened))
            seen.append(Call(plan, Outcome.RETURNED, lasts, result))
        made = [(call.plan.label.removeprefix("wire:"), call.plan.arguments) for call in seen[len(calls) :]]
        return made, CANCELLING.shortfall(subject, seen)

    return go


def moments(made):
    return [name for name, _ in made]


def test_a_quick_call_is_watched_and_not_cancelled(run):
    made, shortfall = run([answered("{}")], took=0.001)
    assert moments(made) == ["watched-call"]
    assert shortfall.expected
    assert "20 ms" in shortfall.reason


def test_a_longer_call_is_cancelled_at_more_moments_and_made_once_more(run):
    middle, long, reporting = (
        moments(run([answered("{}")], took=took, progress=progress)[0])
        for took, progress in ((0.1, 0), (0.6, 0), (0.6, 3))
    )
    assert middle == ["watched-call", "cancelled-at-50", "watched-call-afterwards"]
    assert long == ["watched-call", "cancelled-at-25", "cancelled-at-75", "watched-call-afterwards"]
    assert reporting == [*long[:-1], "cancelled-at-progress", long[-1]]


@pytest.mark.parametrize(
    ("waits", "watches"),
    [((0.0,), 1), ((0.1, 0.1, 0.0), 3), ((0.1,) * 9, 5)],
    ids=["known", "third", "never"],
)
def test_a_call_that_is_short_unless_it_slept_while_it_waited_is_watched_again(make_subject, waits, watches):
    subject, seen = make_subject(SCHEMA), [answered("{}")]
    for plan in CANCELLING.fixed(subject, seen):
        facts = McpResult(None, tokened=TokenedCall(1, 0.015))
        result = Result("message", False, facts=facts)
        waited = waits[min(len(seen), len(waits)) - 1]
        seen.append(Call(plan, Outcome.RETURNED, 0.015, result, waited=waited))
    watched = [call.plan for call in seen if call.plan.label == "wire:watched-call"]
    assert len(watched) == watches == len({key_of(plan) for plan in watched})


def test_a_server_that_reads_nothing_meanwhile_is_not_tried_again(run):
    made, _ = run([answered("{}")], took=5.0, progress=3, answered=0.2)
    assert moments(made) == ["watched-call", "cancelled-at-25", "watched-call-afterwards"]


def test_the_first_example_and_a_slow_call_are_cancelled(run):
    calls = [
        answered('{"n": 0}'),
        answered('{"n": 1}', label="example:1"),
        answered('{"n": 2}', 0.9),
        answered('{"n": 3}', 1.0),
    ]
    made, _ = run(calls, took={'{"n": 1}': 0.1, '{"n": 2}': 0.9})
    assert list(dict.fromkeys(arguments for _, arguments in made)) == ['{"n": 1}', '{"n": 2}']


def test_a_call_that_was_slow_once_is_watched_and_then_the_next_slowest(run):
    calls = [answered('{"n": 0}'), answered('{"n": 1}', 4.0), answered('{"n": 2}', 0.9)]
    made, _ = run(calls, took={'{"n": 0}': 0.001, '{"n": 1}': 0.001, '{"n": 2}': 0.9})
    assert made[:3] == [
        ("watched-call", '{"n": 0}'),
        ("watched-call", '{"n": 1}'),
        ("watched-call", '{"n": 2}'),
    ]
    assert ("cancelled-at-25", '{"n": 2}') in made


def test_a_call_that_may_have_slept_while_a_processor_was_awaited_is_watched(run):
    calls = [answered('{"n": 0}'), answered('{"n": 1}', 0.01, waited=2.0)]
    made, _ = run(calls, took={'{"n": 0}': 0.001, '{"n": 1}': 2.0})
    assert ("cancelled-at-25", '{"n": 1}') in made


def test_of_calls_that_were_slow_once_a_few_are_watched(run):
    calls = [answered(f'{{"n": {number}}}', 9.0 - number) for number in range(9)]
    made, _ = run(calls, took=0.001)
    assert len(made) == 4


def test_a_tool_of_which_no_call_works_is_not_cancelled_and_that_is_said(run):
    made, shortfall = run([], took=1.0)
    assert made == []
    assert "give an example" in shortfall.reason
