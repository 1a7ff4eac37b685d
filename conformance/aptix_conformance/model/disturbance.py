"""What a host does to a call while it runs, as typed data.

Each kind is a record of its own; a call that nobody disturbs has None. As JSON a record is an object whose member
`disturbance` names its kind; members with their default value are left out. The text that a host reads of it is made in `notation.py`.
"""

from typing import Final, Literal

from aptix_conformance.model.codec import Record

SECOND: Final = 1.0

Cancelling = Literal["watch", "before", "token", "delay", "task"]
FaultArea = Literal["service", "library", "parser"]


class CancellationPoint(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="cancel"):
    """Where one call is cancelled, and what is then allowed of it.

    `watch` cancels nothing, `before` cancels the token before the call begins. `at` is the number of the suspension,
    from 1, for `token` and `task`, and seconds for `delay`. `within` is how many seconds a cancelled call may take to
    end, and what it started to be gone; `block` how many seconds it may keep the event loop to itself. `long` says that
    the author calls the tool long-running.

    The limits stand here so that a call can be judged, and judged again in a replay, by nothing but its stimulus.
    """

    kind: Cancelling
    at: float = 0.0
    within: float = SECOND
    block: float = SECOND
    long: bool = False

    @property
    def is_watched_only(self) -> bool:
        """Nothing is cancelled."""
        return self.kind == "watch"

    @property
    def is_of_token(self) -> bool:
        """The token is cancelled, and not the task."""
        return self.kind in ("before", "token", "delay")


class InjectedFault(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="fault"):
    """One use of something that the call depends on, which is made to fail.

    `number` counts the uses in that area within the call, from 1. `fault` is how it fails: the name of an exception, or
    of what comes in place of an answer. `modules` are libraries of the author's choice that are watched as well.
    """

    area: FaultArea
    number: int
    fault: str
    modules: tuple[str, ...] = ()


class ReplacedCatalog(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="catalog"):
    """Another mode catalog, by name, in place of the one that is configured."""

    name: str


class WatchedArguments(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="arguments"):
    """Nothing is changed: the host records what the call takes from its arguments."""


class OtherDisturbance(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="other"):
    """A disturbance that only a probe and a host of a third party know: `KIND:WHAT`, as that host reads it."""

    text: str


Disturbance = CancellationPoint | InjectedFault | ReplacedCatalog | WatchedArguments | OtherDisturbance
