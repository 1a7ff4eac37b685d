"""Assigns the tables `[tool.aptix-conformance.tool.KEY]` to tools.

A key is a tool's name or a target spec. The spec of a module or a package applies to every tool in it, so that one table
can set `python` for a whole distribution. If several tables apply to a tool, the narrower one wins, key by key: package,
module, tool. A tool has at most one table of its own: by name or by class.
"""

import dataclasses
import difflib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from aptix_conformance.errors import ConfigurationError, SpecError
from aptix_conformance.targets.config import TABLE
from aptix_conformance.targets.settings import Settings, ToolSettings
from aptix_conformance.targets.spec import Spec
from aptix_conformance.text import printable


def settings_for(
    settings: Settings, tool_name: str | None, spec: str, python: str | None = None
) -> ToolSettings:
    """The settings of one tool.

    `tool_name` is None as long as the declaration has not been read; `spec` is a canonical one, of a class or a
    module; `python` is the interpreter where no table names one (`Target.python`).

    Raises:
        ConfigurationError: two tables are the tool's own, one by its name and one by its spec.
    """
    own = [key for key in settings.tool if key == tool_name or _canonical(settings, key) == spec]
    if len(own) > 1:
        first, second = (f"[tool.{TABLE}.tool.{written_key(key)}]" for key in own[:2])
        raise ConfigurationError(f"{first} and {second} are about the same tool; put both into one table")
    around = [key for wider in _around(settings, spec) for key in settings.tool if key == wider]
    wider = [_shared(settings.tool[key], key) for key in around]
    merged = _merged([*wider, *(settings.tool[key] for key in own)])
    return merged if merged.python or not python else dataclasses.replace(merged, python=python)


def unmatched(settings: Settings, tools: Iterable[tuple[str | None, str]]) -> tuple[str, ...]:
    """A note for each table that is about none of the tools collected, given as name and canonical spec."""
    found = set()
    for name, spec in tools:
        found.update({name, spec, *_around(settings, spec)})
    names = sorted(str(name) for name in found if name)
    notes = []
    for key in sorted(settings.tool):
        if not {key, _canonical(settings, key)} & found:
            near = difflib.get_close_matches(key, names, n=1)
            hint = f"; the nearest is {written_key(near[0])}" if near else ""
            notes.append(f"[tool.{TABLE}.tool.{written_key(key)}] is about no tool that was collected{hint}")
    return tuple(notes)


def _around(settings: Settings, spec: str) -> Iterator[str]:
    """The specs of the packages and the module that a spec lies in, widest first, itself left out."""
    parsed = _parsed(settings, spec)
    if parsed is not None and parsed.canonical != spec:
        parsed = None
    if parsed is not None and not parsed.spelling.lists_places:
        where = settings.specs.spec(parsed.spelling, parsed.module, None).canonical
        return iter(() if where == spec else (where,))
    module = parsed.module if parsed else spec.partition(":")[0]
    parts = module.split(".")
    wider = (".".join(parts[:end]) for end in range(1, len(parts) + 1))
    return (name for name in wider if name != spec)


def _canonical(settings: Settings, key: str) -> str:
    parsed = _parsed(settings, key)
    return key if parsed is None else parsed.canonical


def _parsed(settings: Settings, key: str) -> Spec | None:
    """The spec; None for what is none: a tool's name, or a target that failed because no spec can hold it."""
    try:
        return settings.specs.parse(key)
    except SpecError:
        return None


def written_key(key: str) -> str:
    """A key as TOML writes it: quoted where it needs to be, with nothing in it that ends the quotes."""
    bare = key.replace("-", "").replace("_", "")
    return printable(key) if bare.isascii() and bare.isalnum() else printable(json.dumps(key), 300)


def _shared(table: ToolSettings, key: str) -> ToolSettings:
    """The table of a module or package; its waivers say so."""
    waivers = tuple(dataclasses.replace(waiver, table=key) for waiver in table.waivers)
    return dataclasses.replace(table, waivers=waivers)


def _merged(tables: list[ToolSettings]) -> ToolSettings:
    """The tables merged key by key; the last table that has a key wins."""
    if len(tables) == 1:
        return tables[0]
    default = ToolSettings()
    said: dict[str, Any] = {}
    for table in tables:
        for field in dataclasses.fields(ToolSettings):
            value = getattr(table, field.name)
            if field.name in table.given or value != getattr(default, field.name):
                said[field.name] = value
    said["given"] = frozenset().union(*(table.given for table in tables))
    said["places"] = {field: place for table in tables for field, place in table.places.items()}
    return dataclasses.replace(default, **said)
