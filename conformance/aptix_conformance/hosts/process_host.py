"""One tool under test as its probes see it: a process that serves its calls, and another when that one is gone."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from aptix_conformance.errors import HostError, TargetError
from aptix_conformance.hosts.configured_secrets import Curtain
from aptix_conformance.hosts.host import Environment
from aptix_conformance.hosts.launched import Held
from aptix_conformance.hosts.tool_process import ToolProcess
from aptix_conformance.model import Call, Declaration, Stimulus
from aptix_conformance.model.codec import replace
from aptix_conformance.model.verdict import Containment
from aptix_conformance.targets.settings import Target, ToolSettings

_DISTURB: Final = "disturb:"
"""What stands before the kind of a disturbance among a process's capabilities."""

_TOGETHER_LONGER: Final = 3.0
"""How many times the time limit of one call several get together: those that never suspend run one after the other."""

_DISTURBED_LONGER: Final = 2.0
"""Seconds that a disturbed call gets besides its time limit: for holding back answers, and for looking at what is left."""


class Starter(Protocol):
    """What starts processes for tools: the pool of a system."""

    @property
    def ends_gracefully(self) -> bool:
        """Whether a process is asked to end by itself, since its tools have something to clean up."""

    @property
    def environment(self) -> Environment:
        """What the tools see of the process that started them."""

    def start(self, target: Target, settings: ToolSettings) -> tuple[ToolProcess, Held]:
        """A new process for a tool, and what holds it.

        Raises:
            TargetError: the tool cannot be loaded.
            HostError: no process could be started.
        """

    def describe_again(
        self,
        target: Target,
        settings: ToolSettings,
        wanted: Mapping[str, str],
        then: Sequence[Mapping[str, str]] = (),
    ) -> Declaration:
        """The declaration of a tool as a fresh process reads it where some conditions hold.

        Raises:
            TargetError: the tool cannot be loaded or read there.
            HostError: no process could be started.
        """


class ProcessToolHost:
    """One tool in a process of its own (`interface.ToolHost`); a canary stands for each secret of its `env`."""

    def __init__(self, pool: Starter, target: Target, settings: ToolSettings) -> None:
        """Open it, which starts its first process.

        Raises:
            TargetError: the tool cannot be loaded.
            HostError: no process could be started.
        """
        self._pool = pool
        self._target = target
        self._settings = settings
        self._curtain = Curtain(settings.env)
        self._process: ToolProcess | None = None
        self._process, held = pool.start(target, settings)
        self._containment: Containment = held.level
        self._read_only = _why_read_only(target, settings, held.fault)

    @property
    def read_only(self) -> str | None:
        """See `interface.ToolHost`."""
        return self._read_only

    @property
    def containment(self) -> Containment | None:
        """See `interface.ToolHost`."""
        return self._containment

    @property
    def disturbances(self) -> frozenset[str]:
        """See `interface.ToolHost`."""
        said = self._current().capabilities
        kinds = frozenset(name.removeprefix(_DISTURB) for name in said if name.startswith(_DISTURB))
        return kinds | (said & {"together"}) | {"restart"}

    def describe(self) -> Declaration:
        """See `interface.ToolHost`."""
        return self._curtain.over(self._current().describe(self._timeout))

    def describe_again(
        self, conditions: Mapping[str, str], then: Sequence[Mapping[str, str]] = ()
    ) -> Declaration:
        """See `interface.ToolHost`."""
        if "threads" in conditions:
            if "threads" not in self._current().capabilities:
                raise HostError("its host cannot read the declaration from two threads")
            found = self._current().describe(self._timeout, threads=True)
            return self._curtain.over(replace(found, conditions=conditions))
        return self._curtain.over(self._pool.describe_again(self._target, self._settings, conditions, then))

    def execute(self, plan: Stimulus, timeout: float | None = None) -> Call:
        """See `interface.ToolHost`.

        Raises:
            HostError: also where the tool is only to be read; look at `read_only` first.
        """
        if self._read_only is not None:
            raise HostError(f"{self._target.spec} is not to be called: {self._read_only}")
        longer = 0.0 if plan.disturbance is None else _DISTURBED_LONGER
        return self._curtain.over(self._current().execute(plan, timeout or self._timeout + longer))

    def execute_together(self, plans: Sequence[Stimulus], timeout: float | None = None) -> tuple[Call, ...]:
        """See `interface.ToolHost`.

        Raises:
            HostError: also where the tool is only to be read, or where its process can do one at a time.
        """
        if self._read_only is not None:
            raise HostError(f"{self._target.spec} is not to be called: {self._read_only}")
        if "together" not in self.disturbances:
            raise HostError(f"{self._target.spec}: its host makes one call at a time")
        calls = self._current().execute_together(plans, timeout or _TOGETHER_LONGER * self._timeout)
        return tuple(self._curtain.over(call) for call in calls)

    def check_sentinels(self, *, last: bool = False) -> str | None:
        """See `interface.ToolHost`."""
        return self._current().check_sentinels(self._timeout, last=last)

    def reset(self) -> None:
        """See `interface.ToolHost`."""
        if self._process is not None:
            measured = self._pool.environment.coverage is not None
            self._process.shut_down(politely=measured or self._pool.ends_gracefully)
            self._process = None

    def close(self) -> None:
        """See `interface.ToolHost`."""
        self.reset()

    @property
    def _timeout(self) -> float:
        return self._settings.timeout or self._pool.environment.limits.timeout

    def _current(self) -> ToolProcess:
        if self._process is not None and self._process.is_orphan:
            self._process.abandon()
        if self._process is None or self._process.ended:
            try:
                self._process, _ = self._pool.start(self._target, self._settings)
            except TargetError as error:
                raise HostError(
                    f"{self._target.spec} could be loaded before and cannot any more: {error}"
                ) from error
        return self._process


def _why_read_only(target: Target, settings: ToolSettings, fault: str | None) -> str | None:
    if settings.side_effects == "destructive":
        return 'its configuration says side_effects = "destructive"'
    if fault is None:
        return None
    return (
        f"this machine cannot contain it: {fault}. If its calls are harmless, say so in pyproject.toml, for "
        f'{target.spec}: side_effects = "none" under [tool.aptix-conformance.tool."{target.spec}"]'
    )
