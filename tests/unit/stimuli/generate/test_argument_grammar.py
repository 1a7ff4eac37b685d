"""A text argument's grammar is seen in its name, description, format and the values that its author shows."""

import json
import re

import pytest

from aptix_conformance.stimuli.generate import extremes
from aptix_conformance.stimuli.generate.argument_grammar import MOST, grammars_of
from aptix_conformance.stimuli.generate.grammars import GRAMMARS, is_endless
from aptix_conformance.stimuli.generate.reader import Alternative


def kinds(name="text", shown=(), tool="agent_test", **keywords):
    shape = Alternative({"type": "string", **keywords}, 0)
    return [grammar.kind for grammar in grammars_of(name, [shape], tool=tool, shown=shown)]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("pythonCode", "code"),
        ("script", "code"),
        ("expression", "expression"),
        ("formula", "expression"),
        ("sql_query", "sql"),
        ("searchPattern", "pattern"),
        ("file_path", "path"),
        ("outputDir", "path"),
        ("image-url", "url"),
        ("include_pattern", "pattern"),
        ("globs", "glob"),
        ("start_date", "date"),
        ("timezone", "zone"),
        ("mail_template", "template"),
        ("settingsJson", "json"),
        ("command", "command"),
        ("commands", "command"),
    ],
)
def test_a_name_says_it(name, kind):
    assert kind in kinds(name)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Python code to execute.", "code"),
        ("The script that will be run.", "code"),
        ("An arithmetic expression.", "expression"),
        ("A SQL SELECT statement.", "sql"),
        ("A regular expression.", "pattern"),
        ("The path of the file.", "path"),
        ("The URL to open.", "url"),
        ("A glob such as *.py.", "glob"),
        ("The first day, as YYYY-MM-DD.", "date"),
        ("An IANA name.", "zone"),
        ("A Jinja2 text.", "template"),
        ("A document in JSON.", "json"),
        ("A shell command.", "command"),
    ],
)
def test_a_description_says_it(said, kind):
    assert kind in kinds(description=said)


@pytest.mark.parametrize(
    "said",
    [
        "Name of the SQL table.",
        "Output format: text or json.",
        "The id of the script to run.",
        "The name of the Python script.",
        "A name from the URL of the page.",
        "Wildcards are not allowed.",
        "The amount of liquid.",
        "The start, in the local time zone.",
    ],
)
def test_a_description_that_only_mentions_it_says_nothing(said):
    assert kinds(description=said) == []


def test_a_description_is_not_enough_where_something_else_has_to_say_it():
    shape = Alternative({"type": "string", "description": "A regular expression."}, 0)
    assert grammars_of("query", [shape], by_description=False) == ()
    assert grammars_of("pattern", [shape], by_description=False)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("2 * (3 + 4)", "expression"),
        ("12+30", "expression"),
        ("SELECT name FROM birds", "sql"),
        ("notes/today.md", "path"),
        ("https://example.com/a", "url"),
        ("src/**/*.py", "glob"),
        ("2024-01-05", "date"),
        ("Europe/Oslo", "zone"),
        ("Dear {{ name }}", "template"),
        ('{"a": 1}', "json"),
    ],
)
def test_a_value_that_the_author_shows_says_it(value, kind):
    assert kind in kinds(shown=[value])
    assert kind in kinds(examples=[value])
    assert kind in kinds(description=f'Such as "{value}".') or '"' in value


@pytest.mark.parametrize(
    ("name", "tool", "kind"),
    [
        ("code", "runCode", "code"),
        ("query", "Python_REPL", "code"),
        ("tool_input", "code_interpreter", "code"),
        ("query", "sqlite_read", "sql"),
    ],
)
def test_a_common_name_says_it_beside_the_tools_own_name(name, tool, kind):
    assert kinds(name, tool=tool) == [kind]
    assert kinds(name, tool="country_facts") == []


@pytest.mark.parametrize(
    "name",
    [
        "code",
        "query",
        "tool_input",
        "country_code",
        "jsonish",
        "title",
        "pathos",
        "today",
        "programme",
        "program",
    ],
)
def test_other_names_say_nothing(name):
    assert kinds(name) == []


def test_a_search_is_no_code_whatever_runs_it():
    assert kinds("query", tool="run_search") == kinds("query", tool="python_docs") == []


@pytest.mark.parametrize(
    "value", ["Oslo", "5 km", "2024-q1", "+49 30 123456", "1.2.3", "and/or", "a*b*c", "555-1234", 7, None]
)
def test_other_values_say_nothing(value):
    assert kinds(shown=[value]) == []


@pytest.mark.parametrize("keywords", [{"type": "integer"}, {"enum": ["a.py"]}])
def test_what_takes_no_text_of_the_callers_has_none(keywords):
    assert kinds("path", **keywords) == []


@pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda grammar: grammar.kind)
def test_the_data_fit_together(grammar):
    assert set(grammar.in_place_of) < set(extremes.TEXTS)
    assert 0 <= len(grammar.texts) - len(grammar.in_place_of) <= 1, (
        "a tool gets about as many calls as without it"
    )
    assert len(set(grammar.texts.values()) - set(extremes.TEXTS.values())) == len(grammar.texts), (
        "none is sent twice"
    )
    ends = [not is_endless(what) for what in grammar.texts]
    assert ends == sorted(ends), "what never ends comes first"
    for pattern in (grammar.names, grammar.described, grammar.value, grammar.in_tools):
        re.compile(pattern)


@pytest.mark.parametrize("unit", ["1+", "a/", "{{", "*/", "a.", " 1 -", "1 ", "a-", "{%}"])
def test_a_hostile_value_takes_no_time(unit):
    """The patterns are tried on what a tool's author wrote."""
    assert len(kinds(unit * 100_000, shown=[unit * 100_000], description=unit * 100_000)) <= MOST


def test_half_of_a_character_is_escaped_once_more_so_that_no_parser_of_the_arguments_sees_it():
    (grammar,) = (each for each in GRAMMARS if each.kind == "json")
    text = grammar.texts["json-lone-surrogate"]
    assert text.isascii()
    assert json.loads(text) == {"a": "\ud800"}
