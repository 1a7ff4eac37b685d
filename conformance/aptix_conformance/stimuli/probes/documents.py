"""The valid document that malformed ones are made from, and the members that are replaced in it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from aptix_conformance.core.model import Call
from aptix_conformance.stimuli.generate import Arguments, write
from aptix_conformance.stimuli.probes.planning import base_of, succeeded
from aptix_conformance.stimuli.probes.probe import Subject

UNDECLARED: Final = "extra"
"""The name of the member to use if the tool declares none of the needed type."""

_MAX_DOCUMENTS: Final = 20
_MAX_TEXT: Final = 2000
"""The most characters of a document to mutate; mutations of longer ones rarely find anything."""


@dataclass(frozen=True, slots=True)
class Document:
    """A call's arguments, and the names of a member for text and of a member for numbers."""

    base: Mapping[str, Any]
    text_name: str
    number_name: str

    def members(self, *but: str) -> list[str]:
        """The members as JSON text, except those named in `but`."""
        return [
            f"{json.dumps(name)}: {json.dumps(value)}" for name, value in self.base.items() if name not in but
        ]

    def with_text(self, raw: str) -> str:
        """The document with the JSON text `raw` as the value of the text member."""
        return self._with(self.text_name, raw)

    def with_number(self, raw: str) -> str:
        """The document with the JSON text `raw` as the value of the number member."""
        return self._with(self.number_name, raw)

    def before(self, rest: str, *but: str) -> str:
        """The beginning of the document with all members except `but`, followed by `rest`."""
        return "{" + ", ".join([*self.members(*but), rest])

    def _with(self, name: str, raw: str) -> str:
        return "{" + ", ".join([*self.members(name), f"{json.dumps(name)}: {raw}"]) + "}"


def document_of(subject: Subject, calls: Sequence[Call]) -> Document:
    """The base call as a document.

    Arguments that the configuration narrows are not replaced, because a lenient parser could read a forbidden value.
    """
    arguments = subject.arguments
    narrowed = frozenset(subject.settings.arguments)
    return Document(
        base=base_of(subject, calls).arguments,
        text_name=_first(arguments, frozenset({"string"}), narrowed),
        number_name=_first(arguments, frozenset({"integer", "number"}), narrowed),
    )


def valid_texts(subject: Subject, calls: Sequence[Call]) -> list[str]:
    """Documents to mutate, the shortest first: arguments of successful valid calls, or generated from the schema."""
    texts = {text for text in map(write, _objects(subject, calls)) if len(text) <= _MAX_TEXT}
    texts = texts or {write({UNDECLARED: "text", "count": 1})}
    return sorted(texts, key=lambda text: (len(text), text))[:_MAX_DOCUMENTS]


def _objects(subject: Subject, calls: Sequence[Call]) -> Iterator[Mapping[str, Any]]:
    yield base_of(subject, calls).arguments
    yield from succeeded(calls)
    arguments = subject.arguments
    if arguments is not None:
        yield from (value for value in (arguments.minimal(), arguments.full()) if value is not None)


def _first(arguments: Arguments | None, types: frozenset[str], narrowed: frozenset[str]) -> str:
    if arguments is None:
        return UNDECLARED
    for name, node in arguments.properties.items():
        listed = any(alternative.values is not None for alternative in arguments.alternatives(node))
        if name not in narrowed and arguments.types(node) & types and not listed:
            return name
    return UNDECLARED
