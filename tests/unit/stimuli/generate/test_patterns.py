"""Texts for patterns: ECMA 262's reading of them, and what Python's `re` does not know."""

import re

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings

from aptix_conformance.stimuli.generate import Arguments, Judge, ecma, text
from aptix_conformance.stimuli.generate.unsupported_patterns import unmade_pattern

QUICK = settings(max_examples=60, database=None, deadline=None, suppress_health_check=list(HealthCheck))


def of(pattern, **more):
    return {
        "type": "object",
        "properties": {"a": {"type": "string", "pattern": pattern, **more}},
        "required": ["a"],
    }


@pytest.mark.parametrize("end", ["\r", "\u2028", "\u2029"])
@pytest.mark.parametrize(
    "schema",
    [
        of("^.{2,5}$"),
        of(r"^(.)\1$"),
        of(r"^\[.]?.+$"),
        {"type": "object", "patternProperties": {"^..$": True}, "additionalProperties": False},
        {"type": "object", "not": {"properties": {"a": {"pattern": "^..$"}}, "required": ["a"]}},
    ],
    ids=str,
)
def test_what_a_dot_matches_for_some_and_not_for_others_is_neither_allowed_nor_forbidden(schema, end):
    judge = Judge(schema)
    arguments = {end * 2: 1} if "patternProperties" in schema else {"a": end * 2}
    assert not judge.admits(arguments)
    assert not judge.allows(arguments)
    assert not judge.forbids(arguments)


def test_a_dot_forbids_what_it_forbids_for_everyone():
    assert Judge(of("^.$")).forbids({"a": "\n"})
    assert Judge(of("^.$")).admits({"a": "b"})


def test_a_dot_of_the_narrowing_binds_what_is_admitted():
    judge = Judge(of("^[^a]+$"), {"a": {"pattern": "."}})
    assert judge.allows({"a": "\rb"})
    assert not judge.admits({"a": "\rb"})


@pytest.mark.parametrize("pattern", [r"^\.\r$", "^[.]\r$", "^[^a]\r$", r"^[\].]\r$", r"^\u002e\r$"])
def test_a_dot_that_stands_for_itself_leaves_the_ends_of_lines_alone(pattern):
    assert not ecma.has_bare_dot(pattern)
    assert Judge(of(pattern)).admits({"a": ".\r"})


@pytest.mark.parametrize("pattern", ["^.{2,5}$", r"^(.)\1$", "^(?=.*b)"])
def test_no_end_of_a_line_is_drawn_for_a_dot(pattern):
    @QUICK
    @given(Arguments(of(pattern)).drawn())
    def check(arguments):
        assert not set(arguments["a"]) & set("\r\u2028\u2029")

    check()


@pytest.mark.parametrize(
    ("pattern", "known"),
    [
        (r"^\p{Lu}\p{Ll}+( \p{Lu}\p{Ll}+)*$", str.istitle),
        (r"^\p{Lu}", lambda made: made[0].isupper()),
        (r"^[\p{L} .'-]+$", lambda made: all(c.isalpha() or c in " .'-" for c in made)),
        (r"^\p{Uppercase_Letter}{3}$", str.isupper),
        (r"^\P{L}{1,9}$", lambda made: not any(map(str.isalpha, made))),
        (r"^[^\p{L}]$", lambda made: not made.isalpha()),
        (r"^[\P{L}]{4}$", lambda made: not any(map(str.isalpha, made))),
        (r"^\p{Nd}{2}\p{P}\p{General_Category=Symbol}\p{Z}$", lambda made: made[:2].isdecimal()),
        (r"^\p{Script=Greek}{4}$", lambda made: len(made) == 4),
        (r"^\u{1F600}+$", lambda made: set(made) == {"😀"}),
        (r"^[\u{5D}\u{2D}]{3}$", lambda made: set(made) <= set("]-")),
    ],
)
def test_texts_are_made_for_what_python_cannot_compile(pattern, known):
    arguments = Arguments(of(pattern, maxLength=40))
    assert known(arguments.minimal()["a"])
    seen = set()

    @QUICK
    @given(arguments.drawn())
    def check(drawn):
        assert known(drawn["a"])
        seen.add(drawn["a"])

    check()
    assert len(seen) >= 3


