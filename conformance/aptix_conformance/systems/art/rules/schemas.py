"""ART: what a tool says of its input and its output, in JSON Schemas and examples, and whether values are as it says.

Arguments reach a tool only when its inputSchema allows them: so nothing is asked of calls with others. The rule of the
source `runtime` tells what ART's own orchestrator does, as version 0.4.16 has it.
"""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from aptix_conformance.generate.ecma import for_validator
from aptix_conformance.model import Call, Declaration, DeclaredExample, Exploration, Kind
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.rules.lib.scope import NO_SUCCESS, sent, shortest
from aptix_conformance.schemas.shapes import conflict, infer
from aptix_conformance.systems.art.rules import accessors
from aptix_conformance.systems.art.rules.strict_schema import strict_fault
from aptix_conformance.text import printable


@rule(
    "ART005",
    "ART.3.6",
    over=Declaration,
    when=lambda declaration: isinstance(accessors.member(declaration, "inputSchema"), dict),
    applies=accessors.without("examples", "examples"),
    unseen_reason="there is no inputSchema",
    remedy="Correct the example that is named, or the inputSchema.",
)
def examples_fit_the_input_schema(declaration: Declaration) -> Finding | None:
    """Each example has an input that its inputSchema allows."""
    examples = accessors.member(declaration, "examples")
    if not isinstance(examples, list):
        return Finding(f"examples are {printable(json.dumps(examples), 60)} and no array.")
    validator = _validator(accessors.member(declaration, "inputSchema"))
    for number, example in enumerate(examples, start=1):
        if not isinstance(example, dict) or "input" not in example:
            return Finding(f"Example {number} has no input: {printable(json.dumps(example), 80)}.")
        fault = _first_fault(validator, example["input"])
        if fault:
            return Finding(f"The input of example {number} is not allowed: {fault}.")
    return None


@rule(
    "ART009",
    over=Declaration,
    source="runtime",
    when=lambda declaration: isinstance(accessors.member(declaration, "inputSchema"), dict),
    unseen_reason="there is no inputSchema",
    remedy="Keep to the keywords of draft 07, without format and without another $schema; say formats in the description "
    "or as a pattern.",
)
def input_schema_compiles(declaration: Declaration) -> Finding | None:
    """The inputSchema is one that ART can validate input with.

    The orchestrator compiles it with Ajv 8 in strict mode, which knows draft 07 and no formats: a format, an unknown
    keyword or another `$schema` throws, and the tool cannot be called at all.
    """
    found = accessors.declared(declaration)
    compiled = found.input_compiled if found else None
    if compiled is not None:
        said = f"{compiled.validator} of the tool's own project refuses it: {printable(compiled.fault or '', 200)}"
        return Finding(f"{said}.") if compiled.fault else None
    fault = strict_fault(accessors.member(declaration, "inputSchema"))
    return Finding(f"The inputSchema {fault}.") if fault else None


@rule(
    "ART029",
    "ART.3.2",
    over=Exploration,
    when=lambda exploration: any(accessors.has_output(call) for call in exploration.calls),
    applies=lambda declaration: (
        accessors.without("outputSchema", "outputSchema")(declaration)
        or accessors.completed_by_itself(declaration)
    ),
    unseen_reason=NO_SUCCESS,
    remedy="Correct the outputSchema, or what the tool returns.",
)
def output_fits_its_schema(exploration: Exploration) -> Finding | None:
    """Every output is one that the outputSchema describes."""
    schema = accessors.member(exploration.declarations[0], "outputSchema")
    validator = _validator(schema)
    if validator is None:
        return Finding(f"The outputSchema is no JSON Schema: {printable(json.dumps(schema), 80)}.")
    calls = [call for call in exploration.calls if accessors.has_output(call)]
    wrong = shortest(
        call for call in calls if not validator.is_valid((accessors.whole(call) or {})["output"])
    )
    if wrong is None:
        return None
    fault = _first_fault(validator, (accessors.whole(wrong) or {})["output"])
    return Finding(f"An output is not as the outputSchema has it: {fault}; sent: {sent(wrong)}.", wrong)


@rule(
    "ART032",
    "ART.3.6",
    over=Exploration,
    when=lambda exploration: any(True for _ in _exemplified(exploration)),
    applies=lambda declaration: (
        accessors.without("examples", "examples")(declaration) or accessors.completed_by_itself(declaration)
    ),
    unseen_reason="no example that has an output was answered with a success or an error",
    if_unseen="not_applicable",
    remedy="Write into the example what the tool really returns for its input.",
)
def examples_have_the_outputs_returned(exploration: Exploration) -> Finding | None:
    """An example's output has the form of what the tool returns for its input."""
    for example, call in _exemplified(exploration):
        result = accessors.whole(call) or {}
        if result.get("status") == "error":
            said = printable(json.dumps(result.get("error")), 100)
            return Finding(
                f"Example {example.number} has an output, and the tool gave the error {said}.", call
            )
        fault = conflict(infer([example.output]), infer([result["output"]]))
        if fault:
            return Finding(f"The output of example {example.number} {printable(fault, 200)}.", call)
    return None


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
            and (accessors.has_output(call) or accessors.has_status("error")(call))
        ):
            yield example, call


def _validator(schema: Any) -> jsonschema_rs.Draft7Validator | None:
    if not isinstance(schema, (dict, bool)):
        return None
    known = for_validator(schema)
    if isinstance(known, dict):
        known.pop("$schema", None)
    try:
        return jsonschema_rs.Draft7Validator(known, offline=True)
    except ValueError:  # jsonschema-rs's own errors are all of this kind
        return None


def _first_fault(validator: jsonschema_rs.Draft7Validator | None, value: Any) -> str | None:
    if validator is None:
        return None
    error = next(validator.iter_errors(value), None)
    if error is None:
        return None
    place = "".join(f"/{part}" for part in error.instance_path)
    return printable(f"{error.message}{f' at {place}' if place else ''}", 160)
