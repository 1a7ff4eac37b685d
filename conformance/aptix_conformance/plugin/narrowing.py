"""What the configuration narrows, held against what the tools declare: a misspelt name would narrow nothing."""

from collections.abc import Iterable
from dataclasses import replace

from aptix_conformance.errors import ConfigurationError
from aptix_conformance.generate import DeclaredNames, declared_names, usable_schema
from aptix_conformance.plugin.items import ToolState
from aptix_conformance.text import nearest, shown

_SHOWN = 10
"""How many names a message lists."""


def settle_narrowings(states: Iterable[ToolState]) -> list[str]:
    """Leave each tool those narrowed arguments that it has; notes on names that only an open schema allows.

    A table may be about several tools, so that a name in it has to be an argument of one of them.

    Raises:
        ConfigurationError: no tool that a table is about has an argument of that name; names the nearest one.
    """
    tables: dict[str, list[tuple[ToolState, DeclaredNames]]] = {}
    for state in states:
        schema, _ = usable_schema(state.declaration) if state.settings.arguments else (None, None)
        if schema is not None:
            place = state.settings.places.get("arguments", state.target.spec)
            tables.setdefault(place, []).append((state, declared_names(schema)))
    notes = [note for place, tools in tables.items() for note in _notes(place, tools)]
    for tools in tables.values():
        for state, declared in tools:
            narrowing = state.settings.arguments.items()
            kept = {name: extra for name, extra in narrowing if declared.is_open or declared.knows(name)}
            state.settings = replace(state.settings, arguments=kept)
    return notes


def _notes(place: str, tools: list[tuple[ToolState, DeclaredNames]]) -> list[str]:
    notes = []
    known = sorted(frozenset[str]().union(*(declared.names for _, declared in tools)))
    whose = _listed([state.tool for state, _ in tools])
    for name in tools[0][0].settings.arguments:
        if any(declared.knows(name) for _, declared in tools):
            continue
        near = nearest(name, known)
        hint = shown(near, 120) if near else f" (the arguments are {_listed(known) or 'none'})"
        said = f"pyproject.toml: {place}.{shown(name, 60)}: no argument of {whose} is declared by this name{hint}"
        if not any(declared.is_open for _, declared in tools):
            raise ConfigurationError(said)
        notes.append(f"{said}; it is sent all the same, as the schema is open to others")
    return notes


def _listed(names: list[str]) -> str:
    return ", ".join(shown(name, 60) for name in names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
