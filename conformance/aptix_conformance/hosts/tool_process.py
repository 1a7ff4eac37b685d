"""The process of one tool. Its answers become observations; they are parsed strictly, because a tool may forge them."""

import itertools
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from aptix_conformance.core.errors import (
    ConformanceError,
    HostError,
    RecordError,
    SetupError,
    SlowTargetError,
    TargetError,
    UnlistedError,
)
from aptix_conformance.core.model import (
    INCIDENTS,
    Call,
    Declaration,
    Outage,
    Outcome,
    Stimulus,
)
from aptix_conformance.core.model.codec import Json, replace
from aptix_conformance.core.model.notation import write_disturbance
from aptix_conformance.hosts import protocol, sentinels
from aptix_conformance.hosts.author_files import State, has_changed, state_of
from aptix_conformance.hosts.confined_files import changed_inside, changed_outside
from aptix_conformance.hosts.effects import changed_texts
from aptix_conformance.hosts.host import MIB, Environment
from aptix_conformance.hosts.last_words import described_output
from aptix_conformance.hosts.recorded_services import RecordedServices
from aptix_conformance.hosts.scratch import ToolDirectory
from aptix_conformance.hosts.supervisor import Exchange, Supervised
from aptix_conformance.hosts.wire import ended_call, part_of, read_call, read_declaration, why_ended
from aptix_conformance.targets.settings import Target, ToolSettings

_TOOL: Final = "tool"
"""The first handle of a process calls the tool; the other handles call the sentinels."""
_MOST_OTHERS: Final = 100
"""Other tools that one process describes."""
_MOST_OF_OTHERS: Final = 2 * MIB
"""Bytes of their declarations together."""


class Origin(Protocol):
    """The source of a tool's process: a zygote that forks many processes, or a command that runs only this one."""

    @property
    def ended(self) -> bool:
        """Whether the source has ended, and with it the process, through no fault of the tool."""

    def spawn(self, name: str, abandon: Callable[[], None]) -> tuple[Supervised, ToolDirectory]:
        """The process, and its working directory, to be removed after its end.

        `abandon` is called if the process must end early.

        Raises:
            HostError: no process could be started.
        """

    @property
    def services(self) -> RecordedServices | None:
        """What the services of its processes are replaced by; None for nothing."""

    def collect_coverage(self) -> None:
        """Move the coverage data of ended processes to the parent's measurement."""


