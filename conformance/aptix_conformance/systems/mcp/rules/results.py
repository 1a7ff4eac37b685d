"""MCP040 to MCP047, MCP088 and MCP114: the result of a tools/call."""

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any, Final

import jsonschema_rs

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model import Call, Declaration, Exploration
from aptix_conformance.core.schemas import refusing
from aptix_conformance.core.schemas.dialects import as_2020_12
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.kernel import AnyCall, Finding, NoSuccess, NotApplicable, Precondition, rule
from aptix_conformance.rules.lib.misfits import misfits
from aptix_conformance.rules.lib.mislabelled import mislabelled_refusal
from aptix_conformance.stimuli.generate.argument_schema import fault as unusable
from aptix_conformance.stimuli.generate.ecma import for_validator
from aptix_conformance.systems.mcp.rules.accessors import (
    SERVER_INFO,
    blocks,
    capabilities,
    definition,
    has_output_schema,
    has_result,
    members,
    response,
    result,
)

_NO_RESULT: Final = "no call came back with a result"
_TYPES: Final = ("complete", "input_required")
_NEEDED: Final = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
    "resource": (),
}
"""The members of each type of block that are strings and must be there."""
_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S*")
_AUDIENCES: Final = ("user", "assistant")


@rule(
    "MCP040",
    "MCP.C.2",
    when=has_result,
    unseen_reason=_NO_RESULT,
    differs_by="the member, content or isError",
    remedy='Return {"content": […], "isError": false}; the list may be empty.',
)
def result_has_content(call: Call) -> Finding | None:
    """A result has `content`, a list, and where it has `isError`, that is a boolean."""
    tool_result = result(call) or {}
    if not isinstance(tool_result.get("content"), list):
        return Finding("The result has no list named content.", cause="content")
    if not isinstance(tool_result.get("isError", False), bool):
        return Finding(f"isError is {printable(repr(tool_result['isError']), 40)}.", cause="isError")
    return None


@rule(
    "MCP041",
    "MCP.L.16",
    "MCP.C.9",
    when=lambda call: isinstance((response(call) or {}).get("result"), dict),
    unseen_reason=_NO_RESULT,
    remedy='Put "resultType": "complete" into every result.',
)
def result_has_a_type(call: Call) -> Finding | None:
    """Every result has a `resultType`: complete or input_required, since no extension was agreed on.

    A client that declares no extension gets no result of an extension's form, such as a task.
    """
    result = (response(call) or {})["result"]
    if "resultType" not in result:
        return Finding("The result has no resultType.")
    kind = result["resultType"]
    return None if kind in _TYPES else Finding(f"The resultType is {printable(repr(kind), 60)}.")


@rule(
    "MCP042",
    "MCP.L.17",
    when=has_result,
    unseen_reason=_NO_RESULT,
    remedy=f'Put "{SERVER_INFO}", with name and version, into the _meta of every result.',
)
def result_names_the_server(call: Call) -> Finding | None:
    """Every result names the server, with its version, in its `_meta`."""
    server = members(members((result(call) or {}).get("_meta")).get(SERVER_INFO))
    if isinstance(server.get("name"), str) and isinstance(server.get("version"), str):
        return None
    return Finding("The result's _meta does not name the server and its version.")


@rule(
    "MCP043",
    "MCP.O.4",
    "MCP.O.7",
    when=lambda call: isinstance((result(call) or {}).get("content"), list),
    unseen_reason=_NO_RESULT,
    differs_by="the type of the block and the members that are wrong, or that it is no object or of no known type",
    remedy="Make each block one of text, image, audio, resource_link and resource, with the members of its type.",
)
def blocks_are_known(call: Call) -> Iterator[Finding]:
    """Each block of the content is of a known type, with its members, and its annotations have their types."""
    content = (result(call) or {})["content"]
    if len(blocks(call)) < len(content):
        yield Finding("A block of the content is no object.", cause="object")
    for block in blocks(call):
        kind = block.get("type")
        if not isinstance(kind, str) or kind not in _NEEDED:
            yield Finding(f"A block has the type {printable(repr(kind), 60)}.", cause="type")
            continue
        missing = [name for name in _NEEDED[kind] if not isinstance(block.get(name), str)]
        missing += _resource_faults(block) if kind == "resource" else []
        missing += [] if _is_annotated(block.get("annotations", {})) else ["annotations"]
        if missing:
            message = f"A block of the type {kind} lacks, or has of another type: {', '.join(missing)}."
            yield Finding(message, cause=(kind, *missing))


