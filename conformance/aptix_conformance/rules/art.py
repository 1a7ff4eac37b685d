"""ART: what a tool of the ART framework declares, and the ToolResult that its calls resolve to.

What ART's own orchestrator does to a tool is in the rules of the source `runtime`; each docstring tells the fact, as
version 0.4.16 has it. Arguments reach a tool only when its schema allows them, and there is no cancellation signal: so
nothing is asked of either.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

import jsonschema_rs

from aptix_conformance.observations import Call, Declaration, Exploration
from aptix_conformance.probes.declared import declared_examples
from aptix_conformance.rules import art_forms as forms
from aptix_conformance.rules.kernel import Finding, rule
from aptix_conformance.rules.scope import NO_SUCCESS, came_back, sent, shortest, succeeded
from aptix_conformance.rules.strict_schema import strict_fault
from aptix_conformance.schemas.shapes import conflict, infer
from aptix_conformance.text import shown

LONGEST_NAME: Final = 64
"""Characters of a name beyond which it is not concise; models' interfaces take no longer one."""

_SNAKE: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_RETURNS: Final = re.compile(
    r"\b(?:returns?|gives?|results?|answers?|yields?|provides?|comes? back|outputs?)\b", re.IGNORECASE
)
_WHEN: Final = re.compile(r"\b(?:uses?|used|using|useful|when|whenever|if|whether)\b", re.IGNORECASE)
_A_TITLE: Final = 3
"""Words of a description that is no more than a title."""
_NO_SCHEMA: Final = "there is no schema that is an object"
_NO_RESULT: Final = "no call resolved to a ToolResult"


# ---- what is declared


@rule(
    "ART001",
    "ART.1.1",
    over=Declaration,
    when=lambda declaration: declaration.art is not None,
    needs="nothing is known of the tool",
    remedy="Give the class a member schema = { … } and a method async execute(input, context).",
)
def has_schema_and_execute(declaration: Declaration) -> Finding | None:  # noqa: PLR0911 - one for each fault
    """The tool has a schema that is an object and does not have to be called, and execute(input, context)."""
    if declaration.construction_error:
        return None
    assert declaration.art is not None
    reading = declaration.art.schema
    if declaration.get_schema.kind == "missing":
        return Finding("There is no schema.")
    if declaration.get_schema.kind == "method":
        return Finding("schema is a method, and the framework reads it as a member.")
    if reading.text is None:
        return Finding(f"Reading the schema failed: {shown(reading.error or reading.outcome, 200)}.")
    if not forms.has_schema(declaration):
        return Finding(f"The schema is {shown(reading.text, 80)} and no object.")
    parameters = len(declaration.execute.parameters)
    if parameters > 2:  # noqa: PLR2004 - input and context
        return Finding(f"execute takes {parameters} parameters, and is given input and context.")
    return None


@rule(
    "ART002",
    "ART.3.1",
    over=Declaration,
    when=forms.has_schema,
    needs=_NO_SCHEMA,
    remedy="Write name, description and inputSchema into the schema, the last a JSON Schema.",
)
def schema_has_its_three_parts(declaration: Declaration) -> Finding | None:
    """The schema has a name and a description that hold text, and an inputSchema that is a JSON Schema's object."""
    for name in ("name", "description"):
        value = forms.member(declaration, name)
        if not (isinstance(value, str) and value.strip()):
            return Finding(f"The schema's {name} is {shown(json.dumps(value), 60)}.")
    schema = forms.member(declaration, "inputSchema")
    if not isinstance(schema, dict):
        return Finding(f"The schema's inputSchema is {shown(json.dumps(schema), 60)}.")
    odd = [oddity for oddity in forms.oddities(declaration, "inputSchema") if forms.is_lost(oddity)]
    return Finding(f"{shown(odd[0].place, 80)} is {odd[0].what}, which is lost on the way.") if odd else None


