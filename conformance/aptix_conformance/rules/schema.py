"""SCH: the function schema in the declaration."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model import Declaration, Exploration, Kind
from aptix_conformance.core.schemas.dialects import as_2020_12
from aptix_conformance.core.schemas.nodes import conjuncts
from aptix_conformance.core.text import is_blank, printable, quoted
from aptix_conformance.rules.lib import declarations
from aptix_conformance.rules.lib.documents import arguments_of
from aptix_conformance.rules.lib.kernel import Finding, Precondition, rule
from aptix_conformance.rules.lib.scope import any_call, succeeded, valid
from aptix_conformance.rules.reading import every_argument_that_is_read_is_declared
from aptix_conformance.rules.stability import difference
from aptix_conformance.stimuli.generate import root_schemas
from aptix_conformance.stimuli.generate.argument_schema import fault as unusable

_MOST_PLACES: Final = 50
"""Invalid places of a schema that SCH010 shows: what a stranger's schema makes of memory and time has a limit."""


@rule(
    "SCH001",
    "TUL-011.2.7",
    "AGN-005.2.1",
    remedy="Declare @staticmethod def get_schema() without parameters.",
)
def get_schema_is_static(declaration: Declaration) -> Finding | None:
    """The class has a public static method `get_schema` without parameters.

    The schema is read from the class, before an instance exists.
    """
    method = declaration.get_schema
    if method.kind == "missing":
        return Finding("There is no get_schema.")
    if method.kind not in ("static_method", "class_method"):
        return Finding(f"get_schema is a {method.kind.replace('_', ' ')} and not a static method.")
    named = [parameter.name for parameter in method.parameters if not parameter.kind.startswith("var_")]
    return Finding(f"get_schema takes parameters: {printable(', '.join(named))}.") if named else None


@rule(
    "SCH002",
    "TUL-011.2.7",
    when=declarations.callable_schema,
    remedy="Return a dict of strings, numbers, lists and dicts.",
)
def schema_is_a_json_object(declaration: Declaration) -> Finding | None:
    """`get_schema` returns a mapping that serialises to a JSON object."""
    document = declarations.emitted(declaration)
    if document.fault:
        outcome = "raised" if declaration.schema.outcome == "raised" else "gave no JSON:"
        return Finding(f"get_schema {outcome} {printable(document.fault, 200)}.")
    if isinstance(document.value, dict):
        return None
    return Finding(f"get_schema gave {printable(declaration.schema.text or '')}, which is no object.")


@rule(
    "SCH003",
    "TUL-011.4.1",
    when=declarations.has_document,
    remedy='Return {"type": "function", "name": …, "description": …, "parameters": …}, with all members on one level.',
)
def schema_has_the_function_form(declaration: Declaration) -> Finding | None:
    """The schema has the flat function form: `type` is `function`, and all other members are on the same level."""
    fault = declarations.form_fault(declarations.document(declaration) or {})
    return Finding(f"The schema {printable(fault)}.") if fault else None


@rule(
    "SCH004",
    "TUL-011.4.1",
    "AGN-005.2.4",
    "AGN-005.7.3",
    when=declarations.is_function.also(
        declarations.has_tool_name, f"{declarations.is_function.otherwise}, or there is no TOOL_NAME"
    ),
    remedy='Write "name": TOOL_NAME into the schema.',
)
def schema_has_the_tools_name(declaration: Declaration) -> Finding | None:
    """The name in the schema is TOOL_NAME.

    The model calls what the schema names, and the executor looks for that name.
    """
    name = (declarations.document(declaration) or {}).get("name")
    expected = declaration.tool_name.value or ""
    if name == expected:
        return None
    return Finding(
        f"The schema's name is {printable(repr(name), 80)}, TOOL_NAME is {printable(repr(expected), 80)}."
    )


@rule(
    "SCH005",
    "TUL-011.4.1",
    when=declarations.is_function,
    remedy='Write a "description" that says in a sentence what the tool does.',
)
def schema_has_a_description(declaration: Declaration) -> Finding | None:
    """The schema has a description that holds text."""
    description = (declarations.document(declaration) or {}).get("description")
    if isinstance(description, str) and not is_blank(description):
        return None
    return Finding(f"The schema's description is {printable(repr(description), 60)}.")


