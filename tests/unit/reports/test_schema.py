"""The published JSON Schema, the types and the page agree."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from aptix_conformance.model.codec import to_json
from aptix_conformance.reports.schema import FILE, descriptions, document, text

PAGE = Path(__file__).parents[3] / "docs" / "report.md"


def test_the_shipped_file_is_the_one_that_is_made_of_the_types():
    """If it is stale: python -m aptix_conformance.reports.schema writes another."""
    assert FILE.read_text(encoding="ascii") == text()


def test_a_report_keeps_the_schema(report):
    Draft202012Validator.check_schema(document())
    Draft202012Validator(document()).validate(json.loads(json.dumps(to_json(report))))


def test_every_member_is_described():
    members = {name: set(schema.get("properties", ())) for name, schema in document()["$defs"].items()}
    assert {name: set(found) for name, found in descriptions().items()} == {
        name: members[name] for name in descriptions()
    }


@pytest.mark.parametrize("record", descriptions())
def test_the_page_has_a_row_for_each_member_with_its_description(record):
    section = re.search(
        rf"^## `{record}`$.*?(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert section, record
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", section[0], re.MULTILINE)
    assert dict(rows) == {name: " ".join(said.split()) for name, said in descriptions()[record].items()}


def test_the_example_on_the_page_is_a_report():
    (example,) = re.findall(
        r"^```json\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    Draft202012Validator(document()).validate(json.loads(example))
