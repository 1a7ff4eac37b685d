"""Compare the configured `arguments` with what the tools declare: a misspelt name would narrow nothing."""

from collections.abc import Iterable
from dataclasses import replace

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.text import nearest, printable
from aptix_conformance.examine.tools_under_test import ToolUnderTest
from aptix_conformance.stimuli.generate import DeclaredNames, declared_names, usable_schema

_SHOWN = 10
"""How many names a message lists."""


def narrow(tool: ToolUnderTest) -> ToolUnderTest:
    """The tool with those narrowed arguments that it declares, or that its open schema allows."""
    declared = _declared(tool)
    if declared is None:
        return tool
    narrowing = tool.settings.arguments.items()
    arguments = {name: extra for name, extra in narrowing if declared.is_open or declared.knows(name)}
    return replace(tool, settings=replace(tool.settings, arguments=arguments))


def check_narrowings(tools: Iterable[ToolUnderTest]) -> list[str]:
    """Notes on narrowed names that no tool declares and only an open schema allows.

    A table may apply to several tools; each name in it must be an argument of at least one of them.

    Raises:
        ConfigurationError: no tool that a table is about has an argument of that name; names the nearest one.
    """
    tables: dict[str, list[tuple[ToolUnderTest, DeclaredNames]]] = {}
    for tool in tools:
        declared = _declared(tool)
        if declared is not None:
            place = tool.settings.places.get("arguments", tool.target.spec)
            tables.setdefault(place, []).append((tool, declared))
    return [note for place, pairs in tables.items() for note in _notes(place, pairs)]


def _declared(tool: ToolUnderTest) -> DeclaredNames | None:
    """The names that a tool declares; None where nothing is narrowed or its schema is not usable."""
    schema, _ = usable_schema(tool.declaration) if tool.settings.arguments else (None, None)
    return None if schema is None else declared_names(schema)


def _notes(place: str, tools: list[tuple[ToolUnderTest, DeclaredNames]]) -> list[str]:
    notes = []
    known = sorted(frozenset[str]().union(*(declared.names for _, declared in tools)))
    whose = _listed([tool.name for tool, _ in tools])
    for name in tools[0][0].settings.arguments:
        if any(declared.knows(name) for _, declared in tools):
            continue
        near = nearest(name, known)
        hint = printable(near, 120) if near else f" (the arguments are {_listed(known) or 'none'})"
        message = f"pyproject.toml: {place}.{printable(name, 60)}: no argument of {whose} is declared by this name{hint}"
        if not any(declared.is_open for _, declared in tools):
            raise ConfigurationError(message)
        notes.append(f"{message}; it is still sent, because the schema allows other arguments")
    return notes


def _listed(names: list[str]) -> str:
    return ", ".join(printable(name, 60) for name in names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
