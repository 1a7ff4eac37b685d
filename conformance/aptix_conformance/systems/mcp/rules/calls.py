"""MCP048 to MCP056, MCP087 and MCP090: how calls are refused, and what a server does with calls that it should not serve."""

from collections.abc import Iterator
from typing import Any, Final

from aptix_conformance.core.model import Call, Exploration, Kind
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib import declarations
from aptix_conformance.rules.lib.documents import arguments_of
from aptix_conformance.rules.lib.exception_texts import failed_by_contrast
from aptix_conformance.rules.lib.kernel import AnyCall, Finding, NotApplicable, rule
from aptix_conformance.rules.lib.mislabelled import mislabelled_refusal, rendered_exception
from aptix_conformance.rules.lib.scope import improper_object, payload, proper, to_be_refused
from aptix_conformance.rules.outages import failure_of
from aptix_conformance.stimuli.generate import root_schemas
from aptix_conformance.systems.mcp.probe import NO_ARGUMENTS
from aptix_conformance.systems.mcp.rules.accessors import (
    answered,
    error,
    http,
    is_plain,
    is_protocol_error,
    is_success,
    members,
    name_of,
    response,
    server_rule,
)
from aptix_conformance.systems.mcp.rules.messages import HEADER_MISMATCH, INVALID_PARAMS

UNKNOWN_TOOL: Final = "aptix-no-such-tool"
"""The name that the host calls in the stimulus `wire:unknown-tool`."""
_NOT_ANSWERED: Final = "the call was not answered"
_NO_PROPER: Final = "no call with arguments that the inputSchema allows was answered"
_RESERVED: Final = range(-32099, -32019)
_ASSIGNED: Final = frozenset({-32020, -32021, -32022})
_NOT_USED: Final = frozenset({-32002, -32042})


def _succeeds(call: Call) -> bool:
    return is_success(response(call) or {})


@server_rule(
    "MCP048",
    "MCP.E.1",
    when=lambda call: answered("unknown-tool")(call) or answered("inherited-tool")(call),
    unseen_reason=_NOT_ANSWERED,
    remedy="Look the name up before anything else, and answer with the error -32602.",
)
def unknown_tool_is_no_success(call: Call) -> Finding | None:
    """A call of a tool that the server does not have is not answered with a success."""
    return Finding("The call of an unknown tool succeeded.") if _succeeds(call) else None


@server_rule(
    "MCP049",
    "MCP.E.2",
    when=lambda call: answered("unknown-tool")(call) and not _succeeds(call),
    unseen_reason=_NOT_ANSWERED,
    differs_by="the code of the error, or that a result came",
    remedy="Answer with the error -32602.",
)
def unknown_tool_is_a_protocol_error(call: Call) -> Finding | None:
    """A call of an unknown tool is an error of the protocol with the code -32602."""
    if not is_protocol_error(call):
        return Finding("The call of an unknown tool came back as a result with isError.", cause="result")
    code = error(call).get("code")
    return (
        None if code == INVALID_PARAMS else Finding(f"The code is {printable(repr(code), 20)}.", cause=code)
    )


def _is_in_other_case(call: Call) -> bool:
    return answered("other-case")(call)


@server_rule(
    "MCP090",
    "MCP.S.8",
    when=AnyCall(_is_in_other_case),
    unseen_reason=NotApplicable("the call of a tool in another case was not answered, or its name is listed"),
    remedy="Compare names as they are; answer any other name with the error -32602.",
)
def names_keep_their_case(exploration: Exploration) -> Iterator[Finding]:
    """A listed name in another case is the name of an unknown tool, unless it is listed, too."""
    takes_any = any(answered("unknown-tool")(call) and _succeeds(call) for call in exploration.calls)
    for call in filter(_is_in_other_case, exploration.calls):
        if _succeeds(call):
            message = "The call of a listed tool succeeded with its name in another case."
            yield Finding(message, call, "MCP048" if takes_any else "", not_its_own=takes_any)


def _is_malformed(call: Call) -> bool:
    return answered("nameless-call")(call) or answered("text-for-arguments")(call)


