"""CAT001 to CAT011: the contract of agent_list_modes on its declaration and on the modes that it lists."""

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.mode_builders import MODE, listed, whole

from aptix_conformance.core.model import ReplacedCatalog
from aptix_conformance.core.model.codec import replace

OTHER = {**MODE, "id": "f" * 32, "key": "other", "isDefault": False}


@pytest.mark.parametrize("field", [f for f in MODE if f != "exampleUtterances"])
def test_cat005_wants_each_field_but_the_examples(field):
    lacking = {name: value for name, value in MODE.items() if name != field}
    assert f"modes[1] has no {field}" in b.judge("CAT005", listed(MODE, lacking)).message


@pytest.mark.parametrize("field", [f for f, value in MODE.items() if isinstance(value, str)])
@pytest.mark.parametrize("value", [None, 1, ["x"]])
def test_cat005_wants_texts_as_texts(field, value):
    assert f"has the {field}" in b.judge("CAT005", listed({**MODE, field: value})).message


@pytest.mark.parametrize("field", ["humanRoleHints", "exampleUtterances"])
@pytest.mark.parametrize("value", ["Hello", {}, [None], ["Hello", 1], 0, False])
def test_cat005_wants_lists_of_texts(field, value):
    assert f"has the {field}" in b.judge("CAT005", listed({**MODE, field: value})).message


@pytest.mark.parametrize("field", ["humanRoleHints", "exampleUtterances"])
@pytest.mark.parametrize("value", [None, [], ["Hello"], ["Hello", ""]])
def test_cat005_takes_null_and_lists_of_texts(field, value):
    assert b.judge("CAT005", listed({**MODE, field: value})) is None


@pytest.mark.parametrize("digits", ["A" * 32, "0" * 32])
def test_cat006_takes_hexadecimal_digits_in_either_case(digits):
    assert b.judge("CAT006", listed({**MODE, "id": digits})) is None


@pytest.mark.parametrize("digits", ["0" * 31, "0" * 33, "g" * 32, "{" + "0" * 32 + "}", ""])
def test_cat006_wants_32_of_them_in_every_mode(digits):
    assert "modes[1]" in b.judge("CAT006", listed(MODE, {**MODE, "id": digits})).message


def test_cat006_is_for_modes_with_their_fields():
    assert not b.RULES["CAT006"].when(listed({**MODE, "id": 7}))
    assert not b.RULES["CAT006"].when(listed())
    assert not b.RULES["CAT005"].when(listed())


def test_a_call_that_was_cancelled_need_not_list_modes():
    cancelled = listed(MODE, disturbance=ReplacedCatalog("hangs"))
    for code in ("CAT004", "CAT005", "CAT006"):
        assert not b.RULES[code].when(cancelled)
    assert not b.RULES["CAT007"].when(whole(cancelled))


def test_cat007_looks_at_the_top_and_in_every_call():
    top = b.call(arguments="{}", result=b.success({"Modes": [MODE]}))
    assert b.judge("CAT007", whole(listed(MODE), top))
    assert b.judge("CAT007", whole(listed(MODE), listed("general", MODE))) is None


def test_cat007_does_not_look_at_what_a_cancelled_call_listed():
    odd = b.call(arguments="{}", result=b.success({"MODES": []}))
    cancelled = replace(odd, plan=replace(odd.plan, disturbance=ReplacedCatalog("hangs")))
    assert b.judge("CAT007", whole(listed(MODE), odd))
    assert b.judge("CAT007", whole(listed(MODE), cancelled)) is None


def test_cat008_asks_for_the_examples_of_the_modes_that_are_listed_only():
    """Another catalog has other modes."""
    asked = '{"includeExamples": true}'
    first, second = listed(MODE, arguments=asked), listed(OTHER, arguments=asked)
    assert b.judge("CAT008", whole(first, second)) is None
    bare = {**MODE, "exampleUtterances": []}
    assert b.judge("CAT008", whole(first, second, listed(bare, arguments=asked)))


@pytest.mark.parametrize("arguments", ['{"includeExamples": false}', '{"includeExamples": 1}', "{}", None])
def test_cat008_is_for_calls_that_ask_for_examples(arguments):
    assert not b.RULES["CAT008"].when(whole(listed(MODE, arguments=arguments)))


def test_cat008_is_for_catalogs_that_have_examples():
    bare = {**MODE, "exampleUtterances": None}
    assert not b.RULES["CAT008"].when(whole(listed(bare, arguments='{"includeExamples": true}')))


@pytest.mark.parametrize(
    ("payload", "type_name", "is_broken"),
    [(None, "NoneType", False), ("", "str", False), ("{}", "str", True), (None, "dict", True)],
)
def test_cat009_takes_nothing_and_the_empty_text_for_no_payload(payload, type_name, is_broken):
    failed = replace(b.failure(), payload=payload, payload_type=type_name)
    assert (b.judge("CAT009", b.call(result=failed)) is not None) is is_broken


@pytest.mark.parametrize("declared", ["boolean", ["boolean"], ["null", "boolean"]])
def test_cat002_takes_a_boolean_null_or_not(declared):
    schema = {
        "type": "function",
        "parameters": {
            "type": "object",
            "properties": {"includeExamples": {"type": declared}},
            "required": [],
        },
    }
    assert b.judge("CAT002", b.declaration(schema, "agent_list_modes")) is None


@pytest.mark.parametrize(
    ("inner", "words"),
    [
        ({"type": ["boolean", "string"]}, "of type"),
        ({"type": "null"}, "of type null"),
        (True, "no argument includeExamples"),
        (None, "no argument includeExamples"),
    ],
)
def test_cat002_takes_nothing_else(inner, words):
    properties = {} if inner is None else {"includeExamples": inner}
    schema = {
        "type": "function",
        "parameters": {"type": "object", "properties": properties, "required": []},
    }
    assert words in b.judge("CAT002", b.declaration(schema, "agent_list_modes")).message


def test_cat001_is_for_a_property_that_could_be_read():
    unread = b.replace(b.declaration(), is_tool_fully_executed_on_server=b.valued("i", None))
    assert not b.RULES["CAT001"].when(unread)


def test_cat003_knows_the_logger_by_its_type_too():
    own = b.declaration(constructor=(b.Parameter("log", "positional", True, "AdminLogger"),))
    assert "no catalog service" in b.judge("CAT003", own).message


def test_cat006_is_not_for_a_list_with_one_mode_out_of_form():
    assert not b.RULES["CAT006"].when(listed(MODE, {**MODE, "id": 7}))


def test_cat010_and_cat011_read_any_casing_and_across_lines():
    usage = (
        "LISTS THE MODES THAT\nARE AVAILABLE. CALL IT BEFORE YOU\nPROPOSE ONE OR TO HELP CHOOSE.\n"
        "DO NOT CALL IT ON EVERY\nMESSAGE, WHEN YOU ALREADY KNOW IT, OR INSTEAD OF CHANGING IT."
    )
    for code in ("CAT010", "CAT011"):
        assert b.judge(code, b.declaration(usage=usage)) is None
