"""The key of a cause: what changes it, and what does not."""

import pytest
from tests.unit.rules.builders import call

from aptix_conformance.core.model import Outcome
from aptix_conformance.core.model.call import Raised
from aptix_conformance.examine.cause_keys import cause_key
from aptix_conformance.rules.lib.kernel import Finding
from aptix_conformance.rules.lib.scope import raised_at

PYTHON = """Traceback (most recent call last):
  File "{root}/weather.py", line {line}, in execute
    return self._parse(text)
  File "{root}/weather.py", line {line}, in _parse
    return json.loads(text)
  File "/usr/lib/python3.12/json/__init__.py", line 346, in loads
json.decoder.JSONDecodeError: Expecting value
"""
JAVASCRIPT = """SyntaxError: Unexpected end
    at JSON.parse (<anonymous>)
    at WeatherTool.parse ({root}/weather.mjs:{line}:17)
    at async WeatherTool.execute ({root}/weather.mjs:{line}:5)
"""
DOTNET = """System.FormatException: no
   at System.Int32.Parse(String s)
   at Weather.WeatherTool.Parse(String text) in {root}/Weather.cs:line {line}
   at Weather.WeatherTool.Execute(String text) in {root}/Weather.cs:line {line}
"""


def thrown(trace, root="/home/a", line=7, kind="JSONDecodeError"):
    return call(raised=Raised(kind, "no", trace.format(root=root, line=line)))


def key(made, cause=None):
    return cause_key(Finding("It raised.", cause=raised_at(made) if cause is None else cause), made)


@pytest.mark.parametrize(
    ("trace", "function"),
    [(PYTHON, "_parse"), (JAVASCRIPT, "WeatherTool.parse"), (DOTNET, "Weather.WeatherTool.Parse")],
)
def test_an_exception_is_its_type_and_the_tools_own_function(trace, function):
    """Neither the folder of the checkout nor the line is in it."""
    assert key(thrown(trace)) == key(thrown(trace, "/ci/build", 99)) == f"JSONDecodeError in {function}"
    assert key(thrown(trace, kind="KeyError")) != key(thrown(trace))


def test_what_a_rule_adds_to_an_exception_stays():
    made = thrown(PYTHON)
    assert key(made, (Outcome.RAISED, *raised_at(made))) == "raised JSONDecodeError in _parse"


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        ((), ""),
        ("filters[0].name", "filters[0].name"),
        ("open() at birds.py:3", "open() at birds.py"),
        ("sleep(1) at /home/a/birds.mjs:3:17 in T.execute", "sleep(1) at birds.mjs in T.execute"),
        (("add_error", "12:30"), "add_error 12:30"),
        (frozenset({"b", "a"}), "a b"),
        (3, "3"),
        ("\x1b[2J", "\\x1b[2J"),
    ],
)
def test_another_cause_is_what_its_rule_says_without_folders_and_lines(cause, expected):
    assert key(call(), cause) == expected


def test_a_tool_cannot_make_it_long():
    assert len(key(call(), "a" * 100_000)) < 400