@server_rule(
    "MCP050",
    "MCP.E.3",
    when=AnyCall(_is_malformed),
    kind=name_of,
    unseen_reason=_NOT_ANSWERED,
    differs_by="whether the name was missing or arguments was a string",
    remedy="Check that name is a string and arguments an object, and answer with the error -32602.",
)
def malformed_call_is_an_error(exploration: Exploration) -> Iterator[Finding]:
    """A tools/call without a name, or with arguments that are no object, is answered with an error of the protocol."""
    never_looks = any(answered("unknown-tool")(call) and _succeeds(call) for call in exploration.calls)
    for call in filter(_is_malformed, exploration.calls):
        nameless = answered("nameless-call")(call)
        what = "without a name" if nameless else "with a string for arguments"
        if not is_protocol_error(call):
            first = "MCP048" if nameless and never_looks else ""
            yield Finding(f"A tools/call {what} came back with a result.", call, first, what)


def _is_proper(call: Call) -> bool:
    return proper(call) and is_plain(call)


def _owes_a_result(call: Call) -> bool:
    """A call that a model may make, also while a recorded service fails."""
    return _is_proper(call) or (bool(failure_of(call)) and response(call) is not None)


def _without_arguments(call: Call) -> bool:
    return call.plan.change == NO_ARGUMENTS and is_plain(call)


@rule(
    "MCP051",
    "MCP.C.3",
    when=AnyCall(_without_arguments),
    unseen_reason="the call without arguments was not answered",
    probes=("malformed", "wire"),
    remedy="Read missing arguments as an empty object.",
)
def arguments_may_be_left_out(exploration: Exploration) -> Iterator[Finding]:
    """A call without `arguments` is a call with an empty object.

    Where the inputSchema requires an argument, both may be refused; ARG006 reports that an empty object is taken.
    """
    empty = [call for call in exploration.calls if call.plan.arguments == "{}" and is_plain(call)]
    if not empty or any(to_be_refused(call) or not call.succeeded for call in empty):
        return
    for call in filter(_without_arguments, exploration.calls):
        if call.refused:
            yield Finding("The call was refused, and with an empty object it succeeds.", call)


@rule(
    "MCP052",
    "MCP.E.5",
    when=lambda call: improper_object(call) and to_be_refused(call) and call.refused and is_plain(call),
    unseen_reason=NotApplicable("no call with arguments that the inputSchema forbids was refused"),
    probes=("malformed", "invalid"),
    remedy='Return {"content": [{"type": "text", "text": "what was wrong"}], "isError": true}.',
)
def invalid_arguments_are_reported_to_the_model(call: Call) -> Finding | None:
    """Arguments that the inputSchema forbids are refused by a result with `isError`.

    The model reads results, and can correct its call. An error of the protocol may never reach it.
    """
    if http(call) is not None and error(call).get("code") == HEADER_MISMATCH:
        return None  # a header repeats the argument, and no header can hold such a value
    return Finding("They were refused by an error of the protocol.") if is_protocol_error(call) else None


@rule(
    "MCP053",
    "MCP.E.4",
    when=AnyCall(_owes_a_result),
    unseen_reason=_NO_PROPER,
    differs_by="the code of the error",
    remedy="Catch what the tool throws, and return it as a result with isError.",
)
def failures_are_reported_to_the_model(exploration: Exploration) -> Iterator[Finding]:
    """A failure of the tool is a result with `isError`, and no error of the protocol; also where a recorded service fails."""
    unknown = list(_answered_as_unknown(exploration))
    for call in filter(_owes_a_result, exploration.calls):
        if call.refused and is_protocol_error(call):
            message = quoted(str(error(call).get("message")), 120)
            sentence = f"The call failed with an error of the protocol: {message}."
            first = "MCP054" if call in unknown else ""
            yield Finding(sentence, call, first, error(call).get("code"), not_its_own=bool(first))


@rule(
    "MCP054",
    "MCP.C.1",
    when=lambda tool: any(map(answered("unknown-tool"), tool.calls)) and any(map(_is_proper, tool.calls)),
    unseen_reason=f"{_NO_PROPER}, or that of an unknown tool was not",
    probes=("wire",),
    remedy="Serve every tool that tools/list has, under the name that stands there.",
)
def listed_tool_is_known(exploration: Exploration) -> Iterator[Finding]:
    """A tool that tools/list has is never answered as an unknown one."""
    for call in _answered_as_unknown(exploration):
        yield Finding("The listed tool was answered as an unknown one.", call)


