"""Analyse usage texts; false findings are avoided at the cost of missed ones.

A usage text is prose in any layout. A required topic counts as present if any word for it is present. A name counts as
an argument's name only if the layout leaves no doubt.
"""

import inspect
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_HEADING: Final = re.compile(r"^\s{0,3}(?:#{1,6}\s*)?\**_*([A-Z][^:.!?\n]{0,60}?)_*\**\s*:?\**\s*$")
_MARKED: Final = re.compile(r"^\s*#{1,6}\s|:\s*\**\s*$|^\s*\*\*[^*]+\*\*:?\s*$")
_UNDERLINE: Final = re.compile(r"^\s{0,3}(?:-{3,}|={3,}|~{3,})\s*$")
_LEAD_IN: Final = re.compile(
    r"^\s*(?:\*\*[^*]{2,60}\*\*|(?!(?:This|The|It|You|If)\b)[A-Z][\w ,'/-]{2,40}:)\s+\S"
)
_BULLET: Final = re.compile(r"^(\s*)(?:[-*•]|\d+[.)])\s+(.*)$")
_ARGUMENTS: Final = re.compile(r"\b(?:arguments?|parameters?|inputs?)\b", re.IGNORECASE)
_NAMED: Final = re.compile(
    r"^(\**[`'\"]?)([A-Za-z_\ufffd][\w\ufffd]{0,63})([`'\"]?\**)\s*(?:\([^)]{0,80}\)\s*)?(?::|—|\u2013|- |=)"
)
_MENTIONED: Final = re.compile(
    r"\b(?:arguments?|parameters?) [`'\"]([A-Za-z_\ufffd][\w\ufffd]{0,63})[`'\"]"
    r"|[`'\"]([A-Za-z_\ufffd][\w\ufffd]{0,63})[`'\"] (?:argument|parameter)\b"
)
_DENIED: Final = re.compile(
    r"\b(?:no|not|never|without|unlike|neither|nor|former|removed|other)\b|n't\b", re.IGNORECASE
)
_ELSEWHERE: Final = re.compile(
    r"^(?:s? (?:of|to|in|from|for) (?:the )?[`'\"]?\w*_\w|s? (?:of|to|in) (?:another|other))"
)
# First words of list items below "Arguments" that are not the name of an argument.
_NOT_NAMES: Final = frozenset(
    (
        *("none", "nothing", "no", "all", "any", "each", "optional", "required", "note", "notes", "example"),
        *("examples", "default", "defaults", "format", "type", "types", "tip", "important", "warning", "see"),
        *("e", "g", "i"),
    )
)
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_STEM: Final = 5
CONTENTS: Final[Mapping[str, re.Pattern[str]]] = {
    name: re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for name, pattern in {
        "purpose": r"\b(?:purpose|overview|intent|summary|what (?:it|this)(?: tool)? (?:does|is for))\b|\b(?:this|the) tool \w+|\btool (?:that|to|for)\b"
        r"|\bused (?:to|for)\b|\buse (?:this|it)\b|^[^\w\n]{0,20}(?:[\w.-]{1,80} *[—\u2013:-]+ +|\w{1,80}_\w{1,80}`? +)?\w+(?:s|es) +(?:\S+ +){2}",
        "when": r"\bwhen(?:ever)?\b|\bif (?:the|a|your) (?:user|caller|task|question|request|conversation)\b|\bgood usage\b"
        r"|\b(?:use|call|invoke|choose|prefer) (?:this|it)\b|\buse for\b|\bcall [\w`]+ (?:to|for|before|after|once)\b",
        "when not": r"\b(?:do not|don't|never|avoid|unless|instead|rather than|must not|should not|shouldn't|not meant"
        r"|not intended|not suited|not suitable|no need|skip|refrain|other than|leave (?:it|this) (?:alone|out|aside))\b|\bnot (?:to |for |use|call|when|as )|\bbad usage\b"
        r"|\bonly (?:when|if|for|to|use|call)\b",
        "arguments": r"\b(?:arguments?|parameters?|inputs?|args)\b",
        "behaviour": r"\b(?:idempoten\w*|side[- ]effects?|read[- ]only|sparingly|safe to|often|repeat\w*|retry|retries|limit\w*"
        r"|page[sd]?|paging|paginat\w*|at most|at least|maximum|minimum|max|min|clamp\w*|default\w*|preceden\w*|overrid\w*"
        r"|order\w*|cost\w*|cheap|expensive|slow|fast|quick\w*|performance|latency|cach\w*|determinist\w*|stateless"
        r"|behaviou?rs?|rules|same (?:result|answer|reply)|changes? nothing|stores? nothing"
        r"|enough|only once|once (?:a|per|in)|any number of)\b",
        "errors": r"\berrors?\b|\bfail\w*\b|\brefus\w*\b|\breject\w*\b|\binvalid\b|\bunsuccessful\b|\bnot_found\b"
        r"|\b(?:invalid|unknown|missing|failed)_\w",
        "examples": r"\bexamples?\b|\bgood usage\b|\bbad usage\b|\be\.g\.|\bfor instance\b|\bsuch as\b|\{\s*\"",
    }.items()
}

