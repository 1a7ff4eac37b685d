"""The inputs of a run: the project, its settings, the options and the suites, and what follows from them."""

import datetime
import os
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aptix_conformance.app.run.options import RunOptions
from aptix_conformance.core.contracts import Inventory
from aptix_conformance.core.contracts.inventory import Edition
from aptix_conformance.core.model import canaries
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.containment import ContainmentLevel
from aptix_conformance.examine import Options, Suite
from aptix_conformance.hosts import MIB, Environment, Limits
from aptix_conformance.rules import Rule
from aptix_conformance.systems.registry import SystemRegistry
from aptix_conformance.targets import Settings, SourcedSpec, entry_point_specs, is_covered, pytest_paths
from aptix_conformance.targets.sources import CONFIGURED, OPTION

_CHANGING: Final = (".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".coverage")
"""Entries of a project that other programs write at any time."""


@dataclass(slots=True)
class RunSetup:
    """The part of a run that starts no process."""

    directory: Path
    settings: Settings
    options: RunOptions
    inventory: Inventory
    suites: Mapping[str, Suite]
    """The suites that judge tools, by system."""
    systems: SystemRegistry = field(default_factory=SystemRegistry)
    started: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))
    _began: float = field(default_factory=time.monotonic)

    @property
    def pyproject(self) -> Path:
        """The file of the configuration, which need not exist."""
        return self.directory / "pyproject.toml"

    @property
    def known_specs(self) -> tuple[SourcedSpec, ...]:
        """Every target spec of the run with the source that names it; there may be none."""
        named = [
            spec if isinstance(spec, SourcedSpec) else SourcedSpec(spec, OPTION)
            for spec in self.options.tools
        ]
        configured = [SourcedSpec(spec, CONFIGURED) for spec in self.settings.tools]
        return (*named, *configured, *entry_point_specs(self.settings.entry_points))

    def is_own(self, target: str) -> bool:
        """Whether the project itself names a target; where it names none, those of the command line are its own."""
        own = [spec.text for spec in self.known_specs if spec.origin != OPTION]
        return not own or is_covered(target, own, self.settings.specs)

    @property
    def edition(self) -> Edition | None:
        """The edition that the options or the configuration ask for; None where neither does."""
        name = self.settings.edition if self.options.edition is None else self.options.edition
        return None if name is None else self.inventory.edition(name)

    def suite_of(self, rules: Iterable[Rule], edition: str) -> Suite:
        """Some rules, in an edition.

        Raises:
            ConfigurationError: there is no such edition.
        """
        chosen = self.inventory.edition(edition)
        return replace(self.suites[chosen.system], rules=tuple(rules), edition=chosen)

    @property
    def thoroughness(self) -> Options:
        """How thorough each examination is."""
        options = self.options
        return Options(
            examples=options.drawn,
            budget=options.budget,
            timeout=options.timeout,
            seed=options.seed,
            storage=options.storage,
            quick=options.thoroughness == "quick",
        )

    @property
    def root(self) -> Path:
        """The root directory of the tools."""
        return self.options.root or self.directory

    @property
    def sys_path(self) -> tuple[str, ...]:
        """Where the tools' modules are looked for, as absolute paths; the root is the last."""
        configured = self.options.sys_path
        entries = [*sys.path, *pytest_paths(self.directory)] if configured is None else configured
        paths = (str(Path(entry).absolute()) for entry in entries if entry)
        return tuple(dict.fromkeys([*paths, str(self.root)]))

    @property
    def environment(self) -> Environment:
        """The environment of every tool's process."""
        options = self.options
        return Environment(
            rootdir=self.root,
            sys_path=self.sys_path,
            canaries=canaries.environment(options.seed),
            limits=Limits(timeout=options.timeout, memory=options.memory * MIB),
            least_containment=self.least_containment,
            hidden=(*options.hidden, *self._hidden_with_cache),
            server_store=Path(self.settings.server_store) if self.settings.server_store else None,
            variables=options.variables,
            uncalled=tuple(
                key for key, table in self.settings.tool.items() if table.side_effects == "destructive"
            ),
            coverage=options.coverage,
        )

    @property
    def _hidden_with_cache(self) -> tuple[str, ...]:
        """The paths that tools do not see where the run has a cache: its folder, and what other programs write at any time."""
        if self.options.cache is None:
            return ()
        folder = self.options.cache.absolute()
        changing = (self.root.absolute() / name for name in _CHANGING)
        return tuple(dict.fromkeys(map(str, (folder, folder.resolve(), *changing))))

    @property
    def least_containment(self) -> ContainmentLevel:
        """The containment that the run requires; `none` requires nothing."""
        return self.options.containment or self.settings.containment

    @property
    def is_limited(self) -> bool:
        """Whether tools are read and judged in a worker, as far as the machine can fork one."""
        return self.options.limited and not self.options.inline and hasattr(os, "fork")

    @property
    def deadline(self) -> float | None:
        """Seconds that the run may take; None where there is no limit."""
        return self.settings.deadline if self.options.deadline is None else self.options.deadline

    @property
    def until(self) -> float | None:
        """When the run must end, on the monotonic clock; None where there is no limit."""
        return None if self.deadline is None else self._began + self.deadline

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the deadline leaves; None where there is no limit."""
        return None if self.until is None else self.until - time.monotonic()
