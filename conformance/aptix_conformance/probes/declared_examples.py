"""The examples that a tool declares itself, as ART's schemas may: calls that it says it can answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aptix_conformance.model import Declaration


@dataclass(frozen=True, slots=True)
class DeclaredExample:
    """One example: its number from 1 on, the arguments, and the output where it says one."""

    number: int
    arguments: Mapping[str, Any]
    output: Any = None
    has_output: bool = False


def declared_examples(declaration: Declaration) -> tuple[DeclaredExample, ...]:
    """Those whose input is an object; none where there are none, or where the schema cannot be read."""
    text = declaration.art.schema.text if declaration.art else None
    try:
        schema = json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        return ()
    given = schema.get("examples") if isinstance(schema, dict) else None
    return tuple(
        DeclaredExample(number, each["input"], each.get("output"), "output" in each)
        for number, each in enumerate(given if isinstance(given, list) else (), start=1)
        if isinstance(each, dict) and isinstance(each.get("input"), dict)
    )