class ToolProcess:
    """One process of a tool, from its start to its end.

    Attributes:
        served: number of calls so far.
        capabilities: the capabilities that the host claims.
        tools: names of the tools in the same module, for systems that know them only after loading.
    """

    def __init__(
        self,
        origin: Origin,
        target: Target,
        settings: ToolSettings,
        environment: Environment,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Start the process and load the tool. `more` are further members of `initialize`.

        Raises:
            TargetError: the tool cannot be loaded.
            CannotForkError: the zygote has threads.
            HostError: no process could be started.
        """
        self.served = 0
        self._origin = origin
        self._target = target
        self._systems = environment.systems
        self._supervised, self._directory = origin.spawn(target.spec, self.abandon)
        services: Any = dict(settings.services)
        params: Any = {
            "protocol": protocol.VERSION,
            "module": target.module,
            "qualname": target.qualname,
            "services": services,
            **(more or {}),
        }
        numbers = {secrets.randbelow(2**53) for _ in range(64)}
        self._handles = dict(zip((_TOOL, *sentinels.KINDS), numbers, strict=False))
        params["handles"] = {str(number): kind for kind, number in sorted(self._handles.items())}
        self._context: Any = None
        exchange = self._supervised.exchange("initialize", params, environment.limits.start)
        try:
            answer = _result_of(exchange, target, "loading it")
            self.capabilities = capabilities_of(answer)
            self.tools = _texts_of(answer, "tools")
        except ConformanceError:
            self.abandon()
            raise
        self._files = self._files_now() if settings.files else {}

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._supervised.ended

    @property
    def waited(self) -> float:
        """Seconds in which the process and its family waited for a processor during all requests."""
        return self._supervised.waited

    @property
    def computed(self) -> float:
        """Seconds in which the process and its family ran on a processor during all requests."""
        return self._supervised.computed

    @property
    def is_orphan(self) -> bool:
        """Whether the source of the process has ended, through no fault of this tool."""
        return self._origin.ended

    @property
    def is_replayed(self) -> bool:
        """Whether a recording answers as its services, which can then be made to fail."""
        services = self._origin.services
        return services is not None and services.replay is not None

    @property
    def directory(self) -> Path | None:
        """The path by which its working directory is reached; None where it is not."""
        return self._directory.path

    def has_changed_files(self) -> bool:
        """Whether calls changed the working directory; also True where that cannot be known."""
        path = self._directory.path
        return self.served > 0 and (path is None or has_changed(path, self._files))

    def changed_outside(self, folder: str) -> tuple[str, ...] | None:
        """The planted files beside `folder` that calls changed, as paths; None where the directory is not reached."""
        path = self._directory.path
        return None if path is None else changed_outside(self._files, state_of(path), folder)

    def changed_inside(self, folder: str) -> tuple[str, ...] | None:
        """The files in `folder` that calls changed, as paths; None where the directory is not reached."""
        path = self._directory.path
        return None if path is None else changed_inside(self._files, state_of(path), folder)

    def changed_texts(self) -> tuple[tuple[str, str], ...] | None:
        """The texts of the files that calls changed, by path; None where the directory is not reached, or they are too many."""
        path = self._directory.path
        return None if path is None else changed_texts(path, self._files)

    def _files_now(self) -> State:
        path = self._directory.path
        return {} if path is None else state_of(path)

    def describe(self, timeout: float, *, threads: bool = False, cleanup: bool = False) -> Declaration:
        """Read the declaration. With `threads`, read its schema from two threads at once; with `cleanup`, clean up then.

        Raises:
            TargetError: the process ended during the reading, or sent an invalid declaration.
        """
        return self._describe({"threads": 2} if threads else {"cleanup": True} if cleanup else {}, timeout)

    def describe_others(self, names: Iterable[str], timeout: float) -> dict[str, Declaration | UnlistedError]:
        """The declarations of other tools of its server by this process, or that it does not list them, by name.

        They end before the first that cannot be read, and before their total size gets too large.
        """
        declarations: dict[str, Declaration | UnlistedError] = {}
        remaining = _MOST_OF_OTHERS
        for name in itertools.islice(names, _MOST_OTHERS if "others" in self.capabilities else 0):
            try:
                other: Declaration | UnlistedError = self._describe({"tool": name}, timeout)
            except UnlistedError as error:
                other = error
            except (TargetError, HostError):
                break
            remaining -= self._supervised.received
            if remaining < 0:
                break
            declarations[name] = other
        return declarations

    def _describe(self, params: Json, timeout: float) -> Declaration:
        exchange = self._supervised.exchange("tools/describe", params, timeout)
        try:
            result = _result_of(exchange, self._target, "reading its declaration")
            return read_declaration(result, self._systems)
        except RecordError as error:
            self.abandon()
            raise TargetError(
                f"{self._target.spec}: its process sent an invalid declaration: {error}"
            ) from error
        finally:
            self._tidy()

    def execute(self, plan: Stimulus, timeout: float, idle_timeout: float = 0.0) -> Call:
        """Make one call. It may take `idle_timeout` seconds while it hardly computes, if that is longer.

        Raises:
            HostError: the host refused the request.
            SetupError: what the tool needs is missing.
        """
        earlier, self.served = self.served, self.served + 1
        self._context = plan.context
        services, outage = self._origin.services, plan.disturbance
        if services is None:
            return self._call(_TOOL, plan, timeout, earlier, idle_timeout)
        is_outage = isinstance(outage, Outage)
        services.begin(outage if isinstance(outage, Outage) else None)
        try:
            # The host does nothing to the call: its services fail here.
            sent = replace(plan, disturbance=None) if is_outage else plan
            call = self._call(_TOOL, sent, timeout, earlier, idle_timeout)
        finally:
            traffic = services.end()
        return services.with_traffic(replace(call, plan=plan), traffic)

    def check_sentinels(self, timeout: float, *, last: bool) -> str | Call | None:
        """Call the sentinels; with `last`, also the one that hangs. Returns what is wrong, or None (`host.ToolHost`).

        Raises:
            HostError: the host refused the request.
            SetupError: what the tool needs is missing.
        """
        for kind in sentinels.KINDS if last else sentinels.BRIEF:
            allowed = sentinels.HANG_SECONDS if kind == sentinels.LAST else timeout
            call = self._call(kind, sentinels.plan(kind, self._context), allowed, self.served)
            fault = sentinels.fault(call)
            if fault and call.outcome in INCIDENTS:
                return call
            if fault or self.ended:
                return fault
        return None

    def _call(
        self, kind: str, plan: Stimulus, timeout: float, earlier: int, idle_timeout: float = 0.0
    ) -> Call:
        params: Any = {
            "handle": self._handles[kind],
            "arguments": plan.arguments,
            "context": plan.context,
            "disturbance": write_disturbance(plan.disturbance),
        }
        exchange = self._supervised.exchange(
            "tools/execute", params, timeout, idle_timeout=idle_timeout, is_call=True
        )
        self._tidy()
        if exchange.answer is not None and exchange.answer.failure is not None:
            _result_of(exchange, self._target, "the request of a call", SetupError)
        try:
            return read_call(plan, exchange, earlier, self._systems)
        except RecordError as error:
            self.abandon()
            incident = f"sent an invalid answer to a call: {error}"
            return ended_call(plan, exchange, earlier, Outcome.CRASHED, incident, ())

    def execute_together(self, plans: Sequence[Stimulus], timeout: float) -> tuple[Call, ...]:
        """Make several calls at the same time. What one of them asks of a recorded service counts for each.

        Raises:
            HostError: the host refused the request.
            SetupError: what the tool needs is missing.
        """
        services = self._origin.services
        if services is None:
            return self._call_together(plans, timeout)
        services.begin(None, is_group=True)
        try:
            calls = self._call_together(plans, timeout)
        finally:
            traffic = services.end()
        return tuple(services.with_traffic(call, traffic) for call in calls)

    def _call_together(self, plans: Sequence[Stimulus], timeout: float) -> tuple[Call, ...]:
        earlier, self.served = self.served, self.served + len(plans)
        params: Any = {"calls": [{"arguments": plan.arguments, "context": plan.context} for plan in plans]}
        exchange = self._supervised.exchange("tools/execute_together", params, timeout, is_call=True)
        self._tidy()
        if exchange.answer is not None and exchange.answer.failure is not None:
            _result_of(exchange, self._target, "the request of several calls", SetupError)
        parts = [part_of(exchange, place) for place in range(len(plans))]
        try:
            return tuple(
                read_call(plan, part, earlier + place, self._systems)
                for place, (plan, part) in enumerate(zip(plans, parts, strict=True))
            )
        except RecordError as error:
            self.abandon()
            incident = f"sent an invalid answer to several calls: {error}"
            return tuple(
                ended_call(plan, part, earlier + place, Outcome.CRASHED, incident, ())
                for place, (plan, part) in enumerate(zip(plans, parts, strict=True))
            )

    def shut_down(self, *, graceful: bool) -> None:
        """End the process and all that it started. With `graceful`, it can first clean up and save coverage data."""
        if graceful and not self._supervised.ended:
            self._supervised.exchange("shutdown", {}, timeout=2.0)
            self._origin.collect_coverage()
        self.abandon()

    def kill(self) -> None:
        """Kill the process while another thread waits for a call of it."""
        self._supervised.kill()

    def abandon(self) -> None:
        """Kill the process and all that it started. Harmless when repeated."""
        self._supervised.close()
        self._tidy()

    def _tidy(self) -> None:
        if self._supervised.ended:
            self._directory.remove()


def capabilities_of(answer: Any) -> frozenset[str]:
    """The capabilities that the host claims."""
    return frozenset(_texts_of(answer, "capabilities"))


def _texts_of(answer: Any, member: str) -> tuple[str, ...]:
    texts = answer.get(member) if isinstance(answer, dict) else None
    return tuple(text for text in texts if isinstance(text, str)) if isinstance(texts, list) else ()


def _result_of(exchange: Exchange, target: Target, doing: str, fault: type[TargetError] = TargetError) -> Any:
    if exchange.ending is not None:
        kind = SlowTargetError if exchange.ending.outcome is Outcome.TIMED_OUT else TargetError
        raise kind(f"{target.spec}: {doing} did not work: {why_ended(exchange)}{printed_in(exchange)}")
    assert exchange.answer is not None
    failure = exchange.answer.failure
    if failure is not None and failure.code == protocol.TARGET_FAULT:
        raise fault(failure.message)
    if failure is not None and failure.code == protocol.UNLISTED:
        raise UnlistedError(failure.message)
    if failure is not None:
        raise HostError(f"{target.spec}: {doing} did not work: {failure.message}")
    return exchange.answer.result


def printed_in(exchange: Exchange) -> str:
    """The end of what a process printed, as the end of a sentence; empty where it printed nothing."""
    return described_output(exchange.stdout.text + exchange.stderr.text)
