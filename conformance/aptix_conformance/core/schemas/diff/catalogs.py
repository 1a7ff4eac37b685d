"""Compares several tools: which were added, removed or renamed, and how the others changed."""

from collections.abc import Callable, Mapping

from aptix_conformance.core.schemas.diff.change_paths import readable
from aptix_conformance.core.schemas.diff.compare import ToolSchema
from aptix_conformance.core.schemas.diff.schema_changes import Change, Comparison
from aptix_conformance.core.schemas.nodes import same

Judge = Callable[[ToolSchema, ToolSchema], Comparison]


def compare_all(
    old: Mapping[str, ToolSchema], new: Mapping[str, ToolSchema], judge: Judge
) -> tuple[Comparison, ...]:
    """Compare the tools of two sides by their names, sorted; `judge` compares one tool with what it was.

    If each side has one tool, it is the same tool whatever its name. A removed tool and a new tool with equal
    parameters count as one renamed tool.
    """
    removed = [name for name in old if name not in new]
    added = [name for name in new if name not in old]
    if len(old) == len(new) == 1:
        pairs = dict(zip(removed, added, strict=True))
    else:
        pairs = _renamed([(name, old[name]) for name in removed], [(name, new[name]) for name in added])
    comparisons = [judge(old[name], new[name]) for name in old if name in new]
    comparisons += [judge(old[before], new[after]) for before, after in pairs.items()]
    for name in removed:
        if name not in pairs:
            message = f"the tool `{readable(name)}` is gone: calls of it reach nobody"
            comparisons.append(Comparison(name, (Change.of("tool-removed", "name", message),)))
    for name in added:
        if name not in pairs.values():
            message = f"the tool `{readable(name)}` is new"
            comparisons.append(Comparison(name, (Change.of("tool-added", "name", message),)))
    return tuple(sorted(comparisons, key=lambda comparison: comparison.tool))


def _renamed(removed: list[tuple[str, ToolSchema]], added: list[tuple[str, ToolSchema]]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for name, tool in removed:
        for candidate, other in added:
            if candidate not in pairs.values() and same(tool.parameters, other.parameters):
                pairs[name] = candidate
                break
    return pairs