@rule(
    "ART003",
    "ART.3.3",
    over=Declaration,
    when=forms.has_schema,
    applies=forms.without("executionMode", "executionMode"),
    needs=_NO_SCHEMA,
    remedy="Write functional, blocking or display, or leave executionMode out.",
)
def execution_mode_is_known(declaration: Declaration) -> Finding | None:
    """The executionMode is functional, immediate, blocking or display."""
    mode = forms.member(declaration, "executionMode")
    return None if mode in forms.MODES else Finding(f"The executionMode is {shown(json.dumps(mode), 60)}.")


@rule(
    "ART004",
    "ART.3.3",
    over=Declaration,
    when=forms.has_schema,
    applies=lambda declaration: (
        None
        if {"blockingConfig", "displayConfig"} & (forms.schema_of(declaration) or {}).keys()
        else "it declares no blockingConfig and no displayConfig"
    ),
    needs=_NO_SCHEMA,
    remedy="Write the settings as members of an object, or leave it out.",
)
def configurations_are_objects(declaration: Declaration) -> Finding | None:
    """Whatever blockingConfig and displayConfig there is, is an object."""
    schema = forms.schema_of(declaration) or {}
    for name in ("blockingConfig", "displayConfig"):
        if name in schema and not isinstance(schema[name], dict):
            return Finding(f"The {name} is {shown(json.dumps(schema[name]), 60)}.")
    return None


@rule(
    "ART005",
    "ART.3.6",
    over=Declaration,
    when=lambda declaration: isinstance(forms.member(declaration, "inputSchema"), dict),
    applies=forms.without("examples", "examples"),
    needs="there is no inputSchema",
    remedy="Correct the example that is named, or the inputSchema.",
)
def examples_fit_the_input_schema(declaration: Declaration) -> Finding | None:
    """Each example has an input that its inputSchema allows."""
    examples = forms.member(declaration, "examples")
    if not isinstance(examples, list):
        return Finding(f"examples are {shown(json.dumps(examples), 60)} and no array.")
    validator = _validator(forms.member(declaration, "inputSchema"))
    for number, example in enumerate(examples, start=1):
        if not isinstance(example, dict) or "input" not in example:
            return Finding(f"Example {number} has no input: {shown(json.dumps(example), 80)}.")
        fault = _first_fault(validator, example["input"])
        if fault:
            return Finding(f"The input of example {number} is not allowed: {fault}.")
    return None


@rule(
    "ART006",
    "ART.3.7",
    over=Declaration,
    when=lambda declaration: bool(declaration.tool_name.value),
    needs="the schema has no name",
    remedy="Name the tool in a few lower-case words joined by underscores, as in web_search.",
)
def name_is_snake_case(declaration: Declaration) -> Finding | None:
    """The name is lower case and concise, its words joined by underscores."""
    name = declaration.tool_name.value or ""
    if len(name) > LONGEST_NAME:
        return Finding(f"The name has {len(name)} characters; {LONGEST_NAME} are the most.")
    return None if _SNAKE.fullmatch(name) else Finding(f"The name is {shown(repr(name), 80)}.")


@rule(
    "ART007",
    "ART.3.8",
    over=Declaration,
    when=lambda declaration: bool((declaration.usage_text.value or "").strip()),
    needs="the schema has no description",
    remedy="Say in the description what the tool does, when to use it, and what comes back.",
    advice=True,
)
def description_says_what_when_and_what_comes_back(declaration: Declaration) -> Finding | None:
    """The description says what the tool does, when it is of use, and what it returns."""
    text = declaration.usage_text.value or ""
    missing = []
    if len(text.split()) <= _A_TITLE:
        missing.append("what the tool does")
    if not _WHEN.search(text):
        missing.append("when to use it")
    if not _RETURNS.search(text):
        missing.append("what comes back")
    said = " and ".join(missing)
    return Finding(f"The description does not seem to say {said}: {shown(text, 100)!r}.") if missing else None


