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
