"""The table of schema changes in fixtures/schema_changes: each pair's class, codes, places and witness."""

from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from aptix_conformance.core.schemas.diff import CODES, ToolSchema, compare
from aptix_conformance.stimuli.generate.witness import find_witness

FOLDER = Path(__file__).parents[5] / "fixtures" / "schema_changes"
ROWS = {
    f"{path.stem}: {row['name']}": row
    for path in sorted(FOLDER.glob("*.yaml"))
    for row in yaml.safe_load(path.read_text(encoding="utf-8"))
}
HARMLESS = ("identical", "documentation", "compatible")
OF_A_SCHEMA = {"type", "properties", "required", "allOf", "$ref"}


def parameters(given):
    """A parameters schema; where only properties are given, the object that has them."""
    whole = given if given.keys() & OF_A_SCHEMA else {"properties": given}
    return {"type": "object", **whole}


def side(row, which):
    given = row[which]
    if row.get("tool"):
        return ToolSchema(given)
    if row.get("result"):
        return ToolSchema({"name": "t"}, result_shape=given)
    return ToolSchema({"name": "t", "parameters": parameters(given)})


@pytest.mark.parametrize("name", ROWS)
def test_a_change_has_its_class_its_codes_and_its_places(name):
    """What the table says is what is found, nothing more and nothing less."""
    row = ROWS[name]
    found = compare(side(row, "old"), side(row, "new"), find_witness)
    assert found.change_class.label == row["class"]
    assert {f"{change.code} @ {change.path}" for change in found.changes} == set(row["changes"])


@pytest.mark.parametrize("name", ROWS)
def test_what_breaks_on_arguments_has_a_call_that_proves_it(name):
    """The old schema as written allows the witness; where the new one as written does too, it sends what is gone."""
    row = ROWS[name]
    found = compare(side(row, "old"), side(row, "new"), find_witness)
    on_arguments = any(change.path.startswith("parameters") for change in found.changes)
    assert (found.witness is not None) == (row["class"] == "breaking" and on_arguments)
    if found.witness is not None:
        assert is_valid(row["old"], found.witness)
        gone = {
            change.path.rpartition(".")[2] for change in found.changes if change.code in IGNORED_IN_SILENCE
        }
        assert gone or not is_valid(row["new"], found.witness)


IGNORED_IN_SILENCE = {"argument-removed", "argument-renamed", "additional-properties-closed"}


def is_valid(given, value):
    return jsonschema_rs.validator_for(parameters(given), validate_formats=True).is_valid(value)


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row["class"] == "identical"])
def test_what_is_identical_is_so_the_other_way_round(name):
    """Equality has no direction."""
    row = ROWS[name]
    assert compare(side(row, "new"), side(row, "old"), find_witness).change_class.label == "identical"


def test_the_table_is_long_enough_and_half_of_it_harmless():
    """What is not breaking is proved as often as what is."""
    harmless = [name for name, row in ROWS.items() if row["class"] in HARMLESS]
    assert len(ROWS) >= 60
    assert len(harmless) * 2 >= len(ROWS)


def test_every_code_of_the_table_is_a_known_one():
    """No row can name a code that was never there."""
    named = {change.partition(" @ ")[0] for row in ROWS.values() for change in row["changes"]}
    assert named <= CODES.keys()
