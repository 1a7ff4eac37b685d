"""An obstacle that a rule met, and the words for it: they are made here, from one table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from aptix_conformance.core.model.verdict import Obstacle
from aptix_conformance.rules import Rule
from aptix_conformance.rules.lib.scope import EXAMPLE_HELPS

_WORDS: Final[Mapping[Obstacle, str]] = {
    Obstacle.OWN_CONTRACT: "{said}, this tool's own contract, exempts it",
    Obstacle.DEFERRED: "{rules} alone reports what it could judge",
    Obstacle.MASKED: "masked by {rules}; run again once that is fixed",
    Obstacle.NO_SCHEMA: f"no call was made: {{said}}; fix that, or {EXAMPLE_HELPS}",
    Obstacle.REFUSED: f"no call succeeded: {EXAMPLE_HELPS}",
    Obstacle.EXAMPLE_REFUSED: "no call succeeded, not even the author's example: fix first what the findings say of it",
    Obstacle.UNPROVEN: "a call that asked a service for what its recording does not have seems to break it ({said}); record that request",
    Obstacle.UNTIMED: "{said} of its own time, since the machine was busy; run again while it does less",
    Obstacle.NO_RECORDING: "no call succeeded, and calls asked a service for what its recording does not have: {said}; record that request",
    Obstacle.NO_NETWORK: "no call succeeded: the suite gives a tool no network, and calls tried to reach {said}",
    Obstacle.NOT_JSON: "no successful call returned JSON",
    Obstacle.NOT_TWICE: "no call that had succeeded did so when it was made again{said}",
    Obstacle.NOT_SHOWN: "the calls that succeeded do not show what this rule judges",
    Obstacle.LEFT_OUT: "({said})",
    Obstacle.IN_THE_WAY: "fix {rules} first, and run again",
}
"""In words: `{rules}` are the broken ones, `{said}` is what explains it, and all that is said of a kind that is not here."""


@dataclass(frozen=True, slots=True)
class MetObstacle:
    """An obstacle that a rule met; `words` say it, with `OWN_TABLE` for the tool's own table, and `rules` are the broken ones."""

    kind: Obstacle
    words: str
    rules: tuple[str, ...] = ()


def met(kind: Obstacle, said: str = "", rules: tuple[str, ...] = ()) -> MetObstacle:
    """An obstacle in its words; `said` explains it, as a clause of a sentence."""
    words = _WORDS.get(kind, "{said}").replace("{rules}", " and ".join(rules)).replace("{said}", said)
    return MetObstacle(kind, words, rules)


UNSEEN: Final = (
    Obstacle.REFUSED,
    Obstacle.EXAMPLE_REFUSED,
    Obstacle.NO_RECORDING,
    Obstacle.NO_NETWORK,
    Obstacle.NOT_JSON,
    Obstacle.NOT_TWICE,
    Obstacle.NOT_SHOWN,
    Obstacle.UNSEEN,
)
"""Why a rule saw nothing that it judges: it met one of them, where it saw nothing."""


def unseen(rule: Rule, success: MetObstacle) -> MetObstacle:
    """Why a rule saw nothing; `success` is why no call succeeded that shows more, which most rules do not need."""
    reason = rule.unseen_reason or rule.not_applicable
    if not rule.needs_success:
        return MetObstacle(Obstacle.UNSEEN, reason or "nothing of the kind was seen")
    return MetObstacle(success.kind, "; ".join(filter(None, (reason, success.words))))
