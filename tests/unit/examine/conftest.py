"""What a small tool declares."""

import pytest

from aptix_conformance.core.model import Constant, Declaration, Member, SchemaReading


@pytest.fixture
def declaration():
    """What a tool declares that has only a schema."""
    reading, member = SchemaReading("returned", '{"name": "owl"}'), Member("x", "property")
    constant = Constant("TOOL_NAME", "plain", "owl", "str")
    return Declaration(
        class_name="Owl",
        module="birds",
        when="start",
        tool_name=constant,
        usage_text=constant,
        get_schema=member,
        schema=reading,
        schema_again=reading,
        name=member,
        is_tool_fully_executed_on_server=member,
        execute=member,
        constructor=(),
        construction_error=None,
    )
