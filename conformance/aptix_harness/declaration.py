"""Reads what a class declares as a tool, and says what is wrong with it.

A class is read where its declarations are stored, in the dictionaries of its bases. Attribute access would run the
class's own code (properties, descriptors, its metaclass) and show what that makes up instead. Only `get_schema` is
called, since nothing short of that tells whether there is a schema.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeGuard

from aptix_harness.errors import InvalidOperationError
from aptix_harness.tool import AgentTool

_NAME_PATTERN: Final = re.compile(r"[a-zA-Z0-9_-]+")
_MISSING: Final = object()
_mro_of: Final = type.__dict__["__mro__"].__get__
_namespace_of: Final = type.__dict__["__dict__"].__get__


@dataclass(frozen=True, slots=True)
class ToolDeclaration:
    """What a class declares, read once.

    Attributes:
        name: its `TOOL_NAME`.
        usage_text: its `TOOL_USAGE_METADATA`, never blank.
        schema: what its `get_schema` returned: a mapping, and nothing more is known of it.
    """

    name: str
    usage_text: str
    schema: Mapping[object, object]


def is_tool_name(name: object) -> TypeGuard[str]:
    """Return whether the whole of `name` is a valid tool name (TUL-011.2.5)."""
    return isinstance(name, str) and _NAME_PATTERN.fullmatch(name) is not None


def class_name(tool_type: type) -> str:
    """Return module and name of a class without running any code of its metaclass."""
    return type.__repr__(tool_type).removeprefix("<class '").removesuffix("'>")


def refusal(tool_type: type, clause: str, fault: str, fix: str) -> InvalidOperationError:
    """Return the error that names the class, the rule and the fix (TUL-011.2.8)."""
    return InvalidOperationError(f"{class_name(tool_type)} breaks {clause}: {fault}. To fix it, {fix}.")


def read_declaration(tool_type: type) -> ToolDeclaration:
    """Examine a class and return what it declares.

    Raises:
        InvalidOperationError: it is no well-formed tool (TUL-011.2.1 to TUL-011.2.7, AGN-005.7.17, AGN-005.7.18).
    """
    if not issubclass(type(tool_type), type):
        raise InvalidOperationError(
            f"An object of type {class_name(type(tool_type))} breaks TUL-011.2.1: it is not a class. "
            "To fix it, register the tool's class and not an instance of it."
        )
    name = _read_constant(tool_type, "TOOL_NAME", "TUL-011.2.4")
    if not is_tool_name(name):
        raise refusal(
            tool_type,
            "TUL-011.2.5",
            f"TOOL_NAME is {name[:80]!a}, which has a character that is not allowed",
            "use only the letters a to z and A to Z, digits, _ and -",
        )
    usage_text = _read_constant(tool_type, "TOOL_USAGE_METADATA", "AGN-005.7.17")
    schema = _read_schema(tool_type, _read_schema_method(tool_type))
    _check_interface(tool_type)
    return ToolDeclaration(name, usage_text, schema)


def _stored(cls: type, attribute: str) -> object:
    """Return what `cls` or its nearest base class stores under a name; the protocol's own members do not count."""
    for base in _mro_of(cls):
        if base is not AgentTool and attribute in (namespace := _namespace_of(base)):
            return namespace[attribute]
    return _MISSING


def _is_read_by_metaclass(tool_type: type, attribute: str) -> bool:
    """Return whether the metaclass can override `attribute` of the class."""
    own = [base for base in _mro_of(type(tool_type)) if base not in (type, object)]
    return any(name in _namespace_of(base) for base in own for name in (attribute, "__getattribute__"))


def _read_constant(tool_type: type, constant: str, clause_if_blank: str) -> str:
    fix = f'write {constant}: Final = "..." into the class body'
    value = _stored(tool_type, constant)
    if value is _MISSING:
        fault = f"its body has no constant {constant} (an annotation, or a value set by __init__, is none)"
        raise refusal(tool_type, "TUL-011.2.3", fault, fix)
    if _is_read_by_metaclass(tool_type, constant):
        raise refusal(tool_type, "TUL-011.2.3", f"its metaclass intercepts the reading of {constant}", fix)
    if inspect.getattr_static(type(value), "__get__", None) is not None:
        fault = f"{constant} is computed by a {class_name(type(value))}"
        raise refusal(tool_type, "TUL-011.2.3", fault, fix)
    if type(value) is not str:
        fault = f"{constant} is of type {class_name(type(value))} and not a plain str"
        raise refusal(tool_type, "TUL-011.2.3", fault, fix)
    if not value.strip():
        raise refusal(tool_type, clause_if_blank, f"{constant} is blank", fix)
    return value


def _read_schema_method(tool_type: type) -> Callable[[], object]:
    fix = "declare it as @staticmethod def get_schema() -> Mapping[str, object]"
    method = _stored(tool_type, "get_schema")
    if method is _MISSING:
        raise refusal(tool_type, "TUL-011.2.7", "it has no get_schema", fix)
    if not isinstance(method, (staticmethod, classmethod)) or _is_read_by_metaclass(tool_type, "get_schema"):
        raise refusal(tool_type, "TUL-011.2.7", "get_schema is not a static method", fix)
    try:
        bound: Callable[[], object] = method.__get__(None, tool_type)
        parameters = list(inspect.signature(bound).parameters)
    except Exception as error:  # what is wrapped in the method may run code of its own
        fault = "get_schema has no signature that could be read"
        raise refusal(tool_type, "TUL-011.2.7", fault, fix) from error
    if parameters:
        fault = f"get_schema takes parameters ({', '.join(parameters)})"
        raise refusal(tool_type, "TUL-011.2.7", fault, fix)
    return bound


def _read_schema(tool_type: type, get_schema: Callable[[], object]) -> Mapping[object, object]:
    fix = "return a dict with type, name, description and parameters, without awaiting anything"
    try:
        schema = get_schema()
        if isinstance(schema, Mapping):
            return schema
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a tool's code may raise anything, SystemExit too; it is the tool's fault
        fault = f"get_schema raised {class_name(type(error))}"
        raise refusal(tool_type, "AGN-005.7.18", fault, fix) from error
    if inspect.iscoroutine(schema):
        schema.close()
    fault = f"get_schema returned an object of type {class_name(type(schema))} and not a mapping"
    raise refusal(tool_type, "AGN-005.7.18", fault, fix)


def _check_interface(tool_type: type) -> None:
    for member in ("name", "is_tool_fully_executed_on_server"):
        if _stored(tool_type, member) is _MISSING:
            fix = f"add @property def {member}(self)"
            raise refusal(tool_type, "TUL-011.2.1", f"it has no property {member}", fix)
    if not callable(_stored(tool_type, "execute")):
        fix = "add async def execute(self, arguments_json, context, cancellation_token)"
        raise refusal(tool_type, "TUL-011.2.1", "it has no method execute", fix)
