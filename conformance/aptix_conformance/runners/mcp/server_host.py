"""The host of one server's tools, as a command: `python RUNNERS/start.py mcp.server_host -`.

The member `module` of `initialize` is JSON: `command` and `directory` of the server, `revision` where it is known, and over
HTTP `url` and `headers`; without a command the server is there already.

One file, because it is one table of requests and the state that they share: the session, its lists and its revision.
"""

import contextlib
import json
import os
import select
import socket
import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn

from ..contain.arguments import hide_arguments
from ..python.channel import Channel
from ..python.codes import INTERNAL_ERROR, INVALID_PARAMS, NO_SUCH_METHOD, TARGET_FAULT, UNLISTED, VERSION
from ..python.foreign import format_error
from . import (
    asking,
    cancelling,
    comparisons,
    declaring,
    ends,
    hostile,
    network,
    results,
    scarce_resources,
    stimuli,
    tasks,
)
from .cancelling import Canceller
from .connection import MOST_DIGITS, Answer, ServerEndedError, StdioConnection
from .descriptors import HeldByCalls, open_descriptors
from .opening import (
    MODERN,
    REVISIONS,
    Listing,
    NotUsableError,
    Session,
    UnlistedError,
    connector,
    list_tools,
    older_revision,
    open_session,
)
from .stimuli import Observed

_OVER_HTTP: Final = "http-"
"""How the names of the stimuli in `http_stimuli.py` begin."""
_EXIT_ENDED: Final = 3
_NOT_AS_CALL: Final = (-32601, -32600)
"""The codes by which a tool that is called as a task only refuses a plain call."""
_NEEDS_CAPABILITY: Final = -32021
"""The code by which a tool refuses a client that it cannot ask."""
_WITH_ANOTHER: Final = 2
"""Calls of a process that has served one before."""
_LISTS_OF_A_TOOL: Final = 3
"""Readings of the list in a process of one tool: one when it is loaded, and two when it is described."""
_BETWEEN_LISTS: Final = "between-lists"
_BY_HAND: Final = "start it by hand and fix that"
_ELSEWHERE: Final = "another machine"
"""In place of the name of a host that a call tried to reach: the kernel counts attempts, and keeps no name."""


class RequestError(Exception):
    """Why a request is not fulfilled: a code and a message."""


