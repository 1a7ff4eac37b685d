"""Calls that are likely to hang since an earlier call did: a larger count or a longer text in the argument that made that one hang.

A call that hangs costs the time of its limit, and shows the same each time. So calls with as much of the same argument are not made
again, and other values of it, and other arguments, still are. The argument is the one that differs from the call that came back
and is most like the one that hung. A text may hang for what is in it: only after two of them is their length the cause.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aptix_conformance.core.model import INCIDENTS, Call, Outcome, Stimulus

_LONGEST: Final = 2_000_000
"""Characters of arguments that are read to compare them."""

_NUMBERS: Final = ("below 0", "from 0")

Size = tuple[str, float]
"""The measure of a value, and how much there is of it."""


@dataclass(slots=True)
class Hanging:
    """The calls of one tool that hung, and what was large in them."""

    causes: list[Mapping[str, Size]] = field(default_factory=list)
    """By argument, how much of it was in a call that hung for it."""
    suspected: list[Mapping[str, Size]] = field(default_factory=list)
    """The same, where one call shows too little."""

    def learn(self, call: Call, earlier_calls: Iterable[Call]) -> None:
        """Take a call that hung, and the calls before it."""
        document = _document(call.plan)
        if call.outcome is not Outcome.TIMED_OUT or call.plan.disturbance is not None or document is None:
            return
        came_back = (_document(each.plan) for each in earlier_calls if each.outcome not in INCIDENTS)
        cause = _cause(document, [each for each in came_back if each is not None])
        if not cause:
            return
        is_sure = all(kind in _NUMBERS for kind, _ in cause.values())
        if is_sure or any(_has_as_much(document, earlier) for earlier in self.suspected):
            self.causes.append(cause)
        else:
            self.suspected.append(cause)

    def named(self, plan: Stimulus) -> Sequence[str]:
        """The arguments for which a call is likely to hang, as an earlier one did; empty where it is not."""
        document = _document(plan) if self.causes else None
        if document is None:
            return ()
        return next((tuple(cause) for cause in self.causes if _has_as_much(document, cause)), ())


def _cause(hung: Mapping[str, Any], came_back: Sequence[Mapping[str, Any]]) -> Mapping[str, Size]:
    """The arguments of which a call had more than the one most like it that came back, and how much; empty where there are none."""
    nearest = min(came_back, key=lambda each: len(_differing(hung, each)), default=None)
    if nearest is None:
        return {}
    return {
        name: size
        for name in _differing(hung, nearest)
        if (size := _size(hung.get(name))) and _is_more(size, _size(nearest.get(name)))
    }


def _document(plan: Stimulus) -> Mapping[str, Any] | None:
    """The arguments of a call; None where they are no object, or very long."""
    if plan.arguments is None or len(plan.arguments) > _LONGEST:
        return None
    try:
        document = json.loads(plan.arguments)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, Mapping) else None


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The arguments that two calls do not have in common."""
    return [name for name in one.keys() | other.keys() if name not in one or one[name] != other.get(name)]


def _size(value: Any) -> Size | None:
    """How large a number is, how long a text, how many items or members there are; None for what has no size."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        # Not as a float: an integer may be too large for one.
        return (_NUMBERS[0], -value) if value < 0 else (_NUMBERS[1], value)
    return (type(value).__name__, len(value))


def _is_more(size: Size, other: Size | None) -> bool:
    return other is None or size[0] != other[0] or size[1] > other[1]


def _has_as_much(document: Mapping[str, Any], cause: Mapping[str, Size]) -> bool:
    """Whether arguments have as much of all that made a call hang."""
    sizes = ((_size(document.get(name)), least) for name, least in cause.items())
    return all(size is not None and size[0] == least[0] and size[1] >= least[1] for size, least in sizes)
