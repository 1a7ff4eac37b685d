"""Readers for a declaration: the parts of the emitted schema, and what is wrong with each part.

A reader returns None or an empty value if its part is missing or malformed. One rule reports that; the rules on the
part's content are then not examined.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from aptix_conformance.core.model import Declaration
from aptix_conformance.core.schemas.nodes import objects, referred
from aptix_conformance.core.text import is_blank
from aptix_conformance.rules.lib.documents import Document, read
from aptix_conformance.rules.lib.kernel import precondition
from aptix_conformance.stimuli.generate import Arguments, root_properties, root_required, usable_schema
from aptix_conformance.stimuli.generate.arguments import has_default

SIMPLE_TYPES: Final = ("string", "number", "integer", "boolean", "object", "array")

EXECUTE: Final = ("arguments_json", "context", "cancellation_token")
"""The parameters of `execute`, by position."""

_DEFINITIONS: Final = frozenset({"$defs", "definitions"})
_REFERENCES: Final = 16
"""The most unions and references between a property and its type."""

Schema = Mapping[str, Any]


def misplaced_parameter(declaration: Declaration) -> str | None:
    """The fault of an `execute` that has a parameter with one of the contract's names in another place."""
    positional = [each for each in declaration.execute.parameters if each.kind == "positional"]
    for place, parameter in enumerate(positional):
        name = parameter.name.strip("_")
        if name in EXECUTE and EXECUTE.index(name) != place:
            return f"takes {name} in place {place + 1}"
    return None


@precondition("TOOL_NAME holds no text", "REG001", "REG002")
def has_tool_name(declaration: Declaration) -> bool:
    """Whether TOOL_NAME is a plain, non-blank string constant."""
    return declaration.tool_name.kind == "plain" and not is_blank(declaration.tool_name.value or "")


@precondition("there is no usage text", "REG013", "USE001")
def has_usage_text(declaration: Declaration) -> bool:
    """Whether TOOL_USAGE_METADATA is a plain, non-blank string constant."""
    return declaration.usage_text.kind == "plain" and not is_blank(usage_text(declaration))


def usage_text(declaration: Declaration) -> str:
    """The usage text; empty if there is none."""
    return declaration.usage_text.value or ""


def takes_the_logger(declaration: Declaration) -> bool:
    """Whether the constructor has a parameter for the admin logger, or `**kwargs`."""
    return any(
        "logger" in f"{parameter.name} {parameter.annotation}".casefold() or parameter.kind == "var_keyword"
        for parameter in declaration.constructor
    )


def constructed(declaration: Declaration) -> bool:
    """Whether an instance could be constructed, so that its properties could be read."""
    return declaration.construction_error is None and not declaration.missing_services


@precondition("get_schema cannot be called on the class without arguments", "SCH001")
def callable_schema(declaration: Declaration) -> bool:
    """Whether `get_schema` can be called on the class without arguments."""
    method = declaration.get_schema
    return method.kind in ("static_method", "class_method") and not any(
        parameter.required for parameter in method.parameters
    )


def emitted(declaration: Declaration) -> Document:
    """The emitted schema, parsed strictly."""
    reading = declaration.schema
    if reading.outcome != "returned" or reading.text is None:
        return Document(fault=reading.error or reading.outcome)
    return read(reading.text)


def document(declaration: Declaration) -> Schema | None:
    """The schema if it is a JSON object, else None."""
    value = emitted(declaration).value
    return value if isinstance(value, dict) else None


@precondition("there is no schema that is a JSON object", *callable_schema.reported_by, "SCH002")
def has_document(declaration: Declaration) -> bool:
    """Whether the schema is a JSON object."""
    return document(declaration) is not None


def form_fault(schema: Schema) -> str | None:
    """Why a schema does not have the form of a function schema, as a phrase; None if it has."""
    if isinstance(schema.get("function"), Mapping):
        return "puts the function below a member function, where name and parameters are not found"
    if "type" not in schema:
        return "has no member type"
    return None if schema["type"] == "function" else f"has the type {schema['type']!r}"


@precondition("the schema is not of the function form", *has_document.reported_by, "SCH003")
def is_function(declaration: Declaration) -> bool:
    """Whether the schema's members are at the places of a function schema."""
    schema = document(declaration)
    if schema is None:
        return False
    nested = isinstance(schema.get("function"), Mapping)
    return not nested and (schema.get("type") == "function" or "parameters" in schema)


def parameters(declaration: Declaration) -> Schema | None:
    """The parameters if they are an object, else None."""
    if not is_function(declaration):
        return None
    value = (document(declaration) or {}).get("parameters")
    return value if isinstance(value, dict) else None


@precondition("the schema has no parameters with properties", *is_function.reported_by, "SCH006")
def has_parameters(declaration: Declaration) -> bool:
    """Whether the parameters are an object schema with properties."""
    schema = parameters(declaration)
    return schema is not None and parameters_fault(schema) is None


def parameters_fault(schema: Schema) -> str | None:
    """Why parameters do not describe an object with properties, as a phrase; None if they do."""
    if schema.get("type") != "object":
        return f"have the type {schema.get('type')!r} and not 'object'"
    if not isinstance(schema.get("properties"), Mapping):
        return "have no object named properties"
    return None


