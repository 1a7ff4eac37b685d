"""Names that ART and Amplifier ask for: short, in lower case, the words joined by underscores."""

import pytest

from aptix_conformance.rules.lib.names import snake_case_fault


@pytest.mark.parametrize("name", ["a", "search_notes", "a1_2b_3", "z9", "a" * 64])
def test_a_short_name_in_snake_case_has_no_fault(name):
    assert snake_case_fault(name) is None


@pytest.mark.parametrize(
    "name",
    ["", "Search", "search-notes", "1st", "_search", "search_", "search__notes", "suche_ä", "a\n", "a b"],
)
def test_another_name_is_quoted(name):
    assert snake_case_fault(name) == f"is {name!r}"


@pytest.mark.parametrize("name", ["a" * 65, "A" * 100])
def test_a_name_of_more_than_64_characters_is_too_long_whatever_it_is_made_of(name):
    assert snake_case_fault(name) == f"has {len(name)} characters; 64 are the most"