_LOCAL_URL: Final = re.compile(
    r"\bhttps?://(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}"
    r"|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}|[\w.-]{1,80}\.(?:local|internal|corp|lan))(?::\d+)?(?:/\S*)?",
    re.IGNORECASE,
)
_HOME: Final = re.compile(r"(?<![\w.])/(?:home|Users)/([\w.-]+)/[\w./-]*|\b[A-Za-z]:\\Users\\([\w.-]+)\\\S*")
_MOUNTED: Final = re.compile(
    r"(?<![\w.])/(?:mnt|srv|media|Volumes)/[\w.-]+[\w./-]*|\\\\[\w.-]+\\[\w$.-]+[^\s,;]*|\b[A-Z]:\\[\w.-]+\\[^\s,;]*"
)
"""A directory on a disk or a server that one installation has: `/mnt/nas/exports`, `\\\\nas\\exports`, `D:\\exports\\daily`."""
_PLACEHOLDER_USERS: Final = frozenset(
    ("user", "username", "you", "name", "me", "someone", "alice", "bob", "jane", "john", "example", "shared")
)
UNDECODED: Final = "\ufffd"
_SPEAKS_OF_IT: Final = re.compile(r"\bU\+FFFD\b|\\ufffd|\breplacement character", re.IGNORECASE)
_HARMLESS: Final = re.compile(
    r"\b(?:never|not|refus\w*|reject\w*|forbidden|example|e\.g\.|such as|invalid)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the lines below it; the heading of the lines before the first one is empty."""

    heading: str
    lines: tuple[str, ...]


def sections(text: str) -> list[Section]:
    """Split a text at its headings: lines that end in a colon, or that are marked as headings."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    # A text between triple quotes is often indented like its class.
    for line in inspect.cleandoc(text).splitlines():
        match = _HEADING.match(line)
        if match and _MARKED.search(line):
            parts.append((match.group(1), []))
        else:
            parts[-1][1].append(line)
    return [Section(heading, tuple(lines)) for heading, lines in parts]


def headings(text: str) -> list[str]:
    """The headings of a text, including underlined lines and lead-ins (`Purpose: …`, `**When** …`)."""
    titles = [section.heading for section in sections(text) if section.heading]
    lines = inspect.cleandoc(text).splitlines()
    titles += [
        above for above, line in itertools.pairwise(lines) if above[:1].isalpha() and _UNDERLINE.match(line)
    ]
    return titles + [match.group() for match in map(_LEAD_IN.match, lines) if match]


def says(text: str, content: str, names: Iterable[str] = ()) -> bool:
    """Whether a usage text seems to have a topic of `CONTENTS`; the name of an argument counts for `arguments`."""
    if CONTENTS[content].search(text):
        return True
    return content == "arguments" and any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)


def argument_names(text: str) -> Iterator[str]:
    """The names that a text clearly uses for arguments."""
    for section in sections(text):
        if _ARGUMENTS.search(section.heading):
            yield from _listed(section.lines)
    yield from _mentioned(text)


def undecoded(text: str) -> str | None:
    """The first line that holds U+FFFD, the mark of what could not be decoded; None in a text that speaks of that character."""
    if UNDECODED not in text or _SPEAKS_OF_IT.search(text):
        return None
    return next(line.strip() for line in text.split("\n") if UNDECODED in line)


def environment_specific(text: str) -> str | None:
    """The first address or path that belongs to a single installation; None without one."""
    for line in text.splitlines():
        if _HARMLESS.search(line):
            continue
        address = _LOCAL_URL.search(line)
        if address:
            return address.group()
        for home in _HOME.finditer(line):
            if (home.group(1) or home.group(2)).casefold() not in _PLACEHOLDER_USERS:
                return home.group()
        mounted = _MOUNTED.search(_HOME.sub("", line))
        if mounted:
            return mounted.group()
    return None


def stems(text: str) -> frozenset[str]:
    """The first five letters of each word with at least four, in lower case, so that inflected forms are equal."""
    return frozenset(word[:_STEM].casefold() for word in _WORD.findall(text))


def _listed(lines: Iterable[str]) -> Iterator[str]:
    """Names at the beginning of the outermost list items; nested items describe one argument."""
    bullets = [match for match in map(_BULLET.match, lines) if match]
    outermost = min((len(match.group(1).expandtabs()) for match in bullets), default=0)
    for match in bullets:
        named = _NAMED.match(match.group(2))
        if len(match.group(1).expandtabs()) != outermost or not named:
            continue
        name, is_quoted = named.group(2), bool(named.group(1) and named.group(3))
        if name.casefold() not in _NOT_NAMES and (is_quoted or _is_identifier(name)):
            yield name


def _is_identifier(name: str) -> bool:
    """Whether a word looks like an identifier; a capitalised word at the beginning of an item does not."""
    return name[0].islower() or "_" in name or any(character.isupper() for character in name[1:])


def _mentioned(text: str) -> Iterator[str]:
    for match in _MENTIONED.finditer(text):
        before = re.split(r"[.!?;\n]\s", text[max(0, match.start() - 80) : match.start()])[-1]
        if not _DENIED.search(before) and not _ELSEWHERE.match(text[match.end() : match.end() + 60]):
            yield match.group(1) or match.group(2)
