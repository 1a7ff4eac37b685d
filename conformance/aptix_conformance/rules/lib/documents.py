"""Parsers for untrusted JSON: strict for payloads, lenient for arguments.

Only the grammar of RFC 8259 decides about a payload. Any depth, any number of digits and repeated keys are valid;
Python's extensions of JSON are not. A payload is parsed once for all rules.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import NoneType
from typing import Any, Final, NoReturn

import msgspec

from aptix_conformance.core.model import Call
from aptix_conformance.core.model.codec import MOST_VALUES, most_values

NOT_IN_JSON: Final = "which JSON does not know"
"""How the fault of a text with NaN, Infinity or -Infinity ends."""

_CONSTANT: Final = re.compile(r"NaN|Infinity")
_SCALARS: Final = (int, float, NoneType)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MAY_BE_SURROGATE: Final = re.compile(r"\\u[dD][89abcdefABCDEF]|[\ud800-\udfff]")
_TOKEN: Final = re.compile(
    r'[ \t\n\r]*(?:([\[\]{},:])|("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")'
    r"|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null))"
)
_ESCAPED_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_ESCAPE: Final = re.compile(r"\\(\\|r\\n|n|t|\")")
_UNESCAPED: Final = {"\\": "\\", "r\\n": "\n", "n": "\n", "t": "\t", '"': '"'}
_SPACE: Final = re.compile(r"[ \t\n\r]*\Z")
_MANY_DIGITS: Final = 4000
_BRIEF_TEXT: Final = 2_048
_SHORT_TEXT: Final = 65_536
_LONGEST_DEEP_TEXT: Final = 4_000_000
"""Characters up to which the grammar of a text that nests beyond all bounds is checked: some seconds."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text parsed as JSON. `fault` says why it is not JSON.

    `is_parsed` is false for valid JSON that nests too deeply to parse, or has more than `MOST_VALUES` values. `is_prose` says
    that the text is no JSON, and that its contract lets it be any text: it is the value, as it is.
    """

    value: Any = None
    fault: str | None = None
    is_parsed: bool = True
    is_prose: bool = False


def read(text: str) -> Document:
    """Parse a text strictly as exactly one JSON document."""
    if len(text) <= _BRIEF_TEXT:
        return _read_brief(text)
    return _read_short(text) if len(text) <= _SHORT_TEXT else _read_long(text)


@lru_cache(maxsize=2)  # a few of them may fill the suite's memory
def _read_long(text: str) -> Document:
    if most_values(text.encode("utf-8", "surrogatepass")) > MOST_VALUES:
        return Document(fault=_fault_of_many(text), is_parsed=False)
    return _read(text)


def _fault_of_many(text: str) -> str | None:
    """The syntax error in a text of very many values, found without making them; None if there is none."""
    plain = _ESCAPED_SURROGATE.sub(r"\\u0041", text)  # valid in JSON, and not for this parser
    try:
        msgspec.json.decode(plain, type=msgspec.Raw)
    except RecursionError:
        return _grammar_fault(text) if len(text) <= _LONGEST_DEEP_TEXT else None
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        return str(error)
    return None


def _read(text: str) -> Document:
    surrogate = None if text.isascii() else _SURROGATE.search(text)
    if surrogate:
        return Document(
            fault=f"an unescaped lone surrogate (U+{ord(surrogate.group()):04X}) at {surrogate.start()}"
        )
    try:
        return Document(json.loads(text, parse_constant=_no_constant, parse_int=_integer))
    except RecursionError:
        return Document(fault=_grammar_fault(text), is_parsed=False)
    except ValueError as error:
        return Document(fault=str(error))


# Most texts are brief: the rules over explorations read those of all calls once more.
_read_brief: Final = lru_cache(maxsize=1024)(_read)
_read_short: Final = lru_cache(maxsize=64)(_read)


def payload_of(call: Call) -> Document:
    """The parsed payload of a call: JSON, or prose where its contract lets it be any text; else with a fault."""
    text = call.result.payload if call.result else None
    if text is None:
        return Document(fault="no text")
    document = read(text)
    return document if document.fault is None or not may_be_prose(call) else Document(text, is_prose=True)


def may_be_prose(call: Call) -> bool:
    """Whether its contract lets a call's payload be any text."""
    facts = call.result.facts if call.result else None
    return facts is not None and facts.may_be_plain_text()


def has_readable_payload(call: Call) -> bool:
    """Whether a call succeeded with a payload that was parsed: JSON, or prose where its contract lets it be any text."""
    if not call.succeeded:
        return False
    document = payload_of(call)
    return document.fault is None and document.is_parsed


def repeated_name(text: str) -> str | None:
    """The first name that an object of a JSON text has twice; None if there is none, or the text nests too deeply."""
    repeated: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        unique = dict(pairs)
        if len(unique) < len(pairs):
            repeated.append(
                next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
            )
        return unique

    try:
        json.loads(text, object_pairs_hook=members, parse_int=_integer)
    except RecursionError:
        return None
    return repeated[0] if repeated else None


def constant_in(text: str) -> str | None:
    """The first NaN or infinity in a text that is an object or an array but for such constants; None where it is not.

    A long text is not looked at.
    """
    constants: list[str] = []
    if len(text) > _SHORT_TEXT or not _CONSTANT.search(text):
        return None
    try:
        value = json.loads(text, parse_constant=constants.append, parse_int=_integer)
    except (ValueError, RecursionError):
        return None
    return constants[0] if constants and isinstance(value, dict | list) else None


