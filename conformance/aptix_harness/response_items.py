"""Items of the `/responses` API: reads those that a response holds, and writes those that answer calls.

Nothing here needs the `openai` package. A response and its items may be its objects, or mappings.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from aptix_harness.errors import InvalidOperationError
from aptix_harness.executor import AgentToolCall, AgentToolCallResult

Item: TypeAlias = Mapping[str, object]
"""One item of a request's `input` or of a response's `output`, as plain JSON."""

_TEXT_OF_PART: Final = {"output_text": "text", "refusal": "refusal"}


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """The parts of a response that the reasoner uses.

    Attributes:
        items: its output, ready to be sent back as input.
        calls: the function calls among them, in their order.
        text: the text of its messages, refusals included.
        refused: whether a message is a refusal.
        status: `completed`, `incomplete`, `failed` and so on; `completed` where the response has none.
        detail: why it is not completed, as far as it says; None otherwise.
    """

    items: tuple[Item, ...]
    calls: tuple["RequestedCall", ...]
    text: str
    refused: bool
    status: str
    detail: str | None


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """A function call as the model wrote it.

    Attributes:
        call_id: what its answer is matched by; that of `call` too.
        call: the call, its arguments unparsed and unchanged (AGN-005.3.7).
        fault: why it cannot be run; None if it can.
    """

    call_id: str
    call: AgentToolCall
    fault: str | None = None


def function_call_output(call_id: str, output: str) -> Item:
    """Return the item that answers a call: `output` is what the model reads, JSON by the contract's custom."""
    return {"type": "function_call_output", "call_id": call_id, "output": output}


def answer(call_id: str, result: AgentToolCallResult) -> Item:
    """Return the item that gives a result to the model: the payload unchanged, or the failure (AGN-005.9.2).

    A failure is `{"error": MESSAGES}`, with the list `codes` or `details` where its errors have such.
    """
    if result.successful and result.result is not None:
        return function_call_output(call_id, result.result)
    failure: dict[str, object] = {"error": result.error_message}
    codes = [error.code for error in result.errors if error.code]
    details = [error.details for error in result.errors if error.details]
    # Escaped to ASCII by json, so that a lone surrogate in a message cannot break the request.
    return function_call_output(
        call_id,
        json.dumps(failure | ({"codes": codes} if codes else {}) | ({"details": details} if details else {})),
    )


def read_response(response: object, number: int) -> ModelResponse:
    """Read the `number`-th response of a run.

    A call without a usable `call_id` gets one made from `number`, so that it can be answered.

    Raises:
        InvalidOperationError: this is no response: it has no list of items as its output.
    """
    output = _member(response, "output")
    if not isinstance(output, Sequence) or isinstance(output, (str, bytes)):
        raise InvalidOperationError(
            f"The client's responses.create gave an object of type {type(response).__name__} without a list of "
            "output items. Use a client of the /responses API, and neither streaming nor raw responses."
        )
    items: list[Item] = []
    calls: list[RequestedCall] = []
    for position, raw in enumerate(output):
        item = _as_mapping(raw)
        if item.get("type") == "function_call":
            requested = _read_call(item, f"call_{number}_{position}")
            calls.append(requested)
            item = {**item, "call_id": requested.call_id}
        items.append(_encodable(item))
    parts = [part for item in items for part in _parts(item)]
    status = _member(response, "status")
    detail = _member(_member(response, "error"), "message") or _member(
        _member(response, "incomplete_details"), "reason"
    )
    return ModelResponse(
        tuple(items),
        tuple(calls),
        "".join(text for _, text in parts),
        any(kind == "refusal" for kind, _ in parts),
        status if isinstance(status, str) else "completed",
        detail if isinstance(detail, str) else None,
    )


def _read_call(item: Item, call_id_of_last_resort: str) -> RequestedCall:
    name, arguments, call_id = item.get("name"), item.get("arguments"), item.get("call_id")
    fault = None
    if not isinstance(call_id, str) or not call_id:
        call_id, fault = call_id_of_last_resort, "The call has no call_id."
    if not isinstance(arguments, str | None):
        arguments, fault = None, "The call's arguments are not the text of a JSON object."
    if item.get("status") == "incomplete":
        fault = "The call was cut short."
    call = AgentToolCall(name if isinstance(name, str) else None, arguments, call_id)
    return RequestedCall(call_id, call, fault)


def _member(holder: object, name: str) -> object:
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)


def _as_mapping(item: object) -> Item:
    if isinstance(item, Mapping):
        return item
    to_dict = getattr(item, "to_dict", None)
    if not callable(to_dict):
        raise InvalidOperationError(
            f"A response holds an item of type {type(item).__name__}, which is neither a mapping nor an object of the "
            "openai package. Make the client give one of them."
        )
    # What the server did not send is left out, and an item that the package does not know is no reason to warn.
    written: Item = to_dict(mode="json", warnings=False)
    return written


def _encodable(item: Item) -> Item:
    """Return the item with lone surrogates replaced: the model may write them, and a request cannot hold them."""
    text = json.dumps(item, ensure_ascii=False)
    repaired: Item = json.loads(text.encode(errors="replace"))
    return repaired


def _parts(item: Item) -> Iterator[tuple[str, str]]:
    """Yield kind and text of each part of a message that a person would read."""
    content = item.get("content") if item.get("type") == "message" else None
    for part in content if isinstance(content, list) else []:
        kind = _member(part, "type")
        text = _member(part, _TEXT_OF_PART[kind]) if isinstance(kind, str) and kind in _TEXT_OF_PART else None
        if isinstance(kind, str) and isinstance(text, str):
            yield kind, text
