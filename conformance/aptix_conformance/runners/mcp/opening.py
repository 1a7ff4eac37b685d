"""Opens a connection in the newest protocol revision that a server speaks, and lists its tools.

Which revision that is shows without a clock: a first process gets `server/discover` and then `initialize`, and what it
answers decides. `initialize` names the newest revision with a handshake, as a client does; a server that speaks an older one answers
with that, so each process is opened by the same request. Only a revision that was asked for by name is named instead.
"""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from .connection import Answer, Connection, Message, ServerEndedError, StdioConnection, parsed

LEGACY: Final = "2025-11-25"
"""The newest revision that a handshake opens."""
MODERN: Final = "2026-07-28"
_BATCHES: Final = ("2024-11-05", "2025-03-26")
"""The revisions in which several messages may come in one array: the later one says so, and JSON-RPC says it for the earlier one."""
HANDSHAKES: Final = (*_BATCHES, "2025-06-18", LEGACY)
"""The revisions that a handshake opens, the oldest first."""
REVISIONS: Final = (*HANDSHAKES, MODERN)

_CLIENT: Final = {"name": "mcp", "version": "0.1.0"}
"""What the SDK for Python says where its user names no client: a server is not told that it is examined."""
PREFIX: Final = "io.modelcontextprotocol/"
"""Before the names that the specification keeps in `_meta`."""
META: Final = {
    f"{PREFIX}protocolVersion": MODERN,
    f"{PREFIX}clientInfo": _CLIENT,
    f"{PREFIX}clientCapabilities": {},
}
"""Members of every request of the modern revision."""
HANDSHAKE: Final = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": _CLIENT}
"""The params of initialize by a client that speaks all revisions."""
_MOST_PAGES: Final = 100
_MOST_TOOLS: Final = 2_000
_MOST_COMPARED: Final = 100
"""Tools of a page that are looked for among the earlier ones."""
_MOST_SECONDS: Final = 10.0
"""Seconds for all pages; where they are over, the list is unread, and no rule finds anything in that."""
_OK, _BAD_REQUEST = 200, 400
_ELSEWHERE: Final = (404, 405)
_NO_POST: Final = (400, *_ELSEWHERE)
"""What a URL answers that takes no message: it may be a stream, in the transport of the oldest revision."""
_OLDEST: Final = HANDSHAKES[0]
_SHOWN: Final = 300
"""Characters of a page that is no list."""


class NotUsableError(Exception):
    """Why the tools of a server cannot be examined, as a sentence for its author."""


class UnlistedError(NotUsableError):
    """The server does not list a tool, or not at each reading of its list."""


