"""EXC014 finds what a call leaves changed in its process, and what each call leaves running; nothing else."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import CancellationPoint, Disturbed


def found(*calls):
    """The findings of EXC014 in some calls."""
    exploration = b.replace(b.explore(), calls=calls)
    return list(b.RULES["EXC014"].findings(exploration))


def watched(*left, kept=(), kind="watch", earlier=1, text='{"name": "Ada"}'):
    """A call of the cancel probe: watched only, unless another point is named."""
    seen = Disturbed(reached=True, left_running=left, kept_running=kept)
    made = b.call("watched", text, "cancel", earlier=earlier, disturbed=seen, left_changed=())
    return b.replace(made, plan=b.replace(made.plan, disturbance=CancellationPoint(kind, 1)))


def test_each_thing_that_is_left_changed_is_a_cause():
    given = found(b.call(left_changed=("the locale", "sys.path")), b.call(left_changed=("the locale",)))
    assert [finding.message for finding in given[:2]] == [
        "The call left the locale changed.",
        "The call left sys.path changed.",
    ]
    assert {finding.cause for finding in given} == {"the locale", "sys.path"}


def test_what_also_breaks_the_executor_is_left_to_exc007():
    call = b.call(left_changed=("JSON.stringify",))
    (given,) = b.RULES["EXC014"].findings(b.replace(b.explore(), calls=(call,), tampering=("it fails now",)))
    assert given.defers_to == "EXC007"
    assert found(call)[0].defers_to == ""


def test_a_call_that_raised_is_judged_too():
    assert found(b.call(raised="KeyError", left_changed=("the locale",)))


def test_calls_made_together_are_not_blamed():
    """What one of them undoes later, the other has seen."""
    assert not found(b.call("together:50:many-1", probe="repeat", left_changed=("the locale",)))


def test_a_host_that_does_not_notice_is_not_judged():
    exploration = b.replace(b.explore(), calls=(b.call(),))
    assert not b.RULES["EXC014"].when(exploration)
    assert b.RULES["EXC014"].is_optional
    assert b.RULES["EXC014"].when(b.replace(exploration, calls=(b.call(left_changed=()),)))


def test_what_each_of_two_equal_calls_leaves_running_is_found():
    (finding,) = found(watched("the thread T-1 at t.py:3"), watched("the thread T-2 at t.py:3", "the task x"))
    assert finding.message == "Each of 2 equal calls left the thread T-# running."
    assert finding.timed


def test_a_child_process_that_each_of_two_equal_calls_leaves_running_is_found():
    (finding,) = found(watched("the process sleep 20"), watched("the process sleep 20", "a socket"))
    assert finding.message == "Each of 2 equal calls left the process sleep # running."
    assert not found(watched("the process sleep 20"), watched())


def test_the_first_of_the_equal_calls_is_shown():
    made = [watched("the thread T"), watched("the thread T", "the task x")]
    assert [finding.call for finding in found(*made)] == made[:1]


def test_a_call_that_was_watched_once_hides_no_others():
    assert found(watched("the thread T", text="{}"), watched("the thread T"), watched("the thread T"))


@pytest.mark.parametrize(
    "others",
    [
        [],
        [{"left": ("the thread U at t.py:3",)}],
        [{}],
        [{"left": ("the thread T",), "text": "{}"}],
        [{"left": ("the thread T",), "earlier": 0}],
        [{"left": ("the thread T",), "kind": "token"}],
        [{"left": ("the thread T at t.py:3",), "kept": ("the thread T",)}],
        [{"left": ("a socket",)}],
    ],
    ids=[
        "once",
        "another",
        "nothing",
        "other arguments",
        "the first call",
        "cancelled",
        "held by the instance",
        "no work of its own",
    ],
)
def test_what_does_not_add_up_is_not(others):
    made = [watched(*other.pop("left", ()), **other) for other in others]
    assert not found(watched("the thread T at t.py:3", "the process sleep 60", "a socket"), *made)
