"""One tool's old schema against its new one: every change, its class, and the witness.

Three judges, in this order: equal normal forms promise the same; the algebra proves containment, or gives a schema
for what is lost; the structural rules say what changed where, and prove containment where the algebra cannot. What
breaks has a witness or it is not called breaking: without one it is `unknown`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model.codec import Json
from aptix_conformance.core.schemas.dialects import as_2020_12
from aptix_conformance.core.schemas.diff import algebra
from aptix_conformance.core.schemas.diff.change_paths import Path, readable, shown_path
from aptix_conformance.core.schemas.diff.normal_form import Node, promised
from aptix_conformance.core.schemas.diff.remarks import compare_remarks, remarks
from aptix_conformance.core.schemas.diff.results import compare_shapes
from aptix_conformance.core.schemas.diff.schema_changes import Change, ChangeClass, Comparison, worst
from aptix_conformance.core.schemas.diff.walk import Walk
from aptix_conformance.core.schemas.diff.witness import Search, WitnessJudge, smallest
from aptix_conformance.core.schemas.nodes import same
from aptix_conformance.core.schemas.shapes import Shape
from aptix_conformance.core.schemas.validity import schema_fault, surrogate_place

PARAMETERS: Final[Path] = ("parameters",)
_NO_ARGUMENTS: Final[Mapping[str, Any]] = {"type": "object", "properties": {}}
PARAMETER_MEMBERS: Final = ("parameters", "inputSchema", "input_schema")
"""Under which of its members a function schema has the schema of its arguments."""
_COMING_AND_GOING: Final = frozenset(
    {"argument-added", "argument-added-required", "argument-removed", "argument-renamed"}
)


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """The members of one tool that are compared.

    `function` is its function schema: flat, inside of `function`, or in the form of Anthropic, Gemini or MCP. A usage
    text or a result shape that is None is one that the source does not speak of.
    """

    function: Json
    usage_text: str | None = None
    result_shape: Shape | None = None

    @property
    def flat(self) -> Mapping[str, Any]:
        """The members of the function schema on one level."""
        if not isinstance(self.function, dict):
            return {}
        inner = self.function.get("function")
        return inner if isinstance(inner, dict) else self.function

    @property
    def name(self) -> str:
        """The tool's name; empty where it has none."""
        name = self.flat.get("name")
        return name if isinstance(name, str) else ""

    @property
    def parameters(self) -> Json:
        """The JSON Schema of the arguments; that of no arguments where there is none."""
        for key in PARAMETER_MEMBERS:
            parameters: Json = self.flat.get(key)
            if parameters is not None:
                return parameters
        return dict(_NO_ARGUMENTS)

    @property
    def written_anew(self) -> Json:
        """`parameters` as draft 2020-12 has them.

        Raises:
            RecordError: they nest too deeply.
        """
        # Beside its parameters the schema of an ART tool has the rest of what ART asks for.
        is_of_art = isinstance(self.flat.get("art"), dict)
        schema: Json = as_2020_12(self.parameters, "draft-07" if is_of_art else None)
        return schema


def compare(old: ToolSchema, new: ToolSchema, search: Search) -> Comparison:
    """Compare one tool with what it was."""
    changes = list(_members(old.flat, new.flat))
    witness = None
    if not same(old.parameters, new.parameters):
        try:
            argument_changes, witness = _arguments(old.written_anew, new.written_anew, search)
        except (RecordError, ValueError) as error:  # ValueError is what jsonschema-rs's own errors are
            argument_changes = [
                _with_surrogate(old, new)
                or _unreadable("schema-unreadable", "the two schemas cannot be compared", str(error))
            ]
        changes += argument_changes
    if None not in (old.usage_text, new.usage_text) and old.usage_text != new.usage_text:
        message = "the usage text is another"
        changes.append(Change.of("usage-text-changed", "usage_text", message))
    if old.result_shape is not None and new.result_shape is not None:
        changes += compare_shapes(old.result_shape, new.result_shape)
    return Comparison(new.name or old.name, _in_order(changes), witness)