@rule(
    "ART008",
    "ART.3.9",
    over=Declaration,
    when=lambda declaration: bool(declaration.tool_name.value),
    needs="the schema has no name",
    remedy="Give each tool a name of its own.",
)
def name_is_unique_in_its_module(declaration: Declaration) -> Finding | None:
    """No other tool that the module exports has the name.

    A registry takes the later one for the earlier, which is then not there any more.
    """
    others = declaration.art.neighbours if declaration.art else ()
    name = declaration.tool_name.value or ""
    return (
        Finding(f"Another tool of its module is named {shown(name, 60)!r} as well.")
        if name in others
        else None
    )


@rule(
    "ART009",
    over=Declaration,
    source="runtime",
    systems=("art",),
    when=lambda declaration: isinstance(forms.member(declaration, "inputSchema"), dict),
    needs="there is no inputSchema",
    remedy="Keep to the keywords of draft 07, without format and without another $schema; say formats in the description "
    "or as a pattern.",
)
def input_schema_compiles(declaration: Declaration) -> Finding | None:
    """The inputSchema is one that ART can validate input with.

    The orchestrator compiles it with Ajv 8 in strict mode, which knows draft 07 and no formats: a format, an unknown
    keyword or another `$schema` throws, and the tool cannot be called at all.
    """
    compiled = declaration.art.input_compiled if declaration.art else None
    if compiled is not None:
        said = (
            f"{compiled.validator} of the tool's own project refuses it: {shown(compiled.fault or '', 200)}"
        )
        return Finding(f"{said}.") if compiled.fault else None
    fault = strict_fault(forms.member(declaration, "inputSchema"))
    return Finding(f"The inputSchema {fault}.") if fault else None


# ---- what a call resolves to


@rule(
    "ART020",
    "ART.1.2",
    over=Call,
    when=forms.is_resolved,
    needs="no call was answered",
    remedy="Return { callId: context.callId, toolName: this.schema.name, status: 'success', output: data }.",
)
def resolves_to_a_tool_result(call: Call) -> Finding | None:
    """`execute` resolves to a ToolResult, an object with callId, toolName and status, and never to the data itself."""
    if forms.is_tool_result(call):
        return None
    found = forms.resolved(call)
    text = found.text if found and found.text is not None else found.kind if found else ""
    return Finding(f"execute gave {shown(text, 100)}; sent: {sent(call)}.")


@rule(
    "ART021",
    "ART.1.3",
    over=Call,
    when=lambda call: (
        forms.is_tool_result(call) and forms.whole(call) is not None and bool(call.plan.context)
    ),
    needs=_NO_RESULT,
    remedy="Write callId: context.callId, read from the context of this very call.",
)
def call_id_is_the_contexts(call: Call) -> Finding | None:
    """The callId of a result is that of the context, also of calls that are made at the same time."""
    expected = (call.plan.context or {}).get("callId")
    given = (forms.whole(call) or {}).get("callId")
    if given == expected:
        return None
    return Finding(
        f"The callId is {shown(json.dumps(given), 60)} and the context's {shown(json.dumps(expected), 60)}; sent: {sent(call)}."
    )


@rule(
    "ART022",
    "ART.1.4",
    over=Exploration,
    when=lambda exploration: (
        forms.tool_name(exploration) is not None
        and any(forms.is_tool_result(call) and forms.whole(call) is not None for call in exploration.calls)
    ),
    needs=_NO_RESULT,
    remedy="Write toolName: this.schema.name.",
)
def tool_name_is_the_schemas(exploration: Exploration) -> Finding | None:
    """The toolName of every result is the name in the schema."""
    name = forms.tool_name(exploration)
    calls = (
        call for call in exploration.calls if forms.is_tool_result(call) and forms.whole(call) is not None
    )
    wrong = shortest(call for call in calls if (forms.whole(call) or {}).get("toolName") != name)
    if wrong is None:
        return None
    given = shown(json.dumps((forms.whole(wrong) or {}).get("toolName")), 60)
    return Finding(
        f"The toolName is {given} and the schema's name {shown(name or '', 60)!r}; sent: {sent(wrong)}.",
        wrong,
    )