def read_arguments(text: str) -> Document:
    """Parse arguments as a tool might: with Python's extensions of JSON."""
    return _brief_arguments(text) if len(text) <= _BRIEF_TEXT else _long_arguments(text)


def _arguments(text: str) -> Document:
    try:
        return Document(json.loads(text))
    except (ValueError, RecursionError) as error:
        return Document(fault=str(error))


_brief_arguments: Final = lru_cache(maxsize=1024)(_arguments)
_long_arguments: Final = lru_cache(maxsize=64)(_arguments)


def reads_as_object(text: str | None) -> bool:
    """Whether a lenient parser reads the arguments as an object, even if they are not JSON."""
    return text is not None and isinstance(read_arguments(text).value, dict)


@lru_cache(maxsize=64)
def holds_lone_surrogate(text: str | None) -> bool:
    """Whether the arguments are an object that holds half of a character, which UTF-8 has no form of."""
    if text is None or (text.isascii() and "\\u" not in text):  # most texts, and faster than a pattern
        return False
    if not _MAY_BE_SURROGATE.search(text):
        return False
    return reads_as_object(text) and surrogate_in(read_arguments(text).value) is not None


def surrogate_in(value: object, *, but: str = "") -> str | None:
    """The first half of a character in a JSON value's strings, but for those in a text; None if there is none."""
    texts = (text.replace(but, "") if but else text for text in strings_in(value))
    halves = (half.group() for half in map(_SURROGATE.search, texts) if half)
    return next(halves, None)


def arguments_of(call: Call) -> Mapping[str, Any]:
    """The arguments as an object; empty if they are not an object."""
    value = read_arguments(call.plan.arguments).value if call.plan.arguments is not None else None
    return value if isinstance(value, dict) else {}


def strings_in(value: object) -> Iterator[str]:
    """Every string in a JSON value, at any depth, keys included."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, (list, tuple)):
            waiting.extend(item)
        elif isinstance(item, dict) or (not isinstance(item, _SCALARS) and isinstance(item, Mapping)):
            # In this order: the last takes the longest.
            waiting.extend(item.keys())
            waiting.extend(item.values())


def texts_within(texts: Iterable[str]) -> Iterator[str]:
    """Some texts; in place of each that is a JSON document with strings, these without their escapes, at any depth."""
    for text in texts:
        document = read_arguments(text) if text.lstrip()[:1] in ("{", "[", '"') else None
        strings = tuple(strings_in(document.value)) if document else ()
        yield from texts_within(strings) if strings else (text,)


def views(text: str) -> Iterator[str]:
    r"""The text itself, and the text without one layer of escapes if it has backslashes.

    Both are needed: `\n` is a line feed in an encoded stack trace, and part of a path in `C:\srv\new.cs`.
    """
    yield text
    if "\\" in text:
        yield _ESCAPE.sub(lambda match: _UNESCAPED[match.group(1)], text)


def is_number(value: object) -> bool:
    """Whether a value of a document is a number; true and false are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def plain(key: str) -> str:
    """A key in lower case, without underscores and hyphens."""
    return _plain_short(key) if len(key) <= _SHORT else _plain(key)


def _plain(key: str) -> str:
    return key.replace("_", "").replace("-", "").casefold()


_SHORT: Final = 40
_plain_short: Final = lru_cache(maxsize=512)(_plain)  # a payload has few keys, each looked up by many rules


def member(value: Mapping[str, Any], key: str) -> Any:
    """The member of an object under a key, ignoring case, underscores and hyphens; None if there is none."""
    if key in value:
        return value[key]
    plain_key = plain(key)
    return next((item for name, item in value.items() if plain(str(name)) == plain_key), None)


def has_member(value: Mapping[str, Any], key: str) -> bool:
    """Whether an object has a key, ignoring case, underscores and hyphens."""
    if key in value:
        return True
    plain_key = plain(key)
    return any(plain(str(name)) == plain_key for name in value)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name}, {NOT_IN_JSON}")


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < _MANY_DIGITS else float("inf")


def _grammar_fault(text: str) -> str | None:
    """The syntax error in a text that nests too deeply for `json`, found without recursion; None if there is none."""
    stack: list[str] = []
    state, place = "value", 0
    while state != "end":
        match = _TOKEN.match(text, place)
        if match is None:
            return f"something that is no JSON at {place}"
        place = match.end()
        step = _step(state, match, stack)
        if step is None:
            return f"{match.group().strip()[:20]} where it cannot stand, at {place}"
        state = step
    return None if _SPACE.match(text, place) else f"text behind the document, at {place}"


def _step(state: str, token: re.Match[str], stack: list[str]) -> str | None:
    """The state after a token; None if the grammar forbids the token. `stack` holds the open brackets."""
    mark = token.group(1)
    if (state, mark) in _OPENS:
        stack.append(mark)
        return _OPENS[state, mark]
    if mark is None and state in ("value", "first item"):
        return "after" if stack else "end"
    if mark is None and state in ("first key", "key"):
        return "colon" if token.group(2) is not None else None
    inside = stack[-1] if stack else ""
    if (state, mark, inside) in _CLOSES:
        stack.pop()
        return "after" if stack else "end"
    return _GOES_ON.get((state, mark, inside))


_OPENS: Final = {
    ("value", "["): "first item",
    ("value", "{"): "first key",
    ("first item", "["): "first item",
    ("first item", "{"): "first key",
}
_CLOSES: Final = {("first item", "]", "["), ("after", "]", "["), ("first key", "}", "{"), ("after", "}", "{")}
_GOES_ON: Final = {("colon", ":", "{"): "value", ("after", ",", "["): "value", ("after", ",", "{"): "key"}
