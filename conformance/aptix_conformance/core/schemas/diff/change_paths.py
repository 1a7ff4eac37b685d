"""Where a change is: a path through a function schema, and the words for it."""

import json
import re
from typing import Final

Path = tuple[str, ...]

_WORD: Final = re.compile(r"[^\W\d][\w-]*|\$\w+|\d+", re.ASCII)
# The steps between a node and the nodes below it; the step after one of the first kind is a name.
_NAMED: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})


def shown_path(path: Path) -> str:
    """The path as text: steps joined by dots, a step that is no plain word as JSON."""
    return ".".join(step if _WORD.fullmatch(step) else json.dumps(step) for step in path)


def label(path: Path) -> str:
    """The argument that a path below `parameters` is about, for a sentence: `filter.tags[]`, `prices.*`."""
    name = ""
    steps = iter(enumerate(path, 1))
    for following, step in steps:
        is_last = following == len(path)
        if step in _NAMED and not is_last:
            name += f".{next(steps)[1]}"
        elif step == "additionalProperties" and not is_last:
            name += ".*"
        elif step in ("items", "prefixItems"):
            name += "[]"
    from_start = name.removeprefix(".")
    return f"`{readable(from_start)}`" if from_start else "the arguments object"


def readable(text: str, limit: int = 80) -> str:
    """A name or value cut to a length; the printing code escapes what is not printable."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
