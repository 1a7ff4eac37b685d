"""Documents that are not JSON, or not objects, by what is wrong with them.

Each source yields pairs of a label and a text; None as text is the argument `null`.
"""

import json
from collections.abc import Iterator
from typing import Final

from aptix_conformance.probes.documents import Document

Entry = tuple[str, str | None]

MEGABYTE: Final = 1024 * 1024


def blank() -> Iterator[Entry]:
    """Nothing at all, or nothing but white space."""
    yield "blank:null", None
    yield "blank:empty", ""
    yield "blank:spaces", "   "
    yield "blank:newlines", "\r\n\n"
    yield "blank:tab", "\t"
    yield "blank:unicode-spaces", "\u00a0\u2003\u3000"


def garbage() -> Iterator[Entry]:
    """Text that no dialect of JSON allows."""
    yield "garbage:prose", "Please call the tool for me, thank you."
    yield "garbage:html", "<!DOCTYPE html><html><body>502 Bad Gateway</body></html>"
    yield "garbage:braces", "}{"
    yield "garbage:closing", "}"
    yield "garbage:mismatched", '{"a": [1, 2}'
    yield "garbage:object-address", "{'tool': <object object at 0x7f3a5c0d1e20>}"
    yield "garbage:punctuation", "{:,:,:}"
    yield "garbage:half-and-half", '{"a" 1 "b" 2'
    yield "garbage:xml", "<arguments><name>Ada</name></arguments>"
    yield "garbage:binary", "\x00\x01\x02\x7fELF\x02\x01\x01"
    yield "garbage:replacement", "\ufffd\ufffd\ufffd"
    yield "garbage:template", "{{arguments}}"
    yield "garbage:traceback", 'Traceback (most recent call last):\n  File "x.py", line 1'


def roots() -> Iterator[Entry]:
    """JSON whose root is no object and means none."""
    yield "root:array", '[1, "two", null]'
    yield "root:empty-array", "[]"
    yield "root:string", '"text"'
    yield "root:number", "42"
    yield "root:fraction", "-1.5e3"
    yield "root:true", "true"
    yield "root:null", "null"


def truncated(document: Document) -> Iterator[Entry]:
    """A valid document cut off, once in every kind of place where it can be."""
    text, number = json.dumps(document.text_name), json.dumps(document.number_name)
    yield "truncated:open-brace", "{"
    yield "truncated:mid-key", document.before(text[: max(len(text) // 2, 2)].rstrip('"'))
    yield "truncated:after-key", document.before(text)
    yield "truncated:after-colon", document.before(f"{text}:")
    yield "truncated:string-start", document.before(f'{text}: "')
    yield "truncated:mid-string", document.before(f'{text}: "hel')
    yield "truncated:mid-escape", document.before(f'{text}: "hel\\')
    yield "truncated:mid-unicode-escape", document.before(f'{text}: "hel\\u00')
    yield "truncated:mid-surrogate-pair", document.before(f'{text}: "hel\\ud83d')
    yield "truncated:mid-number", document.before(f"{number}: 12")
    yield "truncated:after-minus", document.before(f"{number}: -")
    yield "truncated:after-point", document.before(f"{number}: 12.")
    yield "truncated:after-exponent", document.before(f"{number}: 1e+")
    yield "truncated:mid-true", document.before(f"{text}: tr")
    yield "truncated:mid-false", document.before(f"{text}: fals")
    yield "truncated:mid-null", document.before(f"{text}: nul")
    yield "truncated:after-value", document.before(f'{text}: "hello"')
    yield "truncated:after-comma", document.before(f'{text}: "hello",')
    yield "truncated:array-start", document.before(f"{text}: [")
    yield "truncated:mid-array", document.before(f"{text}: [1, 2")
    yield "truncated:after-array-comma", document.before(f"{text}: [1,")
    yield "truncated:after-array", document.before(f"{text}: [1, 2]")
    yield "truncated:object-start", document.before(f"{text}: {{")
    yield "truncated:mid-object", document.before(f'{text}: {{"a": 1')
    yield "truncated:after-object", document.before(f'{text}: {{"a": 1}}')
    yield "truncated:before-closing-brace", "{" + ", ".join(document.members())
    yield "truncated:without-opening-brace", ", ".join([*document.members(), f'{text}: "hello"']) + "}"
