"""The four sources of targets; a run uses all of them together.

Entry points are read as text and never loaded: loading would import the tool into this process.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from aptix_conformance.targets.config import TABLE
from aptix_conformance.text import printable

OPTION = "--aptix-tools"
GROUP = "aptix.tools"
HOOK = "pytest_aptix_tools"
HOOK_ORIGIN = f"the hook {HOOK}"
CONFIGURED = f"[tool.{TABLE}] tools"


@dataclass(frozen=True, slots=True)
class SourcedSpec:
    """A spec as written, and the source that names it: its origin holds one of the four marks above."""

    text: str
    origin: str


def nothing_found(pyproject: Path, example: str, sources: Iterable[SourcedSpec] = ()) -> str:
    """Lines of text for a run without a tool: the places looked at, what each named, and what to do: name `example`."""
    places: dict[str, list[str]] = {OPTION: [], CONFIGURED: [], GROUP: [], HOOK: []}
    for source in sources:
        places[next(mark for mark in places if mark in source.origin)].append(printable(source.text))
    missing = "" if pyproject.exists() else " (there is no such file)"
    titles = (
        OPTION,
        f"{CONFIGURED} of {pyproject}{missing}",
        f"entry points of the group {GROUP}",
        HOOK_ORIGIN,
    )
    lines = [
        f"  {title}: {', '.join(places[mark]) or 'nothing'}"
        for title, mark in zip(titles, places, strict=True)
    ]
    return "\n".join(
        ["no tool was found; looked at:", *lines, f"name one: pytest --aptix-conformance {OPTION} {example}"]
    )


def entry_point_specs() -> tuple[SourcedSpec, ...]:
    """The entry points of the group, by their value, sorted by name."""
    specs = []
    for point in sorted(metadata.entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        # `module : attribute [extra]` is allowed there; the grammar of specs knows neither blanks nor extras.
        text = re.sub(r"\s*:\s*", ":", point.value.partition("[")[0].strip())
        owner = f" of {point.dist.name}" if point.dist else ""
        specs.append(SourcedSpec(text, f"the entry point {printable(point.name)}{owner} (group {GROUP})"))
    return tuple(specs)
