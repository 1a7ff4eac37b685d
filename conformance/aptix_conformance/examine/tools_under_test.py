"""Tools under test, before they are examined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import Declaration
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.text import printable
from aptix_conformance.examine.applicable import ApplicableRule, Suite, applicable_rules, tool_name
from aptix_conformance.targets import TargetFailure, short_specs
from aptix_conformance.targets.settings import Target, ToolSettings


@dataclass(frozen=True, slots=True)
class ReadTool:
    """A tool whose declaration was read, in a process that `containment` held; None where that is not known."""

    target: Target
    declaration: Declaration
    containment: Containment | None = None
    exemptions: Mapping[str, str] | None = None
    """The rules that do not apply to it, each with the reason; None where that is not known."""

    @property
    def name(self) -> str:
        """Its declared name, or its class's where it declares none."""
        return tool_name(self.declaration)


@dataclass(frozen=True, slots=True)
class ToolUnderTest:
    """One tool that a run found.

    `name` is what reports call it: its declared name, or `NAME@END`, with an end of its spec, where two tools of the run have that name.
    `settings` holds what the project's configuration says about it, `suite` the rules and the edition that judge it.
    """

    name: str
    target: Target
    settings: ToolSettings
    declaration: Declaration
    suite: Suite
    containment: Containment | None = None
    """The containment of the process in which the declaration was read; None where that is not known."""
    exemptions: Mapping[str, str] | None = None
    """The rules that do not apply to it, each with the reason; None where that is not known yet."""

    def applicable_rules(self) -> list[ApplicableRule]:
        """The rules of its edition, each with whether the tool is exempt."""
        known = self.exemptions
        applies = None if known is None else lambda rule: known.get(rule.code)
        return applicable_rules(self.suite, self.declaration, applies)


@dataclass(frozen=True, slots=True)
class FoundTools:
    """The result of discovery: the tools, the specs that lead to none, and notes for the user."""

    tools: tuple[ToolUnderTest, ...]
    failures: tuple[TargetFailure, ...] = ()
    notes: tuple[str, ...] = ()
    shared: frozenset[str] = frozenset()
    """The declared names that several tools of the run have: what the project grants to such a name, none of them gets."""

    def all_found(self) -> tuple[ToolUnderTest, ...]:
        """The tools, where every spec led to some.

        Raises:
            TargetError: a spec led to no tool; says why.
        """
        for failure in self.failures:
            raise TargetError(failure.message)
        return self.tools


def tell_apart(tools: Sequence[ToolUnderTest]) -> tuple[tuple[ToolUnderTest, ...], list[str]]:
    """Make names unique: tools that share a name are renamed to `NAME@END`; also returns notes about them.

    `END` is the shortest end of the tool's spec that tells it from the others.
    """
    by_name: dict[str, list[ToolUnderTest]] = {}
    for tool in tools:
        by_name.setdefault(tool.name.casefold(), []).append(tool)
    notes = [
        f"{printable(same[0].name)} is the name of {len(same)} tools "
        f"({', '.join(sorted(tool.target.spec for tool in same))}); a registry takes one"
        for same in by_name.values()
        if len(same) > 1
    ]
    short = {
        spec: end
        for same in by_name.values()
        for spec, end in short_specs(tool.target.spec for tool in same).items()
    }
    renamed = tuple(
        replace(tool, name=f"{tool.name}@{short[tool.target.spec]}")
        if len(by_name[tool.name.casefold()]) > 1
        else tool
        for tool in tools
    )
    return renamed, notes
