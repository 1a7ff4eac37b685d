"""Checks whether a text is JSON by RFC 8259; `json.loads` alone accepts more."""

import json


def is_strict_json(text: str) -> bool:
    """Return whether `text` is one RFC 8259 document that can be sent as UTF-8 (AGN-005.9.4).

    NaN, Infinity, a byte order mark, text behind the document, raw control characters and surrogates that are not
    escaped make it False, and so does nesting deeper than the interpreter can follow. Numbers may be of any length.
    """
    try:
        text.encode()
        json.loads(text, parse_int=_skip, parse_float=_skip, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _skip(_digits: str) -> None:
    """Leave a number unread: int() refuses more than 4,300 digits, and JSON does not."""


def _refuse(constant: str) -> None:
    raise ValueError(constant)
