"""Two conversations with one process, in the revision 2026-07-28: a call that sends texts of its own, and another call after it.

The calls share no value by which both could name one state. What the second one shows of the first is then tied to the
process or the connection. Only if it shows something, the second call is made again in a new process of the server, which
finds the same files: what comes back there is kept outside of the process, and belongs to no conversation.
"""

import hashlib
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from aptix_conformance.core.model import Call, Change, Kind, Stimulus
from aptix_conformance.stimuli.generate import Arguments, write
from aptix_conformance.stimuli.probes import Probe, Subject
from aptix_conformance.stimuli.probes.planning import plan, succeeded
from aptix_conformance.systems.mcp.facts import McpResult, McpTool
from aptix_conformance.systems.mcp.wire import stimulus

NAME: Final = "conversations"
ONE_CONVERSATION: Final = Change(Kind.CUSTOM, detail="one-conversation")
"""The call that sends texts of its own."""
ANOTHER_CONVERSATION: Final = Change(Kind.CUSTOM, detail="another-conversation")
"""The call after it."""
RESTARTED: Final = stimulus("restarted-call")
"""The second of these calls, twice, in a new process of the server."""
_REVISION: Final = "2026-07-28"
_TEXT: Final = "aptixtext"
"""Begins what is sent for a text: it stands in no result by chance."""
_NAMING: Final = "aptixname"
"""The same for a text that may name something. A tool may list what it has names for."""
_SENT: Final = re.compile(f"{_TEXT}[a-z]+")
_LETTERS: Final = 12
_OF_NAMES: Final = re.compile(
    r"ids?|keys?|names?|handles?|session|conversation|thread|token|cursor|state|context|refs?|slug|"
    r"user|account|tenant|owner|author|client|room|channel|topic|tags?|labels?|title|category|"
    r"path|files?|filename|folder|directory|uri|url|links?|page|branch|namespace|project|repository|workspace|"
    r"database|table|collection|index|bucket|cart|basket|notebook|book|list|board|document"
)
"""Words of a property whose value may be an identifier."""
WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
"""A word of a text, or of a name such as `userId` or `request_log`."""
_STEPS: Final = (1, 13, -1)
"""Numbers that are added to a number, to get another one."""
_MOST_TRIES: Final = 5
"""Calls that send texts of their own, until one succeeds."""
_MISSING: Final = object()

Pair = tuple[dict[str, Any], dict[str, Any]]
"""The arguments of a call that sends texts of its own, and those of the call after it."""


