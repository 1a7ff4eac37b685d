"""Resolves specs to targets: parses them, lists whole modules, removes duplicates, and sorts.

This module imports no tool; a host says what a module defines. A spec that cannot be resolved fails alone, so that the
other tools are still examined.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol, Self, TypeVar

from aptix_conformance.core.errors import (
    ConformanceError,
    HarnessError,
    HostError,
    ShortageError,
    SpecError,
    TargetError,
    harness_phase,
)
from aptix_conformance.core.text import printable
from aptix_conformance.targets.per_tool import interpreters, settings_for
from aptix_conformance.targets.settings import Settings, Target, ToolSettings
from aptix_conformance.targets.sources import SourcedSpec
from aptix_conformance.targets.spec import Spec


class Listed(Protocol):
    """The listing of a module by a host: see `hosts.host.Listing`, which is in a higher layer."""

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools defined, by name; with its own place where the spelling says so."""

    @property
    def passed_over(self) -> tuple[str, ...]:
        """Sentences about classes that look like tools and are not tools."""

    @property
    def failures(self) -> Mapping[str, str]:
        """Modules of a package that could not be imported, each with what went wrong."""


Place = tuple[str, str, ToolSettings]
"""Where tools are listed: the prefix of the target spec, a module, and the settings for it."""
ListEach = Callable[[Sequence[Place]], Sequence[Listed | ConformanceError]]
"""Lists the tools of several places; an error in place of a list says why there is none."""

_T = TypeVar("_T")


def taken(answer: _T | ConformanceError) -> _T:
    """An answer.

    Raises:
        ConformanceError: the error that is in place of one.
    """
    if isinstance(answer, ConformanceError):
        raise answer
    return answer


@dataclass(frozen=True, slots=True)
class TargetFailure:
    """A spec without a tool: its source, and what is wrong; `fault` is that where the suite itself failed."""

    spec: str
    origin: str
    message: str
    fault: HarnessError | None = None

    @classmethod
    def of(cls, spec: str, origin: str, error: Exception) -> Self:
        """The failure that an error is."""
        return cls(spec, origin, str(error), error if isinstance(error, HarnessError) else None)


@dataclass(frozen=True, slots=True)
class Discovery:
    """All targets of a run and all specs that failed, each sorted by spec; `notes` are sentences for the user."""

    targets: tuple[Target, ...]
    failures: tuple[TargetFailure, ...]
    notes: tuple[str, ...]


def discover(sources: Iterable[SourcedSpec], list_each: ListEach, settings: Settings) -> Discovery:
    """Resolve all specs; the same class named twice is one target, of the source that named it first.

    `list_each` lists each module named once; what is no TargetError or HostError is raised.

    Raises:
        ConfigurationError: two configuration tables are about the same target.
    """
    finder = _Finder(settings, list_each)
    named: dict[Spec, str] = {}
    for source in sources:
        try:
            named.setdefault(settings.specs.parse(source.text, source.origin), source.origin)
        except SpecError as error:
            finder.fail(source.text, source.origin, str(error))
    places: dict[Spec, Place] = {}
    for spec, origin in named.items():
        with finder.failing_alone(spec, origin):
            if finder.is_listed(spec):
                places[spec] = finder.place(spec)
    listings = dict(zip(places, list_each(list(places.values())), strict=True))
    for spec, origin in named.items():
        if spec.canonical not in finder.failures:
            with finder.failing_alone(spec, origin):
                finder.find(spec, origin, listings.get(spec))
    return Discovery(
        targets=tuple(finder.targets[spec] for spec in sorted(finder.targets)),
        failures=tuple(finder.failures[spec] for spec in sorted(finder.failures)),
        notes=tuple(sorted(finder.notes)),
    )