def test_a_text_that_is_written_here_serves_where_none_can_be_made():
    assert re.search("[a-z]", Arguments(of(r"^\p{Alphabetic}+$")).minimal()["a"])
    assert unmade_pattern(of(r"^\p{Alphabetic}+$")) is None


@pytest.mark.parametrize(
    "schema",
    [
        of(r"^\p{Script=Thai}{7}$"),
        {"type": "object", "properties": {"in": of(r"^\p{Script=Thai}{7}$")}, "required": ["in"]},
        {**of("^b$"), "anyOf": [of(r"^\p{Script=Thai}{7}$")], "properties": {}},
    ],
    ids=str,
)
def test_the_pattern_without_a_text_is_named(schema):
    assert Arguments(schema).minimal() is None
    assert unmade_pattern(schema) == r"^\p{Script=Thai}{7}$"


def test_a_pattern_that_may_be_left_out_is_not_to_blame():
    schema = {**of(r"^\p{Script=Thai}{7}$"), "required": ["b"]}
    assert unmade_pattern({**schema, "properties": {**schema["properties"], "b": False}}) is None


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 3), (0, 50), (140, 200), (0, None)])
def test_characters_of_two_units_are_among_the_boundaries_of_every_text(low, high):
    bounds = {"minLength": low} | ({} if high is None else {"maxLength": high})
    schema = {"type": "object", "properties": {"a": {"type": "string", **bounds}}}
    made = [found["a"] for (_, edge), found in Arguments(schema).boundaries() if "astral" in edge]
    assert made[0] == "😀" * len(made[0])
    # Between the two, every odd and every even place is inside of a character.
    assert made[1][1:] == "😀" * (len(made[0]) - 1 + (len(made[1]) > len(made[0])))
    assert all(low <= len(each) <= (high or 129) for each in made)


def test_a_text_of_a_form_has_no_characters_of_two_units_at_its_bounds():
    made = dict(Arguments(of("^[a-z]+$")).boundaries())
    assert not any("astral" in edge for _, edge in made)


def test_an_offered_text_with_an_end_of_a_line_does_not_fit_a_dot():
    assert list(text.fitting({"pattern": "^.$"}, ["\r", "\u2028", "\u2029", "a"])) == ["a"]
    assert list(text.fitting({"pattern": "^[^b]$"}, ["\r", "a"])) == ["\r", "a"]


@pytest.mark.parametrize(
    ("pattern", "fits", "does_not"),
    [
        ("^a[^]b$", "a\nb", "ab"),
        ("^(?:a|[])$", "a", ""),
        (r"^(?<year>\d{4})-(\d)-\k<year>$", "2026-1-2026", "2026-1-2025"),
        (r"^(\d)-(?<last>\w)-\k<last>0$", "1-x-x0", "1-x-10"),
        (r"^[(](?<one>a)(?=b)\k<one>?", "(ab", "ab"),
        (r"^[^]\[\^\]$", "x[^]", "[^]"),
    ],
)
def test_a_pattern_is_written_for_the_validator_as_javascript_means_it(pattern, fits, does_not):
    schema = ecma.for_validator({"allOf": [{"pattern": pattern}], "patternProperties": {pattern: False}})
    valid = jsonschema_rs.Draft7Validator(schema, offline=True).is_valid
    assert valid(fits)
    assert not valid(does_not)
    assert not valid({fits: 1})
    assert valid({does_not: 1})


@pytest.mark.parametrize("pattern", ["^[^a]+$", r"\k<nobody>", "(", r"[a\]]", r"\\[x]"])
def test_a_pattern_that_means_the_same_to_all_or_nothing_to_anybody_stays_as_it_is(pattern):
    assert ecma.for_validator({"pattern": pattern}) == {"pattern": pattern}
