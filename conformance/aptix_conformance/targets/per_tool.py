"""Assigns the tables `[tool.aptix-conformance.tool.KEY]` to tools.

A key is a target spec or a tool's name. The project chooses specs; the author of a tool chooses its name, and any author
can choose any name. So a table counts in full only where its key is a spec: of a tool, or of the module or package around
it. A table with a name as key counts in full for a tool that `tools` lists, that alone has this name in the run, and
that has no table by its spec. For any other tool of that name it counts only where it makes the examination stricter;
`ToolSettings.withheld` says what does not count, and why.

A key without a dot or colon can be read both ways. It is the spec of a module if `tools` lists something in that module, else a
name. If several tables apply to a tool, the narrower one wins, key by key: package, module, name, tool.
"""

import dataclasses
import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.text import printable
from aptix_conformance.targets.config import TABLE, key_of
from aptix_conformance.targets.scope import is_covered
from aptix_conformance.targets.settings import Settings, ToolSettings
from aptix_conformance.targets.spec import Spec, SpecTable

_DEFAULT: Final = ToolSettings()
_NAME: Final = re.compile(r"[\w.-]{1,60}")


def settings_for(
    settings: Settings,
    tool_name: str | None,
    spec: str,
    python: str | None = None,
    shared: Collection[str] = (),
) -> ToolSettings:
    """The settings of one tool.

    `tool_name` is None as long as the declaration has not been read; `spec` is a canonical one, of a class or a
    module; `python` is the interpreter where no table names one (`Target.python`); `shared` are the names that
    several tools of the run have.

    Raises:
        ConfigurationError: two tables have the tool's spec as key, written in two ways.
    """
    outer = tuple(_outer_specs(settings, spec))
    index = _index_of(settings)
    wider = [key for name in outer for key in index.by_spec.get(name, ())]
    own = index.by_spec.get(spec, ())
    if len(own) > 1:
        raise ConfigurationError(
            f"{table_of(own[0])} and {table_of(own[1])} are about the same tool; put both into one table"
        )
    tables = [_shared(settings.tool[key], key) for key in wider]
    withheld = []
    for key, canonical in index.names.items():
        if key == tool_name or canonical in (spec, *outer):
            why = _why_not(settings, spec, is_shared=key in shared)
            table = settings.tool[key]
            tables.append(_stricter(table) if why else table)
            withheld += [_withheld(table, key, why)] if why and _grants(table) else []
    merged = _merged([*tables, *(settings.tool[key] for key in own)])
    if withheld:
        merged = dataclasses.replace(merged, withheld=tuple(withheld))
    return merged if merged.python or not python else dataclasses.replace(merged, python=python)


def granted_by_name(settings: Settings, tool_name: str) -> bool:
    """Whether a table with this name as key grants something, so that it matters who else has the name."""
    names = _index_of(settings).names
    return tool_name in names and bool(_grants(settings.tool[tool_name]))


def interpreters(settings: Settings, spec: Spec) -> list[str]:
    """The interpreters that may import the module of a spec, in addition to those of `settings_for`; sorted.

    Which tools are in a module shows only after an import. So these are the interpreters of all tables about a tool in the
    module, and, for a spec that `tools` lists, of all tables with a name as key.
    """
    module = settings.specs.spec(spec.spelling, spec.module, None).canonical
    is_listed = is_covered(spec.canonical, settings.tools, settings.specs)
    names = _index_of(settings).names
    return sorted(
        {
            table.python
            for key, table in settings.tool.items()
            if table.python and (is_listed if key in names else is_covered(key, [module], settings.specs))
        }
    )


def unmatched(
    settings: Settings, tools: Iterable[tuple[str | None, str]], failed: Collection[str] = ()
) -> tuple[str, ...]:
    """A note for each table that is about none of the tools collected, given as name and canonical spec.

    `failed` are the specs that led to no tool. A table of one of them is about it, and one with a name can be about a tool there.
    """
    specs: dict[str, str] = {}
    collected: set[str] = set()
    for name, spec in (*tools, *((None, _canonical(settings.specs, spec)) for spec in failed)):
        collected.update((spec, *_outer_specs(settings, spec)))
        if name:
            specs.setdefault(name, spec)
    known = sorted({*collected, *specs})
    names = _index_of(settings).names
    notes = []
    for key in sorted(settings.tool):
        if (key in names and (failed or key in specs)) or _canonical(settings.specs, key) in collected:
            continue
        near = difflib.get_close_matches(key, known, n=1)
        hint = f"; the nearest is {written_key(near[0])}" if near else ""
        if key in specs:
            hint = (
                f": it is read as a target spec; the tool of this name has the key {written_key(specs[key])}"
            )
        notes.append(f"{table_of(key)} is about no tool that was collected{hint}")
    return tuple(notes)


def near_place(settings: Settings, spec: str) -> str:
    """A question that suggests the table of a command or a URL whose key is like a spec that led to no tool; empty for none.

    Only a spec of one word can be the name of such a table.
    """
    parsed = settings.specs.read(spec)
    if parsed is None or not _NAME.fullmatch(parsed.module):
        return ""
    keys = [settings.specs.read(key) for key, table in settings.tool.items() if table.command or table.url]
    places = {key.module: key.canonical for key in keys if key and key.spelling == parsed.spelling}
    near = difflib.get_close_matches(parsed.module, places, n=1)
    return f" (did you mean {places[near[0]]}?)" if near and near[0] != parsed.module else ""