class _Finder:
    """Collects targets and failures by canonical spec, and notes."""

    def __init__(self, settings: Settings, list_each: ListEach) -> None:
        self.targets: dict[str, Target] = {}
        self.failures: dict[str, TargetFailure] = {}
        self.notes: set[str] = set()
        self._settings = settings
        self.specs = settings.specs
        self._list_each = list_each

    def fail(self, spec: str, origin: str, message: str) -> None:
        self.failures.setdefault(spec, TargetFailure(spec, origin, message))

    @contextmanager
    def failing_alone(self, spec: Spec, origin: str) -> Iterator[None]:
        """Let an error of the suite fail a spec alone."""
        try:
            with harness_phase("finding the tools of a target"):
                yield
        except HarnessError as error:
            self.failures.setdefault(spec.canonical, TargetFailure.of(spec.canonical, origin, error))

    def place(self, spec: Spec, python: str | None = None) -> Place:
        """Where the tools of a spec are listed, with another interpreter if one is given."""
        settings = settings_for(self._settings, None, spec.canonical)
        return spec.spelling.prefix, spec.module, replace(settings, python=python) if python else settings

    def is_listed(self, spec: Spec) -> bool:
        """Whether a list of its module is needed; else the host says whether the class exists, when it opens the tool."""
        return spec.qualname is None or bool(self._others(spec))

    def find(self, spec: Spec, origin: str, answer: Listed | ConformanceError | None) -> None:
        """Add the targets of a spec. `answer` is the list of its module, or why there is none; None where none is needed."""
        if answer is None:
            assert spec.qualname is not None
            self._add(spec, spec.module, spec.qualname, origin, None)
            return
        try:
            listing, python = self._listing(spec, answer)
        except (TargetError, HostError, ShortageError) as error:
            self.failures.setdefault(spec.canonical, TargetFailure.of(spec.canonical, origin, error))
            return
        if spec.qualname is not None:
            self._add(spec, spec.module, spec.qualname, origin, python)
            return
        for tool in listing.tools:
            places = spec.spelling.lists_places
            module, _, qualname = tool.partition(spec.spelling.mark) if places else (spec.module, "", tool)
            if f"{module}.".partition(f"{spec.module}.")[0]:
                shown = printable(tool)
                self.fail(spec.canonical, origin, f"{spec.canonical} lists `{shown}`, which is not in it")
                continue
            self._add(spec, module, qualname, origin, python)
        for module, message in listing.failures.items():
            self.fail(module, origin, message)
        self.notes.update(listing.passed_over)
        if not listing.tools and not listing.failures:
            self.fail(spec.canonical, origin, _no_tool(spec, listing.passed_over))

    def _add(self, spec: Spec, module: str, qualname: str, origin: str, python: str | None) -> None:
        spelling = spec.spelling
        canonical = self.specs.spec(spelling, module, qualname).canonical
        if not self._holds(canonical, module, qualname):
            # A listing comes from the tools' own process: such a name must not stop the other tools.
            shown = printable(qualname) or "(empty)"
            reason = f"{printable(module)} gives a tool the name `{shown}`, which no target spec can hold"
            self.fail(f"{canonical}{'' if qualname else ':'}", origin, f"{reason}; rename it")
            return
        target = Target(canonical, spelling.system, module, qualname, origin, python, spelling.prefix)
        self.targets.setdefault(canonical, target)

    def _holds(self, canonical: str, module: str, qualname: str) -> bool:
        spec = self.specs.read(canonical)
        if spec is None:
            return False
        # A place that registers no tool is listed as one without a name, by systems whose places are no modules.
        nameless_is_known = not spec.spelling.lists_places
        return (spec.module, spec.qualname or ("" if nameless_is_known else None)) == (module, qualname)

    def _others(self, spec: Spec) -> Sequence[str]:
        """Further interpreters that are configured for a tool that may be in a module."""
        settings = settings_for(self._settings, None, spec.canonical)
        return () if settings.python else interpreters(self._settings, spec)

    def _listing(self, spec: Spec, answer: Listed | ConformanceError) -> tuple[Listed, str | None]:
        """The listing, and the interpreter that it needed if that is not the module's configured one.

        Only an import shows which tools are in a module. So a module that the suite's interpreter cannot import is tried
        with each interpreter that is configured for a tool that may be in it.
        """
        if isinstance(answer, TargetError):
            for python in self._others(spec):
                (other,) = self._list_each([self.place(spec, python)])
                if not isinstance(other, TargetError):
                    return taken(other), python
        return taken(answer), None


def _no_tool(spec: Spec, passed_over: tuple[str, ...]) -> str:
    reasons = "".join(f"; {printable(reason, 300)}" for reason in passed_over)
    return f"`{spec.canonical}` {spec.spelling.no_tool.format(reasons=reasons)}"
