"""SCH017 and USE015: which reading they compare with which, and what they say of the one that differs."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Exploration
from aptix_conformance.rules.stability import difference


def read(*later):
    return Exploration((b.declaration(), *later), ())


def again(when="restarted", text=None, usage=None, conditions=None, second=None):
    """A later reading; what is not given is as at first."""
    first = b.declaration()
    reading = b.SchemaReading("returned", text or first.schema.text)
    return b.replace(
        first,
        when=when,
        schema=reading,
        schema_again=b.SchemaReading("returned", second) if second else reading,
        usage_text=b.plain("TOOL_USAGE_METADATA", usage or b.USAGE),
        conditions=conditions or {},
    )


@pytest.mark.parametrize("code", ["SCH017", "USE015"])
def test_equal_readings_are_stable(code):
    assert b.judge(code, read(again(), again("threads"), again("after_calls"))) is None


@pytest.mark.parametrize("when", ["restarted", "threads"])
@pytest.mark.parametrize("code", ["SCH017", "USE015"])
def test_a_reading_elsewhere_is_what_they_are_for(code, when):
    assert b.RULES[code].when(read(again(when)))


@pytest.mark.parametrize("code", ["SCH017", "USE015"])
def test_one_reading_and_those_of_its_own_process_say_nothing_of_a_restart(code):
    assert not b.RULES[code].when(read())
    assert not b.RULES[code].when(read(again("after_calls")))


def test_where_there_was_nothing_to_read_at_first_nothing_is_compared():
    no_schema = b.declaration(schema=b.SchemaReading("raised", None, "boom"))
    no_usage = b.declaration(usage_text=b.Constant("TOOL_USAGE_METADATA", "missing", None, ""))
    assert not b.RULES["SCH017"].when(Exploration((no_schema, again()), ()))
    assert not b.RULES["USE015"].when(Exploration((no_usage, again()), ()))


def test_a_schema_that_changes_from_reading_to_reading_is_sch012s():
    first = b.declaration(schema_again=b.SchemaReading("returned", "{}"))
    assert b.judge("SCH017", Exploration((first, again(text="[]")), ())) is None


def test_the_second_reading_of_a_later_process_counts_too_and_is_sch012s():
    """Its first reading may be as the others were: a schema of random parts is one fault."""
    later = read(again(conditions={"hash seed": "1"}, second='{"a": 1}'))
    (found,) = b.RULES["SCH017"].findings(later)
    assert 'then {"a": 1}' in found.message
    assert found.defers_to == "SCH012"


def test_a_later_process_whose_own_readings_differ_gives_sch012_the_difference_between_processes():
    elsewhere = again(text="[]")
    unstable = again(text="[1]", second="[2]")
    assert [f.defers_to for f in b.RULES["SCH017"].findings(read(elsewhere, unstable))] == ["SCH012"]
    assert [f.defers_to for f in b.RULES["SCH017"].findings(read(elsewhere))] == [""]


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ({"process": "another"}, "It differs in each process, from character"),
        ({}, "It differs in another process, from character"),
        ({"hash seed": "7"}, "in a fresh process with hash seed 7"),
        ({"time zone": "Asia/Tokyo", "locale": "tr_TR"}, "time zone Asia/Tokyo and locale tr_TR"),
        ({"clock": "a year ahead"}, "with the clock a year ahead"),
        ({"directory": "another"}, "with another directory"),
        (
            {"process": "another", "hash seed": "1"},
            "in a fresh process with another process and hash seed 1, from",
        ),
    ],
)
@pytest.mark.parametrize("code", ["SCH017", "USE015"])
def test_what_was_different_about_the_process_is_told(code, conditions, words):
    changed = again(text='{"other": 1}', usage="Other.", conditions=conditions)
    assert words in b.judge(code, read(changed)).message


@pytest.mark.parametrize(
    ("when", "words"),
    [
        ("after_calls", "in the same process after calls"),
        ("threads", "when two threads read it at once"),
        ("restarted", "in another process"),
    ],
)
@pytest.mark.parametrize("code", ["SCH017", "USE015"])
def test_when_it_was_read_is_told(code, when, words):
    changed = again(when, text='{"other": 1}', usage="Other.")
    assert words in b.judge(code, read(again(), changed)).message


@pytest.mark.parametrize("code", ["SCH017", "USE015"])
def test_of_several_readings_that_differ_the_simplest_is_told(code):
    both = {"hash seed": "7", "time zone": "Asia/Tokyo"}
    far, near = (
        again(text='{"other": 1}', usage="Other.", conditions=conditions)
        for conditions in (both, {"hash seed": "7"})
    )
    calls = again("after_calls", text='{"other": 1}', usage="Other.", conditions=both)
    assert "with hash seed 7, " in b.judge(code, read(far, near)).message
    assert "after calls" in b.judge(code, read(far, near, calls)).message


@pytest.mark.parametrize(("error", "words"), [("KeyError: 'x'", "KeyError"), (None, "not_json")])
def test_a_schema_that_cannot_be_read_again_is_told_with_the_reason(error, words):
    gone = b.SchemaReading("not_json", None, error)
    found = b.judge("SCH017", read(b.replace(again(), schema=gone, schema_again=gone)))
    assert "could not be read in another process" in found.message
    assert words in found.message


def test_a_usage_text_that_is_gone_differs():
    gone = b.replace(again(), usage_text=b.Constant("TOOL_USAGE_METADATA", "missing", None, ""))
    assert "It differs" in b.judge("USE015", read(gone)).message


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("abc", "abX", "from character 2 on: abc, then abX"),
        ("abc", "ab", "from character 2 on: abc, then ab"),
        ("ab", "abc", "from character 2 on: ab, then abc"),
        ("", "x", "from character 0 on: , then x"),
    ],
)
def test_the_place_where_two_texts_part_is_counted_from_zero(first, second, said):
    assert difference(first, second) == said


def test_of_long_texts_what_is_around_the_difference_is_shown():
    first, second = ("." * 100 + letter + "." * 100 for letter in "ab")
    assert difference(first, second) == (
        f"from character 100 on: {'.' * 20}a{'.' * 39}, then {'.' * 20}b{'.' * 39}"
    )


def test_a_difference_near_the_beginning_is_shown_from_the_beginning():
    assert difference("ab" + "." * 9, "aX" + "." * 9).startswith("from character 1 on: ab.........,")


def test_both_texts_are_shown():
    found = b.judge("SCH017", read(again(text='{"other": 1}')))
    assert 'from character 2 on: {"type": "function"' in found.message
    assert 'then {"other": 1}' in found.message


@pytest.mark.parametrize("code", ["SCH017", "USE015"])
def test_a_named_condition_goes_before_a_reading_that_names_none(code):
    unnamed, named = (
        again(text='{"other": 1}', usage="Other.", conditions=conditions)
        for conditions in ({}, {"process": "another"})
    )
    calls = again("after_calls", text='{"other": 1}', usage="Other.")
    assert "It differs in each process, " in b.judge(code, read(unnamed, calls, named)).message
