"""The lock of a tool as it is declared."""

import json

import pytest

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model import Constant, Declaration, Member, SchemaReading
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.schemas import lock_text


@pytest.fixture
def declaration():
    reading = SchemaReading("returned", '{"name": "agent", "maximum": 1.0}')
    member = Member("x", "method")
    return Declaration(
        class_name="Tool",
        module="tools",
        when="start",
        tool_name=Constant("TOOL_NAME", "plain", "agent"),
        usage_text=Constant("TOOL_USAGE_METADATA", "plain", "Call me.\nOnce."),
        get_schema=member,
        schema=reading,
        schema_again=reading,
        name=member,
        is_tool_fully_executed_on_server=member,
        execute=member,
        constructor=(),
        construction_error=None,
    )


def test_it_holds_what_a_model_is_shown(declaration):
    lock = json.loads(lock_text("agent", declaration))
    assert lock["tool"] == "agent"
    assert lock["schema"] == {"maximum": 1, "name": "agent"}
    assert lock["usage_text"] == ["Call me.", "Once."]


def test_a_missing_usage_text_counts_as_empty(declaration):
    bare = replace(declaration, usage_text=Constant("TOOL_USAGE_METADATA", "missing"))
    assert json.loads(lock_text("agent", bare))["usage_text"] == [""]


@pytest.mark.parametrize(
    ("reading", "wrong"),
    [
        (SchemaReading("raised", error="boom\x1b"), r"no schema to lock \(boom\\x1b\)"),
        (SchemaReading("not_callable"), r"no schema to lock \(not_callable\)"),
        (SchemaReading("returned", "{"), "not JSON that can be read"),
        (SchemaReading("returned", '{"maximum": NaN}'), "not a JSON number"),
    ],
)
def test_without_a_schema_there_is_nothing_to_lock(declaration, reading, wrong):
    with pytest.raises(RecordError, match=wrong):
        lock_text("agent", replace(declaration, schema=reading))