class ConversationsProbe(Probe):
    """Plans a call that sends texts of its own, until one succeeds; then another call, and that one after a restart."""

    name = NAME
    in_sequence = True
    """The calls must see what earlier ones left, in memory and in files."""

    def fixed(self, subject: Subject, observed_calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The calls in their order."""
        for first, second in _pairs(subject, observed_calls):
            yield plan(subject, self.name, ONE_CONVERSATION, write(first))
            before = observed_calls[-1]
            if not before.succeeded:
                continue
            yield plan(subject, self.name, ANOTHER_CONVERSATION, write(second))
            after = observed_calls[-1]
            facts = after.result.facts if after.result else None
            if isinstance(facts, McpResult) and kept(before, after, [facts.message or ""]):
                yield plan(
                    subject, self.name, Change(Kind.DISTURBED, number=1), write(second), disturbance=RESTARTED
                )
            return


def kept(first: Call, second: Call, texts: Iterable[str]) -> str:
    """The first text that one conversation sent, and another did not, and that stands in one of some texts; else empty."""
    own = set(_SENT.findall(first.plan.arguments or "")) - set(_SENT.findall(second.plan.arguments or ""))
    shown = "\n".join(texts).casefold()
    return next((each for each in sorted(own) if each in shown), "")


def _pairs(subject: Subject, observed_calls: Sequence[Call]) -> list[Pair]:
    facts, arguments = subject.declaration.facts, subject.arguments
    base = next(succeeded(observed_calls), None)
    if not isinstance(facts, McpTool) or facts.revision != _REVISION or arguments is None or base is None:
        return []
    pairs = _Pairs(subject, arguments, base, list(succeeded(observed_calls)))
    texts = [name for name, value in base.items() if isinstance(value, (str, list, dict))]
    tries = [
        pairs.marking(texts),
        *(pairs.marking([name]) for name in texts),
        pairs.marking(texts, more=True),
    ]
    known = {write(pair[0]): pair for pair in tries if pair is not None and _SENT.search(write(pair[0]))}
    return list(known.values())[:_MOST_TRIES]


class _Pairs:
    """Makes the arguments of two conversations from those of a call that works."""

    def __init__(
        self, subject: Subject, valid: Arguments, base: Mapping[str, Any], worked: Sequence[Mapping[str, Any]]
    ) -> None:
        self._key = f"{subject.seed}\0{subject.tool}"
        self._valid, self._base, self._worked = valid, base, worked
        self._ids = frozenset(_identifying(base))

    def marking(self, names: Sequence[str], *, more: bool = False) -> Pair | None:
        """A pair whose first call has texts of its own in some properties, with `more` also in optional ones; None without one."""
        first, second = dict(self._base), dict(self._base)
        for name, value in self._base.items():
            new = next(
                filter(self._admitted(first, name), self._others(name, value, is_own=name in names)), _MISSING
            )
            if new is not _MISSING:
                first[name] = new
            elif self._may_name(name, value):
                del first[name], second[name]
        if more:
            for name in self._valid.properties:
                text = self._text(name, name)
                if name not in self._base and not _is_naming(name) and self._admitted(first, name)(text):
                    first[name] = text
        judge = self._valid.judge
        return (first, second) if judge.admits(first) and judge.admits(second) else None

    def _admitted(self, first: Mapping[str, Any], name: str) -> Any:
        """A predicate: a value that the first call may have for a property, and by which it names nothing of the other's."""
        return lambda value: (
            self._ids.isdisjoint(_identifying(value)) and self._valid.judge.admits({**first, name: value})
        )

    def _others(self, name: str, value: Any, *, is_own: bool) -> Iterator[Any]:
        """Other values for a property: texts of the suite, listed ones, and those of other calls that worked."""
        if is_own or isinstance(value, (int, float)):
            yield from (self._changed(value, name, name, step) for step in _STEPS)
        node = self._valid.properties.get(name)
        yield from (node.get("enum") or ()) if isinstance(node, dict) else ()
        yield from (call[name] for call in self._worked if name in call)

    def _may_name(self, name: str, value: Any) -> bool:
        """Whether a value that cannot be another one may name a state: one that has no alternative names nothing."""
        node = self._valid.properties.get(name)
        is_constant = isinstance(node, dict) and ("const" in node or len(node.get("enum") or ()) == 1)
        return bool(_identifying(value)) and not is_constant

    def _changed(self, value: Any, name: str, place: str, step: int) -> Any:
        """A value with texts of the suite for its texts, and other numbers for its numbers."""
        if isinstance(value, str):
            return self._text(name, place)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value + step
        if isinstance(value, list):
            return [self._changed(each, name, f"{place}[{n}]", step) for n, each in enumerate(value)]
        if isinstance(value, dict):
            return {key: self._changed(each, key, f"{place}.{key}", step) for key, each in value.items()}
        return value

    def _text(self, name: str, place: str) -> str:
        """The text that is sent at a place: no other tool, place or run has it."""
        digest = hashlib.blake2b(f"{self._key}\0{place}".encode("utf-8", "surrogatepass")).digest()
        letters = "".join(string.ascii_lowercase[each % 26] for each in digest[:_LETTERS])
        return (_NAMING if _is_naming(name) else _TEXT) + letters


def _is_naming(name: str) -> bool:
    """Whether a property is named for an identifier."""
    return any(_OF_NAMES.fullmatch(word.lower()) for word in WORD.findall(name))


def _identifying(value: Any) -> set[str]:
    """The texts and numbers in a value, as texts: any may be an identifier, however it is spelt; true, false and null are none."""
    texts: set[str] = set()
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        elif isinstance(item, (str, int, float)) and not isinstance(item, bool):
            is_whole = isinstance(item, float) and item.is_integer()
            texts.add(str(int(item) if is_whole else item).strip().casefold())
    return texts


CONVERSATIONS: Final = ConversationsProbe()
