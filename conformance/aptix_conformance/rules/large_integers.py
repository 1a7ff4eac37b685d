"""RES022: integers of a tool's own data that the clients of many models cannot read exactly.

What is worked out from the arguments, such as a power, may be as large as it is. So an integer counts where its name says that it stands
for something, or where the call sent no number that it could come from.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from aptix_conformance.core.model import Call, Exploration
from aptix_conformance.core.schemas.shapes import leaves
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.documents import arguments_of, is_number, payload_of
from aptix_conformance.rules.lib.earlier_calls import names_time
from aptix_conformance.rules.lib.echoes import EXACT, is_plain
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.scope import extreme

_NAMES_WHAT_IT_STANDS_FOR: Final = re.compile(
    r"(?:(?:^|_)(?:ids?|uid|key|serial|snowflake|handle|account|ref|reference)|(?<=[a-z])(?:Ids?|IDs?|Uid|UID|Key|Serial|Ref))"
    r"(?:_?[nN](?:o|umber))?$"
)
_INDEX: Final = re.compile(r"\[\d+\]")
_DIGIT: Final = re.compile(r"\d")


@rule(
    "RES022",
    source="suite",
    when=lambda exploration: any(True for _ in _found(exploration)),
    unseen_reason=NotApplicable("no result held an integer of the tool's own data that is larger than 2^53"),
    probes=("context", "invalid", "repeat", "pages"),
    differs_by="the place in the payload",
    remedy='Write identifiers and other integers beyond 9007199254740991 as texts, as "id": "1234567890123456789".',
)
def integers_of_results_survive_every_client(exploration: Exploration) -> Iterator[Finding]:
    """An integer beyond 2^53 is written as a text.

    JSON.parse in JavaScript, and each parser that reads numbers as doubles, rounds it. The model then asks for a record that there
    is not, or for another one. RES019 judges integers that were sent. What is worked out from numbers of the call may be
    large, and so may times in nanoseconds.
    """
    yield from _found(exploration)


def _found(exploration: Exploration) -> Iterator[Finding]:
    for call in exploration.calls:
        if not is_plain(call) or extreme(call):
            continue
        for place, value in leaves(payload_of(call).value):
            if isinstance(value, int) and abs(value) > EXACT and _is_of_own_data(call, place, value):
                where = _INDEX.sub("[]", place)
                message = f"{printable(where, 60)} of the payload was {printable(str(value), 60)}; {_as_double(value)}."
                yield Finding(message, call, cause=where)


def _is_of_own_data(call: Call, place: str, value: int) -> bool:
    """Whether an integer is none that the call sent, or that may be worked out from what it sent."""
    sent = [scalar for _, scalar in leaves(arguments_of(call))]
    if names_time(place) or any(is_number(each) and each == value for each in sent):
        return False
    if _NAMES_WHAT_IT_STANDS_FOR.search(_INDEX.sub("", place).rpartition(".")[2]):
        return True
    return not _is_exact(value) and not any(map(_may_be_worked_with, sent))


def _may_be_worked_with(sent: Any) -> bool:
    return is_number(sent) or (isinstance(sent, str) and bool(_DIGIT.search(sent)))


def _is_exact(value: int) -> bool:
    """Whether a double holds an integer."""
    try:
        return int(float(value)) == value
    except OverflowError:
        return False


def _as_double(value: int) -> str:
    if _is_exact(value):
        return "JavaScript reads its neighbours as the same number"
    try:
        return f"JavaScript reads {printable(f'{Decimal(repr(float(value))):f}', 60)}"
    except OverflowError:
        return "JavaScript reads it as Infinity"
