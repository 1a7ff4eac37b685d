"""The remarks of a schema, which allow and forbid nothing: descriptions, titles, examples, defaults.

Remarks are read at the logical place of what they are about, references followed, so that moving a definition
changes none of them.
"""

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.schemas.diff.change_paths import Path, label, readable, shown_path
from aptix_conformance.core.schemas.diff.normal_form import MAX_NODES
from aptix_conformance.core.schemas.diff.references import References
from aptix_conformance.core.schemas.diff.schema_changes import Change
from aptix_conformance.core.schemas.keywords import FORMATS, KNOWN
from aptix_conformance.core.schemas.nodes import parts, same

_CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "description": "description-changed",
        "title": "title-changed",
        "examples": "examples-changed",
        "example": "examples-changed",
        "default": "default-changed",
        "format": "format-remark-changed",
    }
)
# Neither remarks nor anything that a reader would miss.
_SILENT: Final = frozenset(
    {"$schema", "$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$defs", "definitions", "$comment"}
)
_STRUCTURE: Final = _SILENT | KNOWN - {"format"}
_ELSEWHERE: Final = KNOWN - {"allOf"}
"""Keywords whose schemas are about another place than the node that has them."""

Remarks = Mapping[Path, Any]


def remarks(schema: Any, start: Path) -> Remarks:
    """Every remark of a parameters schema by its place.

    Raises:
        RecordError: there are more than anybody reads, or a reference leads nowhere.
    """
    by_place: dict[Path, Any] = {}
    references = References(schema)
    count = 0
    waiting: list[tuple[Any, Path, frozenset[str]]] = [(schema, start, frozenset())]
    while waiting:
        node, path, followed = waiting.pop()
        if not isinstance(node, Mapping):
            continue
        count += 1
        if count > MAX_NODES:
            raise RecordError(
                f"the schema has more than {MAX_NODES:,} nodes, references followed; make it smaller"
            )
        for key, value in node.items():
            if key not in _STRUCTURE and not (key == "format" and value in FORMATS):
                by_place.setdefault((*path, key), value)
        if node.get("additionalProperties") is False and "properties" in node:
            by_place[*path, "additionalProperties"] = False
        reference = node.get("$ref")
        if isinstance(reference, str) and reference not in followed:
            waiting.append((references.target(reference), path, followed | {reference}))
        for key in node.keys() & _ELSEWHERE:
            waiting += [(inner, (*path, *steps), followed) for steps, inner in parts(key, node[key])]
        # A branch of allOf is about the same place as the node that has it, and is read before what is below.
        waiting += [(inner, path, followed) for _, inner in parts("allOf", node.get("allOf"))]
    return by_place


def compare_remarks(old: Remarks, new: Remarks, changed_arguments: frozenset[Path]) -> Iterator[Change]:
    """The changes from one set of remarks to another; those below an added or removed argument are left out."""
    for path in sorted({*old, *new}):
        if path in old and path in new and same(old[path], new[path]):
            continue
        if any(path[: len(argument)] == argument for argument in changed_arguments):
            continue
        yield _change(path, old, new)


def _change(path: Path, old: Remarks, new: Remarks) -> Change:
    keyword, place = path[-1], shown_path(path)
    state = "new" if path not in old else "gone" if path not in new else "another"
    if keyword == "additionalProperties":
        how = "dropped" if path in old else "added"
        message = f"the explicit `additionalProperties: false` of {label(path)} was {how}; it was closed before and still is"
        return Change.of(f"additional-properties-false-{how}", place, message)
    code = _CODES.get(keyword, "annotation-changed")
    if code == "default-changed":
        values = f"{_value(old, path)} to {_value(new, path)}"
        note = "calls that leave it out may now mean something else"
        return Change.of(code, place, f"the default of {label(path)} went from {values}: {note}")
    if code == "format-remark-changed":
        message = f"the format of {label(path)} is {state}: no validator holds a call to it"
        return Change.of(code, place, message)
    how = f"is {state}"
    if keyword in ("description", "title") and state == "another":
        how = f"went from {_value(old, path)} to {_value(new, path)}"
    return Change.of(code, place, f"`{readable(keyword)}` of {label(path)} {how}")


def _value(by_place: Remarks, path: Path) -> str:
    return readable(json.dumps(by_place[path], ensure_ascii=False)) if path in by_place else "nothing"
