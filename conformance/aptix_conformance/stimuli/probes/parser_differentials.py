"""Documents that some JSON parsers accept and others refuse.

Some are not valid by RFC 8259, but lenient parsers accept them. Others are valid, but exceed what some parsers can
handle. A tool may accept or refuse them. It must not throw, hang, crash or leak (AGN-005.3.2, 9.5).
"""

import json
from collections.abc import Iterator
from functools import cache
from typing import Final

from aptix_conformance.stimuli.probes.corpus import MEGABYTE, Entry
from aptix_conformance.stimuli.probes.documents import Document

DEEP: Final = 100_000
"""Levels of nesting."""
DIGITS: Final = 5_000
"""Digits of a long number."""

_STRINGS: Final = {
    "hex-escape": r'"\x41"',
    "short-unicode-escape": r'"\u12"',
    "bad-unicode-escape": r'"\uZZZZ"',
    "unknown-escape": r'"\q"',
    "octal-escape": r'"\101"',
    "line-continuation": '"a\\\nb"',
    "raw-newline": '"a\nb"',
    "raw-tab": '"a\tb"',
    "raw-control": '"a\x01\x1fb"',
    "nul-raw": '"a\x00b"',
    "nul-escaped": r'"a\u0000b"',
    "surrogate-escaped": r'"a\ud800b"',
    "surrogate-low-escaped": r'"a\udc00b"',
    "surrogates-swapped": r'"\udc00\ud800"',
    "surrogate-raw": '"a\ud800b"',
    "invalid-utf-8": '"a\udcff\udcfeb"',
    "noncharacter": '"\uffff\U0010ffff"',
    "single-quoted": "'text'",
    "unquoted-value": "text",
    "python-true": "True",
    "python-none": "None",
    "undefined": "undefined",
    "function": "function () { return 1; }",
    "date": "new Date(1700000000000)",
    "backquoted": "`text`",
    "triple-quoted": '"""text"""',
    "concatenated": '"a" + "b"',
}
_NUMBERS: Final = {
    "nan": "NaN",
    "infinity": "Infinity",
    "minus-infinity": "-Infinity",
    "leading-zero": "007",
    "leading-plus": "+1",
    "leading-point": ".5",
    "trailing-point": "5.",
    "hexadecimal": "0x1F",
    "octal": "0o17",
    "underscores": "1_000",
    "grouped": "1,000",
    "minus-alone": "-",
    "double-minus": "--1",
    "minus-zero": "-0",
    "fullwidth-digit": "\uff11\uff12",
    "complex": "1+2j",
    "huge-exponent": "1e400",
    "huge-negative-exponent": "-1e400",
    "tiny-exponent": "1e-400",
    "enormous-exponent": "1e999999999",
    "long-integer": "9" * DIGITS,
    "long-negative-integer": "-" + "9" * DIGITS,
    "long-fraction": "0." + "3" * DIGITS,
    "long-float": "9" * DIGITS + ".5",
    "bigint-suffix": "1n",
}


def differentials(document: Document) -> Iterator[Entry]:
    """All documents as (name, text) in a fixed order, the large ones last."""
    yield from _altered(document)
    yield from ((what, document.with_text(raw)) for what, raw in _STRINGS.items())
    yield from ((what, document.with_number(raw)) for what, raw in _NUMBERS.items())
    yield from _large(document)


