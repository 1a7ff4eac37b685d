"""Opens a connection in the newest protocol revision that a server speaks, and lists its tools.

Which revision that is shows without a clock: a first process gets `server/discover` and then `initialize`, and what it
answers decides. All others then open in that revision, each with a well-formed request of it as the first line.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from .connection import Answer, Connection, ServerEndedError, StdioConnection
from .exchange import Endpoint
from .http_connection import HttpConnection

LEGACY: Final = "2025-11-25"
MODERN: Final = "2026-07-28"
REVISIONS: Final = (LEGACY, MODERN)

_CLIENT: Final = {"name": "aptix-conformance", "version": "1"}
_PREFIX: Final = "io.modelcontextprotocol/"
META: Final = {
    f"{_PREFIX}protocolVersion": MODERN,
    f"{_PREFIX}clientInfo": _CLIENT,
    f"{_PREFIX}clientCapabilities": {},
}
"""What every request of the modern revision carries."""
HANDSHAKE: Final = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": _CLIENT}
"""The params of initialize."""
_MOST_PAGES: Final = 100
_MOST_TOOLS: Final = 10_000


class NotUsableError(Exception):
    """Why the tools of a server cannot be examined, as a sentence for its author."""


class Session(NamedTuple):
    """An open connection; `opening` is the message that answered the first request, `http` the HTTP answer with it."""

    connection: Connection
    revision: str
    opening: str
    others: list[str]
    http: Mapping[str, Any] | None = None

    def params(self, params: dict[str, Any]) -> dict[str, Any]:
        """The params of a request, with what the revision demands."""
        return {**params, "_meta": META} if self.revision == MODERN else params


class Listing(NamedTuple):
    """The entries of all pages, the pages without their entries, and the messages beside them."""

    tools: list[Any]
    pages: list[str]
    others: list[str]


def connector(server: Mapping[str, Any]) -> Callable[[], Connection]:
    """What opens a connection with a server: one with a `url` is spoken to over HTTP, any other over stdio."""
    command, directory = server["command"], server["directory"]
    if server.get("url"):
        endpoint = Endpoint(server["url"], server.get("headers", {}))
        return lambda: HttpConnection(endpoint, command, directory)
    return lambda: StdioConnection(command, directory)


def open_session(connect: Callable[[], Connection], revision: str | None) -> Session:
    """Connect with a server and open a session; `revision` is the one that it is known to speak, None if that is not known.

    Raises:
        NotUsableError: it speaks no revision of the suite's.
        ServerEndedError: it cannot be started or reached, or ended.
    """
    spoken = revision or _newest(connect)
    connection = connect()
    if spoken == MODERN:
        answer = connection.ask("server/discover", {"_meta": META})
        _check_response(answer, "server/discover")
        return Session(connection, MODERN, answer.response.text, answer.others, answer.response.http)
    answer = connection.ask("initialize", HANDSHAKE)
    _check_handshake(answer)
    connection.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
    return Session(connection, LEGACY, answer.response.text, answer.others, answer.response.http)


def _check_handshake(answer: Answer) -> None:
    """Check that `initialize` was answered in a revision of the suite's.

    Raises:
        NotUsableError: it was not.
    """
    _check_response(answer, "initialize")
    if "error" in answer.response.value:
        text = json.dumps(answer.response.value["error"])[:300]
        raise NotUsableError(f"the server refuses initialize: {text}")
    said = answer.result.get("protocolVersion") if isinstance(answer.result, dict) else None
    if isinstance(said, str) and said != LEGACY:
        raise NotUsableError(
            f"the server speaks the revision {said[:40]!r}; the suite judges by {LEGACY} and {MODERN}: update its SDK"
        )


def _check_response(answer: Answer, method: str) -> None:
    """Check that the HTTP answer to a request held a response.

    Raises:
        NotUsableError: it held none.
    """
    if not answer.response.text:
        raise NotUsableError(f"{method}: {_described(answer.response.http or {})}")


def _described(http: Mapping[str, Any]) -> str:
    """An HTTP answer without a response, as a sentence."""
    status = http.get("status")
    if http.get("location"):
        return f"the server redirects to {http['location']} (status {status}); no redirect is followed: write that URL"
    needs = ": it wants credentials, see the key `headers`" if status in (401, 403) else ""
    shown = f": {http['body']}" if http.get("body") else ""
    return f"the HTTP answer, with status {status}, {http.get('fault')}{needs}{shown}"


def _newest(connect: Callable[[], Connection]) -> str:
    connection = connect()
    try:
        is_modern = _discovers(connection)
    except ServerEndedError:
        is_modern = False  # a server of an older revision may end; whether this one starts shows next
    finally:
        connection.close()
    return MODERN if is_modern else LEGACY


def _discovers(connection: Connection) -> bool:
    """Whether a server that has just been started answers `server/discover` with the later revision."""
    discover = connection.request("server/discover", {"_meta": META})
    if connection.answers_all:
        return MODERN in _versions(connection.wait_for(discover).result)
    handshake = connection.request("initialize", HANDSHAKE)
    number, message = connection.wait_for_any({discover, handshake})
    if number != discover:
        # It answers out of order, or never answers what it does not know: a third request shows which.
        ping = connection.request("ping", {})
        number, message = connection.wait_for_any({discover, ping})
    return number == discover and MODERN in _versions(message.value.get("result"))


def _versions(result: Any) -> list[Any]:
    """The versions that an answer to `server/discover` names."""
    found = result.get("supportedVersions") if isinstance(result, dict) else None
    return found if isinstance(found, list) else []


def speaks_legacy(connect: Callable[[], Connection]) -> bool:
    """Whether a server of the modern revision opens a connection in the legacy one, too.

    What it answers decides, and no clock does: a modern request follows the handshake, and another one that.
    """
    connection = connect()
    try:
        handshake = connection.request("initialize", HANDSHAKE)
        if connection.answers_all:
            result = connection.wait_for(handshake).result
            return isinstance(result, dict) and result.get("protocolVersion") == LEGACY
        following = {connection.request("server/discover", {"_meta": META})}
        number, message = connection.wait_for_any({handshake, *following})
        if number != handshake:
            following = {connection.request("server/discover", {"_meta": META})}
            number, message = connection.wait_for_any({handshake, *following})
        result = message.value.get("result")
        return number == handshake and isinstance(result, dict) and result.get("protocolVersion") == LEGACY
    except ServerEndedError:
        return False
    finally:
        connection.close()


def list_tools(session: Session) -> Listing:
    """All pages of tools/list.

    Raises:
        NotUsableError: there is no list, or no end of it.
        ServerEndedError: the server ended.
    """
    found = Listing([], [], [])
    cursors: list[str] = []
    while len(cursors) < _MOST_PAGES:
        params = {"cursor": cursors[-1]} if cursors else {}
        answer = session.connection.ask("tools/list", session.params(params))
        page = answer.result
        _check_response(answer, "tools/list")
        if not isinstance(page, dict) or not isinstance(page.get("tools"), list):
            raise NotUsableError(f"tools/list gave no list of tools: {answer.response.text[:300]}")
        found.tools.extend(page["tools"])
        found.pages.append(json.dumps({key: value for key, value in page.items() if key != "tools"}))
        found.others.extend(answer.others)
        if len(found.tools) > _MOST_TOOLS:
            raise NotUsableError(f"tools/list gave more than {_MOST_TOOLS} tools")
        following = page.get("nextCursor")
        if following is None:
            return found
        if not isinstance(following, str):
            raise NotUsableError(f"tools/list gave a nextCursor that is no string: {str(following)[:60]}")
        if following in cursors:
            raise NotUsableError("tools/list has no end: a nextCursor came twice")
        cursors.append(following)
    raise NotUsableError(f"tools/list has no end: there were more than {_MOST_PAGES} pages")
