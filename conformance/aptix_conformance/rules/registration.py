"""REG: the declaration of a tool, read from its class and one instance. No call is made."""

import re
from typing import Final

from aptix_conformance.core.model import Constant, Declaration, Exploration, Member
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.declarations import (
    EXECUTE,
    constructed,
    has_tool_name,
    misplaced_parameter,
    takes_the_logger,
)
from aptix_conformance.rules.lib.kernel import Finding, Precondition, precondition, rule
from aptix_conformance.rules.lib.scope import shortest
from aptix_conformance.rules.lib.signatures import binding_fault

_PATTERN: Final = re.compile(r"[a-zA-Z0-9_-]+")
_SNAKE: Final = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_KINDS: Final = {
    "missing": "is not there",
    "property": "is a property",
    "descriptor": "is computed by a descriptor",
    "annotation": "is only annotated and has no value",
    "instance": "is set on instances and not in the class",
    "metaclass": "is given by the metaclass and not by the class",
    "static": "is a static field and no const",
}


def why_not_called(declaration: Declaration) -> str | None:
    """Why no call would reach the tool's own code, as a phrase; None if calls would.

    REG007 and REG009 report that for tools that receive their arguments as text; calls would show nothing more. If no
    parameter is known, the signature may be unreadable, so the tool is called.
    """
    if "text" not in declaration.traits.given:
        return None
    if declaration.execute.kind == "missing":
        return "it has no method execute (REG007)"
    parameters = declaration.execute.parameters
    fault = binding_fault(parameters, EXECUTE) if parameters and _has_execute(declaration) else None
    return f"execute {fault} (REG009)" if fault else None


def _constant_fault(constant: Constant) -> str | None:
    if constant.kind != "plain":
        return _KINDS[constant.kind]
    if constant.value is None or constant.type_name != "str":
        return f"holds a {printable(constant.type_name, 40)} and not a plain str"
    return None


@precondition("there is no method execute that could be read", "REG007")
def _has_execute(declaration: Declaration) -> bool:
    return declaration.execute.kind in ("method", "static_method", "class_method")


@precondition(
    "there is no TOOL_NAME, or no instance whose name could be read",
    *has_tool_name.reported_by,
    "REG007",
    "REG011",
)
def _has_name_and_instance(declaration: Declaration) -> bool:
    readable = declaration.name.kind in ("property", "attribute")
    return has_tool_name(declaration) and constructed(declaration) and readable


@rule(
    "REG001",
    "TUL-011.2.3",
    remedy='Write TOOL_NAME: Final = "…" into the body of the class.',
)
def tool_name_is_a_constant(declaration: Declaration) -> Finding | None:
    """The class holds its name in TOOL_NAME, as a string constant that needs no instance.

    A registry reads the class; a value that a property or a constructor sets comes too late.
    """
    fault = _constant_fault(declaration.tool_name)
    return Finding(f"TOOL_NAME {fault}.") if fault else None


@rule(
    "REG002",
    "TUL-011.2.4",
    when=Precondition(
        lambda declaration: _constant_fault(declaration.tool_name) is None,
        "TOOL_NAME is no constant",
        ("REG001",),
    ),
    remedy="Give TOOL_NAME the name by which the model calls the tool.",
)
def tool_name_is_not_blank(declaration: Declaration) -> Finding | None:
    """TOOL_NAME holds more than white space."""
    if has_tool_name(declaration):
        return None
    return Finding(f"TOOL_NAME is blank: {declaration.tool_name.value!r}.")


@rule(
    "REG003",
    "TUL-011.2.5",
    when=has_tool_name,
    remedy="Use letters a to z and A to Z, digits, underscores and hyphens only.",
)
def tool_name_matches_the_pattern(declaration: Declaration) -> Finding | None:
    """TOOL_NAME consists only of ASCII letters, digits, underscores and hyphens.

    Model APIs refuse a request with any other name, and with it every tool of the request.
    """
    name = declaration.tool_name.value or ""
    if _PATTERN.fullmatch(name):
        return None
    return Finding(f"TOOL_NAME is {printable(repr(name))}, which has a character that is not allowed.")


@rule(
    "REG004",
    "AGN-005.2.3",
    when=Precondition(
        lambda declaration: bool(_PATTERN.fullmatch(declaration.tool_name.value or "")),
        "TOOL_NAME has characters that are not allowed",
        (*has_tool_name.reported_by, "REG003"),
    ),
    remedy="Name the tool in lower-case words joined by single underscores, as in testing_ping_pong.",
)
def tool_name_is_snake_case(declaration: Declaration) -> Finding | None:
    """TOOL_NAME is in lower case, with its words joined by underscores."""
    name = declaration.tool_name.value or ""
    return None if _SNAKE.fullmatch(name) else Finding(f"TOOL_NAME is {quoted(name)}.")


@rule(
    "REG005",
    "TUL-011.2.6",
    "AGN-005.7.3",
    when=_has_name_and_instance,
    remedy="Let the property name return self.TOOL_NAME.",
)
def name_returns_tool_name(declaration: Declaration) -> Finding | None:
    """The property `name` of an instance is TOOL_NAME.

    The registry uses TOOL_NAME and the executor uses `name`.
    """
    member = declaration.name
    if member.error:
        return Finding(f"Reading name failed: {printable(member.error)}.")
    if member.value == declaration.tool_name.value:
        return None
    return Finding(f"name is {_value(member)}, TOOL_NAME is {quoted(declaration.tool_name.value or '')}.")