def _resource_faults(block: dict[str, Any]) -> list[str]:
    resource = members(block.get("resource"))
    faulty = [] if isinstance(resource.get("uri"), str) else ["resource.uri"]
    has_data = isinstance(resource.get("text"), str) or isinstance(resource.get("blob"), str)
    return faulty if has_data else [*faulty, "resource.text or resource.blob"]


def _is_annotated(annotations: Any) -> bool:
    if not isinstance(annotations, dict):
        return False
    audience, weight = annotations.get("audience", []), annotations.get("priority", 0)
    return (
        isinstance(audience, list)
        and all(each in _AUDIENCES for each in audience)
        and isinstance(weight, (int, float))
        and not isinstance(weight, bool)
        and 0 <= weight <= 1
        and isinstance(annotations.get("lastModified", ""), str)
    )


@rule(
    "MCP044",
    "MCP.O.5",
    when=lambda call: any(block.get("type") != "text" for block in blocks(call)),
    unseen_reason=NotApplicable("no result had a block that is no text"),
    differs_by="the member, data, blob or uri",
    remedy="Encode data and blob in Base64, with padding; write an absolute URI.",
)
def data_and_addresses_are_readable(call: Call) -> Iterator[Finding]:
    """`data` and `blob` are Base64, and `uri` is an absolute URI."""
    for block in blocks(call):
        inner = members(block.get("resource"))
        for name, value in (("data", block.get("data")), ("blob", inner.get("blob"))):
            if isinstance(value, str) and not _is_base64(value):
                yield Finding(f"{name} is no Base64: {quoted(value, 60)}.", cause=name)
        for value in (block.get("uri"), inner.get("uri")):
            if isinstance(value, str) and not _URI.fullmatch(value):
                yield Finding(f"uri is no absolute URI: {quoted(value, 60)}.", cause="uri")


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _embeds_a_resource(call: Call) -> bool:
    return any(block.get("type") == "resource" for block in blocks(call))


@rule(
    "MCP088",
    "MCP.O.6",
    when=AnyCall(_embeds_a_resource),
    unseen_reason=NotApplicable("no result had an embedded resource"),
    remedy='Answer with "capabilities": {"tools": {}, "resources": {}}, or return the content as text, image or audio.',
)
def embedded_resources_are_declared(exploration: Exploration) -> Iterator[Finding]:
    """A server whose results embed resources declares the capability `resources`. Links to resources need no capability."""
    if isinstance(capabilities(exploration.declarations[0]).get("resources"), dict):
        return
    for call in filter(_embeds_a_resource, exploration.calls):
        yield Finding("The result embeds a resource, and the capabilities have none.", call)


@rule(
    "MCP045",
    "MCP.O.2",
    when=lambda call: "structuredContent" in (result(call) or {}),
    unseen_reason=NotApplicable("no result had structuredContent"),
    remedy="Put the value under a property of an object.",
)
def structured_content_is_an_object(call: Call) -> Finding | None:
    """`structuredContent` is an object."""
    value = (result(call) or {})["structuredContent"]
    return None if isinstance(value, dict) else Finding(f"It is {printable(json.dumps(value), 80)}.")


def _is_success(call: Call) -> bool:
    value = result(call)
    # A refusal that does not say so is an error: MCP087 reports it.
    return value is not None and value.get("isError") is not True and not mislabelled_refusal(call)


