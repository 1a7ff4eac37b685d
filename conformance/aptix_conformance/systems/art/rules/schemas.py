"""ART: what a tool says of its input and its output, in JSON Schemas and examples, and whether values are as it says.

Arguments reach a tool only when its inputSchema allows them: so nothing is asked of calls with others. The rule of the
source `runtime` tells what ART's own orchestrator does, as version 0.4.16 has it.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

import jsonschema_rs

from aptix_conformance.core.model import Call, Declaration, DeclaredExample, Exploration, Kind
from aptix_conformance.core.schemas.shapes import conflict, infer
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.kernel import Finding, NoSuccess, NotApplicable, Precondition, rule
from aptix_conformance.rules.lib.misfits import misfits
from aptix_conformance.stimuli.generate.ecma import for_validator
from aptix_conformance.stimuli.generate.expansion_size import overgrown
from aptix_conformance.systems.art.facts import Compilation
from aptix_conformance.systems.art.rules import accessors
from aptix_conformance.systems.art.rules.strict_schema import DEEPEST, strict_fault

_OF_A_PATTERN: Final = (
    jsonschema_rs.ValidationErrorKind.Format,
    jsonschema_rs.ValidationErrorKind.Pattern,
)
"""How the library says that it cannot read a regular expression."""


@rule(
    "ART005",
    "ART.3.6",
    when=Precondition(
        lambda declaration: (
            isinstance(schema := accessors.member(declaration, "inputSchema"), dict) and _is_readable(schema)
        ),
        "there is no inputSchema, or it is too deep or too large for the suite or has a pattern that it cannot read",
        ("ART001", "ART002"),
    ),
    applies=accessors.without("examples", "examples"),
    differs_by="the example",
    remedy="Correct the example that is named, or the inputSchema.",
)
def examples_fit_the_input_schema(declaration: Declaration) -> Iterator[Finding]:
    """Each example has an input that its inputSchema allows."""
    examples = accessors.member(declaration, "examples")
    if not isinstance(examples, list):
        yield Finding(f"examples are {printable(json.dumps(examples), 60)} and no array.")
        return
    validator = _validator(accessors.member(declaration, "inputSchema"))
    for number, example in enumerate(examples, start=1):
        if not isinstance(example, dict) or "input" not in example:
            message = f"Example {number} has no input: {printable(json.dumps(example), 80)}."
            yield Finding(message, cause=number)
        elif validator and (misfit := next(misfits(validator, example["input"]), None)):
            yield Finding(f"The input of example {number} is not allowed: {misfit[1]}.", cause=number)


@rule(
    "ART009",
    source="runtime",
    when=Precondition(
        lambda declaration: (
            isinstance(schema := accessors.member(declaration, "inputSchema"), dict)
            and not (_compilation(declaration) is None and overgrown(schema, DEEPEST))
        ),
        "there is no inputSchema, or it is too deep or too large for the suite, and the project has no Ajv to ask",
        ("ART001", "ART002"),
    ),
    remedy="Keep to the keywords of draft 07, without format and without another $schema; say formats in the description "
    "or as a pattern.",
)
def input_schema_compiles(declaration: Declaration) -> Finding | None:
    """The inputSchema is one that ART can validate input with.

    The orchestrator compiles it with Ajv 8 in strict mode, which knows draft 07 and no formats: a format, an unknown
    keyword or another `$schema` throws, and the tool cannot be called at all.
    """
    compiled = _compilation(declaration)
    if compiled is not None:
        message = f"{compiled.validator} of the tool's own project refuses it: {printable(compiled.fault or '', 200)}"
        return Finding(f"{message}.") if compiled.fault else None
    fault = strict_fault(accessors.member(declaration, "inputSchema"))
    return Finding(f"The inputSchema {fault}.") if fault else None


def _compilation(declaration: Declaration) -> Compilation | None:
    """The verdict of the validator of the tool's own project on the inputSchema; None if it has no validator."""
    facts = accessors.declared(declaration)
    return facts.input_compiled if facts else None