@rule(
    "SCH006",
    "TUL-011.4.1",
    when=declarations.is_function,
    remedy='Write "parameters": {"type": "object", "properties": {…}, "required": […]}; they may be empty.',
)
def parameters_describe_an_object(declaration: Declaration) -> Finding | None:
    """The schema has parameters that describe an object with properties."""
    schema = declarations.parameters(declaration)
    if schema is None:
        value = (declarations.document(declaration) or {}).get("parameters")
        return Finding(f"The schema's parameters are {printable(repr(value), 60)} and not an object.")
    fault = declarations.parameters_fault(schema)
    return Finding(f"The parameters {printable(fault)}.") if fault else None


@rule(
    "SCH007",
    "TUL-011.4.1",
    when=declarations.has_parameters,
    remedy='Write "required": [] if nothing is required, otherwise each required name once.',
)
def required_is_an_array_of_names(declaration: Declaration) -> Finding | None:
    """The parameters say which arguments are required, even if none is."""
    fault = declarations.required_fault(declarations.parameters(declaration) or {})
    return Finding(f"The parameters {fault}.") if fault else None


@rule(
    "SCH008",
    "TUL-011.4.2",
    when=declarations.has_parameters,
    remedy="Give the property a type: string, number, integer, boolean, object or array, with null as a second type if needed.",
)
def properties_declare_simple_types(declaration: Declaration) -> Finding | None:
    """Each argument declares one of the simple JSON types.

    It may also allow null. The type may be in the branches of a union or behind a local reference.
    """
    fault = _type_fault(declaration)
    return Finding(fault) if fault else None


@rule(
    "SCH009",
    "TUL-011.4.2",
    when=declarations.has_parameters,
    remedy="Give the property a description: its meaning, unit and default.",
)
def properties_have_descriptions(declaration: Declaration) -> Finding | None:
    """Each argument has a description that holds text."""
    bare = [
        name for name, schema in declarations.properties(declaration).items() if not _is_described(schema)
    ]
    if not bare:
        return None
    subject = "The property" if len(bare) == 1 else "The properties"
    return Finding(f"{subject} {_listed(bare)} {'has' if len(bare) == 1 else 'have'} no description.")


def _is_described(schema: Any) -> bool:
    texts = (each.get("description") for each in conjuncts(schema))
    return any(isinstance(text, str) and not is_blank(text) for text in texts)


def _listed(names: Iterable[str]) -> str:
    """Names in quotation marks, as a phrase."""
    shown = [quoted(name, 60) for name in names]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def _has_valid_or_no_required(declaration: Declaration) -> bool:
    """Whether SCH007 passes, or reports only that `required` is missing.

    If the properties have a boolean `required` of their own instead, SCH007 reports that one fault.
    """
    schema = declarations.parameters(declaration) or {}
    if "required" in schema:
        return declarations.required_fault(schema) is None
    inner = (
        s.get("required") for s in declarations.properties(declaration).values() if isinstance(s, Mapping)
    )
    return not any(isinstance(value, bool) for value in inner)


@rule(
    "SCH010",
    "TUL-011.2.7",
    "AMP.3.5",
    when=declarations.has_parameters.also(
        _has_valid_or_no_required,
        f"{declarations.has_parameters.otherwise} and with an array required",
        "SCH007",
        "AMP013",
    ),
    remedy="Correct the named keyword; the parameters follow JSON Schema, draft 2020-12.",
)
def parameters_are_a_json_schema(declaration: Declaration) -> Finding | None:
    """The parameters are a valid JSON Schema that refers to nothing outside itself.

    Where the tool's system reads older drafts, they are judged by their own draft.
    """
    schema = _by_its_draft(declaration, declarations.parameters(declaration) or {})
    fault = unusable(schema)
    if fault is None:
        return None
    try:
        places = _invalid_places(schema)
    except RecursionError:  # `unusable` reports that it is too deep
        places = {}
    message = " ".join(f"At {printable(path, 80)}: {printable(text, 160)}." for path, text in places.items())
    defers_to = "SCH008" if _has_unknown_type(declaration) else ""
    return Finding(message or f"The {printable(fault, 200)}.", defers_to=defers_to)