def required_fault(schema: Schema) -> str | None:
    """Why `required` is not an array of distinct names, as a phrase; None if it is."""
    if "required" not in schema:
        return "have no member required"
    names = schema["required"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return "have a member required that is no array of names"
    return None if len(set(names)) == len(names) else "name an argument twice in required"


def properties(declaration: Declaration) -> Schema:
    """The schemas of the declared arguments by name, those in `allOf` at the root too; empty if there are none."""
    return root_properties(parameters(declaration) or {})


def required(declaration: Declaration) -> tuple[str, ...]:
    """The names of the arguments that a call must have."""
    return root_required(parameters(declaration) or {})


def requires_something(declaration: Declaration) -> bool:
    """Whether an argument, or a member of an argument, is required and has no default.

    A definition counts only if something refers to it.
    """
    root = parameters(declaration) or {}
    waiting: list[object] = [{name: value for name, value in root.items() if name not in _DEFINITIONS}]
    referred_to: set[str] = set()
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            reference = item.get("$ref")
            if isinstance(reference, str) and reference not in referred_to:
                referred_to.add(reference)
                waiting.append(referred(root, reference))
            inner, names = item.get("properties"), item.get("required")
            known = inner if isinstance(inner, Mapping) else {}
            if isinstance(names, list) and any(not has_default(known.get(str(name))) for name in names):
                return True
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return False


def allows_nothing_sent(declaration: Declaration) -> bool:
    """Whether a call without arguments is allowed; of a schema that cannot be used, `required` decides."""
    schema = usable_schema(declaration)[0]
    return not (requires_something(declaration) if schema is None else Arguments(schema).needs_something)


def lists_values(declaration: Declaration) -> bool:
    """Whether an argument or a part of it has an `enum` or a `const`; references and alternatives are followed."""
    root = parameters(declaration) or {}
    waiting: list[object] = list(_parts(root, root))
    visited: set[int] = set()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Mapping) or id(node) in visited:
            continue
        if ("enum" in node or "const" in node) and not _is_null(node):
            return True
        visited.add(id(node))
        waiting.extend(_parts(node, root))
    return False


NO_TYPE: Final = "declares no type"
"""The fault of a property that takes any value, which is a valid JSON Schema all the same."""


def type_fault(schema: object, root: Schema, depth: int = 0) -> str | None:
    """Why a property does not declare a simple JSON type, as a phrase; None if it does. `null` may be a second type.

    A type may be behind a local reference, in every branch of `anyOf` or `oneOf`, or in one branch of `allOf`.
    """
    if not isinstance(schema, Mapping) or depth > _REFERENCES:
        return "is no schema that could be read"
    if "type" in schema:
        return _declared_type_fault(schema["type"])
    for keyword in ("anyOf", "oneOf"):
        branches = [branch for branch in _branches(schema, keyword) if not _is_null(branch)]
        if branches:
            return next(filter(None, (type_fault(branch, root, depth + 1) for branch in branches)), None)
    if any(type_fault(branch, root, depth + 1) is None for branch in _branches(schema, "allOf")):
        return None
    if isinstance(schema.get("$ref"), str):
        return type_fault(referred(root, schema["$ref"]), root, depth + 1)
    return NO_TYPE


def property_names(schema: object) -> Iterator[str]:
    """The names of all properties at any depth of a schema."""
    waiting = [schema]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            inner = item.get("properties")
            if isinstance(inner, Mapping):
                yield from inner
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def description(declaration: Declaration) -> str:
    """The description of the emitted schema itself; empty if there is none."""
    value = (document(declaration) or {}).get("description")
    return value if isinstance(value, str) else ""


def descriptions(declaration: Declaration) -> Iterator[str]:
    """The descriptions in the emitted schema, at any depth."""
    for node in objects(document(declaration)):
        if isinstance(node.get("description"), str):
            yield node["description"]


def _declared_type_fault(declared: object) -> str | None:
    names = declared if isinstance(declared, list) else [declared]
    rest = [name for name in names if name != "null"]
    if not rest:
        return f"declares the type {declared!r}"
    unknown = [name for name in rest if name not in SIMPLE_TYPES]
    return f"declares the type {unknown[0]!r}" if unknown else None


def _branches(schema: Schema, keyword: str) -> list[object]:
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def _parts(schema: Schema, root: Schema) -> Iterator[object]:
    """The subschemas for the same value (alternatives, references), its members and its items."""
    inner = schema.get("properties")
    yield from inner.values() if isinstance(inner, Mapping) else ()
    for keyword in ("allOf", "anyOf", "oneOf", "prefixItems"):
        yield from _branches(schema, keyword)
    yield from (schema.get("items"), schema.get("additionalProperties"))
    if isinstance(schema.get("$ref"), str):
        yield referred(root, schema["$ref"])


def _is_null(schema: object) -> bool:
    return isinstance(schema, Mapping) and (
        schema.get("type") == "null" or schema.get("enum") == [None] or schema.get("const", 0) is None
    )
