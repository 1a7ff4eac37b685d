"""Reading what is ART's own: the whole schema that a tool declares, and the whole of what a call resolved to."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from aptix_conformance.core.model import Call, Declaration, DeclaredExample, Exploration
from aptix_conformance.rules.lib.kernel import precondition
from aptix_conformance.systems.art.facts import ArtResult, ArtTool, Oddity

STATUSES: Final = ("success", "error", "suspended")
MODES: Final = ("functional", "immediate", "blocking", "display")
LIMIT: Final = 60_000
"""Characters of a result, `toolResultMaxLength` where nobody sets it."""

_MEMBERS: Final = frozenset({"callId", "toolName", "status"})
_EMPTY: Final = frozenset(
    {"Map", "Set", "WeakMap", "WeakSet", "WeakRef", "RegExp", "Error", "Promise", "ArrayBuffer"}
)
"""Classes whose instances JSON.stringify makes an object without members of."""
_LOST: Final = frozenset({"function", "symbol", "BigInt", "NaN", "Infinity", "-Infinity", "cycle", "hole"})

Schema = Mapping[str, Any]


# ---- what is declared


def declared(declaration: Declaration) -> ArtTool | None:
    """What only ART's tools declare; None where nothing of it is known."""
    return declaration.facts if isinstance(declaration.facts, ArtTool) else None


def examples(declaration: Declaration) -> tuple[DeclaredExample, ...]:
    """The examples in the schema."""
    facts = declared(declaration)
    return facts.examples() if facts else ()


def schema_of(declaration: Declaration) -> Schema | None:
    """The whole schema, where it is an object."""
    known = declared(declaration)
    text = known.schema.text if known else None
    value = _read(text) if text is not None else None
    return value if isinstance(value, dict) else None


@precondition("there is no schema that is an object", "ART001")
def has_schema(declaration: Declaration) -> bool:
    """There is a schema, and it is an object."""
    return schema_of(declaration) is not None


def member(declaration: Declaration, name: str) -> Any:
    """A member of the schema; None where there is none."""
    return (schema_of(declaration) or {}).get(name)


def without(name: str, what: str) -> Any:
    """The `applies` of a rule that is for tools which declare something."""
    return lambda declaration: None if name in (schema_of(declaration) or {}) else f"it declares no {what}"


def in_mode(mode: str) -> Any:
    """The `applies` of a rule that is for tools of one execution mode."""

    def applies(declaration: Declaration) -> str | None:
        return None if member(declaration, "executionMode") == mode else f"it is no {mode} tool"

    return applies


def completed_by_itself(declaration: Declaration) -> str | None:
    """The `applies` of a rule on outputs: those of a blocking tool are what the framework makes of a person's answer."""
    is_blocking = member(declaration, "executionMode") == "blocking"
    return "it is a blocking tool, whose output is what a person answers" if is_blocking else None


def oddities(declaration: Declaration, below: str) -> list[Oddity]:
    """The odd values in a member of the schema."""
    facts = declared(declaration)
    return [oddity for oddity in (facts.oddities if facts else ()) if _is_below(oddity.place, below)]


# ---- what a call resolved to


def resolved(call: Call) -> ArtResult | None:
    """What `execute` resolved to, where it did."""
    facts = call.result.facts if call.result else None
    return facts if isinstance(facts, ArtResult) else None


def is_resolved(call: Call) -> bool:
    """`execute` resolved to something."""
    return resolved(call) is not None


def whole(call: Call) -> Schema | None:
    """What a call resolved to, as JSON has it, where that is an object; with None for what JSON cannot write."""
    facts = resolved(call)
    value = _read(facts.text) if facts is not None and facts.text is not None else None
    return value if isinstance(value, dict) else None


def is_tool_result(call: Call) -> bool:
    """It resolved to an object that is meant for a ToolResult: it has at least one of the members that all have."""
    if call.result is None or resolved(call) is None:
        return False
    return call.result.is_invoke_result or bool(_MEMBERS & (whole(call) or {}).keys())


def has_status(*statuses: str) -> Any:
    """The `when` of a rule for results of some status."""

    def when(call: Call) -> bool:
        return is_tool_result(call) and (whole(call) or {}).get("status") in statuses

    return when


is_success: Final = has_status("success")


def has_output(call: Call) -> bool:
    """A success with an output, also with one that JSON cannot write, or leaves out as it does a function."""
    if not is_success(call):
        return False
    return "output" in (whole(call) or {}) or any(
        odd.place == "output" and is_lost(odd) for odd in output_oddities(call)
    )


def has_written_output(call: Call) -> bool:
    """A success with an output that JSON can write."""
    return has_output(call) and call.result is not None and call.result.payload is not None


def is_unwritten(call: Call, place: str) -> bool:
    """JSON cannot write the value at a place of the result, such as `callId`, or a part of it."""
    facts = resolved(call)
    return facts is not None and any(_is_below(each, place) for each in facts.unwritten)


def output_oddities(call: Call) -> list[Oddity]:
    """The odd values in the output."""
    facts = resolved(call)
    return [oddity for oddity in facts.oddities if _is_below(oddity.place, "output")] if facts else []


def is_lost(oddity: Oddity) -> bool:
    """Whether JSON makes something else of a value: another value, none, or an object without its content."""
    if oddity.what.startswith("class "):
        name = oddity.what.removeprefix("class ")
        return name in _EMPTY or name.endswith(("Error", "Array", "Buffer"))
    return oddity.what in _LOST or (oddity.what == "undefined" and oddity.place.endswith("]"))


def tool_name(exploration: Exploration) -> str | None:
    """The name in the schema, at the first reading."""
    name = member(exploration.declarations[0], "name") if exploration.declarations else None
    return name if isinstance(name, str) else None


def _is_below(place: str, root: str) -> bool:
    return place == root or place.startswith((f"{root}.", f"{root}["))


@lru_cache(maxsize=64)
def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