class Host:
    """Serves the suite's requests, one after the other."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._session: Session | None = None
        self._canceller: Canceller | None = None
        self._tool = ""
        self._lists: list[Listing] = []
        self._schema: Any = None
        self._server: dict[str, Any] = {}
        self._revision = self._asked = ""
        self._is_task_only = False
        self._handles: dict[str, str] = {}
        self._served = 0
        self._held = HeldByCalls()
        self._counts: bool | None = None
        self._disk = scarce_resources.own_disk()
        self._methods: dict[str, Callable[[int, dict[str, Any]], dict[str, Any]]] = {
            "initialize": self._initialize,
            "tools/list": self._list,
            "tools/describe": self._describe,
            "tools/execute": self._execute,
            "tools/execute_together": self._execute_together,
            "shutdown": lambda _number, _params: {},
        }

    def serve(self) -> NoReturn:
        """Answer until the suite closes the channel or the server ends."""
        try:
            while True:
                for message in self._wait():
                    self._answer(message)
        except (ServerEndedError, RecursionError) as error:
            ended = {"ended": "program"} if isinstance(error, ServerEndedError) else {}
            self._channel.send({"method": "incident", "params": {"words": str(error)[:2000], **ended}})
            os._exit(_EXIT_ENDED)
        except OSError:
            os._exit(0)

    def _wait(self) -> list[dict[str, Any]]:
        socket, connection = self._channel.socket, self._session.connection if self._session else None
        watched = connection.watched if connection else None
        inputs: list[Any] = [socket] if watched is None else [socket, watched]
        readable, _, _ = select.select(inputs, [], [])
        if connection and watched in readable:
            connection.check()
        if self._channel.socket not in readable:
            return []
        messages = self._channel.receive()
        if messages is None:
            os._exit(0)
        return messages

    def _answer(self, message: dict[str, Any]) -> None:
        number, method = message.get("id"), message["method"]
        if number is None:
            return
        fulfil = self._methods.get(method, _unknown)
        try:
            answer: dict[str, Any] = {"result": fulfil(number, message["params"])}
        except RequestError as error:
            answer = {"error": {"code": error.args[0], "message": error.args[1]}}
        except NotUsableError as error:
            code = UNLISTED if isinstance(error, UnlistedError) else TARGET_FAULT
            answer = {"error": {"code": code, "message": str(error)}}
        except (ServerEndedError, RecursionError, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the tool is not to answer for it
            answer = {
                "error": {"code": INTERNAL_ERROR, "message": f"the runner failed: {format_error(error)}"}
            }
        self._channel.send({"id": number, **answer})
        if method == "shutdown":
            os._exit(0)

    @property
    def _open(self) -> Session:
        if self._session is None and not self._revision:
            raise RequestError(INVALID_PARAMS, "initialize comes first")
        if self._session is None:
            self._session = open_session(connector(self._server), self._revision, self._asked)
            self._session.connection.schema = self._schema
        return self._session

    # ---- loading and describing

    def _initialize(self, _number: int, params: dict[str, Any]) -> dict[str, Any]:
        self._server, qualname = json.loads(params["module"]), params.get("qualname", "")
        older = (
            qualname.removeprefix(declaring.OLDER)
            if qualname in (f"{declaring.OLDER}{revision}" for revision in REVISIONS)
            else ""
        )
        self._asked = older
        self._server["is_for_tool"] = bool(qualname and not older)
        try:
            self._session = open_session(connector(self._server), self._server.get("revision"), older)
        except ServerEndedError as error:
            advice = f" before it answered: {_BY_HAND}" if self._server["command"] else ""
            raise ServerEndedError(f"{error}{advice}") from error
        self._revision = self._session.revision
        if older and not self._session.names_its_revision:
            raise NotUsableError(f"the server does not speak the revision {older}")
        self._tool, self._handles = "" if older else qualname, params.get("handles", {})
        self._server["name"] += f"#{qualname}" if older else ""
        claimed = ["log", "together", "disturb:wire", f"revision:{self._session.revision}"]
        claimed += [] if older else ["others"]
        entry = None
        if self._tool:
            self._lists = [list_tools(self._session)]
            declaring.check_listed(self._lists[0], self._tool)
            entry = declaring.entry_of(self._lists[0], self._tool)
        if isinstance(entry, dict):
            self._schema = self._session.connection.schema = entry.get("inputSchema")
            execution = entry.get("execution")
            self._is_task_only = isinstance(execution, dict) and execution.get("taskSupport") == "required"
        claimed += ["disturb:resource"] if self._tool and self._disk else []
        claimed += ["destructive"] if declaring.is_destructive(entry) else []
        return {"protocol": VERSION, "host": "mcp", "capabilities": claimed}

    def _list(self, _number: int, _params: dict[str, Any]) -> dict[str, Any]:
        listing = list_tools(self._open)
        return declaring.targets(self._server["name"], listing, ["", *self._older_revisions()])

    def _older_revisions(self) -> list[str]:
        """The name by which a server of the revision without a handshake is examined in the newest with one, where it speaks any."""
        older = older_revision(connector(self._server)) if self._open.revision == MODERN else ""
        return [f"{declaring.OLDER}{older}"] if older else []

    def _describe(self, _number: int, params: dict[str, Any]) -> dict[str, Any]:
        """The declaration of what was loaded; or of another tool, from the lists that a process of its own would have read."""
        when = "after_calls" if self._served else "start"
        name, sdks = self._server["name"], self._server.get("sdks", [])
        tool = params.get("tool", "")
        if not tool:
            self._lists = [*self._lists[-1:], list_tools(self._open), list_tools(self._open)]
            if not self._tool:
                return declaring.of_server(self._open, self._lists[-2:], name, when, sdks)
        while len(self._lists) < _LISTS_OF_A_TOOL:
            self._lists.append(list_tools(self._open))
        if tool:
            declaring.check_listed(self._lists[-_LISTS_OF_A_TOOL], tool)
        return declaring.of_tool(self._open, self._lists[-2:], name, tool or self._tool, when, sdks)

    # ---- calls

    def _execute(self, number: int, params: dict[str, Any]) -> dict[str, Any]:
        kind = self._handles.get(str(params["handle"]), "") if "handle" in params else "tool"
        if kind != "tool":
            return self._sentinel(kind, number, params["arguments"])
        self._served += 1
        disturbance = params.get("disturbance", "nothing")
        if disturbance.startswith(results.WIRE):
            return self._disturbed(disturbance.removeprefix(results.WIRE), params["arguments"])
        if disturbance.startswith(scarce_resources.KIND):
            return self._with_scarcity(disturbance.removeprefix(scarce_resources.KIND), params["arguments"])
        return self._counted_call(params["arguments"])

    def _counted_call(self, arguments: str | None) -> dict[str, Any]:
        """One call, with the attempts to reach another machine in it where they can be counted."""
        if self._counts is None:
            self._counts = self._server.get("contained", False) and network.can_count()
        before = network.attempts() if self._counts else None
        connection = self._open.connection
        # Over HTTP the suite's own connections are open there, too.
        pid = connection.pid if isinstance(connection, StdioConnection) else None
        already_open, held = open_descriptors(pid), self._held.before(pid)
        returned = self._outcome(connection.wait_for(self._send_call(arguments)))
        still_open = open_descriptors(pid)
        if already_open is not None and still_open is not None:
            returned["descriptors"] = [already_open, still_open]
        returned["held"] = self._held.since(held, pid)
        after = None if before is None else network.attempts()
        if before is not None and after is not None:
            returned["result"]["mcp"]["attempts"] = after - before
            returned["network"] = [_ELSEWHERE] if after > before else []
        return returned

    def _with_scarcity(self, name: str, arguments: str | None) -> dict[str, Any]:
        """A call while something is scarce; where it fails on afterwards, it is made in a new process of the server.

        It is made there twice, since the old process may have served it once, and the second response is shown.
        """

        def make() -> dict[str, Any]:
            return self._outcome(self._open.connection.wait_for(self._send_call(arguments)))

        if name not in scarce_resources.NAMES:
            raise RequestError(INVALID_PARAMS, f"there is no disturbance {scarce_resources.KIND}{name}")
        returned, fails_on = scarce_resources.call_with(name, self._disk, self._open.connection.pid, make)
        if fails_on:
            self._open.connection.close()
            self._session = None
            with contextlib.suppress(ServerEndedError, NotUsableError):
                make()
                returned["result"]["mcp"]["renewed"] = make()["result"]["mcp"]["message"]
        return returned

    def _execute_together(self, _number: int, params: dict[str, Any]) -> dict[str, Any]:
        self._served += len(params["calls"])
        numbers = [self._send_call(call["arguments"]) for call in params["calls"]]
        return {"answers": [self._outcome(answer) for answer in self._open.connection.wait_for_all(numbers)]}

    def _outcome(self, answer: Answer) -> dict[str, Any]:
        """The result of a plain call.

        An error that the tool is called as a task only, or needs a client that it can ask, says nothing of the arguments.
        """
        returned = results.returned(answer)
        error = answer.response.value.get("error")
        code = error.get("code") if isinstance(error, dict) else None
        is_asking = self._open.revision == MODERN and code == _NEEDS_CAPABILITY
        if is_asking or (self._is_task_only and code in _NOT_AS_CALL):
            returned["result"] = {**returned["result"], "successful": None, "errors": []}
        directory = self._server.get("directory")
        if directory and directory in (returned["result"]["mcp"]["message"] or ""):
            returned["result"]["mcp"]["directory"] = directory
        return returned

    def _send_call(self, arguments: str | None) -> int:
        try:
            members = stimuli.call_members(self._open, self._tool, arguments)
        except (ValueError, RecursionError) as error:
            raise RequestError(INVALID_PARAMS, f"no tools/call has such arguments: {error}") from error
        return self._open.connection.send_request("tools/call", members)

    def _disturbed(self, name: str, arguments: str | None) -> dict[str, Any]:
        try:
            return results.observed(
                name, self._on_tool(name, arguments) if self._tool else self._on_server(name, arguments)
            )
        except KeyError:
            raise RequestError(INVALID_PARAMS, f"there is no disturbance {results.WIRE}{name}") from None
        except (ValueError, RecursionError) as error:
            raise RequestError(INVALID_PARAMS, f"the arguments are no JSON: {error}") from error

    def _on_tool(self, name: str, arguments: str | None) -> Observed:
        if name in cancelling.NAMES:
            return self._cancelled(name, arguments)
        if name in (_BETWEEN_LISTS, tasks.TASK):
            return self._alone(name, arguments)
        if name == "restarted-call":
            return self._restarted_call(arguments)
        if name == "asking":
            return asking.asking(self._open, self._tool, arguments)
        apply = comparisons.BY_TURNS.get(name)
        if apply is not None:
            return apply(self._open, self._tool, arguments)
        return stimuli.apply(name, self._open, self._tool, arguments)

    def _cancelled(self, name: str, arguments: str | None) -> Observed:
        """One stimulus of a call that may be cancelled. After the last one nothing of such a call is left in the server."""
        session = self._open
        if self._canceller is None or self._canceller.session is not session:
            self._canceller = Canceller(session, self._tool)
        observed = self._canceller.apply(name, arguments)
        if self._canceller.needs_new_server(name):
            session.connection.close()
            self._session = None
        return observed

    def _alone(self, name: str, arguments: str | None) -> Observed:
        """A stimulus in a server process that has served no other call, and serves none after it."""
        session = open_session(connector(self._server), self._revision, self._asked)
        session.connection.schema = self._schema
        try:
            if name == _BETWEEN_LISTS:
                children = ends.CallChildren(session.connection)
                observed = comparisons.between_lists(session, self._tool, arguments)
                return observed._replace(left=children.left())
            if name == tasks.UNKNOWN:
                return tasks.unknown(session, self._server["timeout"])
            if name == tasks.CANCELLED:
                return tasks.cancelled(session, self._any_tool(), arguments, self._server["timeout"])
            return tasks.lived(session, self._tool, arguments, self._server["timeout"])
        finally:
            session.connection.close()

    def _restarted_call(self, arguments: str | None) -> Observed:
        """A call after the calls before it, in a new process of the server that finds their files.

        Nothing comes back where there were none, or where the server did not end of its own, since it may not have saved what it
        keeps, or cannot be started again. Nor where headers are sent: credentials may say whose state is meant.
        """
        if self._served < _WITH_ANOTHER or self._server.get("headers"):
            return Observed(None, [])
        session, self._session = self._open, None
        has_ended = session.connection.end_gently()
        session.connection.close()
        if not has_ended:
            return Observed(None, [])
        try:
            return comparisons.restarted(self._open, self._tool, arguments)
        except (ServerEndedError, NotUsableError) as error:
            self._session = None
            return Observed(None, [], ended=str(error))

    def _on_server(self, name: str, arguments: str | None) -> Observed:
        """One stimulus for the server. Where it ends, that is observed, and the next stimulus starts a new one."""
        session = self._open
        try:
            if name in ends.NAMES:
                observed = ends.apply(name, session)
            elif name in hostile.NAMES:
                observed = self._hostile(name, session)
            elif name in tasks.OF_SERVERS:
                observed = self._alone(name, arguments)
            elif name == "listen":
                observed = comparisons.listened(session)
            elif name == stimuli.OTHER_CASE:
                observed = self._in_other_case(session, arguments)
            elif name == stimuli.INHERITED:
                observed = self._named(session, stimuli.INHERITED_NAME, arguments)
            elif name.startswith(_OVER_HTTP):
                from . import http_stimuli  # noqa: PLC0415 - slow to import, and most servers speak over stdio

                observed = http_stimuli.apply(name, session, self._any_tool(), arguments)
            else:
                observed = stimuli.apply(name, session, self._any_tool(), arguments)
        except ServerEndedError as error:
            observed = _without_answer(session, error)
        if self._session is not None and (observed.ended or name == "end-of-input" or name in ends.NAMES):
            session.connection.close()
            self._session = None
        return observed

    def _hostile(self, name: str, session: Session) -> Observed:
        """A stimulus of `hostile.py`. Over HTTP a second server would find its port taken, so the first one ends before."""
        connect = connector(self._server)
        if not session.connection.answers_all:
            return hostile.apply(name, session, lambda: session.connection.again() or connect())
        from . import hostile_http  # noqa: PLC0415 - slow to import, and most servers speak over stdio

        if name in hostile_http.FIRST:
            session.connection.close()
            self._session = None
            return hostile.first(connect, name)
        return hostile_http.apply(name, session, self._server["timeout"])

    def _in_other_case(self, session: Session, arguments: str | None) -> Observed:
        """The first tool called by its name in the other case; nothing is sent where that name is listed or the same."""
        first = next(filter(None, map(declaring.name_of, list_tools(session).tools)), "")
        return self._named(session, first.swapcase(), arguments)

    def _named(self, session: Session, name: str, arguments: str | None) -> Observed:
        """A call of a tool that the server does not list; nothing is sent where it does."""
        if name in ("", *map(declaring.name_of, list_tools(session).tools)):
            return Observed(None, [])
        return stimuli.apply("named-call", session, name, arguments)

    def _any_tool(self) -> str:
        """The name of a tool of the server, which is called next."""
        entry = next(filter(declaring.name_of, list_tools(self._open).tools), None)
        if entry is None:
            return stimuli.UNKNOWN_TOOL
        self._open.connection.schema = entry.get("inputSchema")
        return declaring.name_of(entry)

    def _sentinel(self, kind: str, number: int, arguments: str) -> dict[str, Any]:
        if kind == "raises":
            thrown = {"type_name": "ValueError", "message": arguments, "traceback": ""}
            return {"outcome": "raised", "raised": thrown}
        if kind == "hangs":
            select.select([], [], [])
        if kind == "prints":
            print(arguments, flush=True)  # noqa: T201 - its purpose
        if kind == "returns":
            record = {"method": "add_error", "tag": "[Sentinel]", "message": arguments}
            self._channel.send({"method": "log", "params": {"call": number, "place": 0, "record": record}})
        result = {"type_name": "CallToolResult", "is_invoke_result": True, "successful": kind != "refuses"}
        if kind == "refuses":
            return {"outcome": "returned", "result": {**result, "errors": [{"message": arguments}]}}
        return {"outcome": "returned", "result": {**result, "payload": arguments, "payload_type": "str"}}


def _without_answer(session: Session, error: ServerEndedError) -> Observed:
    """The observation when a connection broke. Over HTTP it is one exchange's, so the next request says whether the server serves on."""
    if not session.connection.answers_all:
        return Observed(None, [], ended=str(error))
    try:
        list_tools(session)
    except (ServerEndedError, NotUsableError) as ended:
        return Observed(None, [], ended=str(ended))
    return Observed(None, [], {"status": 0, "fault": str(error)})


def _unknown(_number: int, _params: dict[str, Any]) -> NoReturn:
    raise RequestError(NO_SUCH_METHOD, "there is no such method")


def main(_argument: str) -> NoReturn:
    """Serve on the descriptor that the suite gives."""
    hide_arguments()  # a server can read the command line of its parent
    sys.set_int_max_str_digits(MOST_DIGITS)
    Host(Channel(socket.socket(fileno=int(os.environ["APTIX_HOST_FD"])))).serve()
