"""What a tool of the same server lists gives values for an argument, those of members of its name first."""

import json

import pytest

from aptix_conformance.stimuli.generate.listing_answers import values_in

NOTES = json.dumps({"notes": [{"id": 7, "title": "Milk", "size": 12}, {"id": 9, "title": "Salt", "size": 3}]})


@pytest.mark.parametrize(
    ("answer", "name", "values"),
    [
        (NOTES, "note_id", [7, 9, "Milk", "Salt"]),
        (NOTES, "noteTitle", ["Milk", "Salt", 7, 9]),
        ('["books", "loans"]', "table", ["books", "loans"]),
        ("Notes:\n- milk.txt: 3 lines\n- salt.txt (empty)\n", "name", ["Notes", "milk.txt", "salt.txt"]),
        ("1. Oslo - rain\n2. Rome - sun", "city", ["Oslo", "Rome"]),
        ("Known tables are: books, loans", "table", ["books", "loans", "Known tables are"]),
        (json.dumps({"name": "x" * 61, "id": True, "code": "a\nb"}), "name", []),
        ("", "name", []),
        ("[" * 100_000, "name", []),
    ],
)
def test_values_are_read_from_json_and_from_prose(answer, name, values):
    assert list(values_in([answer], name)) == values
