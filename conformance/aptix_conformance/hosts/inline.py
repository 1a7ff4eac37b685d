"""Runs tools in the test process, for a debugger: no isolation, no time limits, nothing captured."""

import asyncio
import bdb
import contextlib
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aptix_conformance.core.errors import HostError, TargetError
from aptix_conformance.core.model import (
    Call,
    Declaration,
    LogRecord,
    Outcome,
    Raised,
    Stimulus,
)
from aptix_conformance.core.model.codec import from_json
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.hosts import scratch, sentinels
from aptix_conformance.hosts.author_files import AuthorFiles, State, has_changed, state_of
from aptix_conformance.hosts.host import Environment, HostPool, Listing, ToolHost
from aptix_conformance.hosts.listing import list_package
from aptix_conformance.hosts.required_containment import INLINE
from aptix_conformance.hosts.wire import read_declaration, read_result
from aptix_conformance.runners.python.contract import make_context, make_source
from aptix_conformance.runners.python.declaration import describe
from aptix_conformance.runners.python.errors import TargetFault
from aptix_conformance.runners.python.execution import Request, execute
from aptix_conformance.runners.python.loading import find_class, import_by_name
from aptix_conformance.runners.python.sentinel_tools import BY_KIND
from aptix_conformance.runners.python.services import resolve_services
from aptix_conformance.runners.python.tool_factory import ToolFactory
from aptix_conformance.runners.python.tool_listing import list_tools
from aptix_conformance.targets.settings import Target, ToolSettings

# Ctrl-C and a debugger's `quit` come from the user and say nothing about the tool.
_FOR_THE_USER = (KeyboardInterrupt, bdb.BdbQuit)


