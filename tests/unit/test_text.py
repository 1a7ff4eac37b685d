"""Hostile text on a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptix_conformance.text import printable


def test_plain_text_is_shown_as_it_is():
    assert printable('{"city": "Tromsø", "re": "\\d"}') == '{"city": "Tromsø", "re": "\\d"}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb", "a\\nb"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\ud800", "\\ud800"),
        ("\u202e", "\\u202e"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_what_does_not_print_is_escaped(text, expected):
    assert printable(text) == expected


@given(st.text(st.characters(), max_size=300), st.integers(min_value=0, max_value=200))
def test_whatever_it_is_one_printable_line_comes_out(text, limit):
    line = printable(text, limit)
    assert line.isprintable()
    assert len(line) <= limit + len("… (300 characters)")


def test_a_cut_says_how_long_the_text_was():
    assert printable("x" * 1_000_000, 5) == "xxxxx… (1,000,000 characters)"
    assert printable("x" * 5, 5) == "xxxxx"
