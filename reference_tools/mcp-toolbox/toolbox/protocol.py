"""What each message is answered with, in both revisions of the protocol. No input or output: the transports do that.

A request of 2026-07-28 says its revision in `_meta` and stands alone. One of 2025-11-25 belongs to a connection that
`initialize` has opened, and the transport knows whether it has. Everything that is wrong with a request is a `Refusal`, raised
before a tool runs. What is wrong with the arguments of a tool is a result with `isError`, which the model reads.
"""

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from toolbox.arguments import fault_of
from toolbox.tools import CancelledError, JsonObject, Tool, ToolError

LEGACY: Final = "2025-11-25"
MODERN: Final = "2026-07-28"

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
UNSUPPORTED_VERSION: Final = -32022

RequestId = str | int

_PREFIX: Final = "io.modelcontextprotocol/"
_VERSION: Final = f"{_PREFIX}protocolVersion"
_CLIENT_CAPABILITIES: Final = f"{_PREFIX}clientCapabilities"
_CAPABILITIES: Final[JsonObject] = {"tools": {}}
_CACHING: Final[JsonObject] = {"ttlMs": 3_600_000, "cacheScope": "public"}
"""The tools are the same for everybody, until a new version of the server is installed."""
_LOG: Final = logging.getLogger(__name__)


