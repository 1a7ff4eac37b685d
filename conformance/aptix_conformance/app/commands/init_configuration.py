"""The table `[tool.aptix-conformance]` that `aptix-conformance init` writes into a pyproject.toml, whose other lines stay as they are."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import tomlkit
from tomlkit.container import Container
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array, Comment, Item, Table, Whitespace

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.text import printable
from aptix_conformance.targets.config import TABLE

_LARGEST_INTEGER: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class ToolLines:
    """What the table of one tool gets: its example, and lines that a person has to complete, which become comments."""

    spec: str
    example: Mapping[str, Any] | None
    to_complete: tuple[str, ...] = ()


def with_tools(text: str, specs: Sequence[str], tools: Iterable[ToolLines], **keys: str) -> str:
    """The text of a pyproject.toml with these targets, keys and tables; unchanged where it has them all.

    A tool's table that is there stays as it is.

    Raises:
        ConfigurationError: the text is no TOML, or cannot be changed without a change of something else.
    """
    try:
        document = tomlkit.parse(text)
        others: Any = document.get("tool", {})
        around = others.get(TABLE, others)
        comment = _cut_comment_of_next_section(_last_body(around))
        ours = _inside(document, "tool", TABLE)
        if "tools" not in ours:
            ours["tools"] = tomlkit.array()
        for spec in specs:
            if spec not in ours["tools"]:
                ours["tools"].append(spec)
        for key, value in keys.items():
            ours[key] = value
        for tool in tools:
            _add_tool(ours, tool)
        _last_body(around).extend(comment)
        changed = tomlkit.dumps(document)
        if text.count("\n") == text.count("\r\n") > 0:
            changed = changed.replace("\r\n", "\n").replace("\n", "\r\n")
        if not _differs_elsewhere(text, changed):
            return changed
    except (TOMLKitError, ValueError, TypeError, AttributeError):
        pass
    raise ConfigurationError(
        f"pyproject.toml cannot be changed safely: write [tool.{TABLE}] by hand, with tools = "
        f"{printable(_array(specs).as_string(), 1000)}"
    )


def fits_toml(value: Any) -> bool:
    """Whether a JSON value has a form in TOML that a person can read: no null, no integer beyond 64 bits, no hidden character."""
    if isinstance(value, dict):
        return all(fits_toml(name) and fits_toml(member) for name, member in value.items())
    if isinstance(value, list):
        return all(map(fits_toml, value))
    if isinstance(value, str):
        return all(character.isprintable() or character in "\n\t" for character in value)
    is_large = isinstance(value, int) and abs(value) > _LARGEST_INTEGER
    return value is not None and not is_large


def _add_tool(ours: Table, tool: ToolLines) -> None:
    if "tool" not in ours:
        ours["tool"] = tomlkit.table(is_super_table=True)
    tables: Any = ours["tool"]
    if tool.spec in tables or (tool.example is None and not tool.to_complete):
        return
    own = tomlkit.table()
    if tool.example is not None:
        own["examples"] = _array([tool.example])
    for line in tool.to_complete:
        own.add(tomlkit.comment(line))
    tables[tool.spec] = own


def _inside(document: Container, *names: str) -> Any:
    """A table of a document, which is made where it is missing, as are those around it."""
    inside: Any = document
    for depth, name in enumerate(names, start=1):
        if name not in inside:
            inside[name] = tomlkit.table(is_super_table=depth < len(names))
        inside = inside[name]
    return inside


def _last_body(table: Any) -> list[Any]:
    """The entries of the innermost table that a table ends with; none where its parts do not stand together."""
    body: list[Any] = []
    while isinstance(table, Table):
        body = table.value.body
        last = body[-1][1] if body else None
        table = last.body[-1] if isinstance(last, AoT) else last
    return body


def _cut_comment_of_next_section(body: list[Any]) -> list[Any]:
    """Take off what a parser has at the end of a table: a blank line and comments, which belong to the next section."""
    start = len(body)
    for index in range(len(body) - 1, -1, -1):
        _, item = body[index]
        if isinstance(item, Whitespace):
            has_comment = any(isinstance(each, Comment) for _, each in body[index:])
            start = index if has_comment else start
        elif not isinstance(item, Comment):
            break
    comment = body[start:]
    del body[start:]
    return comment


def _array(values: Iterable[Any]) -> Array:
    array = tomlkit.array()
    for value in values:
        array.append(_inline(value))
    return array


def _inline(value: Any) -> Item:
    """A value as it stands in one line."""
    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        for name, member in value.items():
            table[name] = _inline(member)
        return table
    return _array(value) if isinstance(value, list) else tomlkit.item(value)


def _differs_elsewhere(before: str, after: str) -> bool:
    """Whether two texts differ in anything but the table of the suite."""
    first, second = tomllib.loads(before), tomllib.loads(after)
    for document in (first, second):
        tool = document.get("tool", {})
        tool.pop(TABLE, None)
        if not tool:
            document.pop("tool", None)
    return first != second