@rule(
    "REG006",
    "TUL-011.2.1",
    when=Precondition(
        lambda declaration: (
            constructed(declaration)
            and declaration.is_tool_fully_executed_on_server.kind in ("property", "attribute")
        ),
        "there is no such property, or no instance whose property could be read",
        ("REG007", "REG011"),
    ),
    remedy="Let the property is_tool_fully_executed_on_server return True, or False if a client completes the call.",
)
def fully_executed_on_server_is_a_bool(declaration: Declaration) -> Finding | None:
    """`is_tool_fully_executed_on_server` is True or False."""
    member = declaration.is_tool_fully_executed_on_server
    if member.error:
        return Finding(f"Reading is_tool_fully_executed_on_server failed: {printable(member.error)}.")
    if member.value_type == "bool":
        return None
    return Finding(f"is_tool_fully_executed_on_server is {_value(member)}.")


@rule(
    "REG007",
    "TUL-011.2.1",
    "AGN-005.2.1",
    masks_others=True,
    remedy="Declare the properties name and is_tool_fully_executed_on_server and the method execute.",
)
def interface_is_complete(declaration: Declaration) -> Finding | None:
    """The class has the interface's two properties and its method."""
    for member in (declaration.name, declaration.is_tool_fully_executed_on_server):
        if member.kind not in ("property", "attribute"):
            return Finding(f"{member.name} {_stands(member)} and should be a property.")
    if declaration.execute.kind in ("missing", "property"):
        return Finding(f"execute {_stands(declaration.execute)} and should be a method.")
    return None


@rule(
    "REG008",
    "TUL-011.2.1",
    "AMP.1.1",
    when=lambda exploration: (
        any(d.execute.is_async for d in exploration.declarations)
        or any(call.result for call in exploration.calls)
    ),
    unseen_reason="no call returned, and execute is not declared with async",
    remedy="Declare it as async def execute(…).",
)
def execute_is_asynchronous(exploration: Exploration) -> Finding | None:
    """`execute` returns an awaitable, so that one slow call does not delay the others.

    A wrapper that is not a coroutine function but returns a coroutine is allowed.
    """
    call = shortest(call for call in exploration.calls if call.result and not call.result.awaited)
    if call is None:
        return None
    return Finding("execute returned its result at once, with nothing to await.", call)


@rule(
    "REG009",
    "TUL-011.2.1",
    when=_has_execute,
    masks_others=True,
    remedy="Declare async def execute(self, arguments_json, context, cancellation_token).",
)
def execute_takes_what_it_is_given(declaration: Declaration) -> Finding | None:
    """`execute` takes arguments, context and token, in this order, and can be called with nothing else.

    The executor passes all three by position. Their names are free, but the contract's own names must keep their
    positions. The token may have a default.
    """
    fault = misplaced_parameter(declaration) or binding_fault(declaration.execute.parameters, EXECUTE)
    return Finding(f"execute {fault}.") if fault else None


@rule(
    "REG010",
    "TUL-011.2.2",
    remedy="Take the admin logger as a parameter of the constructor: def __init__(self, logger: AdminLogger).",
)
def constructor_takes_the_logger(declaration: Declaration) -> Finding | None:
    """The constructor accepts the admin logger, so that the container can inject it."""
    if takes_the_logger(declaration):
        return None
    names = ", ".join(printable(parameter.name, 40) for parameter in declaration.constructor)
    return Finding(f"The constructor has no parameter for the admin logger; it takes {names or 'nothing'}.")


@rule(
    "REG011",
    "TUL-011.2.1",
    "TUL-011.2.2",
    when=lambda declaration: not declaration.missing_services,
    unseen_reason="the constructor needs services for which no factory is named: add services = { PARAMETER = "
    '"module:factory" } to [tool.aptix-conformance.tool.NAME]',
    masks_others=True,
    remedy="Let the constructor only store its parameters and do nothing that can fail.",
)
def constructor_succeeds(declaration: Declaration) -> Finding | None:
    """With the logger and all its services, an instance can be constructed."""
    error = declaration.construction_error
    return Finding(f"No instance could be made: {printable(error, 200)}.") if error else None


@rule(
    "REG012",
    "TUL-011.3.7",
    "AGN-005.3.5",
    applies=lambda declaration: None if declaration.arguments_classes else "it has no arguments class",
    remedy="Begin the name of the arguments class with an underscore, or nest it in the tool's class with such a name.",
)
def arguments_class_is_private(declaration: Declaration) -> Finding | None:
    """The class that a tool parses its arguments into is private."""
    for arguments_class in declaration.arguments_classes:
        if arguments_class.public:
            return Finding(f"The arguments class {printable(arguments_class.name, 80)} is public.")
    return None


@rule(
    "REG013",
    "TUL-011.2.3",
    "AGN-005.7.5",
    remedy='Write TOOL_USAGE_METADATA: Final = """…""" into the body of the class.',
)
def usage_text_is_a_constant(declaration: Declaration) -> Finding | None:
    """The class holds its usage text in TOOL_USAGE_METADATA, as a string constant that needs no instance."""
    fault = _constant_fault(declaration.usage_text)
    return Finding(f"TOOL_USAGE_METADATA {fault}.") if fault else None


def _value(member: Member) -> str:
    return f"{printable(repr(member.value), 60)} ({printable(member.value_type, 40)})"


def _stands(member: Member) -> str:
    return "is not there" if member.kind == "missing" else f"is a {member.kind.replace('_', ' ')}"