def _altered(document: Document) -> Iterator[Entry]:
    whole = "{" + ", ".join(document.members()) + "}"
    name = document.text_name
    yield "trailing-text", whole + " and that is all"
    yield "trailing-document", whole + "\n" + whole
    yield "trailing-brace", whole + "}"
    yield "trailing-comma", document.before(f'"{_plain(name)}": "text",}}', name)
    yield "trailing-comma-outside", whole + ","
    yield "trailing-semicolon", whole + ";"
    yield "trailing-nul", whole + "\x00"
    yield "leading-text", "Here are the arguments: " + whole
    yield "leading-nul", "\x00" + whole
    yield "leading-comma", "{," + whole[1:]
    yield "bom", "\ufeff" + whole
    yield "bom-as-latin-1", "ï»¿" + whole
    yield "byte-swapped-bom", "\ufffe" + whole
    yield "no-break-space", "\u00a0" + whole
    yield "form-feed", "\f" + whole + "\v"
    yield "code-fence", f"```json\n{whole}\n```"
    yield "xssi-prefix", ")]}',\n" + whole
    yield "parenthesised", f"({whole})"
    yield "jsonp", f"callback({whole});"
    yield "double-encoded", json.dumps(whole)
    yield "in-array", f"[{whole}]"
    yield "in-function-call", json.dumps({"name": "tool", "arguments": whole})
    yield "line-comment", document.with_text('"text" // remark\n')
    yield "block-comment", "/* remark */ " + whole
    yield "hash-comment", "# remark\n" + whole
    yield "unclosed-comment", whole + "/* remark"
    yield "unquoted-key", document.before(f'{_plain(name)}: "text"}}', name)
    yield "single-quotes", document.before(f"'{_plain(name)}': 'text'}}", name)
    yield "numeric-key", document.before('1: "text"}')
    yield "python-literal", repr(dict(document.base) | {"flag": True, "nothing": None})
    yield "equals-sign", document.before(f'"{_plain(name)}" = "text"}}', name)
    yield "missing-colon", document.before(f'"{_plain(name)}" "text"}}', name)
    yield "missing-comma", document.before(f'"{_plain(name)}": "text" "other": 1}}', name)
    yield "double-comma", document.before(f', "{_plain(name)}": "text"}}', name)
    yield "duplicate-key", "{" + ", ".join(document.members() + document.members()) + "}"
    yield "duplicate-key-other-value", document.with_text('"text"')[:-1] + f', "{_plain(name)}": null}}'
    yield "empty-key", document.before('"": ""}')
    yield "prototype-key", document.before('"__proto__": {"polluted": true}}')
    yield "nul-in-key", document.before('"a\\u0000b": 1}')
    yield "smart-quotes", document.before("“name”: “text”}")
    yield "surrogate-in-key", document.before('"a\\ud800": 1}')


def _large(document: Document) -> Iterator[Entry]:
    key = '{"a":'
    yield "deep-array", "[" * DEEP + "]" * DEEP
    yield "deep-object", key * DEEP + "1" + "}" * DEEP
    yield "deep-array-in-member", document.with_text("[" * DEEP + "]" * DEEP)
    yield "deep-object-in-member", document.with_text(key * DEEP + "1" + "}" * DEEP)
    yield "deep-unclosed-array", "[" * DEEP
    yield "deep-unclosed-object", key * DEEP
    yield "deep-unclosed-in-member", document.with_text("[" * DEEP)
    yield "deep-unopened", "]" * DEEP
    yield "megabyte-string", document.with_text('"' + "x" * MEGABYTE + '"')
    yield "megabyte-escapes", document.with_text('"' + "\\u00e9" * (MEGABYTE // 6) + '"')
    yield "megabyte-unclosed-string", document.before('"text": "' + "x" * MEGABYTE)
    yield "megabyte-key", document.before('"' + "k" * MEGABYTE + '": 1}')
    yield "megabyte-garbage", "x" * MEGABYTE
    yield "megabyte-backslashes", document.before('"text": "' + "\\" * MEGABYTE)
    yield "megabyte-space", " " * MEGABYTE + document.with_text('"text"')
    yield (
        "many-members",
        "{" + ", ".join([*document.members(), _many_members()]) + "}",
    )
    yield "many-duplicates", document.with_text('"text"')[:-1] + ', "twice": 1' * 20_000 + "}"


@cache
def _many_members() -> str:
    return ", ".join(f'"m{i}": {i}' for i in range(20_000))


def _plain(name: str) -> str:
    """A member's name, escaped for JSON, without quotes."""
    return json.dumps(name)[1:-1]
