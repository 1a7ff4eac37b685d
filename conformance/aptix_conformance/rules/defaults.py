"""ARG016: the default that a schema declares is the one that the code has.

A result may show what was sent in many ways: it repeats the arguments, lists the filters that were given, hashes the request, or links to
the next page. So only values are compared that both answers have at the same place, and that do not speak of the call.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from aptix_conformance.core.model import Call, Exploration, Kind
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.documents import arguments_of, has_readable_payload, is_number, plain
from aptix_conformance.rules.lib.earlier_calls import Answer, answer_of
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.neighbours import same, steady
from aptix_conformance.rules.lib.scope import any_call, together
from aptix_conformance.stimuli.probes.defaults import NAME, WITH_DEFAULT, is_again
from aptix_conformance.stimuli.probes.planning import argument_label

_USUAL: Final = ("valid", "invalid", "repeat", NAME)
"""The probes whose calls with the same arguments must have had the same answer."""
_OF_THE_CALL: Final = re.compile(
    r"request|argument|param|input|query|option|filter|given|receiv|explicit|default|cache|key|hash|digest|etag|fingerprint"
    r"|checksum|sign|url|uri|link|cursor|token|echo|command|expression|header|byte",
    re.IGNORECASE,
)
"""A member that may speak of the call, and not of what it did."""
_OPAQUE: Final = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[\w+/=:.~-]{8,}", re.ASCII)
"""A text of one word that may be a digest or a cursor."""
_OF_CHOICES: Final = re.compile(
    r"default|chose|choice|given|specif|assum|omit|missing|provided|select", re.IGNORECASE
)
"""A text that says what was chosen, and by whom."""
_MOST_WORDS: Final = 3
"""Words of a text that is a value, and no sentence."""
_STANDS_FOR_DEFAULT: Final = frozenset(
    {"", "default", "auto", "none", "null", "unset", "unspecified", "any", "all", "-"}
)
_DIGITS: Final = re.compile(r"\d+")
_LONGEST: Final = 60


@rule(
    "ARG016",
    source="suite",
    when=any_call(is_again, has_readable_payload),
    unseen_reason=NotApplicable(
        "no call was answered in another way with an argument's declared default than without the argument"
    ),
    probes=("invalid", "repeat", NAME),
    differs_by="the argument",
    remedy="Declare the default that the code has, or read the default of the code from the schema. Leave `default` out of the schema where "
    "a missing argument means something else than any value.",
)
def declared_default_is_the_one_in_the_code(exploration: Exploration) -> Iterator[Finding]:
    """A call without an argument is answered as the same call with the default that the schema declares for it.

    A model reads the default, finds that it is what the user wants, and leaves the argument out; a client that fills defaults in
    sends it. Where the code has another one, each of them gets what nobody asked for. Each of both calls was answered alike whenever it
    was made, twice at least. What a result says of the call itself may differ: its arguments, how many there were, a link, a hash. Of
    sentences only the numbers are compared.
    """
    for call in exploration.calls:
        name = _argument(call)
        if not name:
            continue
        sent = arguments_of(call)
        left_out = {key: value for key, value in sent.items() if key != name}
        before, after = (_steady(exploration, arguments) for arguments in (left_out, sent))
        for place in sorted(before.keys() & after.keys()):
            one, other = before[place], after[place]
            if (
                not same(one, other)
                and not _counts_arguments(one, other, len(sent))
                and _is_telling(name, sent[name], place, (before, after))
            ):
                default = printable(json.dumps(sent[name], ensure_ascii=False), _LONGEST)
                yield Finding(
                    f"Without {quoted(name, _LONGEST)}, {printable(place, _LONGEST)} of the payload was {_shown(one)}; "
                    f"with the declared default, {default}, it was {_shown(other)}.",
                    call,
                    cause=name,
                )
                break


def _argument(call: Call) -> str:
    """The argument whose default a call sent again; empty for another call."""
    if not (is_again(call) and call.plan.change.detail == WITH_DEFAULT and has_readable_payload(call)):
        return ""
    label = call.plan.change.argument
    return next((name for name in arguments_of(call) if argument_label(name) == label), "")


def _steady(exploration: Exploration, arguments: Mapping[str, Any]) -> Answer:
    """The values that were equal whenever a call was made with these arguments, twice at least."""
    text = _canonical(arguments)
    return steady(
        [
            answer_of(call)
            for call in exploration.calls
            if call.plan.probe in _USUAL
            and call.plan.kind is not Kind.TOGETHER
            and not together(call)
            and call.plan.disturbance is None
            and has_readable_payload(call)
            and _canonical(arguments_of(call)) == text
        ]
    )


def _canonical(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, sort_keys=True)


def _is_telling(name: str, default: Any, place: str, answers: tuple[Answer, Answer]) -> bool:
    """Whether a place shows what the call did, and not that an argument was sent."""
    one, other = (answer[place] for answer in answers)
    if plain(place.rpartition(".")[2]) == plain(name):
        return _is_value(one) and same(other, default)
    if _OF_THE_CALL.search(place) or one is None or other is None:
        return False
    if isinstance(one, str) and isinstance(other, str):
        return _are_telling_texts(name, default, one, other)
    within = place.partition("$")[2]
    return is_number(one) and is_number(other) and not _names_argument_within(name, within, answers[1])


def _counts_arguments(one: Any, other: Any, count: int) -> bool:
    """Whether values that differ, or the numbers in texts that differ, are how many arguments were sent."""
    if isinstance(one, str) and isinstance(other, str):
        numbers = zip(_DIGITS.findall(one), _DIGITS.findall(other), strict=False)
        differing = {pair for pair in numbers if pair[0] != pair[1]}
        return _DIGITS.sub("", one) == _DIGITS.sub("", other) and differing == {(str(count - 1), str(count))}
    return is_number(one) and is_number(other) and (one, other) == (count - 1, count)


def _is_value(value: Any) -> bool:
    """Whether what is shown under an argument's name, which was not sent, is a value that the tool took for it."""
    return value is not None and not (
        isinstance(value, str) and value.strip().casefold() in _STANDS_FOR_DEFAULT
    )


def _are_telling_texts(name: str, default: Any, one: str, other: str) -> bool:
    if any(
        _OPAQUE.fullmatch(text) or _names(name, text) or _OF_CHOICES.search(text) for text in (one, other)
    ):
        return False
    is_prose = max(len(text.split()) for text in (one, other)) > _MOST_WORDS
    if is_prose and _DIGITS.sub("", one) != _DIGITS.sub("", other):
        return False  # a sentence may say that nothing was chosen in many words
    value = (default if isinstance(default, str) else json.dumps(default)).casefold()
    is_only_in_other = bool(value) and value in other.casefold() and value not in one.casefold()
    return not is_only_in_other or _DIGITS.sub("", one) == _DIGITS.sub("", other)


def _names(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _names_argument_within(name: str, place: str, answer: Answer) -> bool:
    """Whether a text in the array at a place names the argument: then it lists what was sent."""
    return any(
        isinstance(value, str) and _names(name, value)
        for where, value in answer.items()
        if where.startswith(f"${place}[")
    )


def _shown(value: Any) -> str:
    return printable(json.dumps(value, ensure_ascii=False), _LONGEST)
