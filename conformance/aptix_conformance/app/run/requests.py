"""The requests of a run to its workers, and their answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from aptix_conformance.core.errors import UNEXAMINED
from aptix_conformance.core.model import Declaration
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.report import ToolReport
from aptix_conformance.core.schemas import Shape
from aptix_conformance.examine import ToolUnderTest, needed_probes, needs_restarts
from aptix_conformance.rules import Rule
from aptix_conformance.targets import Target, ToolSettings

NOT_EXAMINED: Final = f"{UNEXAMINED}the deadline of the run was reached"
"""The error of a tool that the deadline stopped or left out."""


@dataclass(frozen=True, slots=True)
class ListTools:
    """List the tools of a place, or of one module (`hosts.host.HostPool.list_module`)."""

    prefix: str
    module: str
    settings: ToolSettings


@dataclass(frozen=True, slots=True)
class ReadDeclaration:
    """Read the declaration of a tool."""

    target: Target
    settings: ToolSettings


@dataclass(frozen=True, slots=True)
class ExamineTool:
    """Examine a tool and make its report.

    `probes` are the names of those to run, `deselected` the rules that nobody asked for. `restarts` is whether the declaration
    is read in other processes too.
    """

    name: str
    target: Target
    settings: ToolSettings
    declaration: Declaration
    containment: Containment | None
    probes: tuple[str, ...]
    deselected: frozenset[str] = frozenset()
    restarts: bool = True

    @classmethod
    def of(cls, tool: ToolUnderTest, rules: Sequence[Rule] | None = None) -> Self:
        """The request for one tool; `rules` are those that are asked for, None means all."""
        bound = {applicable.rule.code for applicable in tool.applicable_rules() if not applicable.exempt}
        chosen = tool.suite.rules if rules is None else rules
        probes = tool.suite.probes if rules is None else needed_probes(chosen, tool.suite.probes)
        return cls(
            name=tool.name,
            target=tool.target,
            settings=tool.settings,
            declaration=tool.declaration,
            containment=tool.containment,
            probes=tuple(probe.name for probe in probes),
            restarts=rules is None or needs_restarts(chosen),
            deselected=frozenset(bound - {rule.code for rule in chosen}),
        )


@dataclass(frozen=True, slots=True)
class ToolExamined:
    """The report of a tool, the shape of the results of its fixed calls, and the arguments of a call that worked, as JSON."""

    report: ToolReport
    result_shape: Shape | None
    worked: str | None = None
