"""Serves the host protocol for one tool (`docs/host-protocol.md`), in the tool's own process."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, NoReturn

from .channel import Channel
from .codes import (
    EXIT_BROKEN,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    NO_SUCH_METHOD,
    TARGET_FAULT,
    VERSION,
)
from .contract import make_context, make_source
from .disturbance import Disturbance
from .errors import TargetFault
from .execution import Record, Request, execute
from .foreign import attempt, format_error, safe_str
from .held import held_now, held_since
from .loading import find_class, import_by_name
from .missing_packages import fault_of, fault_of_calls, note_logged
from .network import watch_network
from .open_descriptors import open_after, open_descriptors
from .raised import record_exception
from .services import resolve_services
from .slow_writes import slow_writes
from .subject import Subject, System
from .tool_factory import ToolFactory

_exit: Final = os._exit

MakeDisturbance = Callable[[str, type, Any], Disturbance]
"""Creates a disturbance of one kind, from its text, the tool's class and the source of the call's token."""


DescribeClosed = Callable[[str], Awaitable[dict[str, Any]]]
"""Describes a tool and then cleans up, given the root directory."""
CLEANUP: Final = "cleanup"
"""The capability, and the member of `tools/describe`."""


class Setup(NamedTuple):
    """The inputs of a server besides its channel. All of them were created before any tool was imported.

    Attributes:
        root: the root directory.
        finish: called before the process ends.
        disturbances: makers of disturbances by kind.
        sentinels: the suite's own tools by kind.
        system: what loads tools of another system than Aptix.
        supplied: environment variables that the tool's code looked for in vain, and that got a value.
    """

    root: str
    finish: Callable[[], None]
    disturbances: Mapping[str, MakeDisturbance]
    sentinels: Mapping[str, Subject]
    system: System | None = None
    supplied: Mapping[str, str] = MappingProxyType({})


class ToolServer:
    """One tool, one event loop, for the life of the process."""

    def __init__(self, channel: Channel, setup: Setup) -> None:
        self._channel = channel
        self._setup = setup
        self._by_handle: dict[int, Subject] = {}
        self._streams = (sys.stdout, sys.stderr)
        self._subject: Subject | None = None
        self._closing: DescribeClosed | None = None
        self._served = 0
        self._calls: dict[int, tuple[asyncio.Task[None], Any]] = {}
        self._loop = asyncio.new_event_loop()
        watch_network()
        self._handlers: dict[str, Callable[[Any, dict[str, Any]], None]] = {
            "tools/execute": self._start,
            "tools/execute_together": self._start_together,
            "$/cancel": self._cancel,
            "initialize": self._initialize,
            "tools/describe": self._describe,
            "shutdown": self._shut_down,
        }

    def serve(self) -> NoReturn:
        """Serve until the other side closes the channel or sends `shutdown`."""
        asyncio.set_event_loop(self._loop)
        self._loop.add_reader(self._channel.socket, self._read)
        while True:
            # The tool may stop the loop, so run it again.
            try:
                self._loop.run_forever()
            except (SystemExit, KeyboardInterrupt) as error:
                self._abandon(error)
            except BaseException:  # noqa: BLE001 - the loop or its descriptors are closed, so nothing works any more
                _exit(EXIT_BROKEN)

    def _read(self) -> None:
        try:
            messages = self._channel.receive()
        except BlockingIOError:
            return
        except (OSError, ValueError):
            _exit(EXIT_BROKEN)
        if messages is None:
            self._setup.finish()
            _exit(0)
        for message in messages:
            self._dispatch(message.get("id"), message["method"], message.get("params") or {})

    def _dispatch(self, number: Any, method: str, params: dict[str, Any]) -> None:
        handle = self._handlers.get(method)
        if handle is None:
            self._answer(number, error={"code": NO_SUCH_METHOD, "message": f"there is no method {method!r}"})
            return
        try:
            handle(number, params)
        except TargetFault as fault:
            self._answer(number, error={"code": TARGET_FAULT, "message": safe_str(fault)})
        except (KeyError, TypeError, ValueError) as error:
            self._answer(number, error={"code": INVALID_PARAMS, "message": format_error(error)})
        except BaseException as error:  # noqa: BLE001 - an answer, whatever a stranger's object raised in our code
            self._fail(number, error)

    def _fail(self, number: Any, error: BaseException) -> None:
        """Answer that the runner itself failed: no fault of the requested call."""
        message = f"the runner failed: {format_error(error)}"
        self._answer(number, error={"code": INTERNAL_ERROR, "message": message})

    def _begin(self, coroutine: Any) -> "asyncio.Task[None]":
        return self._loop.create_task(coroutine)

    # ---- loading and describing

    def _initialize(self, number: Any, params: dict[str, Any]) -> None:
        if self._setup.system is None:
            self._answer(number, result=self._load(params))
        else:
            self._begin(self._open(number, params, self._setup.system))

    def _load(self, params: dict[str, Any]) -> dict[str, Any]:
        """Import an Aptix tool. Returns the answer to `initialize`.

        Raises:
            TargetFault: the tool cannot be loaded.
        """
        module = import_by_name(params["module"])
        cls = find_class(module, params["qualname"])
        services = resolve_services(f"{params['module']}:{params['qualname']}", cls, params["services"])
        return self._ready(params, ToolFactory(cls, services), ["threads", *self._setup.disturbances])

    async def _open(self, number: Any, params: dict[str, Any], system: System) -> None:
        """As `_load`, for a tool of another system."""
        try:
            opened = await system.open(params, self._setup.root)
            kinds = [kind for kind in self._setup.disturbances if kind in system.kinds]
            self._closing = opened.describe_closed
            kinds += [CLEANUP] if self._closing else []
            self._answer(number, result=self._ready(params, opened, kinds) | {"tools": opened.tools})
        except TargetFault as fault:
            self._answer(number, error={"code": TARGET_FAULT, "message": safe_str(fault)})
        except BaseException as error:  # noqa: BLE001 - whatever a tool raises is data
            message = f"{params['module']}: {format_error(error)}"
            self._answer(number, error={"code": TARGET_FAULT, "message": message})

    def _ready(self, params: dict[str, Any], subject: Subject, kinds: list[str]) -> dict[str, Any]:
        self._subject = subject
        for handle, kind in params.get("handles", {}).items():
            self._by_handle[int(handle)] = subject if kind == "tool" else self._setup.sentinels[kind]
        can = [kind if kind in ("threads", CLEANUP) else f"disturb:{kind}" for kind in kinds]
        return {"protocol": VERSION, "host": "python", "capabilities": ["cancel", "log", "together", *can]}

    def _describe(self, number: Any, params: dict[str, Any]) -> None:
        if params.get(CLEANUP) and self._closing is not None:
            self._begin(self._describe_closed(number, self._closing))
            return
        when = "threads" if params.get("threads") else "after_calls" if self._served else "start"
        facts = self._loaded().describe(self._setup.root, when)
        if fault := fault_of(filter(None, (facts["schema"]["error"], facts["construction_error"]))):
            raise TargetFault(fault)
        self._answer(number, result={**facts, "conditions": dict(self._setup.supplied)})

    async def _describe_closed(self, number: Any, close: DescribeClosed) -> None:
        self._answer(number, result=await close(self._setup.root))

    def _loaded(self) -> Subject:
        if self._subject is None:
            raise ValueError("initialize comes first")
        return self._subject

    def _shut_down(self, number: Any, _: dict[str, Any]) -> None:
        self._begin(self._finish(number))

    async def _finish(self, number: Any) -> None:
        if self._subject is not None:
            with contextlib.suppress(BaseException):  # the process ends in any case
                await self._subject.close()
        self._setup.finish()
        self._answer(number, result={})
        _exit(0)

    # ---- calls

    def _start(self, number: int, params: dict[str, Any]) -> None:
        source, context = make_source(), make_context(params["context"])
        disturbance = self._disturb(params.get("disturbance", "nothing"), source)
        subject = self._by_handle[params["handle"]] if "handle" in params else self._loaded()
        request = Request(params["arguments"], context, source, self._recorder(number, 0))
        self._calls[number] = (self._begin(self._call(number, subject, request, disturbance)), source)

    async def _call(self, number: int, subject: Subject, request: Request, disturbance: Disturbance) -> None:
        before, held = open_descriptors(), held_now()
        try:
            answer = await execute(subject, request, disturbance=disturbance)
            answer["descriptors"] = open_after(before)
            answer["held"] = held_since(held)
        except BaseException as error:  # noqa: BLE001 - what the tool raises is in the answer; this is the runner's
            if self._calls.pop(number, None) is not None:
                self._fail(number, error)
        else:
            self._complete(number, answer)

    def _start_together(self, number: int, params: dict[str, Any]) -> None:
        """Start several calls before any of them runs. The answer has their results in order."""
        requests = [
            Request(
                call["arguments"], make_context(call["context"]), make_source(), self._recorder(number, place)
            )
            for place, call in enumerate(params["calls"])
        ]

        async def run() -> None:
            with slow_writes():
                answers = await asyncio.gather(*(execute(self._loaded(), request) for request in requests))
            self._served += len(answers) - 1
            self._complete(number, {"answers": answers})

        self._calls[number] = (self._begin(run()), make_source())

    def _recorder(self, number: int, place: int) -> Record:
        """A function that sends the log records of the call number `place` of a request."""

        def record(entry: dict[str, Any]) -> None:
            note_logged((number, place), entry)
            with contextlib.suppress(OSError):
                self._channel.send(
                    {"method": "log", "params": {"call": number, "place": place, "record": entry}}
                )

        return record

    def _disturb(self, what: str, source: Any) -> Disturbance:
        """Raises ValueError for a disturbance that this host does not know."""
        kind, _, detail = what.partition(":")
        if kind == "nothing":
            return Disturbance()
        if kind not in self._setup.disturbances:
            raise ValueError(f"there is no disturbance {kind!r}")
        return self._setup.disturbances[kind](detail, self._loaded().cls, source)

    def _complete(self, number: int, answer: dict[str, Any]) -> None:
        if self._calls.pop(number, None) is None:
            return
        self._served += 1
        if fault := fault_of_calls(number, answer.get("answers", [answer])):
            self._answer(number, error={"code": TARGET_FAULT, "message": fault})
        else:
            self._answer(number, result=answer)

    def _cancel(self, _: Any, params: dict[str, Any]) -> None:
        call = self._calls.get(params["id"])
        if call is not None:
            attempt(call[1].cancel)

    def _abandon(self, error: BaseException) -> None:
        """End the current calls with an exception that a task of the tool raised in the event loop."""
        for number, (task, _) in list(self._calls.items()):
            self._complete(number, {"outcome": "raised", "raised": record_exception(error)})
            task.cancel()

    def _answer(self, number: Any, **members: Any) -> None:
        for stream in self._streams:
            attempt(stream.flush)
        try:
            self._channel.send({"id": number, **members})
        except OSError:
            _exit(EXIT_BROKEN)
