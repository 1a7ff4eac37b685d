"""The headers of a request over HTTP that repeat what its body says."""

import base64
import json
import re
from collections.abc import Mapping
from typing import Any, Final

VERSION: Final = "MCP-Protocol-Version"
METHOD: Final = "Mcp-Method"
NAME: Final = "Mcp-Name"
SESSION: Final = "Mcp-Session-Id"
PARAMETER: Final = "Mcp-Param-"
ALWAYS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "Accept-Encoding": "identity",
    "User-Agent": "python-httpx/0.28.1",
}
"""Headers of every request; the SDK for Python names its HTTP library, and a server is not told that it is examined."""
NAMED: Final = {"User-Agent": "aptix-conformance"}
"""Headers for a server that the suite did not start: who operates it can see who calls."""
_PLAIN: Final = re.compile(r"[!-~](?:[ -~\t]*[!-~])?")
_ENCODED: Final = re.compile(r"=\?base64\?.*\?=", re.DOTALL)
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_MOST_PARAMETERS: Final = 100
_DEEPEST: Final = 20


def encoded(text: str) -> str:
    """A text as the value of a header: as it is where that is safe, else in the Base64 form."""
    if _PLAIN.fullmatch(text) and not _ENCODED.fullmatch(text):
        return text
    return in_base64(text)


def in_base64(text: str) -> str:
    """A text in the Base64 form."""
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode('ascii')}?="


def mirrored(
    message: Mapping[str, Any], version: str, parameters: Mapping[str, tuple[str, ...]]
) -> dict[str, str]:
    """The headers that 2026-07-28 wants with a message; `parameters` are those of the called tool (`parameters_of`)."""
    headers = {VERSION: version}
    method, params = message.get("method"), message.get("params")
    if isinstance(method, str):
        headers[METHOD] = encoded(method)
    if method == "tools/call" and isinstance(params, dict):
        if isinstance(params.get("name"), str):
            headers[NAME] = encoded(params["name"])
        headers |= _values(params.get("arguments"), parameters)
    return headers


def parameters_of(schema: Any) -> dict[str, tuple[str, ...]]:
    """The parameters that a tool wants repeated in headers: the header's name, and the path of the property."""
    parameters: dict[str, tuple[str, ...]] = {}
    waiting: list[tuple[tuple[str, ...], Any]] = [((), schema)]
    while waiting and len(parameters) < _MOST_PARAMETERS:
        path, part = waiting.pop()
        properties = part.get("properties") if isinstance(part, dict) else None
        if not isinstance(properties, dict) or len(path) > _DEEPEST:
            continue
        for name, inner in properties.items():
            header = inner.get("x-mcp-header") if isinstance(inner, dict) else None
            if isinstance(header, str) and _TOKEN.fullmatch(header):
                parameters[PARAMETER + header] = (*path, name)
            waiting.append(((*path, name), inner))
    return parameters


def _values(arguments: Any, parameters: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    headers = {}
    for header, path in parameters.items():
        value = arguments
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, str):
            headers[header] = encoded(value)
        elif isinstance(value, (bool, int)):
            headers[header] = json.dumps(value)
        elif isinstance(value, float) and value.is_integer():
            headers[header] = json.dumps(int(value))
    return headers
