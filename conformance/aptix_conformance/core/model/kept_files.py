"""After which calls a host looks at the files that a tool has changed.

They show what calls have left: after calls with other arguments (the probe `neighbours`), and after calls that were made one
after another and at the same time (`stimuli/probes/concurrent_updates.py`).
"""

from typing import Final

from aptix_conformance.core.model.stimulus import Stimulus

KEEPING: Final = "keeping"
IN_TURN: Final = "in-turn"
IN_REVERSE: Final = "in-reverse"
AT_ONCE: Final = "at-once"
PROBES: Final = frozenset({KEEPING, IN_TURN, IN_REVERSE, AT_ONCE})
"""The probes of `stimuli/probes/concurrent_updates.py`."""
CLOSING: Final = "closing"
"""The detail of the last call of each of them."""
NEIGHBOURS: Final = "neighbours"
BASE: Final = "base"
"""The detail of the calls of the probe `neighbours` that others precede."""


def is_closing(plan: Stimulus) -> bool:
    """Whether a call comes after all others of its row or group, also where these are made at the same time."""
    return plan.probe in PROBES and plan.change.detail == CLOSING


def looks_at_files(plan: Stimulus) -> bool:
    """Whether the host looks at the files after a call."""
    if plan.probe == NEIGHBOURS:
        return plan.change.detail == BASE and plan.change.number == 1
    return is_closing(plan)