def _by_its_draft(declaration: Declaration, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if declaration.traits.undeclared_draft is None:
        return schema
    try:
        read: Mapping[str, Any] = as_2020_12(schema, declaration.undeclared_draft(schema))
    except RecordError:  # `unusable` reports that it is too deep
        return schema
    return read


def _invalid_places(schema: Mapping[str, Any]) -> dict[str, str]:
    """The message for each place that draft 2020-12 forbids, by the JSON paths in their order; at most `_MOST_PLACES`."""
    judge = Draft202012Validator(
        Draft202012Validator.META_SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    messages: dict[str, str] = {}
    for error in judge.iter_errors(schema):
        messages.setdefault(error.json_path, error.message)
        if len(messages) == _MOST_PLACES:
            break
    return dict(sorted(messages.items()))


@rule(
    "SCH011",
    "AGN-005.7.2",
    "AGN-005.12.2",
    when=declarations.has_parameters.also(
        lambda declaration: declarations.required_fault(declarations.parameters(declaration) or {}) is None,
        f"{declarations.has_parameters.otherwise}, or no array required",
        "SCH007",
    ),
    remedy="Declare the argument under properties, or remove it from required.",
)
def required_arguments_are_declared(declaration: Declaration) -> Finding | None:
    """Every required argument is a property."""
    properties = declarations.properties(declaration)
    missing = [name for name in dict.fromkeys(declarations.required(declaration)) if name not in properties]
    if len(missing) > 1:
        return Finding(f"{_listed(missing)} are required and are no properties.")
    return Finding(f"{_listed(missing)} is required and is no property.") if missing else None


@rule(
    "SCH012",
    "TUL-011.4.3",
    "AMP.3.5",
    "ART.1.1",
    when=Precondition(
        lambda declaration: declaration.schema.outcome == "returned",
        "there is no schema",
        declarations.has_document.reported_by,
    ),
    remedy="Build the schema from constants: no part of it may depend on time, random values or earlier calls.",
)
def schema_is_the_same_when_read_again(declaration: Declaration) -> Finding | None:
    """Two readings, one after the other, emit the same text."""
    first, second = declaration.schema.text or "", declaration.schema_again.text
    if first == second:
        return None
    if second is None:
        return Finding(
            f"The second reading failed: {printable(declaration.schema_again.error or 'no text')}."
        )
    return Finding(f"The second reading differs {difference(first, second)}.")


@rule(
    "SCH016",
    "AGN-005.7.2",
    "AGN-005.12.2",
    when=any_call(valid, succeeded),
    probes=("reading",),
    differs_by="the argument",
    remedy="Declare the argument in the schema, or remove it from the example.",
)
def schema_describes_every_argument_in_use(exploration: Exploration) -> Iterator[Finding]:
    """The schema has every argument of the author's examples that succeed.

    If the tool was observed to read the argument, SCH018 reports it instead.
    """
    read = [
        declaration for declaration in exploration.declarations if declarations.has_parameters(declaration)
    ]
    if not read or any(_has_open_names(declaration) for declaration in read):
        return
    described = {name for declaration in read for name in declarations.properties(declaration)}
    reading = every_argument_that_is_read_is_declared
    defers_to = "SCH018" if reading.when(exploration) and reading.check(exploration) else ""
    for call in exploration.calls:
        if call.plan.kind is Kind.EXAMPLE and call.succeeded:
            for name in sorted(set(arguments_of(call)) - described):
                message = f"The argument {quoted(name, 60)} is not in the schema."
                yield Finding(message, call, defers_to, name)


def _type_fault(declaration: Declaration) -> str | None:
    root = declarations.parameters(declaration) or {}
    faults = [
        f"The property {quoted(name, 60)} {printable(fault, 100)}."
        for name, schema in declarations.properties(declaration).items()
        if (fault := declarations.type_fault(schema, root))
    ]
    return " ".join(faults) or None


def _has_unknown_type(declaration: Declaration) -> bool:
    """Whether a property declares a type that there is not; a schema without a type is a JSON Schema, too."""
    root = declarations.parameters(declaration) or {}
    schemas = declarations.properties(declaration).values()
    return any(
        declarations.type_fault(schema, root) not in (None, declarations.NO_TYPE) for schema in schemas
    )


def _has_open_names(declaration: Declaration) -> bool:
    """Whether keywords other than `properties` describe arguments too."""
    return any(
        each.keys() & {"patternProperties", "anyOf", "oneOf", "if"}
        or isinstance(each.get("additionalProperties"), Mapping)
        for each in root_schemas(declarations.parameters(declaration) or {})
    )