@rule(
    "MCP046",
    "MCP.O.1",
    applies=has_output_schema,
    when=Precondition(
        lambda tool: (
            any(map(_is_bare, tool.calls))
            or (any(map(_is_success, tool.calls)) and _validator(tool.declarations[0]) is not None)
        ),
        "the outputSchema cannot be used, or there was no result for it",
        ("MCP082",),
    ),
    unseen_reason=NoSuccess(),
    differs_by="the place in the outputSchema that is not kept, or that structuredContent is missing",
    remedy="Return structuredContent as the outputSchema says, or correct the outputSchema.",
)
def structured_content_fits_the_output_schema(exploration: Exploration) -> Iterator[Finding]:
    """Each result that is no error has a `structuredContent` that the outputSchema allows."""
    validator = _validator(exploration.declarations[0])
    for call in filter(_is_success, exploration.calls):
        if _is_bare(call):
            yield Finding("The result has no structuredContent.", call, cause="missing")
            continue
        content = (result(call) or {})["structuredContent"]
        if validator and (misfit := next(misfits(validator, content), None)):
            place, fault = misfit
            yield Finding(f"structuredContent is not as the outputSchema has it: {fault}.", call, cause=place)


def _is_structured_refusal(call: Call) -> bool:
    value = result(call) or {}
    return value.get("isError") is True and "structuredContent" in value


@rule(
    "MCP114",
    applies=has_output_schema,
    when=AnyCall(_is_structured_refusal),
    unseen_reason=NotApplicable("no refusal had structuredContent"),
    differs_by="the place in the outputSchema that is not kept",
    source="suite",
    remedy="Leave structuredContent out of a result with isError, and write what was wrong as text.",
)
def refusal_keeps_to_the_output_schema(exploration: Exploration) -> Iterator[Finding]:
    """A result with `isError` has no `structuredContent` that the outputSchema forbids.

    The specification asks for one that fits only where nothing went wrong. But clients compare each `structuredContent` with the
    outputSchema, and where it does not fit they show their own error: the message of the refusal reaches neither the model nor a person.
    """
    validator = _validator(exploration.declarations[0])
    clients = refusing.names(refusing.TABLE["refusal-shape"])
    for call in filter(_is_structured_refusal, exploration.calls):
        content = (result(call) or {})["structuredContent"]
        if validator and (misfit := next(misfits(validator, content), None)):
            place, fault = misfit
            message = f"The structuredContent of a refusal is not as the outputSchema has it: {fault}; {clients} show that instead."
            yield Finding(message, call, cause=place)


def _is_bare(call: Call) -> bool:
    """A result that is no error, without `structuredContent`: whatever the outputSchema says, that is missing."""
    return _is_success(call) and "structuredContent" not in (result(call) or {})


def _validator(declaration: Declaration) -> jsonschema_rs.Draft202012Validator | None:
    """A validator for the outputSchema; None where it is no schema, too deep or too large, or refers to another place."""
    schema = definition(declaration).get("outputSchema")
    if not isinstance(schema, dict):
        return None
    try:
        read = as_2020_12(schema, declaration.undeclared_draft(schema))
        if unusable(read):
            return None
        return jsonschema_rs.Draft202012Validator(for_validator(read), offline=True)
    except (RecordError, ValueError):
        return None


@rule(
    "MCP047",
    "MCP.O.3",
    when=lambda call: (
        "structuredContent" in (fields := result(call) or {}) and isinstance(fields.get("content"), list)
    ),
    unseen_reason=NotApplicable("no result had structuredContent"),
    remedy="Add a text block that holds structuredContent as JSON.",
)
def structured_content_is_text_too(call: Call) -> Finding | None:
    """A result with `structuredContent` has it as JSON in a text block, too, for clients that read no other."""
    tool_result = result(call) or {}
    content, texts = tool_result["structuredContent"], [_parsed(block.get("text")) for block in blocks(call)]
    if content in texts or content == texts:
        return None
    if isinstance(content, dict) and list(content) == ["result"] and content["result"] in (texts, *texts):
        return None  # an SDK wraps what is no object, and writes the value alone as text
    plain = [block.get("text") for block in blocks(call)]
    if isinstance(content, dict) and list(content) == ["result"] and content["result"] in (plain, *plain):
        return None
    return Finding("No text block has the structuredContent.")


def _parsed(text: Any) -> Any:
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
