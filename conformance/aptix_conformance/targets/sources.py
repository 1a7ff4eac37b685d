"""The four sources of targets; a run uses all of them together.

Entry points are read as text and never loaded: loading would import the tool into this process.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.utils import canonicalize_name

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.text import printable
from aptix_conformance.targets.config import TABLE
from aptix_conformance.targets.settings import EntryPoints

OPTION = "--aptix-tools"
GROUP = "aptix.tools"
HOOK_ORIGIN = "the hook pytest_aptix_tools"
CONFIGURED = f"[tool.{TABLE}] tools"


@dataclass(frozen=True, slots=True)
class SourcedSpec:
    """A spec as written, and the source that names it, for messages."""

    text: str
    origin: str


def nothing_found(pyproject: Path, example: str, unasked: Sequence[str] = ()) -> str:
    """Lines of text for a run without a tool: the places looked at, and what to do: name `example`.

    `unasked` are distributions whose entry points the project does not ask for.
    """
    missing = "" if pyproject.exists() else " (there is no such file)"
    lines = [
        "no tool was found; looked at:",
        f"  {OPTION}: nothing",
        f"  {CONFIGURED} of {pyproject}{missing}: nothing",
        f"  entry points of the group {GROUP}, where the project asks for them: nothing",
        f"  {HOOK_ORIGIN}: nothing",
    ]
    if unasked:
        names = ", ".join(printable(name, 60) for name in unasked)
        lines.append(f"installed distributions offer tools ({names}): `entry_points = true` examines them")
    return "\n".join([*lines, f"name one: pytest --aptix-conformance {OPTION} {example}"])


def entry_point_specs(requested: EntryPoints) -> tuple[SourcedSpec, ...]:
    """The entry points of the group that the project asks for, by their value, sorted by name.

    Raises:
        ConfigurationError: a distribution that it names is not installed, or has no such entry point.
    """
    if requested is False:
        return ()
    distributions = None if requested is True else {canonicalize_name(name): name for name in requested}
    specs, installed = [], set()
    for point in _entry_points():
        owner = point.dist.name if point.dist else ""
        if distributions is not None and canonicalize_name(owner) not in distributions:
            continue
        installed.add(canonicalize_name(owner))
        # `module : attribute [extra]` is allowed there; the grammar of specs knows neither blanks nor extras.
        text = re.sub(r"\s*:\s*", ":", point.value.partition("[")[0].strip())
        origin = f"the entry point {printable(point.name)}{f' of {owner}' if owner else ''} (group {GROUP})"
        specs.append(SourcedSpec(text, origin))
    for canonical, name in (distributions or {}).items():
        if canonical not in installed:
            raise ConfigurationError(
                f"[tool.{TABLE}] entry_points: no distribution {printable(name)} is installed that has entry points of "
                f"the group {GROUP}; install it, or remove its name"
            )
    return tuple(specs)


def distributions_with_tools() -> tuple[str, ...]:
    """The names of the installed distributions that have entry points of the group, sorted."""
    return tuple(sorted({point.dist.name for point in _entry_points() if point.dist}))


def _entry_points() -> list[metadata.EntryPoint]:
    return sorted(metadata.entry_points(group=GROUP), key=lambda point: (point.name, point.value))
