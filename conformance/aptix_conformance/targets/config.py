"""The table `[tool.aptix-conformance]` of a pyproject.toml, read into `Settings`.

A mistake must never silently become a default, so unknown keys and wrong values are refused. The two mappings at the end
of this module list all keys.
"""

import difflib
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.files import LARGEST_SETTINGS, read_text
from aptix_conformance.core.model.containment import ContainmentLevel
from aptix_conformance.targets import endpoints, values
from aptix_conformance.targets.settings import SchemaGate, Settings, SideEffects, ToolSettings
from aptix_conformance.targets.spec import SpecTable
from aptix_conformance.targets.values import Place

TABLE = "aptix-conformance"


def load_settings(pyproject: Path, specs: SpecTable, editions: Collection[str]) -> Settings:
    """The settings of a pyproject.toml; the defaults where there is no such file or no such table.

    `specs` is how target specs are written, `editions` the editions that there are.

    Raises:
        ConfigurationError: the file cannot be read or is not TOML, or a key or value of ours is wrong.
    """
    try:
        document = tomllib.loads(read_text(pyproject, LARGEST_SETTINGS))
    except FileNotFoundError:
        return Settings(specs=specs)
    except OSError as error:
        raise ConfigurationError(f"{pyproject}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{pyproject}: no valid TOML: {error}") from None
    tool = document.get("tool", {})
    if not isinstance(tool, dict):
        raise ConfigurationError(f"{pyproject}: `tool` is not a table; write `[tool.{TABLE}]`")
    for key in tool:
        if key != TABLE and key.lower().replace("_", "-") == TABLE:
            raise ConfigurationError(
                f"{pyproject}: tool.{key}: unknown table; did you mean `[tool.{TABLE}]`?"
            )
    if TABLE not in tool:
        return Settings(specs=specs)
    loaded = settings_from(tool[TABLE], str(pyproject), pyproject.absolute().parent, editions, specs.runtimes)
    return replace(loaded, specs=specs)


def settings_from(
    table: Any, source: str, directory: Path, editions: Collection[str], runtimes: Sequence[str] = ()
) -> Settings:
    """The settings of a parsed table; `source` names its file, `directory` is the base of its relative paths.

    `runtimes` are the values that the key `runtime` of a tool may have.

    Raises:
        ConfigurationError: a key or value is wrong; names the source and the dotted key.
    """
    place = Place(source, f"tool.{TABLE}", directory)
    read = values.read_table(table, place, _KEYS, f"[tool.{TABLE}]")
    if "edition" in read:
        _check_edition(read["edition"], place / "edition", editions)
    for name, settings in read.get("tool", {}).items():
        if settings.runtime is not None:
            _check_runtime(settings.runtime, place / "tool" / name / "runtime", runtimes)
    return Settings(**read)


def key_of(field: str) -> str:
    """The key of a tool's table that gives a field of `ToolSettings`."""
    return next((key for key, known in _FIELDS.items() if known == field), field)


def _check_edition(name: str, place: Place, editions: Collection[str]) -> None:
    if name not in editions:
        near = difflib.get_close_matches(name, editions, n=1)
        hint = f"did you mean `{near[0]}`? " if near else ""
        place.refuse(f"unknown edition {name!r}; {hint}the editions are {', '.join(sorted(editions))}")


def _check_runtime(name: str, place: Place, known: Sequence[str]) -> None:
    if not known:
        place.refuse("no system lets a project choose what runs its tools; remove the key")
    if name not in known:
        place.mismatch(f"one of {', '.join(known)}", name, f'runtime = "{known[-1]}"')


def _tool_tables(value: Any, place: Place) -> Mapping[str, ToolSettings]:
    tables = values.read(value, place, values.Table, f"[{place.key}.my_tool]")
    return {name: _tool_table(table, place / name) for name, table in tables.items()}


def _tool_table(value: Any, place: Place) -> ToolSettings:
    read = values.read_table(value, place, _TOOL_KEYS, f"[{place.key}]")
    places = {_FIELDS.get(key, key): (place / key).key for key in read}
    settings = {_FIELDS.get(key, key): value for key, value in read.items()}
    return ToolSettings(**settings, given=frozenset(settings), places=places)


def _narrowing(value: Any, place: Place) -> Mapping[str, Any]:
    # The import is slow, and needed only for a narrowing.
    from aptix_conformance.targets.narrowing import narrowing  # noqa: PLC0415

    return narrowing(value, place)


_FIELDS = {"waive": "waivers", "cwd": "directory"}
"""Keys whose field in `ToolSettings` has another name."""

_KEYS: Mapping[str, Callable[[Any, Place], Any]] = {
    "tools": partial(values.strings, example='tools = ["my_pkg.tools"]'),
    "entry_points": values.entry_points,
    "edition": partial(values.read, form=values.Text, example='edition = "aptix-tul-011"'),
    "snapshots": partial(values.read, form=values.Text, example='snapshots = "snapshots"'),
    "schema_gate": partial(values.read, form=SchemaGate, example='schema_gate = "breaking"'),
    "containment": partial(values.read, form=ContainmentLevel, example='containment = "full"'),
    "deadline": values.duration,
    "baseline": partial(values.absolute, example='baseline = "aptix-baseline.json"'),
    "server_store": partial(values.absolute, example='server_store = ".aptix-servers"'),
    "tool": _tool_tables,
}

_TOOL_KEYS: Mapping[str, Callable[[Any, Place], Any]] = {
    "examples": values.examples,
    "arguments": _narrowing,
    "services": values.services,
    "config": values.mount_config,
    "env": values.environment,
    "files": partial(values.folder, example='files = "testdata"'),
    "confined_to": values.inner_folder,
    "reads": values.readable,
    "command": partial(values.strings, example='command = ["python", "-m", "my_server"]'),
    "cwd": partial(values.folder, example='cwd = "server"'),
    "url": endpoints.url,
    "headers": endpoints.headers,
    "variables": partial(values.strings, example='variables = ["NOTES_TOKEN"]'),
    "network": endpoints.network,
    "recording": partial(values.absolute, example='recording = "recordings/weather.yaml"'),
    "side_effects": partial(values.read, form=SideEffects, example='side_effects = "contained"'),
    "long_running": partial(values.read, form=values.Boolean, example="long_running = true"),
    "idempotent": partial(values.read, form=values.Boolean, example="idempotent = true"),
    "cancel_grace": partial(values.seconds, example="cancel_grace = 1.0"),
    "block_limit": partial(values.seconds, example="block_limit = 1.0"),
    "timeout": partial(values.seconds, example="timeout = 5.0"),
    "fault_modules": partial(values.read_array, form=values.ModuleName, example='fault_modules = ["my_db"]'),
    "python": partial(values.interpreter, example='python = "../other/.venv/bin/python"'),
    "references": partial(values.patterns, example='references = ["bin/Release/net8.0/*.dll"]'),
    "sources": partial(values.patterns, example='sources = ["testing/*.cs"]'),
    "runtime": partial(values.read, form=values.Text, example='runtime = "NAME"'),
    "execute": partial(
        values.read,
        form=values.Method,
        example='execute = "ExecuteAsync(string, ToolContext, CancellationToken)"',
    ),
    "adapter": partial(
        values.read, form=values.FactoryMethod, example='adapter = "Acme.Testing.Contexts:Make"'
    ),
    "waive": values.waivers,
}