@rule(
    "ART023",
    "ART.1.5",
    over=Call,
    when=lambda call: forms.is_tool_result(call) and forms.whole(call) is not None,
    needs=_NO_RESULT,
    remedy="Write status: 'success', 'error' or 'suspended'.",
)
def status_is_one_of_three(call: Call) -> Finding | None:
    """The status of a result is success, error or suspended."""
    status = (forms.whole(call) or {}).get("status")
    return (
        None
        if status in forms.STATUSES
        else Finding(f"The status is {shown(json.dumps(status), 60)}; sent: {sent(call)}.")
    )


@rule(
    "ART024",
    "ART.1.6",
    over=Call,
    when=forms.is_success,
    applies=forms.completed_by_itself,
    needs=NO_SUCCESS,
    remedy="Put the data under output, under no other name.",
)
def success_carries_output(call: Call) -> Finding | None:
    """A success carries its data as output.

    What stands under data or result is not looked for, and the model is told that nothing was found.
    """
    result = forms.whole(call) or {}
    odd = {oddity.what for oddity in forms.output_oddities(call) if oddity.place == "output"} - {"undefined"}
    if "output" in result or odd:
        return None
    others = [name for name in ("data", "result", "value", "content") if name in result]
    beside = f"; there is {others[0]}" if others else ""
    return Finding(f"There is no output{beside}; sent: {sent(call)}.")


@rule(
    "ART025",
    "ART.1.7",
    over=Call,
    when=forms.has_status("error"),
    needs="no call came back as an error",
    if_unseen="not_applicable",
    remedy="Write error: 'what was wrong, in a sentence'; a text, not an Error.",
)
def error_carries_a_text(call: Call) -> Finding | None:
    """An error carries a text that says what was wrong."""
    error = (forms.whole(call) or {}).get("error")
    if isinstance(error, str) and error.strip():
        return None
    return Finding(f"The error is {shown(json.dumps(error), 60)}; sent: {sent(call)}.")


@rule(
    "ART026",
    "ART.1.8",
    over=Call,
    when=forms.has_status("suspended"),
    needs="no call was suspended",
    if_unseen="not_applicable",
    remedy="Write metadata: { suspensionId: a text that nobody else has }.",
)
def suspension_carries_its_id(call: Call) -> Finding | None:
    """A suspended result carries metadata.suspensionId, by which it is resumed."""
    metadata = (forms.whole(call) or {}).get("metadata")
    given = metadata.get("suspensionId") if isinstance(metadata, dict) else None
    if isinstance(given, str) and given.strip():
        return None
    return Finding(f"The suspensionId is {shown(json.dumps(given), 60)}; sent: {sent(call)}.")


@rule(
    "ART027",
    "ART.1.9",
    over=Call,
    when=lambda call: forms.is_tool_result(call) and _sources(call) is not None,
    needs="no result named sources",
    if_unseen="not_applicable",
    remedy="Write sources: [{ sourceName: 'a text', url: 'a text' }], the url only where there is one.",
)
def sources_are_well_formed(call: Call) -> Finding | None:
    """metadata.sources is an array of objects, each with a sourceName and perhaps a url, both texts."""
    sources = _sources(call)
    for source in sources if isinstance(sources, list) else [sources]:
        named = (
            isinstance(source, dict)
            and isinstance(source.get("sourceName"), str)
            and isinstance(sources, list)
        )
        if not named or not isinstance(source.get("url", ""), str):
            return Finding(f"The sources hold {shown(json.dumps(source), 80)}; sent: {sent(call)}.")
    return None


@rule(
    "ART028",
    "ART.2.1",
    over=Call,
    when=forms.has_output,
    applies=forms.completed_by_itself,
    needs=NO_SUCCESS,
    remedy="Return a page, a summary or a reference; or raise toolResultMaxLength and waive this rule.",
)
def output_stays_within_the_limit(call: Call) -> Finding | None:
    """The output as JSON has no more than 60,000 characters.

    What is longer is cut at that length, in the middle of the text, and reaches the model as invalid JSON.
    """
    text = (call.result.payload if call.result else None) or ""
    length = len(text.encode("utf-16-le", "surrogatepass")) // 2  # as JavaScript counts
    if length <= forms.LIMIT:
        return None
    return Finding(f"The output has {length:,} characters; it is cut at {forms.LIMIT:,}; sent: {sent(call)}.")