@rule(
    "ART029",
    "ART.3.2",
    when=lambda exploration: (
        any(accessors.has_written_output(call) for call in exploration.calls)
        and _is_readable(accessors.member(exploration.declarations[0], "outputSchema"))
    ),
    applies=lambda declaration: (
        accessors.without("outputSchema", "outputSchema")(declaration)
        or accessors.completed_by_itself(declaration)
    ),
    unseen_reason=NoSuccess(
        "the outputSchema is too deep or too large for the suite or has a pattern that it cannot read, or there was no result for it"
    ),
    differs_by="the place in the outputSchema that the output does not fit",
    remedy="Correct the outputSchema, or what the tool returns.",
)
def output_fits_its_schema(exploration: Exploration) -> Iterator[Finding]:
    """Every output is one that the outputSchema describes."""
    schema = accessors.member(exploration.declarations[0], "outputSchema")
    validator = _validator(schema)
    if validator is None:
        yield Finding(f"The outputSchema is no JSON Schema: {printable(json.dumps(schema), 80)}.")
        return
    for call in filter(accessors.has_written_output, exploration.calls):
        for place, fault in misfits(validator, (accessors.whole(call) or {})["output"]):
            yield Finding(f"An output is not as the outputSchema has it: {fault}.", call, cause=place)


@rule(
    "ART032",
    "ART.3.6",
    when=lambda exploration: any(True for _ in _exemplified(exploration)),
    applies=lambda declaration: (
        accessors.without("examples", "examples")(declaration) or accessors.completed_by_itself(declaration)
    ),
    unseen_reason=NotApplicable("no example that has an output was answered with a success or an error"),
    differs_by="the example",
    remedy="Write into the example what the tool really returns for its input.",
)
def examples_have_the_outputs_returned(exploration: Exploration) -> Iterator[Finding]:
    """An example's output has the form of what the tool returns for its input."""
    for example, call in _exemplified(exploration):
        result = accessors.whole(call) or {}
        if result.get("status") == "error":
            shown = printable(json.dumps(result.get("error")), 100)
            message = f"Example {example.number} has an output, and the tool gave the error {shown}."
            yield Finding(message, call, cause=example.number)
        elif fault := conflict(infer([example.output]), infer([result["output"]])):
            message = f"The output of example {example.number} {printable(fault, 200)}."
            yield Finding(message, call, cause=example.number)


def _exemplified(exploration: Exploration) -> Iterator[tuple[DeclaredExample, Call]]:
    """The examples that have an output, each with a call with its input that gave an output or an error."""
    examples = {example.number: example for example in accessors.examples(exploration.declarations[0])}
    for call in exploration.calls:
        if call.plan.kind is not Kind.DECLARED:
            continue
        example = examples.get(call.plan.change.number or 0)
        if (
            example
            and example.has_output
            and (accessors.has_written_output(call) or accessors.has_status("error")(call))
        ):
            yield example, call


def _validator(schema: Any) -> jsonschema_rs.Draft7Validator | None:
    """A validator for a schema; None for one that is no JSON Schema, or that cannot be read."""
    return _compiled(schema)[0]


def _is_readable(schema: Any) -> bool:
    """Whether the suite can tell what a schema allows, or that it is no JSON Schema."""
    return not _compiled(schema)[1]


def _compiled(schema: Any) -> tuple[jsonschema_rs.Draft7Validator | None, bool]:
    """A validator for a schema, if there is one; and whether it may be a JSON Schema that the library cannot read.

    Values are not held to a schema that is too deep or too large for that (`generate.weight`), and the library does not
    know every regular expression of JavaScript.
    """
    if not isinstance(schema, (dict, bool)):
        return None, False
    if isinstance(schema, dict) and overgrown(schema, DEEPEST):
        return None, True
    try:
        known = for_validator(schema)
        if isinstance(known, dict):
            known.pop("$schema", None)
        return jsonschema_rs.Draft7Validator(known, offline=True), False
    except jsonschema_rs.ValidationError as error:
        return None, isinstance(error.kind, _OF_A_PATTERN)
    except ValueError:  # "Recursion limit reached"
        return None, True