class InlineHostPool(HostPool):
    """Hosts without processes (`host.HostPool`); a context manager that closes itself."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment

    def list_tools(self, module: str, settings: ToolSettings) -> Listing:  # noqa: ARG002 - the interface's
        """See `host.HostPool`; a module that hangs or exits does so in this process."""
        return list_package(module, lambda name: list_tools(_import(name, self.environment)))

    def open(self, target: Target, settings: ToolSettings) -> "InlineToolHost":
        """See `host.HostPool`."""
        return InlineToolHost(self.environment, target, settings)

    def close(self) -> None:
        """Does nothing: there is no process to end."""


class InlineToolHost(ToolHost):
    """One tool, in this process (`host.ToolHost`)."""

    def __init__(self, environment: Environment, target: Target, settings: ToolSettings) -> None:
        """Load the tool.

        Raises:
            TargetError: the tool cannot be loaded.
        """
        self._target = target
        self._root = str(environment.rootdir)
        self._systems = environment.systems
        self._served = 0
        self._files = _InlineFiles(environment, settings)
        module = _import(target.module, environment)
        try:
            cls = find_class(module, target.qualname)
            services = resolve_services(target.spec, cls, settings.services)
        except TargetFault as fault:
            raise TargetError(str(fault)) from fault
        self._factory = ToolFactory(cls, services)
        destructive = settings.side_effects == "destructive"
        self._read_only = 'its configuration says side_effects = "destructive"' if destructive else None

    @property
    def read_only(self) -> str | None:
        """See `host.ToolHost`."""
        return self._read_only

    @property
    def containment(self) -> Containment | None:
        """See `host.ToolHost`; the test process is not contained."""
        return INLINE

    @property
    def waited(self) -> float:
        """See `host.ToolHost`; the caller counts the time of this process."""
        return 0.0

    @property
    def disturbances(self) -> frozenset[str]:
        """See `host.ToolHost`; none, because the test process must not be disturbed."""
        return frozenset()

    def describe(self) -> Declaration:
        """See `host.ToolHost`."""
        when = "after_calls" if self._served else "start"
        return read_declaration(describe(self._factory, self._root, when), self._systems)

    def describe_again(
        self,
        conditions: Mapping[str, str],  # noqa: ARG002 - the interface's
        then: Sequence[Mapping[str, str]] = (),  # noqa: ARG002 - as above
    ) -> Declaration:
        """See `host.ToolHost`; always a HostError, because there is no other process."""
        raise HostError("--aptix-inline has no second process in which to read the declaration")

    def execute_together(
        self,
        plans: Sequence[Stimulus],  # noqa: ARG002 - the interface's
        timeout: float | None = None,  # noqa: ARG002 - as above
    ) -> tuple[Call, ...]:
        """See `host.ToolHost`; always a HostError, because a debugger follows one call."""
        raise HostError("--aptix-inline makes one call at a time")

    def execute_patiently(self, plan: Stimulus, idle_timeout: float) -> Call:  # noqa: ARG002 - no limit inline
        """See `host.ToolHost`."""
        return self.execute(plan)

    def execute(self, plan: Stimulus, timeout: float | None = None) -> Call:  # noqa: ARG002 - no limit inline
        """See `host.ToolHost`; there is no time limit.

        Raises:
            HostError: also where calls are not allowed; check `read_only` first.
        """
        if self._read_only is not None:
            raise HostError(f"{self._target.spec} must not be called: {self._read_only}")
        earlier, self._served = self._served, self._served + 1
        return self._run(self._factory, plan, earlier)

    def check_sentinels(self, *, last: bool = False) -> str | None:  # noqa: ARG002 - no timeout inline
        """See `host.ToolHost`; never calls the sentinel that hangs."""
        for kind in sentinels.BRIEF:
            factory = ToolFactory(BY_KIND[kind], {})
            fault = sentinels.fault(self._run(factory, sentinels.plan(kind, None), self._served))
            if fault:
                return fault
        return None

    def _run(self, factory: ToolFactory, plan: Stimulus, earlier: int) -> Call:
        logs: list[dict[str, Any]] = []
        request = Request(plan.arguments, make_context(plan.context), make_source(), logs.append)
        started = time.perf_counter()
        with self._files.entered():
            answer = asyncio.run(execute(factory, request, passing=_FOR_THE_USER))
        elapsed = time.perf_counter() - started
        result, raised = answer.get("result"), answer.get("raised")
        return Call(
            plan=plan,
            outcome=Outcome(answer["outcome"]),
            elapsed=elapsed,
            result=None if result is None else read_result(result, self._systems, "result"),
            raised=None if raised is None else from_json(Raised, raised),
            logs=tuple(from_json(LogRecord, entry) for entry in logs),
            token_consultations=answer.get("token_consultations", 0),
            incident=answer.get("incident"),
            earlier=earlier,
        )

    def reset(self) -> None:
        """Set the count of calls to zero. Module state stays, because there is no new process."""
        self._served = 0
        self._files.remove()

    def restore_files(self) -> None:
        """See `host.ToolHost`; there is no new process, so an instance that outlives its call may notice."""
        if self._files.have_changed():
            self.reset()

    def close(self) -> None:
        """Remove the copy of the tool's files."""
        self._files.remove()


class _InlineFiles:
    """A tool's working directory in this process, where its configuration gives it files: a temporary copy of them."""

    def __init__(self, environment: Environment, settings: ToolSettings) -> None:
        self._limit = environment.limits.files
        self._settings = settings
        self._place: scratch.ScratchPlace | None = None
        self._before: State = {}

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Make the copy the working directory of this process, for one call."""
        if self._settings.files is None:
            yield
            return
        if self._place is None:
            self._place = scratch.ScratchPlace()
            copy = AuthorFiles(self._place.path, self._limit).copy_of(self._settings)
            assert copy is not None
            self._copy = copy
            self._before = state_of(copy)
        with contextlib.chdir(self._copy):
            yield

    def have_changed(self) -> bool:
        """Whether calls changed the copy."""
        return self._place is not None and has_changed(self._copy, self._before)

    def remove(self) -> None:
        """Remove the copy; the next call gets another. Harmless when repeated."""
        if self._place is not None:
            self._place.remove()
            self._place = None


def _import(name: str, environment: Environment) -> Any:
    for path in (str(environment.rootdir), *environment.sys_path):
        if os.path.abspath(path) not in sys.path:  # noqa: PTH100 - entries are texts
            sys.path.append(os.path.abspath(path))  # noqa: PTH100 - as above
    try:
        return import_by_name(name)
    except TargetFault as fault:
        raise TargetError(str(fault)) from fault
