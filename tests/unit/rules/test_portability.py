"""SCH030 to SCH034: what a provider refuses."""

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.argument_builders import emitted


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("SCH031", {"anyOf": [{"required": ["name"]}]}),
        ("SCH032", {"properties": {"level": {"type": "integer", "enum": [1, 2], "description": "Level."}}}),
        ("SCH033", {"properties": {"größe": {"type": "string", "description": "Size."}}}),
    ],
)
def test_what_a_provider_refuses_is_told_with_the_provider(code, changes):
    assert b.judge(code, b.declaration()) is None
    found = b.judge(code, emitted(**{"required": [], **changes}))
    assert "refused by" in found.message
    assert found.message[0].isupper()


def test_sch034_is_about_schemas_that_ask_to_be_strict():
    assert b.judge("SCH034", b.declaration()) is None
    assert b.judge("SCH034", b.declaration(b.schema(strict=True)))


@pytest.mark.parametrize(
    ("name", "is_broken"),
    [("1agent", True), ("a" * 65, True), ("a" * 64, False), ("_a", False), ("-a", True)],
)
def test_sch030_wants_names_that_every_provider_takes(name, is_broken):
    assert (b.judge("SCH030", b.declaration(b.schema(name=name))) is not None) is is_broken


def test_they_are_not_for_what_is_out_of_form_already():
    for code in ("SCH031", "SCH032", "SCH033", "SCH034"):
        assert not b.RULES[code].when(b.declaration(b.schema(parameters=None)))
    assert not b.RULES["SCH030"].when(b.declaration(b.schema(name="größe")))
    assert not b.RULES["SCH030"].when(b.declaration(b.schema(name=7)))
    assert not b.RULES["SCH030"].when(b.declaration({"type": "tool", "name": "a"}))
