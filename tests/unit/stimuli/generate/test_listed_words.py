"""Values are read out of what a refusal or a description lists."""

import pytest

from aptix_conformance.stimuli.generate.listed_words import MOST, listed_in


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The city is not known. Known are: Oslo, Rome.", ["Oslo", "Rome"]),
        ("unit must be one of 'm', 'km' or 'mi'.", ["m", "km", "mi"]),
        ("Units: m, km, mi", ["m", "km", "mi"]),
        ('Invalid unit: expected one of ["m", "km"]', ["m", "km"]),
        ("Input should be 'celsius' or 'fahrenheit' [type=literal_error]", ["celsius", "fahrenheit"]),
        ("Invalid enum value. Expected 'a' | 'b', received 'x'", ["a", "b"]),
        ("Unknown action: x. Valid actions: create, update, list", ["create", "update", "list"]),
        ("No table named x; available tables are birds and trees.", ["birds", "trees"]),
        ("Supported currencies are EUR, NOK.", ["EUR", "NOK"]),
        ("Did you mean 'New York'?", ["New York"]),
        ("There is no such file.", []),
        ("city must be a text.", []),
        ("The argument city is required: a city's name.", []),
        ("Try again later.", []),
        ("", []),
    ],
)
def test_what_a_text_lists_is_read(text, values):
    assert list(listed_in(text)) == values


def test_of_a_long_list_the_first_values_are_taken():
    assert len(list(listed_in("Known are: " + ", ".join(f"v{n}" for n in range(50))))) == MOST


@pytest.mark.parametrize("unit", ["known ", "known are: ", "a, ", "s :", "one of ", "  ", "or "])
def test_a_hostile_text_takes_no_time(unit):
    assert len(list(listed_in(unit * 100_000))) <= MOST
