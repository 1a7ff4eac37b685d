"""The hosts of a run that are commands, with one process for each tool: `host:./my-host --flag`."""

import hashlib
import itertools
import json
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from aptix_conformance.core.errors import HostError, RecordError, SlowTargetError, TargetError
from aptix_conformance.core.model import Declaration, Outcome
from aptix_conformance.core.model.codec import from_json, replace
from aptix_conformance.hosts import protocol, readable_paths, scratch
from aptix_conformance.hosts.author_files import AuthorFiles
from aptix_conformance.hosts.check.host_checks import Subject
from aptix_conformance.hosts.conditions import CLOCK, HOST_NAME, obeys_moved_clock, realise
from aptix_conformance.hosts.host import Environment, HostPool, Limits, Listing, Surroundings
from aptix_conformance.hosts.kept_readings import KeptReadings
from aptix_conformance.hosts.launch import Held
from aptix_conformance.hosts.places import Place, is_open, named, shown
from aptix_conformance.hosts.process_host import ProcessToolHost
from aptix_conformance.hosts.program import Command, Program, find_program
from aptix_conformance.hosts.recorded_services import RecordedServices, recorded_services
from aptix_conformance.hosts.required_containment import REMOTE, SWITCHED_OFF
from aptix_conformance.hosts.supervisor import Exchange
from aptix_conformance.hosts.surroundings import hidden_from
from aptix_conformance.hosts.tool_process import ToolProcess, capabilities_of, printed_in
from aptix_conformance.hosts.wire import why_ended
from aptix_conformance.targets.settings import Target, ToolSettings

Reach = Literal["nothing", "loopback", "outside"]
"""The network that a command needs: none, a loopback interface of its own, or the machine's, where nothing contains it."""
MOST_TOOLS: Final = 2_002
"""Limit of tools that one command may list: the 2,000 that are read of a server of MCP, and its entries for two revisions."""


