"""The host of one tool under test: a process that serves its calls, and a new one after that process has ended."""

from collections.abc import Mapping, Sequence
from typing import Final

from aptix_conformance.core.errors import ConformanceError, HostError, TargetError
from aptix_conformance.core.model import (
    INCIDENTS,
    BrokenFiles,
    Call,
    Declaration,
    OtherConditions,
    OtherHashSeed,
    Outcome,
    Stimulus,
    confinement,
    kept_files,
)
from aptix_conformance.core.model.allowance import Allowance
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.stimulus import Files
from aptix_conformance.hosts.broken_files import BrokenCopy
from aptix_conformance.hosts.call_ahead import CallAhead
from aptix_conformance.hosts.conditions import CONDITIONS
from aptix_conformance.hosts.configured_secrets import SecretRedactor
from aptix_conformance.hosts.confined_files import ConfinedFiles, check_confined
from aptix_conformance.hosts.host import ToolHost
from aptix_conformance.hosts.launch import Held
from aptix_conformance.hosts.starter import Starter
from aptix_conformance.hosts.tool_process import ToolProcess
from aptix_conformance.targets.settings import Target, ToolSettings

_DISTURB: Final = "disturb:"
"""The prefix of a kind of disturbance among the capabilities of a process."""

_TOGETHER_FACTOR: Final = 3.0
"""The timeout of several calls together, in timeouts of one call: calls that never suspend run one after another."""

_THREADS_EXTRA: Final = 5.0
"""Extra seconds for a reading from two threads, which reads the schema many times: `timeout` is for a call."""