@rule(
    "ART029",
    "ART.3.2",
    over=Exploration,
    when=lambda exploration: any(forms.has_output(call) for call in exploration.calls),
    applies=lambda declaration: (
        forms.without("outputSchema", "outputSchema")(declaration) or forms.completed_by_itself(declaration)
    ),
    needs=NO_SUCCESS,
    remedy="Correct the outputSchema, or what the tool returns.",
)
def output_fits_its_schema(exploration: Exploration) -> Finding | None:
    """Every output is one that the outputSchema describes."""
    schema = forms.member(exploration.declarations[0], "outputSchema")
    validator = _validator(schema)
    if validator is None:
        return Finding(f"The outputSchema is no JSON Schema: {shown(json.dumps(schema), 80)}.")
    calls = [call for call in exploration.calls if forms.has_output(call)]
    wrong = shortest(call for call in calls if not validator.is_valid((forms.whole(call) or {})["output"]))
    if wrong is None:
        return None
    fault = _first_fault(validator, (forms.whole(wrong) or {})["output"])
    return Finding(f"An output is not as the outputSchema has it: {fault}; sent: {sent(wrong)}.", wrong)


@rule(
    "ART030",
    "ART.3.4",
    over=Call,
    when=lambda call: (
        forms.has_status("success", "suspended")(call) and call.plan.probe in ("valid", "repeat", "context")
    ),
    applies=forms.in_mode("blocking"),
    needs="no call was answered",
    remedy="Return status 'suspended' with a suspensionId first; the framework completes the call with the person's answer.",
)
def blocking_tool_suspends_first(call: Call) -> Finding | None:
    """A blocking tool answers a call with suspended, and leaves it to the framework to complete it."""
    if forms.is_success(call):
        return Finding(f"It succeeded at once, and asked nobody; sent: {sent(call)}.")
    return None


@rule(
    "ART031",
    "ART.3.5",
    over=Call,
    when=forms.has_status("success", "suspended"),
    applies=forms.in_mode("display"),
    needs="no call was answered",
    remedy="Return status 'success' with what is to be shown as output.",
)
def display_tool_completes_at_once(call: Call) -> Finding | None:
    """A display tool completes its call at once, and never suspends it."""
    return Finding(f"It was suspended; sent: {sent(call)}.") if forms.has_status("suspended")(call) else None


@rule(
    "ART032",
    "ART.3.6",
    over=Exploration,
    when=lambda exploration: any(call.plan.kind == "declared" for call in exploration.calls),
    applies=forms.without("examples", "examples"),
    needs="no example has an input that the inputSchema allows",
    remedy="Write into the example what the tool really returns for its input.",
)
def examples_have_the_outputs_returned(exploration: Exploration) -> Finding | None:
    """An example's output has the form of what the tool returns for its input."""
    examples = {example.number: example for example in declared_examples(exploration.declarations[0])}
    for call in exploration.calls:
        example = (
            examples.get(int(call.plan.label.partition(":")[2])) if call.plan.kind == "declared" else None
        )
        if example is None or not example.has_output or not forms.is_tool_result(call):
            continue
        if forms.has_status("error")(call):
            said = shown(json.dumps((forms.whole(call) or {}).get("error")), 100)
            return Finding(
                f"Example {example.number} has an output, and the tool gave the error {said}.", call
            )
        if not forms.has_output(call):
            continue
        fault = conflict(infer([example.output]), infer([(forms.whole(call) or {})["output"]]))
        if fault:
            return Finding(f"The output of example {example.number} {shown(fault, 200)}.", call)
    return None


