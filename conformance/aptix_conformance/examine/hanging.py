"""Calls that are likely to hang since an earlier call did, for the same cause.

A call that hangs costs the time of its limit, and shows the same each time. So calls with as much of the same argument are not made
again: those with a text that is as long, or with a quarter of the count or more, if that is nearer to it than to a count that came
back. Other values of it, and other arguments, still are. The argument is the one that
differs from the call that came back and is most like the one that hung. A text may hang for what is in it, and of several arguments
only one may be to blame: only after two such calls is their size the cause. A program or a pattern whose evaluation never ends says by itself why it hung: no other one is sent then.
After two texts that hung and are no JSON, or no object, no other one of that form is sent, and those of other forms still are.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aptix_conformance.core.model import INCIDENTS, Call, Kind, Outcome, Stimulus
from aptix_conformance.core.text import printable
from aptix_conformance.stimuli.generate.grammars import is_endless

_LONGEST: Final = 2_000_000
"""Characters of arguments that are read to compare them."""

_NEAR: Final = 4
"""The part of a count that hung, as its divisor, from which on others are likely to hang too."""
_NUMBERS: Final = ("below 0", "from 0")

_NO_JSON: Final = "a text that is no JSON"
_MANY_DIGITS: Final = "an integer of thousands of digits"
_OF_ONE_FORM: Final = 2
"""Texts of one form that hang before the form is the cause: the first may hang for what is in it."""

Size = tuple[str, float]
"""The measure of a value, and how much there is of it."""
Bounds = tuple[Size, float]
"""How much a call had that hung, and how much the call most like it had that came back, 0 where that is another measure."""


@dataclass(slots=True)
class Hanging:
    """The calls of one tool that hung, and what was large in them."""

    causes: list[Mapping[str, Bounds]] = field(default_factory=list)
    """By argument, how much of it was in a call that hung for it."""
    suspected: list[Mapping[str, Bounds]] = field(default_factory=list)
    """The same, where one call shows too little."""
    evaluated: set[str | None] = field(default_factory=set)
    """The arguments, as labels name them, in which a text whose evaluation never ends made a call hang."""

    forms: Counter[str] = field(default_factory=Counter)
    """How many calls hung whose arguments are no object, by what they are instead."""

    def learn(self, call: Call, earlier_calls: Iterable[Call]) -> bool:
        """Take a call that hung, and the calls before it; returns whether its cause is known, so that `reason` names such calls."""
        if call.outcome is not Outcome.TIMED_OUT or call.plan.disturbance is not None:
            return False
        if _is_endless(call.plan):
            self.evaluated.add(call.plan.change.argument)
            return True  # its length is not to blame
        came_back = [each.plan for each in earlier_calls if each.outcome not in INCIDENTS]
        document = _document(call.plan)
        if document is None:
            return bool(came_back) and self._learn_form(call.plan)
        documents = map(_document, came_back)
        cause = _cause(document, [each for each in documents if each is not None])
        if not cause:
            return False
        is_sure = len(cause) == 1 and all(hung[0] in _NUMBERS for hung, _ in cause.values())
        is_known = is_sure or any(_has_as_much(document, earlier) for earlier in self.suspected)
        (self.causes if is_known else self.suspected).append(cause)
        return is_known

    def _learn_form(self, plan: Stimulus) -> bool:
        form = _form(plan)
        if form:
            self.forms[form] += 1
        return self.forms[form] >= _OF_ONE_FORM

    def named(self, plan: Stimulus) -> Sequence[str]:
        """The arguments for which a call is likely to hang, as an earlier one did; empty where it is not."""
        document = _document(plan) if self.causes else None
        if document is None:
            return ()
        return next((tuple(cause) for cause in self.causes if _has_as_much(document, cause)), ())

    def reason(self, plan: Stimulus) -> str:
        """Why a call is likely to hang, as a clause; empty where it is not."""
        if _is_endless(plan) and plan.change.argument in self.evaluated:
            argument = printable(plan.change.argument or "", 60)
            return (
                f"a call with another value without an end in '{argument}' did not come back within its limit"
            )
        form = _form(plan) if self.forms else ""
        # A parser that refuses so many digits treats such a text as one that is no JSON.
        for known in (form, _NO_JSON) if form == _MANY_DIGITS else (form,):
            if self.forms[known] >= _OF_ONE_FORM:
                return f"{self.forms[known]} calls with {known} did not come back within their limit"
        names = " and ".join(f"'{printable(name, 60)}'" for name in self.named(plan))
        return f"a call with about as much in {names} did not come back within its limit" if names else ""


def _is_endless(plan: Stimulus) -> bool:
    return plan.kind is Kind.EXTREME and is_endless(plan.change.detail)


def _cause(hung: Mapping[str, Any], came_back: Sequence[Mapping[str, Any]]) -> Mapping[str, Bounds]:
    """The arguments of which a call had more than the one most like it that came back, and how much; empty where there are none."""
    nearest = min(came_back, key=lambda each: len(_differing(hung, each)), default=None)
    if nearest is None:
        return {}
    sizes = {name: (_size(hung.get(name)), _size(nearest.get(name))) for name in _differing(hung, nearest)}
    return {
        name: (size, other[1] if other and other[0] == size[0] else 0)
        for name, (size, other) in sizes.items()
        if size and _is_more(size, other)
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


class _DigitsError(Exception):
    """An integer has more digits than many parsers read."""


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        raise _DigitsError from None


def _form(plan: Stimulus) -> str:
    """What the arguments of a call are in place of an object; empty where they are one, absent, or very long."""
    if plan.arguments is None or len(plan.arguments) > _LONGEST:
        return ""
    if not plan.arguments.strip():
        return "a blank text"
    try:
        document = json.loads(plan.arguments, parse_int=_integer)
    except _DigitsError:
        return _MANY_DIGITS
    except (ValueError, RecursionError):
        return _NO_JSON
    return "" if isinstance(document, Mapping) else "JSON that is no object"


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


def _has_as_much(document: Mapping[str, Any], cause: Mapping[str, Bounds]) -> bool:
    """Whether arguments have as much of all that made a call hang, or nearly as much of a count."""
    return all(_is_near(_size(document.get(name)), *bounds) for name, bounds in cause.items())


def _is_near(size: Size | None, hung: Size, came_back: float) -> bool:
    if size is None or size[0] != hung[0]:
        return False
    if size[0] not in _NUMBERS:
        return size[1] >= hung[1]
    # By its square: a root of an integer may be too large for a float.
    try:
        return size[1] * _NEAR >= hung[1] and size[1] * size[1] >= hung[1] * came_back
    except OverflowError:  # such an integer, times a float
        return size[1] >= hung[1]
