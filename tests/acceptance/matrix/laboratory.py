"""One specimen examined, once, and judged by every edition: they differ in levels only."""

import gc
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.acceptance.matrix.specimens import Collection, Specimen

from aptix_conformance import Run, RunOptions
from aptix_conformance.core.model import Declaration, TargetKind
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import VerdictReport
from aptix_conformance.core.model.verdict import Thoroughness
from aptix_conformance.examine import (
    Examination,
    Suite,
    ToolUnderTest,
    applicable_rules,
    needed_probes,
    needs_restarts,
)
from aptix_conformance.hosts.host import ToolHost
from aptix_conformance.rules import Rule
from aptix_conformance.systems.rulebook import all_rules

_RULES = {rule.code: rule for rule in all_rules()}
EXAMPLES = 15
"""Fewer examples than a user has by default: what a probe always does must find a fixture's fault, not its luck."""

Wrap = Callable[[ToolHost], ToolHost]


@dataclass(frozen=True, slots=True)
class Examined:
    """One tool of a specimen, the rules in the words of its system, and its verdicts by edition."""

    title: str
    rules: tuple[Rule, ...]
    examination: Examination
    verdicts: dict[str, tuple[VerdictReport, ...]]


class Laboratory:
    """The runs in which specimens are examined, and the seed they were made with; make one with `laboratory()`."""

    def __init__(self, open_: ExitStack, seed: int, examples: int, thoroughness: Thoroughness) -> None:
        self._seed = seed
        self._examples = examples if thoroughness == "standard" else None
        self._thoroughness: Thoroughness = thoroughness
        self._open = open_
        self._runs: dict[tuple[Path, Path], Run] = {}
        self._read: dict[str, dict[str, Declaration]] = {}

    def examine(
        self,
        specimen: Specimen,
        seed: int | None = None,
        *,
        rules: frozenset[str] | None = None,
        wrap: Wrap | None = None,
    ) -> tuple[Examined, ...]:
        """Examine every tool of a specimen, with another seed than the runs' if one is given, by all rules or by some.

        `wrap` gives a host to use in place of the tool's own.

        Raises:
            TargetError: there is none, or one cannot be loaded.
            HarnessError: the suite itself failed.
        """
        collection = specimen.collection
        run = self._run(collection)
        found = run.find(specimen.target).all_found()
        tools = [tool for tool in found if tool.declaration.kind in _wanted(specimen)]
        alone = sum(tool.declaration.kind == "tool" for tool in tools) == 1
        return tuple(self._examine(specimen, run, tool, (seed, rules, wrap), alone=alone) for tool in tools)

    def _examine(
        self,
        specimen: Specimen,
        run: Run,
        tool: ToolUnderTest,
        how: tuple[int | None, frozenset[str] | None, Wrap | None],
        *,
        alone: bool,
    ) -> Examined:
        collection = specimen.collection
        seed, asked, wrap = how
        env = {**tool.settings.env, **collection.hurried.get(specimen.name, {})}
        read_once = partial(_read_once, self._read.setdefault(tool.target.spec, {}))
        settings = replace(tool.settings, env=env)
        declared = tool.declaration.edition
        editions = (declared,) if declared else collection.editions
        rules = tuple(rule for rule in tool.suite.rules if asked is None or rule.code in asked)
        suites = {edition: _suite(run, rules, edition, only=asked is not None) for edition in editions}
        first = replace(tool, settings=settings, suite=suites[editions[0]])
        wrapped = (lambda host: read_once(wrap(host))) if wrap else read_once
        found = run.examine(first, wrap=wrapped, seed=seed)
        for error in found.harness.found.values():
            raise error  # a row would not tell it
        return Examined(
            title=_title(specimen, tool, alone=alone),
            rules=rules,
            examination=found,
            verdicts={edition: _leveled(found, suite) for edition, suite in suites.items()},
        )

    def _run(self, collection: Collection) -> Run:
        """The run for what one file configures."""
        project, root = collection.configuration, collection.root
        if (project, root) not in self._runs:
            options = RunOptions(
                seed=self._seed,
                examples=self._examples,
                thoroughness=self._thoroughness,
                timeout=10,
                limited=False,  # the examinations are made in this process, and so is the reading
                root=root,
                # Twins are imported by their bare names, as their authors do; the fixtures by folder, so that one
                # zygote serves all.
                sys_path=(str(root), str(root / "conforming"), *sys.path),
            )
            self._runs[project, root] = self._open.enter_context(Run.open(project, options))
        return self._runs[project, root]


def _suite(run: Run, rules: tuple[Rule, ...], edition: str, *, only: bool) -> Suite:
    """The suite of an edition; with `only`, with no more probes than the rules need."""
    suite = run.suite_of(rules, edition)
    if not only:
        return suite
    return replace(suite, probes=needed_probes(rules, suite.probes), restarts=needs_restarts(rules))


def _wanted(specimen: Specimen) -> tuple[TargetKind, ...]:
    """What of a specimen is examined: what the rule judges that it is named for, or all of it."""
    rule = _RULES.get(specimen.name.partition("_")[0])
    return rule.of if rule else ("tool", "server")


def _title(specimen: Specimen, tool: ToolUnderTest, *, alone: bool) -> str:
    """The title of a row; the server of a specimen has one of its own, and so has each tool if there are several."""
    if tool.declaration.kind == "server":
        return f"{specimen.title}:server{tool.target.qualname}"
    return specimen.title if alone else f"{specimen.title}:{tool.target.qualname}"


def _read_once(known: dict[str, Declaration], host: ToolHost) -> ToolHost:
    """A host whose tool is read again by fresh interpreters for the first of several seeds, and from `known` for the rest.

    No seed has a say in that, and it is a fifth of what an examination costs. Readings with nothing changed are always made:
    whether each process reads another text shows in them.
    """
    read = host.describe_again

    def describe_again(conditions: Mapping[str, str], then: Sequence[Mapping[str, str]] = ()) -> Declaration:
        if conditions.keys() <= {"threads", "process"}:
            return read(conditions, then)
        key = repr(sorted(conditions.items()))
        if key not in known:
            known[key] = read(conditions, then)
        return known[key]

    host.describe_again = describe_again
    return host


@contextmanager
def laboratory(
    seed: int = 0, examples: int = EXAMPLES, thoroughness: Thoroughness = "standard"
) -> Iterator[Laboratory]:
    """A laboratory whose processes end with the block; the seed, the examples of the standard plan and the plan are those of the run."""
    gc.freeze()  # as a worker of the suite does: to walk what was imported is a tenth of an examination
    with ExitStack() as open_:
        yield Laboratory(open_, seed, examples, thoroughness)


def _leveled(examination: Examination, suite: Suite) -> tuple[VerdictReport, ...]:
    """The verdicts of an examination with the levels of a suite's edition."""
    levels = {
        applicable.rule.code: applicable.level
        for applicable in applicable_rules(suite, examination.exploration.declarations[0])
    }
    assert levels.keys() == {verdict.rule for verdict in examination.verdicts}, (
        "editions differ in levels only"
    )
    return tuple(replace(verdict, level=levels[verdict.rule]) for verdict in examination.verdicts)
