"""The suspensions in a tool's report: by name, with how each was cancelled at."""

from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, CancellationPoint, Disturbed, Exploration, Outcome
from aptix_conformance.core.model.report import SuspensionReport
from aptix_conformance.present.reports.examined import suspensions

PLACES = ("one() at t.py:1 in T.execute", "two() at t.py:2 in T.execute", "three() at t.py:3 in T.execute")


def call(kind, at=0, *, reached=True):
    plan = stimulus("cancel", "x", "{}", None, disturbance=CancellationPoint(kind, at))
    place = PLACES[at - 1] if at else ""
    return Call(plan, Outcome.RETURNED, 0.0, disturbed=Disturbed(reached, place, PLACES))


def test_each_place_is_listed_once_with_how_it_was_cancelled_at():
    calls = (
        Call(stimulus("valid", "x", "{}", None), Outcome.RETURNED, 0.0),
        call("watch"),
        call("before"),
        call("token", 1),
        call("task", 1),
        call("token", 2),
        call("task", 2, reached=False),
        call("watch"),
    )
    assert suspensions(Exploration(calls=calls)) == (
        SuspensionReport(PLACES[0], ("task", "token")),
        SuspensionReport(PLACES[1], ("token",)),
        SuspensionReport(PLACES[2], ()),
    )
