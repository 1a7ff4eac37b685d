"""Strings of the formats that JSON Schema names."""

import datetime
from collections.abc import Mapping
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

SAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "date": ("2024-02-29", "1970-01-01", "9999-12-31"),
    "date-time": ("2024-02-29T12:00:00Z", "1970-01-01T00:00:00+14:00", "2024-06-30T23:59:59.999999999Z"),
    "time": ("12:00:00Z", "23:59:59.5+02:00"),
    "duration": ("P1D", "PT36H", "P1Y2M3DT4H5M6S"),
    "email": ("ada@example.com", "a+b.c@sub.example.org"),
    "idn-email": ("ada@example.com", "ἄδα@example.com"),
    "hostname": ("example.com", "localhost", "xn--bcher-kva.example"),
    "idn-hostname": ("example.com", "bücher.example"),
    "ipv4": ("192.0.2.1", "0.0.0.0", "255.255.255.255"),  # noqa: S104 - text, not an address to bind
    "ipv6": ("2001:db8::1", "::", "::ffff:192.0.2.1"),
    "uri": ("https://example.com/", "urn:isbn:0451450523", "https://example.com:8443/a/b?q=%20#f"),
    "uri-reference": ("/a/b", "", "https://example.com/"),
    "iri": ("https://example.com/", "https://example.com/ä"),
    "iri-reference": ("/a/b", "/ä"),
    "uri-template": ("https://example.com/{id}", "/a"),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"),
    "json-pointer": ("/a/0", "", "/a~1b"),
    "relative-json-pointer": ("0", "1/a"),
    "regex": ("^a+$", ""),
}
"""Of each format the plainest string first, then ones that careless parsers get wrong; any other format is a remark."""

_WORD: Final = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=8)
_WORDS: Final = st.tuples(_WORD, _WORD)


def of_format(name: str) -> SearchStrategy[str]:
    """Strings of one of the formats of `SAMPLES`."""
    drawn = _drawn(name)
    sampled = st.sampled_from(SAMPLES[name])
    return sampled if drawn is None else st.one_of(sampled, drawn)


def _drawn(name: str) -> SearchStrategy[str] | None:  # noqa: PLR0911 - a table of strategies
    match name:
        case "date":
            return st.dates().map(datetime.date.isoformat)
        case "date-time":
            return st.datetimes().map(lambda moment: moment.isoformat() + "Z")
        case "uuid":
            return st.uuids().map(str)
        case "ipv4" | "ipv6":
            return st.ip_addresses(v=4 if name == "ipv4" else 6).map(str)
        case "email":
            return _WORDS.map(lambda words: f"{words[0]}@{words[1]}.example")
        case "uri":
            return _WORDS.map(lambda words: f"https://{words[0]}.example/{words[1]}")
    return None
