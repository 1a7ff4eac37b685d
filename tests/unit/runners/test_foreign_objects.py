"""Objects that belong to a tool are read without trusting them."""

import pytest

from aptix_conformance.runners.python import foreign
from aptix_conformance.runners.python.raised import record_exception


class Hostile:
    """Raises what ends a process whenever it is asked for anything."""

    @property
    def __class__(self):
        raise SystemExit

    def __str__(self):
        raise SystemExit

    def __eq__(self, other):
        raise SystemExit

    __hash__ = None


class Text(str):
    """A text that lies when it is cut."""

    __slots__ = ()

    def __getitem__(self, key):
        return "a lie"


def test_the_type_of_an_object_is_not_asked_of_the_object():
    """`isinstance` would look at `__class__`."""
    assert foreign.is_a(Hostile(), Hostile)
    assert not foreign.is_a(Hostile(), str)
    assert foreign.type_name(Hostile()) == "Hostile"


def test_a_text_is_cut_without_its_own_methods():
    """Whatever a subclass of `str` does."""
    assert foreign.cut_text(Text("abcdef"), 3) == "abc"
    assert foreign.text_or_none(Text("abc")) == "abc"
    assert foreign.text_or_none(None) is None


def test_what_cannot_be_shown_says_so():
    """SystemExit is data like any other."""
    assert foreign.safe_str(Hostile()) == "<Hostile that raises SystemExit when it is shown>"
    assert foreign.attempt(lambda: str(Hostile())) == (None, "SystemExit")
    assert foreign.text_or_none(7) == "7"


@pytest.mark.parametrize(("error", "text"), [(ValueError("no"), "ValueError: no"), (KeyError(), "KeyError")])
def test_an_error_is_formatted_like_the_last_line_of_a_traceback(error, text):
    """With its message, where it has one."""
    assert foreign.format_error(error) == text


@pytest.mark.parametrize(
    ("error", "category"),
    [(ValueError(), "exception"), (SystemExit(), "exit"), (KeyboardInterrupt(), "interrupt")],
)
def test_an_exception_is_recorded_with_its_category(error, category):
    """An exit or interrupt is not reported as an exception."""
    assert record_exception(error)["category"] == category


def _chained(length, how):
    error = ValueError("first")
    for _ in range(length):
        outer = ValueError("outer")
        setattr(outer, how, error)
        error = outer
    return error


@pytest.mark.parametrize(
    "error",
    [
        _chained(2_000, "__cause__"),
        _chained(2_000, "__context__"),
        ExceptionGroup("many", [ValueError(str(number)) for number in range(2_000)]),
    ],
    ids=["causes", "contexts", "members"],
)
def test_of_very_many_related_exceptions_none_is_written_out(error):
    """Python's own rendering takes seconds for what a tool makes in none, on every call."""
    lines = record_exception(error)["traceback"].splitlines()
    assert len(lines) == 2
    assert lines[-1] == "<more than 1,000 related exceptions>"


def test_causes_contexts_and_members_that_are_few_are_all_written_out():
    error = _chained(3, "__cause__")
    error.__cause__.__cause__.__cause__.__context__ = ExceptionGroup(
        "both", [KeyError("left"), KeyError("right")]
    )
    text = record_exception(error)["traceback"]
    assert all(word in text for word in ("'left'", "'right'", "first")), text


def test_an_exception_that_causes_itself_is_written_out():
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert "related" not in record_exception(one)["traceback"]
