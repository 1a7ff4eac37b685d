"""One specimen examined, once, and judged by every edition: they differ in levels only."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.acceptance.matrix.specimens import Collection, Specimen

from aptix_conformance import canaries
from aptix_conformance.contracts import load
from aptix_conformance.examination import (
    Examination,
    Options,
    Suite,
    bearing,
    examine,
    read_target,
    tool_name,
)
from aptix_conformance.examination.verdicts import Verdict
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.hosts.host import Hosts, ToolHost
from aptix_conformance.model import Declaration
from aptix_conformance.model.codec import replace
from aptix_conformance.systems.pools import Systems
from aptix_conformance.systems.rulebook import suites
from aptix_conformance.targets import Settings, Target, ToolSettings, load_settings, settings_for
from aptix_conformance.targets.spec import Spec

EXAMPLES, BUDGET = 15, 60.0
"""Fewer examples than a user has by default: what a probe always does must find a fixture's fault, not its luck."""


@dataclass(frozen=True, slots=True)
class Examined:
    """One tool of a specimen, and its verdicts by edition."""

    title: str
    examination: Examination
    verdicts: dict[str, tuple[Verdict, ...]]


class Laboratory:
    """The hosts in which specimens are examined, and the seed they were made with; make one with `laboratory()`."""

    def __init__(self, open_: ExitStack, seed: int, examples: int) -> None:
        self.options = Options(examples=examples, budget=BUDGET, seed=seed)
        self._open = open_
        self._hosts: dict[Path, Systems] = {}
        self._read: dict[str, dict[str, Declaration]] = {}

    def examine(self, specimen: Specimen, seed: int | None = None) -> tuple[Examined, ...]:
        """Examine every tool of a specimen, with another seed than the hosts' if one is given.

        Raises:
            TargetError: there is none, or one cannot be loaded.
        """
        collection = specimen.collection
        settings = ToolSettings()
        if specimen.name not in collection.unconfigured:
            where = Spec(collection.system, specimen.module).canonical
            settings = settings_for(_settings(collection), None, where)
        specs = self._at(collection.root).list_tools(collection.system, specimen.module, settings).tools
        targets = [_target(collection.system, specimen.module, spec) for spec in sorted(specs)]
        options = self.options if seed is None else replace(self.options, seed=seed)
        alone = len(targets) == 1
        return tuple(self._examine(specimen, target, options, alone=alone) for target in targets)

    def _examine(self, specimen: Specimen, target: Target, options: Options, *, alone: bool) -> Examined:
        collection = specimen.collection
        hosts, settings = self._at(collection.root), ToolSettings()
        if specimen.name not in collection.unconfigured:
            settings = settings_for(_settings(collection), None, target.spec)
            name = tool_name(read_target(hosts, target, settings))
            settings = settings_for(_settings(collection), name, target.spec)
        settings = replace(settings, env={**settings.env, **collection.hurried.get(specimen.name, {})})
        once = _ReadOnceMore(hosts, self._read.setdefault(target.spec, {}))
        found = examine(once, target, settings, _suite(collection.editions[0]), options)
        return Examined(
            title=specimen.title if alone else f"{specimen.title}:{target.qualname}",
            examination=found,
            verdicts={edition: _leveled(found, edition) for edition in collection.editions},
        )

    def _at(self, root: Path) -> Systems:
        """The hosts for what lies below a root directory."""
        if root not in self._hosts:
            # Twins are imported by their bare names, as their authors do; the fixtures by folder, so that one zygote
            # serves all.
            environment = Environment(
                rootdir=root,
                sys_path=(str(root), str(root / "conforming"), *filter(None, sys.path)),
                canaries=canaries.environment(self.options.seed),
                limits=Limits(timeout=10),
            )
            self._hosts[root] = self._open.enter_context(Systems(environment))
        return self._hosts[root]


class _ReadOnceMore:
    """Hosts whose tools are read again by fresh interpreters for the first of several seeds, and from `known` for the rest.

    No seed has a say in that, and it is a fifth of what an examination costs.
    """

    def __init__(self, hosts: Hosts, known: dict[str, Declaration]) -> None:
        self._hosts = hosts
        self._known = known

    def open(self, target: Target, settings: ToolSettings) -> ToolHost:
        """The tool's host, with `describe_again` as told above."""
        host = self._hosts.open(target, settings)
        read = host.describe_again

        def describe_again(
            conditions: Mapping[str, str], then: Sequence[Mapping[str, str]] = ()
        ) -> Declaration:
            if "threads" in conditions:
                return read(conditions, then)
            key = repr(sorted(conditions.items()))
            if key not in self._known:
                self._known[key] = read(conditions, then)
            return self._known[key]

        host.describe_again = describe_again
        return host


def _target(system: str, module: str, listed: str) -> Target:
    """What a listing names: `module:qualname`, for other systems than Aptix the tool alone."""
    tool = listed.partition(":")[2] if system == "aptix" else listed
    return Target(Spec(system, module, tool or None).canonical, system, module, tool)


@contextmanager
def laboratory(seed: int = 0, examples: int = EXAMPLES) -> Iterator[Laboratory]:
    """A laboratory whose processes end with the block; the seed and the examples are those of the run."""
    with ExitStack() as open_:
        yield Laboratory(open_, seed, examples)


def _leveled(examination: Examination, edition: str) -> tuple[Verdict, ...]:
    """The verdicts of an examination with the levels of an edition."""
    levels = {
        concern.rule.code: concern.level
        for concern in bearing(_suite(edition), examination.exploration.declarations[0])
    }
    assert levels.keys() == {verdict.rule for verdict in examination.verdicts}, (
        "editions differ in levels only"
    )
    return tuple(replace(verdict, level=levels[verdict.rule]) for verdict in examination.verdicts)


@cache
def _settings(collection: Collection) -> Settings:
    return load_settings(collection.configuration)


@cache
def _suite(edition: str) -> Suite:
    inventory = load()
    named = inventory.edition(edition)
    return suites(named, inventory)[named.system]
