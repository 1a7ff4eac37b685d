"""The plan at `--aptix-thoroughness quick`: the calls that show most faults for what they cost.

Each probe plans as always, and a part of its plan is made, in the same order. It depends on the tool alone, as the standard plan
does. What is left out is a cut: the rules that would have judged it are inconclusive, so a quick examination shows faults, and
never conformance.

Its numbers were chosen by `python -m tests.acceptance.matrix.yields` from what breaks the nonconforming fixtures; of the grammars of
arguments (`grammars.py`) the sharpest texts are taken, because few fixtures have one.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from aptix_conformance.core.model import Stimulus

QUICK: Final = "(quick plan)"
"""Why planned calls are not made."""
_OTHERS: Final[Mapping[str, int]] = {"": 3, "drawn": 3}
"""The numbers of calls that are made of a probe that `NUMBERS` does not name, such as a third party's."""
_BY_LAST: Final = frozenset({"lenient", "truncated", "garbage", "root", "blank", "extreme"})
"""The kinds whose calls are chosen by the last part of their labels, such as `nan` of `lenient:nan`."""

BY_PART: Final = frozenset({"valid", "malformed", "invalid", "extremes", "context", "fault"})
"""The probes whose calls are chosen by kind and variant. Of others the first ones are made: what they plan builds on those before."""
NUMBERS: Final[Mapping[str, Mapping[str, int]]] = {
    "after-refusals": {"": 4},
    "alone": {},
    "at-once": {},
    "cancel": {"": 19},
    "cancelling": {"": 6},
    "catalog": {"": 13},
    "conditions": {},
    "confined": {"": 35},
    "context": {"context:empty": 30, "context:none": 1, "context:without-userId": 2},
    "conversations": {"": 2},
    "defaults": {},
    "extremes": {
        "extreme:-1e308": 1,
        "extreme:1e308": 1,
        "extreme:above-int53": 1,
        "extreme:apostrophe": 1,
        "extreme:below-int32": 1,
        "extreme:below-int64": 1,
        "extreme:blob": 1,
        "extreme:catastrophic-pattern": 2,
        "extreme:conversions": 3,
        "extreme:deeply-nested": 3,
        "extreme:endless-command": 1,
        "extreme:endless-loop": 1,
        "extreme:endless-loop-js": 1,
        "extreme:endless-power": 1,
        "extreme:endless-query": 1,
        "extreme:environment-from-below": 1,
        "extreme:environment-in-template": 1,
        "extreme:exits": 1,
        "extreme:file-uri": 1,
        "extreme:home": 1,
        "extreme:inherited-member": 3,
        "extreme:int53-maximum": 1,
        "extreme:int64-maximum": 1,
        "extreme:lone-surrogate": 3,
        "extreme:many-items": 2,
        "extreme:many-members": 1,
        "extreme:megabyte": 2,
        "extreme:nested-brackets": 1,
        "extreme:nul": 1,
        "extreme:open-bracket": 1,
        "extreme:option": 1,
        "extreme:quotes": 2,
        "extreme:repeated-letters": 1,
        "extreme:right-to-left": 2,
        "extreme:substitution": 2,
        "varied": 4,
    },
    "broken-files": {"": 4},
    "fault": {
        "library:os_error": 5,
        "library:unknown": 3,
        "parser:unknown": 1,
        "service:gives_none": 1,
        "service:gives_wrong_type": 1,
        "service:never_answers": 1,
        "service:timeout": 1,
        "service:unknown": 3,
    },
    "hash-seed": {"": 1},
    "in-reverse": {},
    "in-turn": {},
    "invalid": {"": 1, "missing": 4, "null": 2, "null-optional": 10, "pattern": 2},
    "keeping": {},
    "malformed": {
        "blank:empty": 1,
        "blank:null": 1,
        "drawn": 1,
        "garbage:prose": 1,
        "lenient:long-negative-integer": 1,
        "lenient:nan": 1,
        "root:array": 1,
        "truncated:mid-string": 1,
    },
    "neighbours": {},
    "outage": {"": 7},
    "pages": {"": 2},
    "reading": {},
    "refusals-first": {"": 15},
    "repeat": {"together:8": 8},
    "resources": {"": 1},
    "server": {"": 42},
    "statements": {},
    "valid": {"boundary": 14, "declared": 1, "drawn": 4, "example": 2, "full": 1, "minimal": 1},
    "wire": {"": 6},
    "without-refusals": {},
}
"""By probe, how many calls are made of a part of it; of `drawn` ones; and of each other part, or of all, where the part is empty."""
EXAMPLES: Final = max(numbers.get("drawn", 0) for numbers in NUMBERS.values())
"""Drawn calls of each generating probe, at most."""


def part_of(kind: str, label: str) -> str:
    """The key by which the calls of a probe are counted: a kind, or a variant of one."""
    first, _, rest = label.partition(":")
    if kind in _BY_LAST:
        return f"{kind}:{label.rpartition(':')[2]}"
    if kind == "disturbed":  # `library:1:os_error`
        return f"{first}:{rest.rpartition(':')[2]}"
    if kind in {"together", "context"}:  # `together:50:many-1`, `context:hostile-nul:fullest`
        return f"{kind}:{rest.partition(':')[0]}"
    return kind


@dataclass(slots=True)
class QuickPlan:
    """The part of one probe's plan that is made; `unmade` counts the other calls."""

    probe: str
    unmade: int = 0
    _calls_by_part: Counter[str] = field(default_factory=Counter)

    @property
    def examples(self) -> int:
        """How many calls are drawn."""
        return self._numbers.get("drawn", 0)

    def takes(self, *plans: Stimulus) -> bool:
        """Whether a planned call is made, or several at the same time; asked once for each, in their order."""
        plan = plans[0]
        is_apart = self.probe in BY_PART or plan.kind == "together"
        part = part_of(plan.kind, plan.label) if is_apart else ""
        most = self._numbers.get(part, self._numbers.get("", 0) if self.probe in BY_PART else 0)
        is_made = self._calls_by_part[part] < most
        self._calls_by_part[part] += len(plans) if is_made else 0
        self.unmade += 0 if is_made else len(plans)
        return is_made

    @property
    def _numbers(self) -> Mapping[str, int]:
        return NUMBERS.get(self.probe, _OTHERS)