def _members(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    """The changes beside the parameters."""
    for key in sorted({*old, *new} - {"type", *PARAMETER_MEMBERS}):
        if key in old and key in new and same(old[key], new[key]):
            continue
        if key == "name":
            names = " to ".join(f"`{readable(str(side.get(key)))}`" for side in (old, new))
            message = f"the tool was renamed from {names}: calls of the old name reach nobody"
            yield Change.of("tool-renamed", key, message)
        elif key == "description":
            state = "new" if key not in old else "gone" if key not in new else "another"
            message = f"the description of the tool is {state}: `{readable(str(new.get(key)))}`"
            yield Change.of("description-changed", key, message)
        elif key == "strict":
            message = (
                "whether the provider holds the model to the schema is another; what is allowed is the same"
            )
            yield Change.of("strict-changed", key, message)
        else:
            message = f"`{readable(key)}` of the tool is another"
            yield Change.of("function-member-changed", shown_path((key,)), message)


def _arguments(old: Json, new: Json, search: Search) -> tuple[list[Change], Mapping[str, Any] | None]:
    """The changes of the arguments, and the witness.

    Raises:
        RecordError: a schema cannot be read.
        ValueError: a schema is beyond the validator.
    """
    for which, schema in (("old", old), ("new", new)):
        fault = schema_fault(schema)
        if fault is not None:
            return [_unreadable("schema-invalid", f"the {which} schema is no JSON Schema", fault)], None
    before, after = promised(old), promised(new)
    changes: list[Change] = []
    witness = None
    if not same(before, after):
        changes = Walk(before, after).changes(PARAMETERS)
        changes, witness = _settled(changes, old, before, after, search)
    changed = {change.path for change in changes if change.code in _COMING_AND_GOING}
    sides = (remarks(old, PARAMETERS), remarks(new, PARAMETERS))
    hidden = frozenset(path for side in sides for path in _above(side) if shown_path(path) in changed)
    changes += compare_remarks(*sides, hidden)
    return changes, witness


def _with_surrogate(old: ToolSchema, new: ToolSchema) -> Change | None:
    """The change that says which schema has half of a character, and where; None where neither has."""
    for which, schema in (("old", old), ("new", new)):
        place = surrogate_place(schema.parameters)
        if place is not None:
            reason = f"a name or text at {shown_path((*PARAMETERS, *place))} has half of a character (a lone surrogate): remove it"
            return _unreadable("schema-invalid", f"the {which} schema cannot be read", reason)
    return None


def _unreadable(code: str, summary: str, reason: str) -> Change:
    message = f"{summary}: {readable(' '.join(reason.split()), 300)}"
    return Change.of(code, shown_path(PARAMETERS), message)


def _settled(
    changes: list[Change], old: Json, before: Node, after: Node, search: Search
) -> tuple[list[Change], Mapping[str, Any] | None]:
    """The changes with the classes that algebra and search leave them, and the witness."""
    answer = algebra.contains(after, before)
    proved = answer is True
    if worst(changes) <= ChangeClass.COMPATIBLE:
        harmless = _harmless(changes, before, after, answer=answer)
        if harmless is not None:
            return harmless, None
        # Something that the rules have no eye for: only a search can tell what.
        message = "what changed in the arguments has no name here"
        changes = [*changes, Change.of("calls-unclear", shown_path(PARAMETERS), message)]
    judge = WitnessJudge(old, before, after)
    lost = None if proved else algebra.lost(before, after)
    candidate = search(before, after, lost, judge.proves, thorough=not proved)
    if candidate is not None and judge.proves(candidate):
        return _with_witness(changes), smallest(candidate, judge.proves)
    ceiling = ChangeClass.COMPATIBLE if proved else ChangeClass.UNKNOWN
    return [replace(change, change_class=min(change.change_class, ceiling)) for change in changes], None


def _harmless(
    changes: list[Change], before: Node, after: Node, *, answer: bool | None
) -> list[Change] | None:
    """The changes where they break nothing for sure, those that mean nothing left out; None where nobody knows yet.

    `answer` is what the algebra says of whether every call that was allowed still is.
    """
    if not changes and answer is not False and not Walk(after, before).changes(PARAMETERS):
        return []  # the rules find nothing either way: a recursive definition, written out once, say
    if answer is True:
        # The same calls both ways are the same calls, whatever the rules have seen.
        if algebra.contains(before, after):
            return []
        message = "more calls may be allowed than before"
        return changes or [Change.of("calls-added", shown_path(PARAMETERS), message)]
    # Otherwise the rules prove what the algebra could not.
    return changes if changes and answer is None else None


def _with_witness(changes: list[Change]) -> list[Change]:
    """The changes where a witness is known: one of them at least is what breaks."""
    if worst(changes) is ChangeClass.BREAKING:
        return changes
    unclear = [change for change in changes if change.change_class is ChangeClass.UNKNOWN]
    if not unclear or unclear[-1].code == "calls-unclear":
        message = "a call is refused that was allowed"
        rest = [change for change in changes if change not in unclear]
        return [*rest, Change.of("calls-refused", shown_path(PARAMETERS), message)]
    return [
        replace(change, change_class=ChangeClass.BREAKING) if change in unclear else change
        for change in changes
    ]


def _above(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        yield from (path[:length] for length in range(1, len(path)))


def _in_order(changes: Iterable[Change]) -> tuple[Change, ...]:
    """The worst first, then by place; each once."""
    unique = dict.fromkeys(changes)
    return tuple(sorted(unique, key=lambda change: (-change.change_class, change.path, change.code)))
