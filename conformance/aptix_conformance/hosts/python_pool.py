"""The hosts of a run for tools written in Python. Chooses the zygote of each tool, and remembers failed imports."""

import compileall
import itertools
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from aptix_conformance.core.errors import HostError, HungImportError, TargetError
from aptix_conformance.core.model import Declaration
from aptix_conformance.core.model.codec import replace
from aptix_conformance.hosts import scratch
from aptix_conformance.hosts.author_files import AuthorFiles
from aptix_conformance.hosts.conditions import HOST_NAME, PROCESS, VARIABLES, Conditions, naming, realise
from aptix_conformance.hosts.host import Environment, HostPool, Listing, Surroundings, ToolHost
from aptix_conformance.hosts.launch import Held
from aptix_conformance.hosts.listing import ModuleListing, list_package
from aptix_conformance.hosts.process_host import ProcessToolHost
from aptix_conformance.hosts.surroundings import python_surroundings
from aptix_conformance.hosts.tool_process import ToolProcess
from aptix_conformance.hosts.zygote import CannotForkError, Zygote
from aptix_conformance.hosts.zygote_key import ZygoteKey
from aptix_conformance.runners.paths import RUNNERS
from aptix_conformance.targets.settings import Target, ToolSettings

_MOST_IDLE: Final = 10
"""Idle zygotes to keep: one for each set of conditions that the tools of a package meet, as all of them may use it.

Not more: each is a whole interpreter, and a run may have many packages.
"""


@cache
def compile_once(folder: Path) -> None:
    """Write the bytecode of modules that hosts import, where it is not there and may be written.

    A contained process cannot write it. An installer may have left it out, as uv does: each process of a tool would then compile
    all of them, for as long as the rest of its start takes.
    """
    if not sys.dont_write_bytecode:
        compileall.compile_dir(folder, quiet=2)


class PythonToolHost(ProcessToolHost):
    """The host of a tool written in Python: a further process of it is a fork of an interpreter that has imported the tool."""

    def __init__(self, pool: "PythonHostPool", target: Target, settings: ToolSettings) -> None:
        """See `ProcessToolHost`."""
        super().__init__(pool, target, settings)
        self._python_pool = pool
        self.on_close: Callable[[], None] | None = None
        """Ends everything else that ends with it; called once."""

    @property
    def has_others(self) -> bool:
        """See `host.ToolHost`. A process in the author's own folder, or without containment, may share anything."""
        settings = self._configured_settings
        return not settings.directory and settings.side_effects != "none"

    def another(self, number: int) -> ToolHost:
        """See `host.ToolHost`."""
        try:
            other = self._python_pool.another(number).open(self._target, self._configured_settings)
        except TargetError as error:
            raise HostError(
                f"{self._target.spec} was loaded before, but cannot be loaded now: {error}"
            ) from error
        if number > 1:  # the next tool needs one, and few tools need more
            other.on_close = partial(self._python_pool.close_other, number)
        return other

    def close(self) -> None:
        """See `host.ToolHost`."""
        super().close()
        on_close, self.on_close = self.on_close, None
        if on_close is not None:
            on_close()


