"""The pairs of `mechanisms.toml`, and what the suite says of each."""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from aptix_conformance import Run, RunOptions
from aptix_conformance.core.model.report import ToolReport
from aptix_conformance.core.model.verdict import Level
from corpus.known import State, state_of
from corpus.servers import KnownFault

HERE: Final = Path(__file__).parent


class Pair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bug: where it was reported, the rule that has to find it, and the targets with it and without it, from `tools/`."""

    name: str
    source: str
    what: str
    rule: str
    faulty: str
    fixed: str
    missed: str = ""
    """Why no rule finds it; empty where one does."""


@dataclass(frozen=True)
class Seen:
    """What was found of a pair."""

    pair: Pair
    faulty: Sequence[ToolReport]
    fixed: Sequence[ToolReport]

    @property
    def states(self) -> tuple[State, State]:
        """Whether the fault was found in the faulty tool, and in the fixed one."""
        fault = KnownFault(self.pair.rule, self.pair.what)
        return state_of(fault, self.faulty), state_of(fault, self.fixed)

    @property
    def others(self) -> list[str]:
        """The MUST rules that either tool breaks, without the pair's own rule in the faulty one."""
        own = {("faulty", self.pair.rule)}
        found = {("faulty", rule) for rule in _broken(self.faulty)} | {
            ("fixed", rule) for rule in _broken(self.fixed)
        }
        return [f"{rule} in the {which} one" for which, rule in sorted(found - own)]


def read_pairs() -> list[Pair]:
    """The pairs, in the order of the list.

    Raises:
        msgspec.ValidationError: an entry lacks a key, or has one that there is not.
    """
    data = tomllib.loads((HERE / "mechanisms.toml").read_text(encoding="utf-8"))
    return msgspec.convert(data["pair"], list[Pair])


def examine(pairs: Sequence[Pair]) -> Iterator[Seen]:
    """Examine both tools of each pair at the default thoroughness, one pair after another.

    Raises:
        ConformanceError: the suite cannot run.
    """
    with Run.open(HERE / "tools", RunOptions()) as run:
        for pair in pairs:
            yield Seen(pair, _reports(run, pair.faulty), _reports(run, pair.fixed))


def problems(seen: Seen) -> Iterator[str]:
    """A line for each thing that is not as the list says."""
    name, (faulty, fixed) = seen.pair.name, seen.states
    if (faulty is State.FOUND) == bool(seen.pair.missed):
        yield f"{name}: {seen.pair.rule} is {faulty} in the faulty tool"
    if fixed not in (State.NOT_FOUND, State.NOT_ASKED):
        yield f"{name}: {seen.pair.rule} is {fixed} in the fixed tool"
    yield from (f"{name}: {other}" for other in seen.others)


def _reports(run: Run, target: str) -> list[ToolReport]:
    found = run.find(target)
    return [*run.reports.failed_reports(found), *run.examine_each(found)]


def _broken(tools: Sequence[ToolReport]) -> set[str]:
    return {
        verdict.rule
        for tool in tools
        for verdict in tool.verdicts
        if verdict.finding is not None and verdict.level is Level.MUST
    }
