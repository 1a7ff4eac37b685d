"""Documents that are not JSON, or not objects, by the kind of fault.

Each function yields (name, text); the text None is the argument `null`.
"""

import json
from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import Change, Kind
from aptix_conformance.stimuli.probes.documents import Document

Entry = tuple[str, str | None]

NULL: Final = Change(Kind.ROOT, detail="null")
"""The JSON text null, which some tools accept as no arguments."""

MEGABYTE: Final = 1024 * 1024


def blank() -> Iterator[Entry]:
    """No text, empty text, or only white space."""
    yield "null", None
    yield "empty", ""
    yield "spaces", "   "
    yield "newlines", "\r\n\n"
    yield "tab", "\t"
    yield "unicode-spaces", "\u00a0\u2003\u3000"


def garbage() -> Iterator[Entry]:
    """Text that no dialect of JSON allows."""
    yield "prose", "Please call the tool for me, thank you."
    yield "html", "<!DOCTYPE html><html><body>502 Bad Gateway</body></html>"
    yield "braces", "}{"
    yield "closing", "}"
    yield "mismatched", '{"a": [1, 2}'
    yield "object-address", "{'tool': <object object at 0x7f3a5c0d1e20>}"
    yield "punctuation", "{:,:,:}"
    yield "half-and-half", '{"a" 1 "b" 2'
    yield "xml", "<arguments><name>Ada</name></arguments>"
    yield "binary", "\x00\x01\x02\x7fELF\x02\x01\x01"
    yield "replacement", "\ufffd\ufffd\ufffd"
    yield "template", "{{arguments}}"
    yield "traceback", 'Traceback (most recent call last):\n  File "x.py", line 1'


def roots() -> Iterator[Entry]:
    """JSON whose root is not an object."""
    yield "array", '[1, "two", null]'
    yield "empty-array", "[]"
    yield "string", '"text"'
    yield "number", "42"
    yield "fraction", "-1.5e3"
    yield "true", "true"
    yield "null", "null"


def truncated(document: Document) -> Iterator[Entry]:
    """A valid document, truncated once at every kind of place."""
    text, number = json.dumps(document.text_name), json.dumps(document.number_name)
    yield "open-brace", "{"
    yield "mid-key", document.before(text[: max(len(text) // 2, 2)].rstrip('"'))
    yield "after-key", document.before(text)
    yield "after-colon", document.before(f"{text}:")
    yield "string-start", document.before(f'{text}: "')
    yield "mid-string", document.before(f'{text}: "hel')
    yield "mid-escape", document.before(f'{text}: "hel\\')
    yield "mid-unicode-escape", document.before(f'{text}: "hel\\u00')
    yield "mid-surrogate-pair", document.before(f'{text}: "hel\\ud83d')
    yield "mid-number", document.before(f"{number}: 12")
    yield "after-minus", document.before(f"{number}: -")
    yield "after-point", document.before(f"{number}: 12.")
    yield "after-exponent", document.before(f"{number}: 1e+")
    yield "mid-true", document.before(f"{text}: tr")
    yield "mid-false", document.before(f"{text}: fals")
    yield "mid-null", document.before(f"{text}: nul")
    yield "after-value", document.before(f'{text}: "hello"')
    yield "after-comma", document.before(f'{text}: "hello",')
    yield "array-start", document.before(f"{text}: [")
    yield "mid-array", document.before(f"{text}: [1, 2")
    yield "after-array-comma", document.before(f"{text}: [1,")
    yield "after-array", document.before(f"{text}: [1, 2]")
    yield "object-start", document.before(f"{text}: {{")
    yield "mid-object", document.before(f'{text}: {{"a": 1')
    yield "after-object", document.before(f'{text}: {{"a": 1}}')
    yield "before-closing-brace", "{" + ", ".join(document.members())
    yield "without-opening-brace", ", ".join([*document.members(), f'{text}: "hello"']) + "}"
