"""Probe `statements`: two texts that a database tells apart where it reads them as a part of its statement, and nothing else does.

Both have the same words in the same order. Between apostrophes the first one adds a condition that every row meets, and the second one
a condition that none does, also where percent signs or a parenthesis stand around it. They are sent where O'Brien was refused or found
less than another call: as text they find the same. They are not sent where O'Brien has shown the fault already, nor where calls reach more
than their container: such a condition in a statement that changes rows changes all of them.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from aptix_conformance.core.model import Call, Change, Kind, Stimulus
from aptix_conformance.stimuli.generate import write
from aptix_conformance.stimuli.generate.extremes import TEXTS
from aptix_conformance.stimuli.probes.planning import payload_text, plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject

NAME: Final = "statements"
ALWAYS: Final = "always-true"
NEVER: Final = "never-true"
CONDITIONS: Final[Mapping[str, str]] = {
    ALWAYS: "x' OR '2' >= '1' AND '2' LIKE '2",
    NEVER: "x' OR '2' <= '1' AND '2' LIKE '2",
}
SYNTAX_ERROR: Final = re.compile(
    r"""near "Brien": syntax error|syntax error at or near ["']?Brien[^\n]{0,80}|Incorrect syntax near ["']?Brien[^\n]{0,80}"""
    r"""|unrecognized token: "[^\n]{1,80}|unterminated quoted (?:string|identifier) at or near[^\n]{0,80}"""
    r"|You have an error in your SQL syntax|Unclosed quotation mark after the character string[^\n]{0,80}"
    r"|ORA-0(?:0933|1756)[^\n]{0,80}|quoted string not properly terminated"
)
"""What drivers say of O'Brien between apostrophes: of SQLite, PostgreSQL, DuckDB, MySQL, MariaDB, SQL Server and Oracle."""
_MOST: Final = 2
"""The most arguments that get both texts."""


class StatementsProbe(Probe):
    """Plans the calls that sent O'Brien and found less, with a condition that is always true and one that never is."""

    name = NAME

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """Both texts for each of a few arguments."""
        settings = subject.settings
        if subject.arguments is None or settings.network or settings.side_effects != "contained":
            return
        most = max((len(payload_text(call)) for call in calls if _is_usual(call)), default=0)
        fewer = [call for call in calls if _sent_an_apostrophe(call) and len(payload_text(call)) < most]
        for call in fewer[:_MOST]:
            document = json.loads(call.plan.arguments or "{}")
            for detail, text in CONDITIONS.items():
                varied = _replaced(document, text)
                if subject.arguments.judge.admits(varied):
                    change = Change(Kind.EXTREME, call.plan.change.argument, detail)
                    yield plan(subject, self.name, change, write(varied))


def _is_usual(call: Call) -> bool:
    return call.plan.probe == "valid" and call.succeeded


def _sent_an_apostrophe(call: Call) -> bool:
    is_one = call.plan.probe == "extremes" and call.plan.change.detail == "apostrophe"
    return is_one and (call.succeeded or call.refused) and not any(map(SYNTAX_ERROR.search, _shown(call)))


def _shown(call: Call) -> Iterator[str]:
    """What a call returned, logged and wrote."""
    if call.result is not None:
        yield from filter(None, (call.result.payload, call.result.error_message))
    yield from (record.message for record in call.logs)
    yield from (call.stdout.text, call.stderr.text)


def _replaced(value: Any, text: str) -> Any:
    """A value with another text in place of O'Brien."""
    if isinstance(value, dict):
        return {name: _replaced(member, text) for name, member in value.items()}
    if isinstance(value, list):
        return [_replaced(item, text) for item in value]
    return text if value == TEXTS["apostrophe"] else value
