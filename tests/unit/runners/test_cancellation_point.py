"""The text of a point of cancellation is read as the host protocol has it, and anything else is refused."""

import pytest

from aptix_conformance.runners.python.disturb.cancel.point import CancellationPoint, read_point


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("watch", CancellationPoint("watch", 0, 0.0, 1.0, 1.0)),
        ("before", CancellationPoint("before", 0, 0.0, 1.0, 1.0)),
        ("token:3;within=2;block=0.5", CancellationPoint("token", 3, 0.0, 2.0, 0.5)),
        ("task:1;block=2", CancellationPoint("task", 1, 0.0, 1.0, 2.0)),
        ("token:2;hold=0.2", CancellationPoint("token", 2, 0.0, 1.0, 1.0, 0.2)),
        ("delay:0.25", CancellationPoint("delay", 0, 0.25, 1.0, 1.0)),
    ],
)
def test_a_point_is_read_with_its_limits(text, point):
    """What is not said has a default."""
    assert read_point(text) == point
    assert point.is_counted == (point.kind in ("token", "task"))


@pytest.mark.parametrize("text", ["", "never", "token", "token:x", "delay:soon", "task:1;within=long"])
def test_what_is_no_point_is_refused(text):
    """The host answers with an error, and the tool is not called."""
    with pytest.raises(ValueError, match=r"cannot be cancelled|invalid literal|could not convert"):
        read_point(text)
