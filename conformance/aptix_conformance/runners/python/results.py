"""Reads the result of a call of an Aptix tool."""

import itertools
from typing import Any, Final

from .contract import contract
from .foreign import MOST_ITEMS, attempt, cut_text, is_a, text_or_none, type_name
from .texts import texts_of

_islice: Final = itertools.islice


def read_result(returned: Any) -> dict[str, Any]:
    """The members of a `Result`."""
    is_result = is_a(returned, contract().InvokeResult)
    result: dict[str, Any] = {"type_name": type_name(returned), "is_invoke_result": is_result}
    if not is_result:
        return result
    successful, _ = attempt(lambda: returned.successful)
    payload, _ = attempt(lambda: returned.result)
    errors, fault = attempt(lambda: list(_islice(returned.errors, MOST_ITEMS)))
    message, _ = attempt(lambda: returned.error_message)
    result["successful"] = successful if type(successful) is bool else None
    result["payload"] = str.__getitem__(payload, slice(None)) if is_a(payload, str) else None
    result["payload_type"] = type_name(payload)
    result["error_message"] = text_or_none(message)
    result["errors"] = [_read_error(error) for error in errors] if fault is None else []
    if result["successful"] is False:
        result["texts"] = texts_of(returned)
    return result


def _read_error(error: Any) -> dict[str, str | None]:
    if is_a(error, str):
        return {"message": cut_text(error), "code": None, "details": None}
    return {
        name: text_or_none(attempt(lambda name=name: getattr(error, name, None))[0])  # type: ignore[misc]
        for name in ("message", "code", "details")
    }
