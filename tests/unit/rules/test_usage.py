"""USE: which usage texts a rule is for, and where its limit lies."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.rules.lib import prose


def hello(**changes):
    name = {"type": "string", "description": "The user's name."}
    own = {
        "type": "function",
        "name": "agent_hello_world",
        "description": "Makes a friendly greeting.",
        "parameters": {"type": "object", "properties": {"name": name}, "required": ["name"], **changes},
    }
    return b.declaration(own, "agent_hello_world")


MUCH = "It greets: call it when asked; never twice. Arguments: name. Errors: none. E.g. hello."


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"properties": {"name": True}}, "not a string"),
        ({"properties": {"name": {"type": "integer"}}}, "not a string"),
        ({"required": []}, "required: []"),
        ({"properties": {}}, "none"),
        ({"properties": {"name": {}, "title": {}}}, "title"),
    ],
)
def test_use021_wants_one_required_text(changes, words):
    assert words in b.judge("USE021", hello(**changes)).message


def test_use021_takes_a_name_without_a_type_for_a_text():
    """What is missing is SCH008's."""
    assert b.judge("USE021", hello(properties={"name": {}})) is None


@pytest.mark.parametrize(
    ("headings", "is_broken"), [((), True), (("Purpose",), True), (("Purpose", "Rules"), False)]
)
def test_use014_wants_two_sections_at_least(headings, is_broken):
    lines = [line for heading in headings for line in (f"{heading}:", f"- {MUCH}")] or [MUCH, MUCH]
    declared = b.declaration(usage="\n".join(lines))
    rule = b.RULES["USE014"]
    assert rule.when(declared)
    assert (rule.check(declared) is not None) is is_broken


def test_use014_is_for_texts_that_say_much_in_several_lines():
    assert not b.RULES["USE014"].when(b.declaration(usage=MUCH))
    assert not b.RULES["USE014"].when(b.declaration(usage="It greets.\nHello."))


@pytest.mark.parametrize("code", ["USE010", "USE011", "USE012", "USE013", "CAT010", "CAT011", "USE020"])
def test_rules_on_what_a_usage_text_says_are_for_texts(code):
    assert not b.RULES[code].when(b.declaration(usage=" \n"))


@pytest.mark.parametrize(
    ("text", "is_broken"), [("One line.", True), ("Two\nlines.", False), ("One.\n\n", True)]
)
def test_use002_counts_lines_that_hold_text(text, is_broken):
    assert (b.judge("USE002", b.declaration(usage=text)) is not None) is is_broken


@pytest.mark.parametrize(
    ("usage", "much"),
    [
        ("Call it when asked.\nNever twice.\nErrors: none.", False),
        ("Call it when asked.\nNever twice.\nErrors: none.\nE.g. hello.", True),
    ],
)
def test_use014_takes_four_contents_for_much(usage, much):
    """Of a usage text's contents: when, when not, errors, and examples."""
    assert sum(prose.says(usage, content) for content in prose.CONTENTS) == (4 if much else 3)
    assert b.RULES["USE014"].when(b.declaration(usage=usage)) is much


def test_use001_is_for_texts_in_a_constant():
    for kind, value in (("plain", None), ("property", "It greets.")):
        own = b.replace(b.declaration().usage_text, kind=kind, value=value)
        assert not b.RULES["USE001"].when(b.declaration(usage_text=own))
    assert b.RULES["USE001"].when(b.declaration(usage=""))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Finds caf\ufffds.", "caf\ufffds"),
        ("Arguments:\n- gr\ufffd\ufffde: how large.", "the argument 'gr\ufffd\ufffde'"),
        ("Use the parameter `\ufffdge` for it.", "the argument '\ufffdge'"),
    ],
)
def test_use016_finds_what_was_lost_in_decoding_and_names_the_argument(line, words):
    declared = b.declaration(usage=f"{b.USAGE}\n{line}")
    assert words in b.judge("USE016", declared).message
    assert b.judge("USE010", declared) is None


@pytest.mark.parametrize("said", ["U+FFFD", "\\ufffd", "the replacement character"])
def test_use016_takes_a_text_on_the_character_itself_for_right(said):
    usage = f"{b.USAGE}\nWrites \ufffd ({said}) for a broken byte."
    assert b.judge("USE016", b.declaration(usage=usage)) is None
    assert b.judge("USE016", b.declaration(usage=f"{usage} \ufffdge".replace(said, "")))


def test_use016_looks_at_the_descriptions_of_the_schema_too():
    declared = b.declaration(b.with_property(count={"type": "integer", "description": "Stra\ufffde."}))
    assert "schema says 'Stra\ufffde.'" in b.judge("USE016", declared).message
    assert b.judge("USE016", b.declaration()) is None
