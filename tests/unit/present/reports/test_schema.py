"""The published JSON Schema, the types and the page agree."""

import json

import pytest
from jsonschema import Draft202012Validator
from tests.pages import read_page
from tools.schemas import descriptions, report_schema

from aptix_conformance.core.model.codec import to_json
from aptix_conformance.core.model.verdict import Obstacle
from tools import schemas

PAGE = read_page("docs/report.md")


def test_the_schema_of_a_format_changes_only_with_its_version():
    """If it changed, raise its version; before a release has written it, `python -m tools.schemas --digests` will do."""
    assert json.loads(schemas.DIGESTS.read_text(encoding="ascii")) == schemas.digests()


def test_a_report_keeps_the_schema(report):
    Draft202012Validator.check_schema(report_schema())
    Draft202012Validator(report_schema()).validate(json.loads(json.dumps(to_json(report))))


def test_every_member_is_described():
    members = {name: set(schema.get("properties", ())) for name, schema in report_schema()["$defs"].items()}
    assert {name: set(found) for name, found in descriptions().items()} == {
        name: members[name] for name in descriptions()
    }


@pytest.mark.parametrize("record", descriptions())
def test_the_page_has_a_row_for_each_member_with_its_description(record):
    rows = {member.strip("`"): said for member, _, said in PAGE.sections[f"`{record}`"].rows()}
    assert rows == {name: " ".join(said.split()) for name, said in descriptions()[record].items()}


def test_the_page_explains_each_obstacle_in_the_order_of_their_strength():
    rows = PAGE.sections["What kept a rule from a verdict"].rows()
    assert [row[0].strip("`") for row in rows] == list(Obstacle)


def test_the_example_on_the_page_is_a_report():
    (example,) = PAGE.blocks("json")
    Draft202012Validator(report_schema()).validate(json.loads(example))
