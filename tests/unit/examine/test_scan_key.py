"""What makes two stimuli the same call: all of it, so that no call is made twice and none is taken for another."""

import pytest

from aptix_conformance.core.model import CancellationPoint, Change, InjectedFault, Kind, Stimulus
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine.scan import key_of

ONE = Stimulus("valid", Change(Kind.EXAMPLE, number=1), "{}", {"user": {"id": "1"}})


def test_equal_stimuli_have_equal_keys():
    assert key_of(ONE) == key_of(replace(ONE, context={"user": {"id": "1"}}))


@pytest.mark.parametrize(
    "change",
    [
        {"probe": "repeat"},
        {"change": Change(Kind.EXAMPLE, number=2)},
        {"change": Change(Kind.AGAIN, of=(ONE.change,))},
        {"arguments": None},
        {"arguments": " {}"},
        {"context": {"user": {"id": 1}}},
        {"context": None},
        {"demand": "accepted"},
        {"disturbance": CancellationPoint("task", 1)},
        {"disturbance": CancellationPoint("task", 1, within=2.0)},
        {"disturbance": InjectedFault("service", 1, "unknown")},
        {"expected": "{}"},
    ],
    ids=str,
)
def test_stimuli_that_differ_in_anything_have_different_keys(change):
    assert key_of(replace(ONE, **change)) != key_of(ONE)


def test_stimuli_that_differ_in_their_disturbance_only_have_different_keys():
    points = [CancellationPoint("token", at) for at in (1, 2)] + [CancellationPoint("task", 1), None]
    assert len({key_of(replace(ONE, disturbance=point)) for point in points}) == len(points)