class Session(NamedTuple):
    """An open connection; `opening` is the message that answered the first request, `http` the HTTP answer with it."""

    connection: Connection
    revision: str
    opening: str
    others: list[str]
    http: Mapping[str, Any] | None = None
    handshake: Mapping[str, Any] = HANDSHAKE
    """The params of `initialize`, also where it is sent again."""

    def params(self, params: dict[str, Any], meta: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The params of a request, with what the revision demands; `meta` are further members of `_meta`."""
        whole = {**(META if self.revision == MODERN else {}), **(meta or {})}
        return {**params, "_meta": whole} if whole else params

    @property
    def names_its_revision(self) -> bool:
        """Whether the server says that it speaks the revision; where a handshake opens it, that was checked then."""
        data = parsed(self.opening.encode())
        return self.revision != MODERN or (isinstance(data, dict) and MODERN in _versions(data.get("result")))

    def ask_lightly(self) -> int:
        """Send a request that costs a server nothing; gives its id."""
        method = "server/discover" if self.revision == MODERN else "ping"
        return self.connection.request(method, self.params({}))


class Listing(NamedTuple):
    """The entries of all pages that were read, the pages without their entries, and the messages beside them."""

    tools: list[Any]
    pages: list[str]
    others: list[str]
    fault: str = ""
    """Why the list was not read to its end, as the end of a sentence about tools/list; empty where it was."""
    breach: str = ""
    """The breach of the protocol: `form` for a page of another form, `end` for a list that never ends; else empty."""
    on_first_page: int = 0
    """Entries of the first page."""

    @property
    def is_endless(self) -> bool:
        """Whether the list has no end, as far as pages were read."""
        return self.breach == "end" or (bool(self.fault) and len(self.pages) >= _MOST_PAGES)


def connector(server: Mapping[str, Any]) -> Callable[[], Connection]:
    """A function that opens a connection with a server: one with a `url` is spoken to over HTTP, any other over stdio.

    `is_for_tool` says whether the connection is for one of its tools.
    """
    command, directory = server["command"], server["directory"]
    if server.get("url"):
        from .exchange import Endpoint  # noqa: PLC0415 - slow to import, and most servers speak over stdio
        from .headers import NAMED  # noqa: PLC0415 - as above
        from .http_connection import HttpConnection  # noqa: PLC0415 - as above

        named = {} if command else NAMED
        endpoint = Endpoint(server["url"], {**named, **server.get("headers", {})})
        return lambda: HttpConnection(endpoint, command, directory)
    return lambda: StdioConnection(command, directory, is_for_tool=server.get("is_for_tool", False))


def open_session(connect: Callable[[], Connection], revision: str | None, asked: str = "") -> Session:
    """Connect with a server and open a session.

    Args:
        connect: opens a connection.
        revision: the one that the server is known to speak, None if that is not known.
        asked: the one that it was asked for by name, empty for its newest.

    Raises:
        NotUsableError: it speaks no revision of the suite's, or another one than it is known to speak.
        ServerEndedError: it cannot be started or reached, or ended.
    """
    known = asked or revision
    if known == MODERN or (not known and _is_modern(connect)):
        connection = connect()
        answer = connection.ask("server/discover", {"_meta": META})
        _check_response(answer, "server/discover")
        return Session(connection, MODERN, answer.response.text, answer.others, answer.response.http)
    connection = connect()
    named = asked or LEGACY
    answer = connection.ask("initialize", {**HANDSHAKE, "protocolVersion": named})
    older = connection.in_older_transport() if _takes_no_message(answer) else None
    if older is not None:
        connection, named = older, _OLDEST
        answer = connection.ask("initialize", {**HANDSHAKE, "protocolVersion": named})
    handshake = {**HANDSHAKE, "protocolVersion": named}
    spoken = _agreed(answer, named)
    if older is not None and spoken != _OLDEST:
        raise NotUsableError(
            f"the server answers over HTTP with SSE in the revision {spoken}; that transport is of {_OLDEST} alone"
        )
    if known and spoken != known:
        raise NotUsableError(
            f"the server does not speak the revision {known}: it answers initialize with {spoken}"
        )
    connection.takes_batches = spoken in _BATCHES
    connection.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
    return Session(connection, spoken, answer.response.text, answer.others, answer.response.http, handshake)


def _takes_no_message(answer: Answer) -> bool:
    """Whether a URL answers that it takes no message."""
    return not answer.response.text and (answer.response.http or {}).get("status") in _NO_POST


def _agreed(answer: Answer, asked: str) -> str:
    """The revision in which `initialize` was answered; the one that was asked for where the answer names none.

    Raises:
        NotUsableError: it is none of the suite's, or there is no answer.
    """
    _check_response(answer, "initialize")
    if "error" in answer.response.value:
        text = json.dumps(answer.response.value["error"])[:300]
        raise NotUsableError(f"the server refuses initialize: {text}")
    version = answer.result.get("protocolVersion") if isinstance(answer.result, dict) else None
    if not isinstance(version, str):
        return asked
    if version not in HANDSHAKES:
        known = f"{', '.join(HANDSHAKES)} and {MODERN}"
        raise NotUsableError(
            f"the server speaks the revision {version[:40]!r}; the suite judges by {known}: update its SDK"
        )
    return version


def _check_response(answer: Answer, method: str) -> None:
    """Check that the HTTP answer to a request held a response.

    Raises:
        NotUsableError: it held none.
    """
    if not answer.response.text:
        raise NotUsableError(f"{method}: {_described(answer.response.http or {}, method)}")


def _described(http: Mapping[str, Any], method: str) -> str:
    """An HTTP answer without a response to a request, as a sentence."""
    status = http.get("status")
    if http.get("location"):
        return f"the server redirects to {http['location']} (status {status}); no redirect is followed: write that URL"
    needs = (
        ", a page: does the URL have the path of the MCP endpoint?" if http.get("kind") == "text/html" else ""
    )
    if status in (401, 403):
        needs = ": it wants credentials, see the key `headers`"
    if method == "initialize" and status in _ELSEWHERE and not needs:
        needs = ", and GET opens no stream there: does the URL have the path of the MCP endpoint?"
    shown = f": {http['body']}" if http.get("body") else ""
    return f"the HTTP answer, with status {status}, {http.get('fault')}{needs}{shown}"


def _is_modern(connect: Callable[[], Connection]) -> bool:
    """Whether the server speaks the revision without a handshake."""
    connection = connect()
    try:
        return _discovers(connection)
    except ServerEndedError:
        return False  # a server of an older revision may end; whether this one starts shows next
    finally:
        connection.close()


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
    versions = result.get("supportedVersions") if isinstance(result, dict) else None
    return versions if isinstance(versions, list) else []


def older_revision(connect: Callable[[], Connection]) -> str:
    """The revision in which a server of the modern one answers a handshake, too; empty where it is none of the suite's.

    Its answers decide, and no clock does: a modern request follows the handshake, and another one that.
    """
    connection = connect()
    try:
        handshake = connection.request("initialize", HANDSHAKE)
        if connection.answers_all:
            return _version_in(connection.wait_for(handshake).result)
        following = {connection.request("server/discover", {"_meta": META})}
        number, message = connection.wait_for_any({handshake, *following})
        if number != handshake:
            following = {connection.request("server/discover", {"_meta": META})}
            number, message = connection.wait_for_any({handshake, *following})
        return _version_in(message.value.get("result")) if number == handshake else ""
    except ServerEndedError:
        return ""
    finally:
        connection.close()


def _version_in(result: Any) -> str:
    """The revision that the result of `initialize` names; empty where it is none of the suite's."""
    version = result.get("protocolVersion") if isinstance(result, dict) else None
    return version if version in HANDSHAKES else ""


def list_tools(session: Session) -> Listing:
    """All pages of tools/list, as far as they can be read.

    Raises:
        NotUsableError: there are too many tools, the server answers with an error and declares none, or HTTP has no response
            or says why there is no list.
        ServerEndedError: the server ended.
    """
    listing = Listing([], [], [])
    cursors: list[str] = []
    until = time.monotonic() + _MOST_SECONDS
    while True:
        answer = session.connection.ask(
            "tools/list", session.params({"cursor": cursors[-1]} if cursors else {})
        )
        _check_response(answer, "tools/list")
        listing.others.extend(answer.others)
        page = answer.result
        if not isinstance(page, dict) or not isinstance(page.get("tools"), list):
            return _without_list(session, listing, answer.response)
        is_new = any(tool not in listing.tools for tool in page["tools"][:_MOST_COMPARED])
        listing.tools.extend(page["tools"])
        if not listing.pages:
            listing = listing._replace(on_first_page=len(page["tools"]))
        if len(listing.tools) > _MOST_TOOLS:
            raise NotUsableError(
                f"tools/list gave more than {_MOST_TOOLS:,} tools, and no more are read: let it list fewer, or give it "
                "arguments in `command` with which it does"
            )
        listing.pages.append(json.dumps({key: value for key, value in page.items() if key != "tools"}))
        following = page.get("nextCursor")
        if following is None:
            return listing
        fault, breach = _why_no_further(listing, following, cursors, is_new=is_new)
        if not fault and time.monotonic() > until:
            fault = f"was not read to its end in {_MOST_SECONDS:g} s"
        if fault:
            return listing._replace(fault=fault, breach=breach)
        cursors.append(following)


def _why_no_further(listing: Listing, following: Any, cursors: list[str], *, is_new: bool) -> tuple[str, str]:
    """Why the page that a cursor names is not read, and what that breaks; both empty where it is."""
    if not isinstance(following, str):
        return f"gave a nextCursor that is no string: {json.dumps(following)[:60]}", "form"
    if following in cursors:
        return "has no end: a nextCursor came twice", "end"
    if len(listing.pages) < _MOST_PAGES:
        return "", ""
    many = f"more than {_MOST_PAGES} pages"
    return (
        (f"has {many}", "") if is_new else (f"has no end: it has {many}, and the last has no new tool", "end")
    )


def _without_list(session: Session, listing: Listing, response: Message) -> Listing:
    """The listing up to a page that has no list.

    Raises:
        NotUsableError: it is an error, and the server declares no tools, or HTTP says why: a session that ended, no access.
    """
    fault = f"gave no list of tools: {response.text[:_SHOWN]}"
    is_refused = (response.http or {}).get("status", _OK) >= _BAD_REQUEST
    if "result" not in response.value and (is_refused or not _declares_tools(session)):
        raise NotUsableError(f"tools/list {fault}")
    return listing._replace(fault=fault, breach="form")


def _declares_tools(session: Session) -> bool:
    opening = parsed(session.opening.encode())
    result = opening.get("result") if isinstance(opening, dict) else None
    capabilities = result.get("capabilities") if isinstance(result, dict) else None
    return isinstance(capabilities, dict) and "tools" in capabilities