@rule(
    "ART033",
    "ART.5.1",
    over=Call,
    when=lambda call: succeeded(call) and bool(call.result and call.result.art),
    applies=forms.completed_by_itself,
    needs=NO_SUCCESS,
    remedy="Return plain objects, arrays, texts, finite numbers, booleans and null.",
)
def output_is_plain_json(call: Call) -> Finding | None:
    """The output is made of what JSON has: it is shown to the model and to people as JSON.

    A function or a symbol vanishes, NaN and the infinities become null, a Map becomes an object without members; a
    BigInt and a circular structure cannot be shown at all.
    """
    lost = [oddity for oddity in forms.output_oddities(call) if forms.is_lost(oddity)]
    if lost:
        return Finding(f"{shown(lost[0].place, 80)} is {_article(lost[0].what)}; sent: {sent(call)}.")
    fault = call.result.art.fault if call.result and call.result.art else None
    return Finding(f"JSON.stringify threw {shown(fault, 120)}; sent: {sent(call)}.") if fault else None


# ---- what the orchestrator makes of it


@rule(
    "ART040",
    over=Call,
    source="runtime",
    systems=("art",),
    when=came_back,
    needs="no call was answered",
    remedy="Throw an Error, or better, return status 'error'.",
)
def never_throws_nothing(call: Call) -> Finding | None:
    """Nothing that is thrown is null or undefined.

    The orchestrator reads the message of what it catches; of null and undefined it cannot, so that the whole batch of
    calls is lost, those of other tools too.
    """
    if call.raised is None or call.raised.category != "nothing":
        return None
    return Finding(f"It threw {call.raised.type_name}; sent: {sent(call)}.")


@rule(
    "ART041",
    over=Call,
    source="runtime",
    systems=("art",),
    when=forms.has_output,
    applies=forms.completed_by_itself,
    needs=NO_SUCCESS,
    remedy="Wrap it: output: { count: 0 }.",
)
def output_is_not_falsy(call: Call) -> Finding | None:
    """The output is not 0, false or an empty text.

    These three reach the model as undefined, as if there were no output.
    """
    output = (forms.whole(call) or {})["output"]
    if output is not None and _is_falsy(output):
        return Finding(f"The output is {json.dumps(output)}; sent: {sent(call)}.")
    return None


@rule(
    "ART042",
    over=Call,
    source="runtime",
    systems=("art",),
    when=forms.has_output,
    applies=forms.completed_by_itself,
    needs=NO_SUCCESS,
    remedy="Name the member otherwise (items, rows), or put everything below data.",
)
def output_has_no_data_beside_others(call: Call) -> Finding | None:
    """The output has no member data beside other members.

    The orchestrator takes a member data for the whole output, and what stands beside it is lost.
    """
    output = (forms.whole(call) or {})["output"]
    if not isinstance(output, Mapping) or _is_falsy(output.get("data")) or len(output) == 1:
        return None
    lost = next(name for name in output if name != "data")
    return Finding(f"{shown(lost, 60)!r} stands beside data and is lost; sent: {sent(call)}.")


def _is_falsy(value: Any) -> bool:
    """As JavaScript has it: an empty array or object is not."""
    return value is None or (isinstance(value, str | bool | int | float) and not value)


def _sources(call: Call) -> Any:
    metadata = (forms.whole(call) or {}).get("metadata")
    return metadata.get("sources") if isinstance(metadata, dict) else None


def _validator(schema: Any) -> jsonschema_rs.Draft7Validator | None:
    if not isinstance(schema, dict):
        return None
    try:
        return jsonschema_rs.Draft7Validator(
            {key: schema[key] for key in schema if key != "$schema"}, offline=True
        )
    except ValueError:  # jsonschema-rs's own errors are all of this kind
        return None


def _first_fault(validator: jsonschema_rs.Draft7Validator | None, value: Any) -> str | None:
    if validator is None:
        return None
    error = next(validator.iter_errors(value), None)
    if error is None:
        return None
    place = "".join(f"/{part}" for part in error.instance_path)
    return shown(f"{error.message}{f' at {place}' if place else ''}", 160)


def _article(what: str) -> str:
    return (
        what if what in ("undefined", "NaN", "Infinity", "-Infinity") else f"a {what.removeprefix('class ')}"
    )