class ProgramHostPool(HostPool):
    """Hosts that are commands (`host.HostPool`); a context manager that closes itself.

    The pool of a system overrides `command_for`, `module_for` and `variables_for`. All processes write below one temporary directory;
    `close` removes it.
    """

    system: str = "host"
    ends_gracefully = False
    has_hash_seeds = False
    obeys_moved_clock = False
    """Whether each of its processes asks the library of C for the time, which libfaketime moves."""
    has_interface = False
    """Whether its processes get a loopback interface also where they may not use TCP there."""
    replays = True
    starts_tool = False
    """Whether a tool is no part of its command's own process, but of the only child of that process."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self._scratch = scratch.ScratchPlace()
        self._place = self._scratch.path
        self._files = AuthorFiles(self._place, environment.limits.files)
        self._numbers = itertools.count(1)
        self._hosts: list[ProcessToolHost] = []
        self._readings = KeptReadings()

    def command_for(self, module: str, settings: ToolSettings) -> tuple[str, ...]:  # noqa: ARG002 - for subclasses
        """The command that loads the tools of a module. In this class the module itself is the command.

        Raises:
            TargetError: there is no such program.
        """
        try:
            words = tuple(shlex.split(module))
        except ValueError as error:
            raise TargetError(f"{self.system}:{module} is not a valid command: {error}") from error
        if not words:
            raise TargetError(f"{self.system}:{module} names no program")
        return find_program(words, self.environment.rootdir)

    def module_for(self, module: str, settings: ToolSettings) -> str:  # noqa: ARG002 - for subclasses
        """The member `module` of `initialize`. In this class it is empty, because the command knows its tools."""
        return ""

    def variables_for(self, module: str, settings: ToolSettings) -> Mapping[str, str]:  # noqa: ARG002 - for subclasses
        """Environment variables that the command needs in addition to those that the settings name. None in this class."""
        return {}

    def secrets_for(self, module: str, settings: ToolSettings) -> Mapping[str, str]:  # noqa: ARG002 - for subclasses
        """The environment variables whose values its processes get and must not show, in addition to those in `env`."""
        return {}

    def visible_for(self, module: str, settings: ToolSettings) -> Sequence[Place]:
        """The places that the command reads in addition to the project and to those that its variables name."""
        return self._needed(self.command_for(module, settings))

    def reach_for(self, module: str, settings: ToolSettings) -> Reach:  # noqa: ARG002 - for subclasses
        """The network that the command needs. In this class it is none."""
        return "nothing"

    def _shown(self, module: str, settings: ToolSettings, variables: Mapping[str, str]) -> tuple[str, ...]:
        """The paths that the command may read. Raises as `places.shown`."""
        root, store = self.environment.rootdir, self.environment.server_store
        places = [*readable_paths.directory(str(root)), *self.visible_for(module, settings)]
        for name, text in variables.items():
            places += self._named_in(
                text, f"the variable {name}" if f"env.{name}" in settings.strangers else ""
            )
        hidden = {*self.environment.hidden}
        places = [each for each in places if hidden.isdisjoint((each.path, *map(str, Path(each.by).parents)))]
        reads = [path for path in settings.reads if path not in hidden]
        return shown(places, reads, project=root, trusted=[str(store)] if store else [])

    def _needed(self, words: Sequence[str], *, is_strangers: bool = False) -> list[Place]:
        """The places that a command reads: its program, and those that its words name."""
        places = readable_paths.program(
            words[0], self.environment.rootdir, "the command" if is_strangers else ""
        )
        return [
            *places,
            *(each for word in words[1:] for each in self._named_in(word, is_strangers * "an argument")),
        ]

    def _named_in(self, text: str, by: str) -> list[Place]:
        """The files and directories that a text names, and the directories of files. `by` says whose text it is; empty for the user's."""
        root = self.environment.rootdir
        places = []
        for path in (part for part in text.split(os.pathsep) if part.startswith("/")):
            place = Place(path, by) if by else named(path, root)
            if os.path.isdir(path):  # noqa: PTH112 - a word may be too long for a path
                places += readable_paths.directory(*place)
            elif os.path.isfile(path):  # noqa: PTH113 - as above
                places.append(place)
                if not place.by or is_open(os.path.realpath(path), root):
                    places += readable_paths.directory(str(Path(path).parent), place.by)
        return places

    def others_of(self, target: Target, settings: ToolSettings, declaration: Declaration) -> Iterable[str]:  # noqa: ARG002 - for subclasses
        """The tools that a process can describe too, after this `declaration` of its own: none in this class."""
        return ()

    def learn(self, module: str, settings: ToolSettings, capabilities: frozenset[str]) -> None:
        """Keep what a process claims that the next ones need. Nothing in this class."""

    def surroundings(self, target: Target, settings: ToolSettings) -> Surroundings | None:
        """See `host.HostPool`."""
        if self.reach_for(target.module, settings) == "outside" or settings.side_effects == "none":
            return None
        variables = {**self.variables_for(target.module, settings), **settings.env}
        visible = self._shown(target.module, settings, variables)
        given = json.dumps(self.given_for(target.module, settings), sort_keys=True).encode("ascii")
        hidden = hidden_from(self.environment, settings.reads)
        return Surroundings(visible, hidden, given=hashlib.sha256(given).hexdigest())

    def given_for(self, module: str, settings: ToolSettings) -> Mapping[str, Any]:
        """What the command is given, as JSON: its words and its variables. It may hold secrets."""
        variables = {**self.variables_for(module, settings), **settings.env}
        return {"words": self.command_for(module, settings), "variables": variables}

    def list_tools(self, module: str, settings: ToolSettings) -> Listing:
        """See `host.HostPool`."""
        program, name = self._run(module, settings, settings.env), f"{self.system}:{module}"
        supervised, directory = program.spawn(name, lambda: None)
        try:
            limit = self.environment.limits.start
            params = {"protocol": protocol.VERSION, "root": str(self.environment.rootdir)}
            params |= {"module": self.module_for(module, settings)}
            loaded = _result(supervised.exchange("initialize", params, limit), name, "loading it")
            self.learn(module, settings, capabilities_of(loaded))
            listed = _result(supervised.exchange("tools/list", {}, limit), name, "listing its tools")
            return _listing(listed, name)
        finally:
            supervised.close()
            directory.remove()

    def open(self, target: Target, settings: ToolSettings) -> ProcessToolHost:
        """See `host.HostPool`."""
        host = ProcessToolHost(self, target, settings, self.secrets_for(target.module, settings))
        self._hosts.append(host)
        return host

    def close(self) -> None:
        """See `host.HostPool`. Harmless when repeated."""
        for host in self._hosts:
            host.close()
        self._hosts.clear()
        self._scratch.remove()

    def start(self, target: Target, settings: ToolSettings) -> tuple[ToolProcess, Held]:
        """See `starter.Starter`."""
        return self._start(target, settings, settings.env)

    def tool_words(self, module: str, settings: ToolSettings) -> Sequence[str]:
        """The command of the process that runs the tools. In this class it is that of the host."""
        return self.command_for(module, settings)

    def starts_under_conditions(self, target: Target, settings: ToolSettings) -> bool:
        """See `starter.Starter`. A command that is not started here has the conditions of its machine."""
        return self.reach_for(target.module, settings) != "outside"

    def start_under(
        self, target: Target, settings: ToolSettings, conditions: Mapping[str, str]
    ) -> tuple[ToolProcess, Mapping[str, str]]:
        """See `starter.Starter`; a HostError for a hash seed. Only libfaketime can move the clock here."""
        if "hash seed" in conditions:
            raise HostError(f"{target.spec}: the processes of its runtime have no hash seed")
        setup = realise(conditions)
        words = self.tool_words(target.module, settings)
        process, held = self._start(target, settings, {**setup.env, **settings.env})
        obeys = self.obeys_moved_clock or (bool(words) and obeys_moved_clock(words[0]))
        return process, setup.in_effect(held.changed if obeys else held.changed - {CLOCK})

    def describe_again(
        self,
        target: Target,
        settings: ToolSettings,
        conditions: Mapping[str, str],
        then: Sequence[Mapping[str, str]] = (),  # noqa: ARG002 - a process is started when it is needed
    ) -> Declaration:
        """See `starter.Starter`. Only libfaketime can move the clock here."""
        declaration, held = self._read(target, settings, conditions)
        return replace(declaration, when="restarted", conditions=realise(conditions).in_effect(held.changed))

    def _read(
        self, target: Target, settings: ToolSettings, restart: Mapping[str, str]
    ) -> tuple[Declaration, Held]:
        """The declaration of a tool, read under some conditions by a process that has not read it before, and its containment."""
        key = (target.module, settings, restart)
        if reading := self._readings.take(key, target.qualname):
            return reading
        env, timeout = realise(restart).env, settings.timeout or self.environment.limits.timeout
        process, held = self._start(target, settings, {**env, **settings.env}, renames=HOST_NAME in restart)
        try:
            declaration = process.describe(timeout)
            # The restarts of a server itself have other conditions than those of its tools.
            names = self.others_of(target, settings, declaration) if target.qualname or not restart else ()
            others = process.describe_others(names, timeout)
        finally:
            process.abandon()
        self._readings.keep(key, others, held)
        return declaration, held

    def subject(self, module: str, tool: str | None, settings: ToolSettings | None = None) -> Subject:
        """The host of a module, for `checks.check_host`. `tool` is the tool to load; None means the first.

        Without settings, those of a tool that is not configured apply.

        Raises:
            TargetError: there is no such program.
        """
        settings = settings or ToolSettings()
        self.command_for(module, settings)
        start = lambda: self._run(module, settings, {})  # noqa: E731 - it has no name elsewhere
        return Subject(
            start,
            str(self.environment.rootdir),
            self.module_for(module, settings),
            tool,
            systems=self.environment.systems,
        )

    def _start(
        self,
        target: Target,
        settings: ToolSettings,
        env: Mapping[str, str],
        limits: Limits | None = None,
        *,
        renames: bool = False,
    ) -> tuple[ToolProcess, Held]:
        program = self._run(target.module, settings, env, limits, renames=renames)
        sent = replace(target, module=self.module_for(target.module, settings))
        more = {"root": str(self.environment.rootdir)}
        return ToolProcess(program, sent, settings, self.environment, more), program.held

    def forget_files(self, settings: ToolSettings) -> None:
        """See `starter.Starter`."""
        self._files.forget(settings)

    def _run(
        self,
        module: str,
        settings: ToolSettings,
        env: Mapping[str, str],
        limits: Limits | None = None,
        *,
        renames: bool = False,
    ) -> Program:
        files = self._files.copy_of(settings)
        variables = {**self.variables_for(module, settings), **env}
        words = self.command_for(module, settings)
        reach = self.reach_for(module, settings)
        contained = reach != "outside" and settings.side_effects != "none"
        command = Command(
            words=words,
            env=variables,
            contained=contained,
            files=files,
            visible=self._shown(module, settings, variables) if contained else (),
            hidden=hidden_from(self.environment, settings.reads),
            loopback=reach == "loopback",
            interface=self.has_interface,
            starts_tool=self.starts_tool,
            renames=renames,
            network=settings.network,
            services=self._services(module, settings) if contained else None,
            uncontained=REMOTE if reach == "outside" else SWITCHED_OFF,
        )
        place = scratch.make_below(self._place, f"tool-{next(self._numbers)}")
        environment = replace(self.environment, limits=limits or self.environment.limits)
        return Program(f"the host of {self.system}:{module}", command, environment, place)

    def _services(self, module: str, settings: ToolSettings) -> RecordedServices | None:
        """What records the services of a process, or answers in their place."""
        secrets = self.secrets_for(module, settings).values()
        return recorded_services(
            settings.network, settings.recording, settings.env, secrets, self.environment.capture
        )


def _result(exchange: Exchange, name: str, doing: str) -> Any:
    """The result of a request. Raises TargetError where the host did not answer or cannot load the tools."""
    if exchange.answer is None:
        is_slow = exchange.ending is not None and exchange.ending.outcome is Outcome.TIMED_OUT
        kind = SlowTargetError if is_slow else TargetError
        raise kind(f"{name}: {doing} did not work: {why_ended(exchange)}{printed_in(exchange)}")
    failure = exchange.answer.failure
    if failure is None:
        return exchange.answer.result
    if failure.code == protocol.TARGET_FAULT:
        raise TargetError(failure.message)
    raise HostError(f"{name}: {doing} did not work: {failure.message}")


def _listing(data: Any, name: str) -> Listing:
    try:
        listing = from_json(Listing, data, "tools/list")
    except RecordError as error:
        raise TargetError(f"{name}: listing its tools did not work: {error}") from error
    if len(listing.tools) > MOST_TOOLS:
        raise TargetError(
            f"{name} lists more than {MOST_TOOLS:,} tools: name those that are to be examined one by one"
        )
    return replace(listing, tools=tuple(sorted(set(listing.tools))))