class ProcessToolHost(ToolHost):
    """One tool in its own process (`host.ToolHost`). Canaries replace the secrets of its `env` in observations."""

    def __init__(
        self,
        pool: Starter,
        target: Target,
        settings: ToolSettings,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        """Start the first process. `secrets` are variables that it gets in addition to those in `env`, all of them secret.

        Raises:
            TargetError: the tool cannot be loaded.
            HostError: no process could be started.
        """
        check_confined(settings)
        self._pool = pool
        self._target = target
        self._settings = self._configured_settings = settings
        self._planted: dict[Files, ConfinedFiles] = {}
        self._redactor = SecretRedactor(settings.env, secrets)
        self._waited = self._computed = 0.0
        self._longest_times: dict[int, float] = {}
        """The longest time of calls that came back, each made alone, in seconds, by the hash of their arguments."""
        self._process: ToolProcess | None = None
        self._ahead: CallAhead | None = None
        self._process, held = pool.start(target, settings)
        self._capabilities = self._process.capabilities
        """Those of the first process: a question about them starts no other one."""
        self._containment = held.containment
        self._read_only = _why_read_only(target, settings, held)

    @property
    def read_only(self) -> str | None:
        """See `host.ToolHost`."""
        return self._read_only

    @property
    def containment(self) -> Containment | None:
        """See `host.ToolHost`."""
        return self._containment

    @property
    def waited(self) -> float:
        """See `host.ToolHost`."""
        return self._waited + (self._process.waited if self._process is not None else 0.0)

    @property
    def computed(self) -> float:
        """See `host.ToolHost`."""
        return self._computed + (self._process.computed if self._process is not None else 0.0)

    @property
    def has_others(self) -> bool:
        """See `host.ToolHost`."""
        return False

    def another(self, number: int) -> ToolHost:
        """See `host.ToolHost`."""
        raise HostError(f"{self._target.spec}: there is no other host with the number {number}")

    @property
    def disturbances(self) -> frozenset[str]:
        """See `host.ToolHost`."""
        capabilities = self._capabilities
        kinds = frozenset(name.removeprefix(_DISTURB) for name in capabilities if name.startswith(_DISTURB))
        seeds = {"hash-seed"} if self._pool.has_hash_seeds else set[str]()
        if self._pool.starts_under_conditions(self._target, self._configured_settings):
            seeds.add("conditions")
        if self._settings.recording and self._current().is_replayed:
            seeds.add("outage")
        settings = self._configured_settings
        confined = {confinement.KIND} if settings.confined_to and self._works_in_a_copy else set[str]()
        can_break = settings.files and self._works_in_a_copy
        broken = {"files"} if can_break else set[str]()
        return kinds | (capabilities & {"together", "cleanup"}) | {"restart"} | seeds | confined | broken

    def describe(self) -> Declaration:
        """See `host.ToolHost`."""
        return self._redactor.redact(self._current().describe(self._timeout))

    def describe_again(
        self, conditions: Mapping[str, str], then: Sequence[Mapping[str, str]] = ()
    ) -> Declaration:
        """See `host.ToolHost`."""
        if "threads" in conditions:
            if "threads" not in self._capabilities:
                raise HostError("the host cannot read the declaration from two threads")
            declaration = self._current().describe(self._timeout + _THREADS_EXTRA, threads=True)
            return self._redactor.redact(replace(declaration, conditions=conditions))
        if "cleanup" in conditions:
            if "cleanup" not in self._capabilities:
                raise HostError("the host has nothing to clean up")
            declaration = self._current().describe(self._timeout, cleanup=True)
            self.reset()
            return self._redactor.redact(replace(declaration, conditions=conditions))
        return self._redactor.redact(
            self._pool.describe_again(self._target, self._settings, conditions, then)
        )

    def execute(self, plan: Stimulus, timeout: float | None = None) -> Call:
        """See `host.ToolHost`.

        Raises:
            HostError: also where calls are not allowed; check `read_only` first.
        """
        self._check_allowed()
        self._choose_files(plan)
        timeout = timeout or self._seconds_for(plan)
        if isinstance(plan.disturbance, OtherHashSeed):
            conditions = {"hash seed": plan.disturbance.seed}
            return self._redactor.redact(self._execute_under(plan, conditions, timeout))
        if isinstance(plan.disturbance, OtherConditions):
            return self._redactor.redact(self._execute_under(plan, plan.disturbance.by_name, timeout))
        if isinstance(plan.disturbance, BrokenFiles):
            return self._redactor.redact(self._execute_broken(plan, plan.disturbance, timeout))
        if (call := self._made_ahead(plan, timeout)) is not None:
            return self._redactor.redact(call)
        try:
            process = self._current()
        except HostError as error:
            if not (plan.files == "emptied" and isinstance(error.__cause__, TargetError)):
                raise
            self._settings = self._configured_settings
            reason = (
                f"the tool cannot be loaded while the folder of `confined_to` is empty: {error.__cause__}"
            )
            return self._redactor.redact(Call(plan, Outcome.RETURNED, 0.0, None, left_out=reason))
        call = process.execute(plan, timeout)
        if plan.disturbance is None and call.outcome not in INCIDENTS:
            arguments = hash(plan.arguments)
            self._longest_times[arguments] = max(call.elapsed, self._longest_times.get(arguments, 0.0))
        return self._redactor.redact(self._with_file_changes(process, call))

    def execute_ahead(self, plan: Stimulus, timeout: float) -> None:
        """See `host.ToolHost`. Left out where processes of the tool might meet outside of their containment."""
        settings = self._settings
        is_contained = self._containment is not None and self._containment.level == "full"
        is_alone = is_contained and not (settings.files or settings.recording or settings.network)
        if self._ahead or self.read_only or plan.disturbance or not is_alone:
            return
        try:
            process, held = self._pool.start(self._target, settings)
        except ConformanceError:
            return  # the call is made when it is asked for, and fails then if it has to
        if held.containment.level != "full":
            process.abandon()
            return
        try:
            self._ahead = CallAhead(process, plan, timeout)
        except RuntimeError:  # the limit of threads is reached
            process.abandon()

    def execute_patiently(self, plan: Stimulus, idle_timeout: float) -> Call:
        """See `host.ToolHost`.

        Raises:
            HostError: also where calls are not allowed; check `read_only` first.
        """
        self._check_allowed()
        self._choose_files(plan)
        process = self._current()
        call = process.execute(plan, self._seconds_for(plan), idle_timeout)
        return self._redactor.redact(self._with_file_changes(process, call))

    def _made_ahead(self, plan: Stimulus, timeout: float) -> Call | None:
        """A call that was begun by `execute_ahead`, where it is the first of a new process."""
        ahead = self._ahead
        if ahead is None or self._process is not None or (ahead.plan, ahead.timeout) != (plan, timeout):
            return None
        self._ahead, self._process = None, ahead.process
        return self._with_file_changes(ahead.process, ahead.take())

    def _allowance(self, plan: Stimulus) -> Allowance:
        """What a call may take. A host whose stimuli have names of their own knows what these add."""
        return plan.allowance

    def _seconds_for(self, plan: Stimulus) -> float:
        allowance = self._allowance(plan)
        return allowance.factor * self._timeout + allowance.extra

    @property
    def _works_in_a_copy(self) -> bool:
        """Whether the tool works in a copy of its files that this process reaches."""
        return not self._configured_settings.directory and self._current().directory is not None

    def _choose_files(self, plan: Stimulus) -> None:
        """Give the tool the files that a call wants, planted or emptied, or its author's."""
        settings = self._configured_settings
        if settings.confined_to and (files := plan.files) != "author":
            if files not in self._planted:
                limit = self._pool.environment.limits.files
                self._planted[files] = ConfinedFiles(settings, limit, emptied=files == "emptied")
            settings = self._planted[files].settings
        if settings is not self._settings:
            self.reset()
            self._settings = settings

    def _with_file_changes(self, process: ToolProcess, call: Call) -> Call:
        """The call with what calls changed in the files, where its probe has the host look at them."""
        if kept_files.looks_at_files(call.plan):
            return replace(call, files=process.changed_texts())
        if self._settings is self._configured_settings:
            return call
        folder = self._settings.confined_to
        outside, inside = process.changed_outside(folder), process.changed_inside(folder)
        return replace(call, outside=outside, inside=inside)

    def _check_allowed(self) -> None:
        if self._read_only is not None:
            raise HostError(f"{self._target.spec} must not be called: {self._read_only}")

    def _execute_under(self, plan: Stimulus, conditions: Mapping[str, str], timeout: float) -> Call:
        """One call in a process of its own; the next call, too, is the first of its process.

        Where the tool cannot be loaded there, the call is left out: the rules on restarts judge that. It is left out too where
        a condition does not hold.
        """
        self.reset()
        words = " and ".join(f"another {name}" for name in conditions)
        try:
            process, actual = self._pool.start_under(self._target, self._settings, conditions)
        except TargetError as error:
            reason = f"the tool cannot be loaded with {words}, which the rules on restarts judge: {error}"
            return Call(plan, Outcome.RETURNED, 0.0, None, left_out=reason)
        if missing := [name for name in conditions if name not in actual]:
            process.abandon()
            return Call(plan, Outcome.RETURNED, 0.0, None, left_out=CONDITIONS[missing[0]].unmade)
        return _only_call(process, plan, timeout)

    def _execute_broken(self, plan: Stimulus, disturbance: BrokenFiles, timeout: float) -> Call:
        """One call in a process of its own, whose files are broken. Left out where the tool needs them to be loaded."""
        self.reset()
        copy = BrokenCopy(self._configured_settings, disturbance.form, self._pool.environment.limits.files)
        try:
            process, _ = self._pool.start(self._target, copy.settings)
            return _only_call(process, plan, timeout)
        except TargetError as error:
            reason = f"the tool cannot be loaded with broken files: {error}"
            return Call(plan, Outcome.RETURNED, 0.0, None, left_out=reason)
        finally:
            copy.remove()
            self._pool.forget_files(copy.settings)

    def execute_together(self, plans: Sequence[Stimulus], timeout: float | None = None) -> tuple[Call, ...]:
        """See `host.ToolHost`. A tool that never suspends makes them one after the other: they get the time that they took alone.

        Raises:
            HostError: also where calls are not allowed, or where the process makes one call at a time.
        """
        self._check_allowed()
        if "together" not in self.disturbances:
            raise HostError(f"{self._target.spec}: the host makes one call at a time")
        alone = sum(self._longest_times.get(hash(plan.arguments), 0.0) for plan in plans)
        limit = timeout or max(_TOGETHER_FACTOR * self._timeout, self._timeout + alone)
        return tuple(self._redactor.redact(call) for call in self._current().execute_together(plans, limit))

    def check_sentinels(self, *, last: bool = False) -> str | Call | None:
        """See `host.ToolHost`. After `reset` no process is started for it, except for the last one."""
        if self._process is None and not last:
            return None
        return self._current().check_sentinels(self._timeout, last=last)

    def reset(self) -> None:
        """See `host.ToolHost`."""
        if self._process is not None:
            measured = self._pool.environment.coverage is not None
            self._process.shut_down(graceful=measured or self._pool.ends_gracefully)
            self._count_times()

    def restore_files(self) -> None:
        """See `host.ToolHost`."""
        process = self._process
        if self._settings.files and process and not process.ended and process.has_changed_files():
            self.reset()

    def close(self) -> None:
        """See `host.ToolHost`."""
        ahead, self._ahead = self._ahead, None
        try:
            self.reset()
        finally:
            if ahead:
                ahead.stop()
        for copy in self._planted.values():
            copy.remove()

    @property
    def _timeout(self) -> float:
        return self._settings.timeout or self._pool.environment.limits.timeout

    def _count_times(self) -> None:
        """Keep the times of the process that has ended."""
        self._waited, self._computed = self.waited, self.computed
        self._process = None

    def _current(self) -> ToolProcess:
        if self._process is not None and self._process.is_orphan:
            self._process.abandon()
        if self._process is None or self._process.ended:
            self._count_times()
            try:
                self._process, held = self._pool.start(self._target, self._settings)
                if held.containment.is_below(self._containment.level):
                    self._containment = held.containment
            except TargetError as error:
                raise HostError(
                    f"{self._target.spec} was loaded before, but cannot be loaded now: {error}"
                ) from error
        return self._process


def _only_call(process: ToolProcess, plan: Stimulus, timeout: float) -> Call:
    """The only call of a process, which is what disturbs it."""
    try:
        call = process.execute(replace(plan, disturbance=None), timeout)
    finally:
        process.abandon()
    return replace(call, plan=plan)


def _why_read_only(target: Target, settings: ToolSettings, held: Held) -> str | None:
    if settings.side_effects == "destructive":
        return 'its configuration says side_effects = "destructive"'
    if held.fault is None:
        return held.forbidden
    return f"this machine cannot contain it: {held.fault}. {allowing_calls(target)}"


def allowing_calls(target: Target) -> str:
    """How an author says that calls which nothing contains are harmless, as a sentence without its full stop."""
    return (
        f"If its calls are harmless, set this in pyproject.toml for {target.spec}: "
        f'side_effects = "none" under [tool.aptix-conformance.tool."{target.spec}"]'
    )
