import json
from types import SimpleNamespace

import pytest

from aptix_harness import AgentToolCallResult, InvalidOperationError, ResultError, function_call_output
from aptix_harness.response_items import answer, read_response

CALL = {"type": "function_call", "call_id": "c1", "name": "test_tool", "arguments": "{}"}


def message(*parts):
    return {"type": "message", "role": "assistant", "content": list(parts)}


def failed(*errors):
    return AgentToolCallResult("c1", "test_tool", successful=False, errors=errors)


def read_call(**members):
    """Return item and call of a response that holds one call, with these members replaced; None drops one."""
    item = {key: value for key, value in {**CALL, **members}.items() if value is not None}
    response = read_response({"output": [item]}, 3)
    return response.items[0], response.calls[0]


@pytest.mark.clause("AGN-005.1.3")
def test_success_is_handed_over_unchanged():
    """The payload is the output, to the letter."""
    result = AgentToolCallResult("c1", "test_tool", successful=True, result='{"a":  1e2}')
    assert answer("c1", result) == function_call_output("c1", '{"a":  1e2}')
    assert function_call_output("c1", "x") == {
        "type": "function_call_output",
        "call_id": "c1",
        "output": "x",
    }


@pytest.mark.clause("AGN-005.9.2")
@pytest.mark.parametrize(
    ("errors", "output"),
    [
        ([ResultError("No name.")], {"error": "No name."}),
        ([ResultError("No name.", "NAME", "Empty.")], {"error": "No name.", "codes": ["NAME"], "details": ["Empty."]}),
        ([ResultError("A", "X"), ResultError("B", "Y")], {"error": "A; B", "codes": ["X", "Y"]}),
    ],
)  # fmt: skip
def test_failure_is_a_json_object_with_error(errors, output):
    """Codes and details stand beside the message where there are some."""
    item = answer("c1", failed(*errors))
    assert (item["type"], item["call_id"]) == ("function_call_output", "c1")
    assert json.loads(item["output"]) == output


def test_failure_with_a_lone_surrogate_can_be_sent():
    """A tool's message cannot break the request."""
    output = answer("c1", failed(ResultError("\ud800")))["output"]
    assert output.encode() == b'{"error": "\\ud800"}'


@pytest.mark.clause("AGN-005.3.7")
@pytest.mark.parametrize("arguments", ["{}", "", "{not json", '{"a":1 , "a":2}', None], ids=repr)
def test_arguments_are_taken_as_they_are(arguments):
    """Text or nothing: neither is a fault, the tool judges it."""
    _, requested = read_call(arguments=arguments)
    assert requested.call.arguments_json == arguments
    assert (requested.fault, requested.call.name, requested.call_id) == (None, "test_tool", "c1")


@pytest.mark.parametrize("arguments", [{"a": 1}, [], 7, True], ids=repr)
def test_arguments_that_are_no_text_are_a_fault(arguments):
    """They are not turned into text: the tool would get what the model did not write."""
    _, requested = read_call(arguments=arguments)
    assert requested.call.arguments_json is None
    assert "arguments" in requested.fault


@pytest.mark.parametrize("call_id", [None, "", 7, ["c1"]], ids=repr)
def test_call_without_an_id_gets_one(call_id):
    """It is in the conversation too, so that the answer finds its call."""
    item, requested = read_call(call_id=call_id)
    assert item["call_id"] == requested.call_id == requested.call.call_id == "call_3_0"
    assert "call_id" in requested.fault


@pytest.mark.parametrize("name", [None, 7, ["test_tool"]], ids=repr)
def test_call_without_a_name_is_left_to_the_executor(name):
    """It has an answer for a call that names no tool."""
    _, requested = read_call(name=name)
    assert (requested.call.name, requested.fault) == (None, None)


def test_call_that_was_cut_short_is_a_fault():
    """Its arguments may lack their end."""
    assert "cut short" in read_call(status="incomplete")[1].fault
    assert read_call(status="completed")[1].fault is None


def test_text_is_that_of_all_messages():
    """Only what a person would read counts: no summaries, no unknown parts."""
    response = read_response(
        {
            "output": [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}], "content": None},
                message({"type": "output_text", "text": "One "}, {"type": "chart", "text": "no"}, "no", None),
                {"type": "message", "content": "no"},
                {"type": "draft", "content": [{"type": "output_text", "text": "no"}]},
                message({"type": "output_text", "text": None}, {"type": "output_text", "text": "two."}),
            ]
        },
        1,
    )
    assert (response.text, response.refused, response.calls) == ("One two.", False, ())
    assert len(response.items) == 5


def test_refusal_is_text_and_marked():
    """The caller can show it and tell it from an answer."""
    response = read_response({"output": [message({"type": "refusal", "refusal": "No."})]}, 1)
    assert (response.text, response.refused) == ("No.", True)


def test_status_and_its_reason_are_read():
    """From objects as well as from mappings; without a status a response is complete."""
    cut = SimpleNamespace(
        output=[],
        status="incomplete",
        error=None,
        incomplete_details=SimpleNamespace(reason="max_output_tokens"),
    )
    assert (read_response(cut, 1).status, read_response(cut, 1).detail) == ("incomplete", "max_output_tokens")
    failure = {"output": [], "status": "failed", "error": {"message": "Busy."}}
    assert (read_response(failure, 1).status, read_response(failure, 1).detail) == ("failed", "Busy.")
    assert (read_response({"output": []}, 1).status, read_response({"output": []}, 1).detail) == (
        "completed",
        None,
    )


def test_lone_surrogates_are_replaced_in_what_is_sent_back():
    """The tool still gets what the model wrote."""
    item, requested = read_call(arguments='{"a": "\ud800"}', extra="é")
    assert requested.call.arguments_json == '{"a": "\ud800"}'
    assert (item["arguments"], item["extra"]) == ('{"a": "?"}', "é")


@pytest.mark.parametrize(
    "response", [None, "text", {}, {"output": None}, {"output": "text"}, SimpleNamespace()], ids=repr
)
def test_what_is_no_response_is_refused(response):
    """The message names what came instead."""
    with pytest.raises(InvalidOperationError, match=f"type {type(response).__name__} without"):
        read_response(response, 1)


def test_item_that_cannot_be_read_is_refused():
    """It could be neither understood nor sent back."""
    with pytest.raises(InvalidOperationError, match="item of type int"):
        read_response({"output": [7]}, 1)
