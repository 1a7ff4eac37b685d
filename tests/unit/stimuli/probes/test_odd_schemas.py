"""Schemas that a hostile or careless tool may declare are planned for without a failure, and in time."""

import pytest

from aptix_conformance.core.model import kept_files
from aptix_conformance.stimuli.generate.argument_schema import fault
from aptix_conformance.stimuli.probes import PROBES

ODD = {
    "an integer bound beyond a float": {"type": "number", "minimum": 10**400},
    "a negative one": {"type": "number", "maximum": -(10**400)},
    "steps too small to count": {"type": "number", "multipleOf": 5e-324, "minimum": 1, "maximum": 1e308},
    "integers in steps of a fraction": {"type": "integer", "multipleOf": 0.3},
    "steps of next to nothing": {"type": "integer", "multipleOf": 1e-300},
    "named properties without names": {
        "type": "object",
        "propertyNames": {"pattern": "^[a-z]{3}$"},
        "minProperties": 2,
    },
    "a pattern that looks ahead": {"type": "string", "pattern": "^(?!foo).*$", "minLength": 30},
    "a pattern against its format": {"type": "string", "format": "ipv4", "pattern": "^x"},
    "a very long string": {"type": "string", "minLength": 99_999},
    "twenty thousand values": {"enum": list(range(20_000))},
    "a value of a megabyte": {"const": "x" * 1024 * 1024},
    "a format that it cannot have": {"type": "string", "format": "date", "maxLength": 3},
    "an anchor": {"$ref": "#here"},
    "another resource": {"$ref": "other"},
    "nothing but itself": {"$ref": "#/properties/a"},
}


SOMETIMES = {
    *(
        "alone",
        "catalog",
        "pages",
        "defaults",
        "hash-seed",
        "conditions",
        "refusals-first",
        "without-refusals",
        "confined",
        "outage",
        "broken-files",
        "statements",
    ),
    *kept_files.PROBES,
}
"""The probes that ask some tools only."""


@pytest.mark.parametrize("name", ODD)
def test_an_odd_property_is_planned_for(make_subject, draws, name):
    schema = {
        "$defs": {"x": {"$anchor": "here", "type": "integer"}, "y": {"$id": "other", "type": "integer"}},
        "type": "object",
        "properties": {"a": ODD[name]},
        "required": ["a"],
    }
    assert fault(schema) is None
    subject = make_subject(schema)
    for probe in PROBES:
        plans = list(probe.fixed(subject, []))
        strategy = probe.drawn(subject, [])
        drawn = draws(strategy, 5) if strategy is not None else []
        assert plans or probe.shortfall(subject, []) or probe.name in SOMETIMES
        assert strategy is None or drawn


def test_references_by_anchor_and_by_identifier_are_followed(make_subject):
    for reference in ("#here", "other", "http://example.com/root#/$defs/x"):
        schema = {
            "$id": "http://example.com/root",
            "$defs": {"x": {"$anchor": "here", "type": "integer"}, "y": {"$id": "other", "type": "integer"}},
            "type": "object",
            "properties": {"a": {"$ref": reference}},
            "required": ["a"],
        }
        assert make_subject(schema).arguments.minimal() == {"a": 1}


def test_two_thousand_required_members_are_all_there_and_few_of_them_drawn(make_subject, draws):
    names = [f"p{number}" for number in range(2000)]
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names}
    subject = make_subject(schema)
    assert len(subject.arguments.minimal()) == 2000
    assert len(draws(PROBES[0].drawn(subject, []), 5)) == 5