class PythonHostPool(HostPool):
    """Hosts for tools written in Python (`host.HostPool`); a context manager that closes itself.

    All its processes write below one temporary directory; `close` removes it.
    """

    ends_gracefully = False
    has_hash_seeds = True
    replays = True

    def __init__(self, environment: Environment) -> None:
        compile_once(RUNNERS / "python")
        self.environment = environment
        self._scratch = scratch.ScratchPlace()
        self._place = self._scratch.path
        self._files = AuthorFiles(self._place, environment.limits.files)
        self._numbers = itertools.count(1)
        self._zygotes: dict[ZygoteKey, Zygote] = {}
        self._broken: dict[tuple[ZygoteKey, str], TargetError] = {}
        self._threaded: set[ZygoteKey] = set()
        self._hosts: list[ProcessToolHost] = []
        self._others: dict[int, PythonHostPool] = {}
        self._surroundings: dict[ZygoteKey, Surroundings] = {}

    def list_tools(self, module: str, settings: ToolSettings) -> Listing:
        """See `host.HostPool`."""
        key = self._key(module, settings)
        return list_package(module, lambda name: self._list(key, name))

    def list_module(self, module: str, settings: ToolSettings) -> Listing | ModuleListing:
        """See `host.HostPool`."""
        return self._list(self._key(module, settings), module)

    def open(self, target: Target, settings: ToolSettings) -> PythonToolHost:
        """See `host.HostPool`."""
        host = PythonToolHost(self, target, settings)
        self._hosts.append(host)
        return host

    def surroundings(self, target: Target, settings: ToolSettings) -> Surroundings | None:
        """See `host.HostPool`."""
        key = self._key(target.module, replace(settings, files=None))  # they are copied when a process starts
        if not key.contained:
            return None
        return self._read_surroundings(key, anew=False)

    def _read_surroundings(self, key: ZygoteKey, *, anew: bool) -> Surroundings:
        """What the tools of a zygote can read, and those of zygotes that differ from it in their conditions alone.

        It is read again with `anew`: the project may have changed since another zygote started.
        """
        base = replace(key, env=(), patches=(), occasion="", files=None, renames=False)
        if anew or base not in self._surroundings:
            self._surroundings[base] = python_surroundings(base, self.environment)
        return self._surroundings[base]

    def another(self, number: int) -> "PythonHostPool":
        """A pool whose processes share nothing with those of this one; the same one for the same number."""
        if number not in self._others:
            other = type(self)(self.environment)
            other._files = self._files  # noqa: SLF001 - the author's folder is copied once a run
            self._others[number] = other
        return self._others[number]

    def close_other(self, number: int) -> None:
        """End the processes of that pool. Harmless when repeated."""
        other = self._others.pop(number, None)
        if other is not None:
            other.close()

    def close(self) -> None:
        """See `host.HostPool`. Harmless when repeated."""
        for number in list(self._others):
            self.close_other(number)
        for host in self._hosts:
            host.close()
        for zygote in self._zygotes.values():
            zygote.close()
        self._hosts.clear()
        self._zygotes.clear()
        self._scratch.remove()

    def start(self, target: Target, settings: ToolSettings) -> tuple[ToolProcess, Held]:
        """A new process for a tool, and its containment.

        Raises:
            TargetError: the tool cannot be loaded.
            HostError: no process could be started.
        """
        return self._start(self._key(target.module, settings), target, settings)

    def starts_under_conditions(self, target: Target, settings: ToolSettings) -> bool:  # noqa: ARG002 - the interface's
        """See `starter.Starter`."""
        return True

    def start_under(
        self, target: Target, settings: ToolSettings, conditions: Mapping[str, str]
    ) -> tuple[ToolProcess, Mapping[str, str]]:
        """See `starter.Starter`; one interpreter serves all tools of a package.

        Raises:
            TargetError: the tool cannot be loaded.
            HostError: no process could be started.
        """
        key, setup = self._key_for(target, settings, conditions)
        process, held = self._start(key, target, settings)
        return process, setup.in_effect(held.changed, patched=True)

    def describe_again(
        self,
        target: Target,
        settings: ToolSettings,
        conditions: Mapping[str, str],
        then: Sequence[Mapping[str, str]] = (),
    ) -> Declaration:
        """The declaration of a tool, read by a fresh interpreter under `conditions`.

        One interpreter serves all tools of its package; without conditions, and where only the process is another, each
        reading has its own. Interpreters for `then`, the conditions of the next calls, start in advance.

        Raises:
            TargetError: the tool cannot be loaded or read under these conditions.
            HostError: no process could be started.
        """
        key, setup = self._key_for(target, settings, conditions)
        for other in then:
            self._start_ahead(self._key_for(target, settings, other)[0], target.module)
        process, held = self._start(key, target, settings)
        try:
            declaration = process.describe(settings.timeout or self.environment.limits.timeout)
        finally:
            process.abandon()
            if not _is_shared(conditions):
                self._zygotes.pop(key).close()
        actual = setup.in_effect(held.changed, patched=True)
        if VARIABLES in actual:
            actual[VARIABLES] = naming(actual[VARIABLES], declaration.conditions)
        return replace(declaration, when="restarted", conditions=actual)

    def _start_ahead(self, key: ZygoteKey, module: str) -> None:
        """Start the zygote for a key in advance, unless the module is known to fail there."""
        if (key, module) not in self._broken:
            self._zygote(replace(key, package="") if key in self._threaded else key, ahead=True)

    def _key_for(
        self, target: Target, settings: ToolSettings, conditions: Mapping[str, str]
    ) -> tuple[ZygoteKey, Conditions]:
        """The key of the zygote for some conditions, and their setup."""
        setup = realise(conditions)
        key = replace(
            self._key(target.module, settings),
            env=tuple(sorted({**setup.env, **settings.env}.items())),
            patches=tuple(sorted(setup.patches.items())),
            renames=HOST_NAME in conditions,
            occasion="again" if _is_shared(conditions) else f"restart {next(self._numbers)}",
        )
        return key, setup

    def _start(self, key: ZygoteKey, target: Target, settings: ToolSettings) -> tuple[ToolProcess, Held]:
        environment = self.environment
        if key not in self._threaded:
            self._list(key, target.module)
            zygote = self._zygote(key)
            try:
                return ToolProcess(zygote, target, settings, environment, self._more(settings)), zygote.held
            except CannotForkError:
                self._threaded.add(key)
                zygote.close()
        # The import starts threads, which a fork would lose. So each process imports the package itself.
        bare = self._zygote(replace(key, package=""))
        return ToolProcess(bare, target, settings, environment, self._more(settings)), bare.held

    def forget_files(self, settings: ToolSettings) -> None:
        """See `starter.Starter`. Ends the zygotes that have these files: their keys are not used any longer."""
        copy = self._files.forget(settings)
        if copy is not None:
            for key in [each for each in self._zygotes if each.files == copy]:
                self._zygotes.pop(key).close()
            self._broken = {each: error for each, error in self._broken.items() if each[0].files != copy}
            self._threaded = {each for each in self._threaded if each.files != copy}

    def _more(self, settings: ToolSettings) -> Mapping[str, Any]:  # noqa: ARG002 - what other systems have
        """Further members of `initialize`, which a system may add."""
        return {}

    def _key(self, module: str, settings: ToolSettings) -> ZygoteKey:
        return ZygoteKey(
            package=module.partition(".")[0],
            python=settings.python or sys.executable,
            env=tuple(sorted(settings.env.items())),
            contained=settings.side_effects != "none",
            files=self._files.copy_of(settings),
            reads=settings.reads,
            network=settings.network if settings.recording or self.environment.capture else (),
            recording=settings.recording,
        )

    def _zygote(self, key: ZygoteKey, *, ahead: bool = False) -> Zygote:
        """The zygote for a key, started if necessary. With `ahead`, do not wait until it is ready."""
        zygote = self._zygotes.pop(key, None)
        if zygote is not None and zygote.ended:
            zygote.close()
            zygote = None
        if zygote is None:
            self._make_room()
            place = scratch.make_below(self._place, f"zygote-{next(self._numbers)}")
            # Coverage measurement does not work with a moved clock.
            environment = replace(self.environment, coverage=None) if key.occasion else self.environment
            zygote = Zygote(key, environment, place, self._read_surroundings(key, anew=not key.occasion))
        self._zygotes[key] = zygote  # in order of use: the most recent is last
        if not ahead:
            zygote.begin()
        return zygote

    def _make_room(self) -> None:
        idle = [key for key, zygote in self._zygotes.items() if zygote.is_idle]
        for key in idle[: max(0, len(idle) - _MOST_IDLE + 1)]:
            self._zygotes.pop(key).close()

    def _list(self, key: ZygoteKey, module: str) -> ModuleListing:
        """Import and list a module. One that fails beside others is tried again without them, unless it hung; then never again.

        An earlier import can make it fail: an import that forks, starts threads or replaces modules.
        """
        if (key, module) in self._broken:
            raise self._broken[key, module].with_traceback(None)
        zygote = self._zygote(key)
        had_others = bool(zygote.imported)
        try:
            return zygote.list_tools(module)
        except TargetError as error:
            if had_others and not isinstance(error, HungImportError):
                return self._list(key, module)
            self._broken[key, module] = error
            raise


def _is_shared(conditions: Mapping[str, str]) -> bool:
    """Whether one interpreter serves all tools of a package under these conditions."""
    return bool(conditions) and PROCESS not in conditions