class Refusal(Exception):  # noqa: N818 - the protocol's word for it is error, and so is Python's for something else
    """A message is answered by an error of the protocol."""

    def __init__(
        self, code: int, message: str, *, data: Any = None, request_id: RequestId | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.data, self.request_id = code, data, request_id

    def response(self) -> JsonObject:
        """The message to send."""
        error = {"code": self.code, "message": str(self)} | ({} if self.data is None else {"data": self.data})
        return {"jsonrpc": "2.0", "id": self.request_id, "error": error}


@dataclass(frozen=True, slots=True)
class Message:
    """A request, or a notification: that has no id."""

    method: str
    params: JsonObject
    id: RequestId | None

    @property
    def meta(self) -> JsonObject:
        """Its `_meta`; empty where there is none."""
        found = self.params.get("_meta")
        return found if isinstance(found, dict) else {}

    @property
    def is_modern(self) -> bool:
        """Whether it is of 2026-07-28."""
        return _VERSION in self.meta or _CLIENT_CAPABILITIES in self.meta

    @property
    def version(self) -> Any:
        """The revision that `_meta` names; None where it names none."""
        return self.meta.get(_VERSION)

    def refuse(self, code: int, message: str, data: Any = None) -> NoReturn:
        """Refuse this request.

        Raises:
            Refusal: always.
        """
        raise Refusal(code, message, data=data, request_id=self.id)


def read_message(text: bytes) -> Message:
    """Read a message.

    Raises:
        Refusal: it is no JSON, or no request and no notification.
    """
    try:
        value = json.loads(text.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):  # JSON that is nested too deep, or an integer that is too long, too
        raise Refusal(PARSE_ERROR, "This is not JSON, or goes beyond a limit.") from None
    if not isinstance(value, dict):
        raise Refusal(INVALID_REQUEST, "A message must be an object.")
    number = value.get("id")
    request_id = number if isinstance(number, RequestId) and not isinstance(number, bool) else None
    method, params = value.get("method"), value.get("params", {})
    if not isinstance(method, str) or ("id" in value and request_id is None):
        raise Refusal(
            INVALID_REQUEST,
            "A message needs a method, and a request an id that is a text or an integer.",
            request_id=request_id,
        )
    if not isinstance(params, dict):
        if request_id is not None:
            raise Refusal(INVALID_PARAMS, "params must be an object.", request_id=request_id)
        params = {}  # a notification is never answered
    return Message(method, params, request_id)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)  # NaN and Infinity are Python's, not JSON's


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the protocol lets pass: the transport runs it."""

    request: Message
    tool: Tool
    arguments: JsonObject
    finish: Callable[[JsonObject], JsonObject]
    """Makes a result the response."""

    def run(self, send: Callable[[JsonObject], None], is_cancelled: Callable[[], bool]) -> JsonObject | None:
        """Run the tool; gives the response, or None for a call that was cancelled: nothing may be sent for it then."""
        token = self.request.meta.get("progressToken")
        is_asked_for = isinstance(token, str | int) and not isinstance(token, bool)

        def report_progress(done: int, total: int) -> None:
            if is_cancelled():
                raise CancelledError
            if is_asked_for:
                params = {"progressToken": token, "progress": done, "total": total}
                send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

        try:
            result = self._result(report_progress)
        except CancelledError:
            return None
        return None if is_cancelled() else self.finish(result)

    def _result(self, report_progress: Callable[[int, int], None]) -> JsonObject:
        fault = fault_of(self.tool.definition["inputSchema"], self.arguments)
        if fault:
            return _failure(fault)
        try:
            value = self.tool.call(self.arguments, report_progress)
        except ToolError as error:
            return _failure(str(error))
        except CancelledError:
            raise
        except Exception:  # noqa: BLE001 - the client is owed an answer, without details of this machine
            _LOG.exception("%s failed", self.tool.name)
            return _failure("The tool failed. The log of the server says why.")
        return {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value}


def _failure(text: str) -> JsonObject:
    return {"content": [{"type": "text", "text": text}], "isError": True}


class Protocol:
    """Answers requests; keeps nothing between them."""

    def __init__(self, info: JsonObject, tools: Sequence[Tool]) -> None:
        self._info = info
        self._tools = {tool.name: tool for tool in tools}

    def answer(self, request: Message, *, is_open: bool) -> JsonObject | Call:
        """The response to a request, or the call that it asks for; `is_open` is whether `initialize` has opened the connection.

        Raises:
            Refusal: the request is wrong.
        """
        if request.is_modern:
            return self._answer_modern(request)
        if request.method == "initialize":
            said = {"protocolVersion": LEGACY, "capabilities": _CAPABILITIES, "serverInfo": self._info}
            return _response(request, said)
        if request.method == "ping":
            return _response(request, {})
        if not is_open:
            refuse_missing_meta(request)
        if request.method == "tools/list":
            return _response(request, self._page(request))
        return self._call(request, lambda result: _response(request, result))

    def _answer_modern(self, request: Message) -> JsonObject | Call:
        if not isinstance(request.version, str) or not isinstance(
            request.meta.get(_CLIENT_CAPABILITIES), dict
        ):
            refuse_missing_meta(request)
        if request.version != MODERN:
            # 2025-11-25 is not among them: no request names it in `_meta`.
            supported = {"supported": [MODERN], "requested": request.version}
            request.refuse(UNSUPPORTED_VERSION, "This version is not supported.", supported)
        if request.method == "server/discover":
            said = {"supportedVersions": [MODERN], "capabilities": _CAPABILITIES, **_CACHING}
            return self._complete(request, said)
        if request.method == "tools/list":
            return self._complete(request, {**self._page(request), **_CACHING})
        return self._call(request, lambda result: self._complete(request, result))

    def _complete(self, request: Message, result: JsonObject) -> JsonObject:
        """The response with what every result of 2026-07-28 has."""
        said = {"resultType": "complete", "_meta": {f"{_PREFIX}serverInfo": self._info}}
        return _response(request, {**result, **said})

    def _page(self, request: Message) -> JsonObject:
        """The list of the tools, which has one page."""
        if "cursor" in request.params:
            request.refuse(INVALID_PARAMS, "There is no such cursor: the list has one page.")
        return {"tools": [tool.definition for tool in self._tools.values()]}

    def _call(self, request: Message, finish: Callable[[JsonObject], JsonObject]) -> Call:
        if request.method != "tools/call":
            request.refuse(METHOD_NOT_FOUND, "This server does not have the method.")
        name, arguments = request.params.get("name"), request.params.get("arguments", {})
        if not isinstance(name, str) or not isinstance(arguments, dict):
            request.refuse(INVALID_PARAMS, "name must be a string, and arguments an object.")
        if name not in self._tools:
            request.refuse(INVALID_PARAMS, "There is no tool of this name.")
        return Call(request, self._tools[name], arguments, finish)


def refuse_missing_meta(request: Message) -> NoReturn:
    """Refuse a request of which nobody knows what revision it is of.

    Raises:
        Refusal: always.
    """
    request.refuse(INVALID_PARAMS, f"_meta needs {_VERSION} and {_CLIENT_CAPABILITIES}.")


def _response(request: Message, result: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": request.id, "result": result}
