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
    gone = [name for name in old if name not in new]
    come = [name for name in new if name not in old]
    if len(old) == len(new) == 1:
        pairs = dict(zip(gone, come, strict=True))
    else:
        pairs = _renamed([(name, old[name]) for name in gone], [(name, new[name]) for name in come])
    found = [judge(old[name], new[name]) for name in old if name in new]
    found += [judge(old[before], new[after]) for before, after in pairs.items()]
    for name in gone:
        if name not in pairs:
            message = f"the tool `{readable(name)}` is gone: calls of it reach nobody"
            found.append(Comparison(name, (Change.of("tool-removed", "name", message),)))
    for name in come:
        if name not in pairs.values():
            message = f"the tool `{readable(name)}` is new"
            found.append(Comparison(name, (Change.of("tool-added", "name", message),)))
    return tuple(sorted(found, key=lambda comparison: comparison.tool))


def _renamed(gone: list[tuple[str, ToolSchema]], come: list[tuple[str, ToolSchema]]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for name, tool in gone:
        for candidate, other in come:
            if candidate not in pairs.values() and same(tool.parameters, other.parameters):
                pairs[name] = candidate
                break
    return pairs
