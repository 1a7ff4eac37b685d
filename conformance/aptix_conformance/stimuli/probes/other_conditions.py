"""Probe `conditions`: a call that works, made in processes with another time zone, locale and clock.

A server runs where its user is, and its author's machine has one zone and one language. A call whose arguments or result hold
a date is made in two zones, one west and one east of London: a date that is read in one zone and written in another moves in
one of them. Only where the two differ are they made again, and once with another clock: a result that
the clock changes tells the present, which each zone names in its own way. A call whose result shows a number or a date as it
is written in English is made with a German locale; where there is none, one that sends a number with a decimal point as a text.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from aptix_conformance.core.model import Call, Change, Kind, OtherConditions, Stimulus
from aptix_conformance.stimuli.probes.contexts import without_own_identifiers
from aptix_conformance.stimuli.probes.planning import payload_text, plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject

NAME: Final = "conditions"
"""The probe, and the kind of its disturbance."""
WEST: Final = OtherConditions(zone="Pacific/Marquesas")
EAST: Final = OtherConditions(zone="Asia/Tokyo")
"""Zones without daylight saving time since 1951, 9.5 hours behind UTC and 9 ahead of it."""
LATER: Final = OtherConditions(zone=WEST.zone, clock="671657 minutes")
"""466 days, 10 hours and 17 minutes: the year, the month, the day, its name, the hour and the minute are others."""
GERMAN: Final = OtherConditions(locale="de_DE.UTF-8")
_TWO: Final = 2
_LONGEST: Final = 20_000
"""Characters of a text in which dates and numbers are looked for."""
WORDS: Final = re.compile(
    r"\b(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?"
    r"|Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b"
)
"""English names of days and months."""
_DATE: Final = re.compile(
    r"\b\d{4}-\d\d?-\d\d?(?!\d)|\b\d\d?[./]\d\d?[./]\d{2,4}\b|\b\d{4}/\d\d?/\d\d?\b|\b[0-2]?\d:[0-5]\d\b"
)
_FORMATTED: Final = re.compile(
    r"\b\d{1,3}(?:,\d{3})+(?:\.\d+)?\b|(?<![\w.])\d+\.\d+(?![\w.]*\d)|\b\d\d?/\d\d?/\d{2,4}\b"
)
"""A number or a date as it is written in English."""
_DECIMAL: Final = re.compile(r'[:,\[]\s*"-?(?=[0.]*[1-9])\d{1,15}\.\d{1,15}"')
"""A text in JSON that is a number with a decimal point, and not zero."""


class OtherConditionsProbe(Probe):
    """Plans a repeated call that shows a date in two zones, and one that shows a formatted number in another locale."""

    name = NAME

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The calls; those that repeat others only where these differ."""
        if NAME not in subject.disturbances:
            return
        dated = next((call for call in _repeated(calls) if _shows_date(call)), None)
        if dated is not None:
            yield self._planned(subject, dated, "west", 1, WEST)
            yield self._planned(subject, dated, "east", 1, EAST)
            if _differ(*_own(calls)[-_TWO:]):
                yield self._planned(subject, dated, "west", 2, WEST)
                yield self._planned(subject, dated, "east", 2, EAST)
                yield self._planned(subject, dated, "later", 1, LATER)
        repeated = list(_repeated(calls))
        wanted = (*filter(_shows_format, repeated), *filter(_sends_decimal, repeated))
        formatted = next(iter(wanted), None)
        if formatted is not None:
            yield self._planned(subject, formatted, "german", 1, GERMAN)
            if _differ(formatted, *_own(calls)[-1:]):
                yield self._planned(subject, formatted, "german", 2, GERMAN)

    def _planned(
        self, subject: Subject, like: Call, detail: str, number: int, conditions: OtherConditions
    ) -> Stimulus:
        change = Change(Kind.SAME, detail=detail, number=number)
        return plan(subject, self.name, change, like.plan.arguments, disturbance=conditions)


def _repeated(calls: Sequence[Call]) -> Iterator[Call]:
    """The successful calls that were made several times, one after another."""
    return (
        call
        for call in calls
        if call.plan.probe == "repeat" and call.plan.kind is not Kind.TOGETHER and call.succeeded
    )


def _own(calls: Sequence[Call]) -> list[Call]:
    return [call for call in calls if call.plan.probe == NAME]


def _payload(call: Call) -> str:
    return payload_text(call)[:_LONGEST]


def _shows_date(call: Call) -> bool:
    """Whether the arguments or the result hold a date or a time, or the result a day's or a month's name."""
    texts = ((call.plan.arguments or "")[:_LONGEST], _payload(call))
    return any(map(_DATE.search, texts)) or bool(WORDS.search(texts[1]))


def _shows_format(call: Call) -> bool:
    """Whether the result holds a text with a number or a date as it is written in English."""
    text = _payload(call)
    quoted = re.findall(r'"(?:[^"\\]|\\.)*+"', text) if text.lstrip()[:1] in ("{", "[", '"') else [text]
    return any(_FORMATTED.search(each) for each in quoted) or bool(WORDS.search(text))


def _sends_decimal(call: Call) -> bool:
    """Whether the call sent a number with a decimal point as a text."""
    return bool(_DECIMAL.search((call.plan.arguments or "")[:_LONGEST]))


def _differ(*calls: Call) -> bool:
    """Whether two calls succeeded with different payloads, their identifiers aside."""
    if len(calls) < _TWO or not all(call.succeeded for call in calls):
        return False
    return len({without_own_identifiers(payload_text(call)) for call in calls}) > 1
