"""The point at which a call is cancelled, as the host protocol writes it."""

from typing import NamedTuple


class CancellationPoint(NamedTuple):
    """One point, with its limits.

    As text, with options at the end (`token:3;within=2;block=0.5;hold=0.2`):

        watch            never: only count the suspensions of the call
        before           the token, before the call
        token:K          the token, at the K-th suspension of any task of the call
        delay:SECONDS    the token, that long after the start of the call
        task:K           the task of the call itself, at the K-th suspension

    Attributes:
        kind: the word before the colon.
        number: K, from 1; 0 where there is none.
        delay: seconds; 0 where there is none.
        within: seconds in which the call's background work must end after the call.
        block: seconds after which the stack of a step that blocks the event loop is recorded.
        hold: seconds from the suspension to the cancellation.
    """

    kind: str
    number: int
    delay: float
    within: float
    block: float
    hold: float = 0.0

    @property
    def is_counted(self) -> bool:
        """Whether the point is a suspension of the call."""
        return self.kind in ("token", "task")


def read_point(what: str) -> CancellationPoint:
    """Parse a point.

    Raises:
        ValueError: the text is not a point.
    """
    point, *options = what.split(";")
    kind, _, detail = point.partition(":")
    if kind not in ("watch", "before", "token", "delay", "task"):
        raise ValueError(f"a call cannot be cancelled at {what!r}")
    limits = {name: float(value) for name, _, value in (option.partition("=") for option in options)}
    return CancellationPoint(
        kind,
        number=int(detail) if kind in ("token", "task") else 0,
        delay=float(detail) if kind == "delay" else 0.0,
        within=limits.get("within", 1.0),
        block=limits.get("block", 1.0),
        hold=limits.get("hold", 0.0),
    )
