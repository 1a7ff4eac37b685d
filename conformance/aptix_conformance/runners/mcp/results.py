"""The results of calls and stimuli, in the form of the host protocol."""

import json
from typing import Any, Final

from . import cancelling
from .connection import Answer
from .stimuli import Observed

WIRE: Final = "wire:"
"""Begins the name of a disturbance that is a stimulus of `stimuli.py` or its neighbours."""


def observed(name: str, observation: Observed) -> dict[str, Any]:
    """The result of a stimulus other than a call."""
    facts: dict[str, Any] = {
        "message": observation.response,
        "others": observation.others,
        "http": observation.http,
        "ended": observation.ended,
    }
    if observation.tokened is not None:
        facts["tokened"] = observation.tokened
    if observation.steps:
        facts["steps"] = list(observation.steps)
    if observation.left:
        facts["left"] = list(observation.left)
    if observation.busy:
        facts["busy"] = observation.busy
    is_reached = name not in cancelling.CANCELLED or bool(
        observation.tokened and observation.tokened["sent"] is not None
    )
    result = {"type_name": "message", "is_invoke_result": False, "mcp": facts}
    return {
        "outcome": "returned",
        "result": result,
        "disturbed": {"reached": is_reached, "place": f"{WIRE}{name}"},
    }


def returned(answer: Answer) -> dict[str, Any]:
    """The result of a call."""
    result: dict[str, Any] = {"type_name": "CallToolResult", "is_invoke_result": True}
    message, http = answer.response.text or None, answer.response.http
    result["mcp"] = {"message": message, "others": answer.others, "http": http}
    reply = answer.result
    if message is None or not (isinstance(reply, dict) or "error" in answer.response.value):
        return {"outcome": "returned", "result": {**result, "successful": None}}
    if not isinstance(reply, dict):
        error = answer.response.value.get("error")
        error_text = error.get("message") if isinstance(error, dict) else None
        text = error_text if isinstance(error_text, str) else None
        failure = {"type_name": "JSONRPCError", "successful": False, "errors": [{"message": text}]}
        texts = [json.dumps(error)]
        return {
            "outcome": "returned",
            "result": {**result, **failure, "error_message": text, "texts": texts},
        }
    kind = reply.get("resultType", "complete")
    if kind == "input_required" or (kind != "complete" and "content" not in reply):
        return {"outcome": "returned", "result": {**result, "successful": None}}
    texts = _texts(reply.get("content"))
    if reply.get("isError") is True:
        joined = "\n".join(texts)
        failure = {"successful": False, "errors": [{"message": joined}], "error_message": joined}
        return {
            "outcome": "returned",
            "result": {**result, **failure, "texts": [joined, json.dumps(reply)]},
        }
    return {
        "outcome": "returned",
        "result": {**result, "successful": True, "payload": _payload(reply, texts), "payload_type": "str"},
    }


def _texts(content: Any) -> list[str]:
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text")
    return [text for text in texts if isinstance(text, str)]


def _payload(result: dict[str, Any], texts: list[str]) -> str:
    """The data of a success: its structuredContent, else its only text, else its content; as text."""
    if "structuredContent" in result:
        return json.dumps(result["structuredContent"])
    content = result.get("content")
    if len(texts) == 1 and isinstance(content, list) and len(content) == 1:
        return texts[0]
    return json.dumps(content)
