"""From target specs to the tools of a run: each is read in a process of its own, and gets its settings and its suite."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol, TypeVar

from aptix_conformance.app.run.options import ALLOW_SIDE_EFFECTS
from aptix_conformance.app.run.setup import RunSetup
from aptix_conformance.core.errors import ConfigurationError, ConformanceError, TargetError, own_fault
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.text import printable
from aptix_conformance.examine import (
    FoundTools,
    ReadTool,
    ToolUnderTest,
    check_narrowings,
    check_waivers,
    narrow,
    tell_apart,
)
from aptix_conformance.hosts.host import Listing
from aptix_conformance.hosts.own_time import is_measured
from aptix_conformance.hosts.required_containment import SWITCHED_OFF, check_containment
from aptix_conformance.systems.near_names import near_target
from aptix_conformance.systems.rulebook import suite_for
from aptix_conformance.targets import (
    Place,
    SourcedSpec,
    Target,
    TargetFailure,
    ToolSettings,
    discover,
    granted_by_name,
    is_covered,
    near_place,
    settings_for,
    taken,
    unmatched,
)
from aptix_conformance.targets.sources import OPTION

_T = TypeVar("_T")

_BY_THE_CLOCK: Final = (
    "this machine does not count how long a process waits for a processor (no /proc/…/schedstat): time limits go by the "
    "clock, so other work on the machine can make a tool look slow"
)


class Reader(Protocol):
    """Reads tools. An error stands in place of what it is about, so that the others are read."""

    def list_each(self, places: Sequence[Place]) -> Sequence[Listing | ConformanceError]:
        """The tools of several places; a TargetError where one does not exist or cannot be loaded."""

    def read_each(
        self, tools: Sequence[tuple[Target, ToolSettings]]
    ) -> Sequence[ReadTool | ConformanceError]:
        """The declarations of several tools.

        A ContainmentError where one is contained less than is required, a TargetError where it cannot be loaded or read, a HostError
        where no process could be started.
        """


@dataclass(frozen=True, slots=True)
class ToolFinder:
    """Finds the tools of a run. The methods do what those of `Run` say."""

    setup: RunSetup
    reader: Reader

    def list_tools(self, specs: Sequence[SourcedSpec]) -> FoundTools:
        """See `Run.list_tools`."""
        found_tools = self._find(specs)
        named = [(tool.name, tool.target.spec) for tool in found_tools.tools]
        return _with_own_names(
            found_tools,
            *unmatched(self.setup.settings, named, [failure.spec for failure in found_tools.failures]),
            *check_narrowings(found_tools.tools),
            *self._edition_unused(found_tools.tools),
            *([] if is_measured() else [_BY_THE_CLOCK]),
        )

    def find(self, specs: Sequence[str], shared: frozenset[str] | None = None) -> FoundTools:
        """See `Run.find`."""
        named = [SourcedSpec(spec, OPTION) for spec in specs]
        return _with_own_names(self._find(named, alone=shared is not None, shared=shared))

    def find_reported(self, spec: str, *, allow_side_effects: bool) -> ToolUnderTest:
        """See `Run.find_reported`."""
        setup = self.setup
        if not is_covered(spec, [known.text for known in setup.known_specs], setup.settings.specs):
            name = printable(spec, 200)
            raise TargetError(
                f"the report is about {name}, which this project does not configure: "
                f"list it under [tool.aptix-conformance] tools, or name it with {OPTION} {name}"
            )
        named = self.find([spec]).all_found()
        # The target of a server also names all of its tools.
        matching = [tool for tool in named if tool.target.spec == spec] or named
        if len(matching) != 1:
            raise TargetError(f"{printable(spec, 200)} names {len(matching)} tools, where one is wanted")
        (tool,) = matching
        settings = tool.settings
        if settings.side_effects == "none" and not allow_side_effects:
            notice = (
                'side_effects = "none" does not count in a replay, since the report chose the arguments: calls are '
                f"contained. For a report that you made yourself, add {ALLOW_SIDE_EFFECTS}"
            )
            settings = replace(settings, side_effects="contained", withheld=(*settings.withheld, notice))
        return replace(tool, settings=settings)

    def _find(
        self, specs: Sequence[SourcedSpec], *, alone: bool = True, shared: frozenset[str] | None = None
    ) -> FoundTools:
        """The tools of some specs; `alone` says that no others need to be read, `shared` is as in `Run.find`."""
        read, failures, notes = self._read_all(specs)
        names = Counter(tool.name for tool in read)
        if not alone and any(granted_by_name(self.setup.settings, name) for name in names):
            known = {tool.target.spec for tool in read}
            others, _, _ = self._read_all(self.setup.known_specs)
            names.update(tool.name for tool in others if tool.target.spec not in known)
        several = frozenset(name for name, count in names.items() if count > 1) | (shared or frozenset())
        tools = [_attempt(failures, tool.target, partial(self._configured, tool, several)) for tool in read]
        return FoundTools(tuple(tool for tool in tools if tool is not None), tuple(failures), notes, several)

    def _read_all(
        self, specs: Sequence[SourcedSpec]
    ) -> tuple[list[ReadTool], list[TargetFailure], tuple[str, ...]]:
        """The declarations of the tools of some specs, the specs that lead to none, and notes."""
        discovery = discover(specs, self.reader.list_each, self.setup.settings)
        failures = list(discovery.failures)
        named = [
            (target, _attempt(failures, target, partial(self._unnamed, target)))
            for target in discovery.targets
        ]
        configured = [(target, settings) for target, settings in named if settings is not None]
        read = [
            _attempt(failures, target, partial(taken, answer))
            for (target, _), answer in zip(configured, self.reader.read_each(configured), strict=True)
        ]
        hinted = [self._hinted(failure) for failure in failures]
        return [tool for tool in read if tool is not None], hinted, discovery.notes

    def _hinted(self, failure: TargetFailure) -> TargetFailure:
        hint = near_place(self.setup.settings, failure.spec)
        spec = self.setup.settings.specs.read(failure.spec)
        if not hint and spec is not None and "did you mean" not in failure.message:
            hint = near_target(spec, self.setup.root, self.setup.sys_path)
        return replace(failure, message=f"{failure.message}{hint}")

    def _unnamed(self, target: Target) -> ToolSettings:
        """The settings of a tool whose name is not known yet."""
        return settings_for(self.setup.settings, None, target.spec, target.python)

    def _configured(self, read: ReadTool, shared: frozenset[str]) -> ToolUnderTest:
        """A tool with its settings and its suite; `shared` are the names that several tools have."""
        target, declaration, setup = read.target, read.declaration, self.setup
        settings = settings_for(setup.settings, read.name, target.spec, target.python, shared)
        suite = suite_for(setup.suites, target, declaration, setup.systems)
        if settings.side_effects == "none":
            check_containment(SWITCHED_OFF, setup.least_containment, target.spec)
        check_waivers(target, settings, suite.rules)
        if not setup.options.waivers:
            settings = replace(settings, waivers=())
        tool = ToolUnderTest(
            read.name, target, settings, declaration, suite, read.containment, read.exemptions
        )
        narrow(tool)  # where the suite cannot read its schema, it fails alone
        return tool

    def _edition_unused(self, tools: Sequence[ToolUnderTest]) -> list[str]:
        """A note where the chosen edition judged no tool: none is of its system, or each declares another edition."""
        edition = self.setup.edition
        used = {tool.suite.edition.name for tool in tools}
        if edition is None or edition.name in used:
            return []
        editions = " and ".join(sorted(used))
        if edition.system in {tool.declaration.system for tool in tools}:
            nothing = f"no tool declares the edition {edition.name}; it judged nothing"
        else:
            nothing = f"no tool of the system {edition.system} was examined; {edition.name} judged nothing"
        return [f"{nothing}, and what was examined was judged by {editions}" if editions else nothing]


def _with_own_names(found_tools: FoundTools, *notes: str) -> FoundTools:
    """The tools without what their author excludes, each with a name of its own."""
    tools, ambiguous = tell_apart([narrow(tool) for tool in found_tools.tools])
    return replace(found_tools, tools=tools, notes=(*found_tools.notes, *notes, *ambiguous))


def _attempt(failures: list[TargetFailure], target: Target, step: Callable[[], _T]) -> _T | None:
    """The result of a step for a target; None, and a failure of this target alone, where it raises."""
    try:
        return step()
    except ConfigurationError:
        raise
    except ConformanceError as error:
        failures.append(TargetFailure.of(target.spec, target.origin, error))
    except Exception as error:  # noqa: BLE001 - what a tool declares may be anything
        fault = own_fault(error, "reading what the tool declares")
        failures.append(TargetFailure.of(target.spec, target.origin, fault))
    return None
