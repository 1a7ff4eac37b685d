"""The accesses that the containment refused to a tool, from its messages: files, sockets, devices, places to write.

An error names a path, and this process looks whether the path is there: the containment hid a path that it finds and
the tool did not. This works for every language, and it is a hint for people: it decides no verdict, because a tool can
say anything.
"""

import itertools
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from aptix_conformance.core.text import printable
from aptix_conformance.hosts.places import SECRET

MOST: Final = 3
"""Refusals that are named."""
_MOST_TEXTS: Final = 200
_MOST_PATHS: Final = 50
_LONGEST: Final = 20_000
"""Characters of a text that are looked at."""
_GONE: Final = "No such file or directory|ENOENT|Could not find file|Could not find a part of the path|Could not find directory"
_DENIED: Final = "Permission denied|EACCES|Operation not permitted|EPERM|Access to the path"
_READ_ONLY: Final = "Read-only file system|EROFS"
_WORDS: Final = f"(?:(?P<gone>{_GONE})|(?P<denied>{_DENIED})|(?P<read_only>{_READ_ONLY}))"
_ENDS_A_SENTENCE: Final = "(?<!directory)(?<!denied)(?<!permitted)(?<!file system)"
"""Behind these words a bare path begins another message, unless a colon or a comma comes first: messages are joined by spaces."""
_BEFORE: Final = re.compile(
    rf"{_WORDS}(?:[^/\n]{{0,60}}?(?P<quote>['\"])(?P<quoted>/[^'\"\n]{{0,1000}})"
    rf"|(?:{_ENDS_A_SENTENCE}|(?=[:,]))[^/\n]{{0,60}}?(?P<path>/[^\s'\",;]{{0,1000}}))",
    re.IGNORECASE,
)
"""As Python, Node.js and .NET say it."""
_AFTER: Final = re.compile(rf"(?P<path>(?<![^\s'\"])/[^\s:'\"]{{0,255}})['\"]?: {_WORDS}", re.IGNORECASE)
"""As programs say it: `cat: /srv/data: Permission denied`."""
_SQLITE: Final = re.compile(
    r"unable to open database file|SQLITE_CANTOPEN|attempt to write a readonly database|SQLITE_READONLY",
    re.IGNORECASE,
)
"""SQLite names no path, so that nobody can look whether the file is there."""
SQLITE: Final = (
    "SQLite could not open or write its file, and does not say which: a contained tool sees its project read-only, and writes "
    "to its working directory only."
)
_UNCHECKED: Final = ("/proc/", "/sys/", "/net/")
"""A look at this path is not harmless, or says nothing."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Something that a tool asked for and did not get."""

    kind: Literal["read", "write", "socket", "device"]
    path: str

    @property
    def sentence(self) -> str:
        """The refusal by the containment, and its remedy."""
        path = printable(self.path, 200)
        match self.kind:
            case "write":
                return (
                    f"The suite lets no tool write {path}: write to the working directory, or with tempfile."
                )
            case "socket":
                return f"The suite lets no tool use the UNIX socket {path}: give it a stand-in."
            case "device":
                return f"The suite lets no tool use the device {path}: give it a stand-in."
        helps = (
            f": if the tool may read it, set {self.setting}" if self.setting else ", which may hold secrets"
        )
        return f"The suite hides {path} from the tool{helps}."

    @property
    def setting(self) -> str:
        """The line of configuration that shows it to the tool; empty where none does, or where it may hold secrets."""
        if self.kind != "read" or not SECRET.isdisjoint(self.path.split("/")):
            return ""
        return f"reads = [{json.dumps(self.path)}]"


def refused_in(texts: Iterable[str], sockets: Iterable[str] = ()) -> tuple[Refused, ...]:
    """The refusals in some texts of things that are there, each once; `sockets` are paths that a tool tried to connect to."""
    named = itertools.chain.from_iterable(map(_named, dict.fromkeys(itertools.islice(texts, _MOST_TEXTS))))
    distinct = dict.fromkeys([*named, *((path, "gone") for path in sockets)])
    judged = (_judged(path, how) for path, how in itertools.islice(distinct, _MOST_PATHS))
    return tuple(dict.fromkeys(refusal for refusal in judged if refusal is not None))[:MOST]


def possibly_refused(texts: Iterable[str]) -> str:
    """A sentence where the containment may be why a database could not be opened; empty where no text says so."""
    is_sqlite = any(_SQLITE.search(text[:_LONGEST]) for text in itertools.islice(texts, _MOST_TEXTS))
    return SQLITE if is_sqlite else ""


def with_refusals(message: str) -> str:
    """A message of a tool or its module, followed by what the containment refused."""
    return " ".join([message, *(refusal.sentence for refusal in refused_in([message]))])


def _named(text: str) -> Iterator[tuple[str, str]]:
    """The paths that a text says it could not have, each with how."""
    for pattern in (_BEFORE, _AFTER):
        for match in pattern.finditer(text[:_LONGEST]):
            groups = match.groupdict()
            path = groups.get("quoted") or (groups["path"] or "").rstrip(".:)")
            yield path, next(how for how in ("gone", "denied", "read_only") if groups[how])


def _judged(path: str, how: str) -> Refused | None:
    """The refusal; None where this process finds nothing either, or where this user has no access either."""
    if path.startswith(_UNCHECKED) or os.path.normpath(path) != path:
        return None
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - a text that may be no path
    except (OSError, ValueError):
        folder = os.path.dirname(path)  # noqa: PTH120 - as above
        can_create = how != "gone" and os.path.isdir(folder) and os.access(folder, os.W_OK)  # noqa: PTH112 - as above
        return Refused("write", path) if can_create else None
    if stat.S_ISSOCK(mode):
        return Refused("socket", path)
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        return Refused("device", path)
    if how == "read_only":
        return Refused("write", path) if os.access(path, os.W_OK) else None
    return Refused("read", path) if os.access(path, os.R_OK) else None
