"""When a call is cancelled, and what is then allowed of it: as a record, and as text in a plan's disturbance.

The text is `cancel:` and what `runners/python/disturb/cancel` reads. It carries the limits too, so that a call can be
judged, and judged again in a replay, by nothing but its plan.
"""

from dataclasses import dataclass
from typing import Final, Literal, Self, get_args

from aptix_conformance.model import CallPlan

KIND: Final = "cancel"
"""The kind of disturbance."""

MomentKind = Literal["watch", "before", "token", "delay", "task"]

SECOND: Final = 1.0


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment of one call.

    `at` is the number of the suspension, from 1, for `token` and `task`, and seconds for `delay`. `within` is how
    many seconds a cancelled call may take to end, and what it started to be gone; `block` how many seconds it may
    keep the event loop to itself. `long` says that the author calls the tool long-running.
    """

    kind: MomentKind
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

    @property
    def disturbance(self) -> str:
        """As text."""
        text = f"{KIND}:{self.kind}" + (f":{self.at:g}" if self.kind in ("token", "delay", "task") else "")
        text += f";within={self.within:g}" if self.within != SECOND else ""
        text += f";block={self.block:g}" if self.block != SECOND else ""
        return text + (";long=1" if self.long else "")

    @classmethod
    def of(cls, plan: CallPlan) -> Self | None:
        """The moment that a plan names; None where it is disturbed otherwise or not at all."""
        disturbance, _, what = plan.disturbance.partition(":")
        if disturbance != KIND:
            return None
        moment, *options = what.split(";")
        kind, _, at = moment.partition(":")
        given = dict(option.split("=", 1) for option in options)
        known: dict[str, MomentKind] = {name: name for name in get_args(MomentKind)}
        return cls(
            known[kind],
            float(at or 0),
            within=float(given.get("within", SECOND)),
            block=float(given.get("block", SECOND)),
            long="long" in given,
        )
