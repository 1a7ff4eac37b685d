"""The profile of a system: one record with everything that is specific to it.

A system is one folder: its `profile.py` has the record, and everything that the record names is in the same folder. A third
party adds a system by an entry point in the group `aptix_conformance.systems` that names a `SystemProfile`.
"""

import argparse
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Protocol

from aptix_conformance.core.model import SystemTraits
from aptix_conformance.hosts.host import Environment, HostPool
from aptix_conformance.rules import Rule
from aptix_conformance.stimuli.probes import Probe
from aptix_conformance.systems.author_tests import WriteTest
from aptix_conformance.targets.settings import Settings, Target, ToolSettings
from aptix_conformance.targets.spec import Spelling


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """How tools of one language are spoken of: the fixes of rules by their code, and the suite's sentences reworded."""

    remedies: Mapping[str, str]
    reword: Callable[[str], str]


@dataclass(frozen=True, slots=True, eq=False)
class Runtime:
    """What runs tools: how their targets are written, and what opens processes for them.

    `inline` opens the tools in the test process, where that is possible. `wording` is for a language that is not the one in
    which the system's rules are written. `write_test` writes the tests of `replay --as-test`; None where all of them
    replay the finding by the suite. `version` names the program that runs the tools, with its version, by the `runtime` of a
    tool's settings, and gives the files and folders that it is; None where that is Python. Of a system whose servers a
    command starts, it is about those that are not in Python. It raises `TargetError` where the program is not installed. `packages` finds the packages outside of the project that files of it have loaded: it
    takes the project's folder and the paths of its files from there, and raises `TargetError` where a file is damaged.
    `started` tells whose code a tool is that a command starts; None where none does.
    """

    spelling: Spelling
    open_pool: Callable[[Environment], HostPool]
    inline: Callable[[Environment], HostPool] | None = None
    wording: Wording | None = None
    write_test: WriteTest | None = None
    version: Callable[[str | None], tuple[str, Sequence[str]]] | None = None
    packages: Callable[[Path, Iterable[str]], Sequence["Package"]] | None = None
    started: "Started | None" = None


@dataclass(frozen=True, slots=True)
class Package:
    """A package outside of the project that a file of it names."""

    name: str
    version: str
    integrity: str
    """The hash of its archive, as that file has it; empty where it has none."""
    folder: Path
    """Where it is installed."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A server that was installed into a store, with all that it needs."""

    name: str
    """Its name and version, with a blank between them."""
    folder: Path
    """The folder of the store with its lock and its environment."""


class Started(Protocol):
    """How it is known which code a command starts, for certificates. Each raises `CertificateError` where it is not.

    A command starts a file of the project, or a server of a store.
    """

    def stored(self, target: Target, settings: ToolSettings, root: Path, store: str | None) -> Stored | None:
        """The server of a store that the command starts, None where it starts none. Raises `TargetError` where it is damaged.

        `store` is the configured place of the store.
        """

    def command_in(self, place: Path, module: str, settings: ToolSettings) -> tuple[str, ...]:
        """The command that starts such a server from a copy of its environment. Raises `TargetError` where that has none."""

    def words_of(self, module: str, settings: ToolSettings) -> tuple[str, ...]:
        """The command as it is written, by the place in the target spec; its first word names an interpreter of Python."""

    def command_of(self, target: Target, settings: ToolSettings, root: Path) -> tuple[str, ...]:
        """The command with the path of its interpreter. Raises `TargetError` where that cannot be found."""

    def file_of(self, target: Target, settings: ToolSettings, root: Path) -> Path:
        """The file below `root` that the command starts with."""


@dataclass(frozen=True, slots=True, eq=False)
class ClientFiles:
    """The files in which clients name the servers of a system.

    `specs` gives the target specs of all servers that a file names, by their names: it takes the path as it is written and
    the directory that relative paths start from, and raises `TargetError` where the file is wrong. `disabled` likewise gives
    the names of those that the file disables; it may be left out.
    """

    specs: Callable[[str, Path], Mapping[str, str]]
    disabled: Callable[[str, Path], Collection[str]] = lambda _path, _root: ()


Say = Callable[[str], None]
"""Prints a line of a command's result."""


@dataclass(frozen=True, slots=True, eq=False)
class SystemCommand:
    """A command that only one system has, below the program's command of the system's name.

    `short` is a line for the list of commands, `description` what `--help` prints. `run` gets the arguments, the project's
    settings and what prints a line; it tells whether all went well. It raises a `ConformanceError` on bad usage.
    """

    name: str
    short: str
    description: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Settings, Say], bool]


@dataclass(frozen=True, slots=True, eq=False)
class SystemProfile:
    """A system of tools.

    `traits` is what hosts, probes and rules know of it; None if the tools' declarations name their system.
    `contracts` is the text of its clauses, editions and practice, in the form of `core/contracts/clauses.yaml`; empty for the
    systems that stand in that file. `areas` gives the areas of its rules by the letters of their codes, each with a title.
    `probes` run after the suite's, for this system's tools only.
    `remedies` gives, by its code, the fix of a shared rule in the words of this system.
    `client_files` is for a system of servers that clients name in files. `commands` are its own commands. A system of this
    distribution that has either is in `named_commands.py`.
    """

    name: str
    runtimes: tuple[Runtime, ...]
    traits: SystemTraits | None = None
    rules: tuple[ModuleType | Rule, ...] = ()
    contracts: str = ""
    areas: tuple[tuple[str, str], ...] = ()
    remedies: Mapping[str, str] = field(default_factory=dict)
    probes: tuple[Probe, ...] = ()
    client_files: ClientFiles | None = None
    commands: tuple[SystemCommand, ...] = ()