def written_key(key: str) -> str:
    """A key as TOML writes it: quoted where it needs to be, with nothing in it that ends the quotes."""
    bare = key.replace("-", "").replace("_", "")
    if bare.isascii() and bare.isalnum():
        return printable(key)
    return printable(f'"{"".join(map(_in_quotes, key))}"', 1000)


def table_of(key: str) -> str:
    """The head of a tool's table, as TOML writes it."""
    return f"[tool.{TABLE}.tool.{written_key(key)}]"


def _in_quotes(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    return f"\\U{ord(character):08x}"


@dataclasses.dataclass(frozen=True, slots=True)
class _Index:
    """The keys of the tables: those that are specs by their canonical spec, and the names, each read as a spec too."""

    by_spec: Mapping[str, tuple[str, ...]]
    names: Mapping[str, str]


def _index_of(settings: Settings) -> _Index:
    return _index(settings.specs, tuple(settings.tool), settings.tools)


@lru_cache(maxsize=8)
def _index(specs: SpecTable, keys: tuple[str, ...], listed: tuple[str, ...]) -> _Index:
    by_spec: dict[str, tuple[str, ...]] = {}
    names = {}
    for key in keys:
        canonical = _canonical(specs, key)
        if specs.read(key) is None or (
            key.isidentifier() and not any(is_covered(spec, [key], specs) for spec in listed)
        ):
            names[key] = canonical
        else:
            by_spec[canonical] = (*by_spec.get(canonical, ()), key)
    return _Index(by_spec, names)


def _why_not(settings: Settings, spec: str, *, is_shared: bool) -> str | None:
    """Why a table with a tool's name as key does not count in full for a tool; None where it does."""
    if not is_covered(spec, settings.tools, settings.specs):
        return f"`tools` of [tool.{TABLE}] does not list {printable(spec, 200)}; list it, or use its spec as the key"
    if is_shared:
        return f"several tools have this name; for this one, use the key {written_key(spec)}"
    return None


def _withheld(table: ToolSettings, key: str, why: str) -> str:
    keys = ", ".join(sorted(map(key_of, _grants(table))))
    return f"{keys} under {table_of(key)} do not count: {why}"


def _grants(table: ToolSettings) -> list[str]:
    """The fields in a table that give a tool something, or make its examination milder."""
    return [field for field, value in _set_fields(table).items() if not _is_stricter(field, value)]


def _is_stricter(field: str, value: Any) -> bool:
    if field in {"idempotent", "long_running"}:
        return bool(value)
    return field in {"examples", "fault_modules"} or (field, value) == ("side_effects", "destructive")


def _stricter(table: ToolSettings) -> ToolSettings:
    """A table without what it grants."""
    fields = {field: value for field, value in _set_fields(table).items() if _is_stricter(field, value)}
    places = {field: place for field, place in table.places.items() if field in fields}
    return dataclasses.replace(_DEFAULT, **fields, given=frozenset(fields), places=places)


def _set_fields(table: ToolSettings) -> Mapping[str, Any]:
    values = ((field.name, getattr(table, field.name)) for field in dataclasses.fields(ToolSettings))
    return {
        name: value
        for name, value in values
        if name in table.given or (name not in _ABOUT_THE_TABLE and value != getattr(_DEFAULT, name))
    }


_ABOUT_THE_TABLE: Final = frozenset({"given", "places", "strangers", "withheld"})
"""Fields of `ToolSettings` that are no settings."""


def _outer_specs(settings: Settings, spec: str) -> Iterator[str]:
    """The specs of the packages and the module that a spec lies in, widest first, itself left out."""
    parsed = settings.specs.read(spec)
    if parsed is None or parsed.canonical != spec:
        # A target that failed because no spec can hold it: its module is read by the rules of the first spelling.
        parsed = settings.specs.read(spec.partition(":")[0])
    if parsed is None:
        return
    parts = parsed.module.split(".") if parsed.spelling.lists_places else [parsed.module]
    for end in range(1, len(parts) + 1):
        name = settings.specs.spec(parsed.spelling, ".".join(parts[:end]), None).canonical
        if name != spec:
            yield name


def _canonical(specs: SpecTable, key: str) -> str:
    parsed = specs.read(key)
    return key if parsed is None else parsed.canonical


def _shared(table: ToolSettings, key: str) -> ToolSettings:
    """The table of a module or package; its waivers say so."""
    waivers = tuple(dataclasses.replace(waiver, table=key) for waiver in table.waivers)
    return dataclasses.replace(table, waivers=waivers)


def _merged(tables: list[ToolSettings]) -> ToolSettings:
    """The tables merged key by key; the last table that has a key wins."""
    if len(tables) == 1:
        return tables[0]
    fields: dict[str, Any] = {field: value for table in tables for field, value in _set_fields(table).items()}
    given = frozenset[str]().union(*(table.given for table in tables))
    places = {field: place for table in tables for field, place in table.places.items()}
    return dataclasses.replace(_DEFAULT, **fields, given=given, places=places)