def _answered_as_unknown(exploration: Exploration) -> Iterator[Call]:
    """The proper calls that came back like that of an unknown tool, with this tool's name in place of its name."""
    name = exploration.declarations[0].tool_name.value or ""
    unknown = [_refusal(call) for call in exploration.calls if answered("unknown-tool")(call)]
    refusals = [(code, text.replace(UNKNOWN_TOOL, name)) for code, text in unknown if UNKNOWN_TOOL in text]
    return (call for call in exploration.calls if _is_proper(call) and _refusal(call) in refusals)


def _refusal(call: Call) -> tuple[Any, str]:
    """The code and the message of an error; for a result with isError, None and its text."""
    if is_protocol_error(call):
        return error(call).get("code"), str(error(call).get("message"))
    content = members((response(call) or {}).get("result")).get("content")
    texts = [members(block).get("text") for block in content] if isinstance(content, list) else []
    return None, "".join(text for text in texts if isinstance(text, str))


def _is_closed(call: Call) -> bool:
    return (
        call.plan.kind is Kind.ADDITIONAL and "." not in (call.plan.change.argument or "") and is_plain(call)
    )


def _is_success(call: Call) -> bool:
    return call.succeeded and is_plain(call)


@rule(
    "MCP087",
    "MCP.E.6",
    when=AnyCall(_is_success),
    unseen_reason=NotApplicable("no call succeeded"),
    differs_by="whether the result is a refusal, a rendered exception, or the text of one, and its sentence",
    remedy='Set "isError": true in the result of a call that failed.',
)
def failed_call_says_so(exploration: Exploration) -> Iterator[Finding]:
    """A call that failed does not come back as a success.

    It is judged where the failure is proven. The inputSchema forbids the arguments, and the result says that something is
    wrong. Or the text of the result is a rendered exception and nothing else. Or it is the text of an exception without its
    stack, such as `'str' object has no attribute 'get'` or `KeyError: 'to'`, and other valid calls were answered with data. A tool that speaks of
    notes, logs, files or other texts may give such a text back as data, and so may one that was sent it.
    """
    sentences = {id(call): sentence for call, sentence in failed_by_contrast(exploration)}
    for call in filter(_is_success, exploration.calls):
        cause = "exception" if rendered_exception(call) else sentences.get(id(call), "")
        if mislabelled_refusal(call):
            cause = "refusal"
        if cause:
            yield Finding(f"A result without isError says {payload(call)}.", call, cause=cause)


@rule(
    "MCP055",
    "MCP.Sec.4",
    applies=lambda declaration: (
        None
        if any(
            each.get("additionalProperties") is False
            for each in root_schemas(declarations.parameters(declaration) or {})
        )
        else "its inputSchema allows other members, or says so in another way than additionalProperties false"
    ),
    when=AnyCall(_is_closed),
    unseen_reason="no call with a member that is not declared was answered",
    probes=("invalid",),
    remedy="Refuse members that are not declared, or leave additionalProperties out of the inputSchema.",
)
def closed_schema_is_kept(exploration: Exploration) -> Iterator[Finding]:
    """Where the inputSchema says additionalProperties false, a call with another member is refused."""
    known = declarations.properties(exploration.declarations[0])
    for call in filter(_is_closed, exploration.calls):
        others = sorted(set(arguments_of(call)) - set(known))
        if call.succeeded and others:
            message = f"The tool succeeded with the member {quoted(others[0], 60)}."
            first = "MCP087" if mislabelled_refusal(call) else ""
            yield Finding(message, call, first, not_its_own=bool(first))


@rule(
    "MCP056",
    "MCP.E.12",
    of=("tool", "server"),
    when=lambda call: isinstance(error(call).get("code"), int),
    unseen_reason=NotApplicable("no call was answered with an error of the protocol"),
    differs_by="the code of the error",
    remedy="Use codes from -32000 to -32019 at most, or outside of -32768 to -32000, for errors of your own.",
)
def reserved_codes_are_left_alone(call: Call) -> Finding | None:
    """Of the codes -32020 to -32099 only those that the specification gave out are used; -32002 and -32042 are not."""
    code = error(call)["code"]
    reserved = code in _RESERVED and code not in _ASSIGNED
    return Finding(f"An error has the code {code}.", cause=code) if reserved or code in _NOT_USED else None
