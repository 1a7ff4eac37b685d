"""Hostile text on a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptix_conformance.core.text import is_blank, printable, printable_lines, quoted, readable, seconds_of


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"data:image/png;base64,{'iVBORw0KGgo' * 20}=",
            "data:image/png;base64,iVBORw0KGgoiVBOR…(221 characters of base64)",
        ),
        (f'{{"n": {"9" * 5000}}}', '{"n": 9999…(5,000 times)}'),
        (f'{{"b": "{"aB3+" * 100}"}}', '{"b": "aB3+aB3+aB3+aB3+…(400 characters)"}'),
        ("\U0001f600" * 30, "\U0001f600\U0001f600\U0001f600\U0001f600…(30 emojis)"),
        ("one \U0001f600 two", "one \U0001f600 two"),
        (
            "/home/me/a-project/of/mine/with/a/long/path/" * 2,
            "/home/me/a-project/of/mine/with/a/long/path/" * 2,
        ),
    ],
)
def test_what_says_nothing_to_a_reader_is_shortened(text, expected):
    assert readable(text, 500) == expected


def test_a_text_that_is_shortened_and_cut_says_how_long_it_was():
    assert readable("9" * 1000 + "x" * 30, 20) == "9999…(1,000 times)xx… (1,030 characters)"


def test_a_quoted_text_has_each_escape_once():
    assert quoted("a\nb") == "'a\\nb'"


@pytest.mark.parametrize(
    ("text", "blank"),
    [
        ("", True),
        (" \t\r\n\u00a0\u3000", True),
        ("\x1f", False),
        ("\x85", False),
        ("\u200b", False),
        (" a ", False),
    ],
)
def test_a_text_is_blank_where_every_runtime_takes_it_for_that(text, blank):
    assert is_blank(text) is blank


@pytest.mark.parametrize(
    "text",
    [
        "##vso[task.setvariable variable=x]1",
        "before ##vso[task.complete result=Succeeded]",
        "##teamcity[buildStatus status='SUCCESS' text='ok']",
        "before ##teamcity[testFinished name='x'] behind",
        "###teamcity[x]",
        "##[error]x",
        "::error::x",
        "  ::set-output name=x::1",
        "line\n::add-mask::x",
        "###[x]",
    ],
)
def test_no_text_of_a_tool_is_a_command_to_a_ci_runner(text):
    line = printable(text)
    assert "##vso[" not in line
    assert "##teamcity[" not in line
    assert "##[" not in line
    assert not line.lstrip().startswith("::")
    assert " ::" not in line


@pytest.mark.parametrize("text", ["std::vector", "aptix::agent::ARG002", "## [heading]", "a :: b", "x[::2]"])
def test_ordinary_colons_and_hashes_stay(text):
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("90", 90), ("10m", 600), ("1h30m", 5400), ("1h1m1.5s", 3661.5), (" 2m ", 120)],
)
def test_a_duration_is_read_in_seconds(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "0", "0m", "-1m", "soon", "1d", "m", "1m1h", "9" * 5000, "1e3", "\u0663m"]
)
def test_what_is_no_duration_above_0_is_none(text):
    assert seconds_of(text) is None


def test_lines_stay_and_nothing_else_that_acts_does():
    text = "first \u202e line\nsecond \x1b[2J ##vso[x]\n\n" + "\U000e0001" * 50
    shown = printable_lines(text)
    assert shown.split("\n")[:3] == ["first \\u202e line", "second \\x1b[2J \\x23#vso[x]", ""]
    assert shown.endswith("\\U000e0001" * 50)
    assert printable_lines(shown) == shown
