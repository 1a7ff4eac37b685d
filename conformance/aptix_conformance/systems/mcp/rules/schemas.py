"""MCP082 to MCP084, and MCP113: where a tool's schemas refer to, and which of its arguments they repeat in headers."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urldefrag, urljoin

from aptix_conformance.core.model import Declaration
from aptix_conformance.core.schemas import refusing
from aptix_conformance.core.schemas.nodes import subschemas, type_of
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.systems.mcp.rules.accessors import definition, has_output_schema, members

_HEADER: Final = "x-mcp-header"
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_BUNDLED_WITH_VALIDATORS: Final = re.compile(r"https?://json-schema\.org/")
"""The schemas of JSON Schema itself: every validator has them."""
_READ_BY_ALL: Final = re.compile(r"https?://json-schema\.org/draft/2020-12/schema#?")
_DRAFT: Final = re.compile(r"draft[-/](?:0\d|20\d\d-\d\d)")
_IN_A_HEADER: Final = frozenset({"string", "boolean", "integer"})
_OF_OTHER_SCHEMAS: Final = ("$ref", "allOf", "anyOf", "oneOf")
"""Keywords that may say the type of a property that does not say it itself."""


@rule(
    "MCP082",
    "MCP.S.10",
    differs_by="the schema, inputSchema or outputSchema, and the reference",
    remedy="Put the schema that is named under $defs of the same schema, and refer to it by #/$defs/NAME.",
)
def schemas_refer_to_themselves_only(declaration: Declaration) -> Iterator[Finding]:
    """No `$ref` of the inputSchema or the outputSchema leads out of its schema.

    A client may refuse such a schema, since it must not fetch another. The suite fetches none either. The schemas of JSON
    Schema itself are in every validator.
    """
    for name in ("inputSchema", "outputSchema"):
        schema = definition(declaration).get(name)
        for reference in dict.fromkeys(_references_elsewhere(schema)):
            yield Finding(f"The {name} refers to {quoted(reference, 120)}.", cause=(name, reference))


def _references_elsewhere(schema: Any) -> Iterator[str]:
    """The references of a schema that name no part of it; they are resolved against the schema's own address."""
    nodes = [node for _, node in subschemas(schema)]
    address = next((node["$id"] for node in nodes[:1] if isinstance(node.get("$id"), str)), "")
    written = {node[key] for node in nodes for key in ("$id", "id") if isinstance(node.get(key), str)}
    known = {"", *written, *(_joined(address, each) for each in written)}
    for node in nodes:
        for reference in (node.get("$ref"), node.get("$dynamicRef")):
            if not isinstance(reference, str) or _BUNDLED_WITH_VALIDATORS.match(reference):
                continue
            if known.isdisjoint((reference.partition("#")[0], _joined(address, reference))):
                yield reference


def _joined(address: str, reference: str) -> str:
    """The address of the document that a reference names; the reference as it is where it is no URI."""
    try:
        return urldefrag(urljoin(address, reference)).url
    except ValueError:
        return reference


@rule(
    "MCP113",
    source="suite",
    differs_by="the draft, as the address in $schema names it",
    remedy="Take $schema out of the outputSchema, or name https://json-schema.org/draft/2020-12/schema. Where McpServer of "
    "@modelcontextprotocol/sdk 1 writes it, change it in the answer to tools/list.",
)
def output_schema_is_of_the_newest_draft(declaration: Declaration) -> Finding | None:
    """The outputSchema names no dialect but JSON Schema 2020-12.

    The specification allows any, and clients with a validator of 2020-12 alone refuse every call of such a tool before it is sent. They read
    the outputSchema only.
    """
    dialect = members(definition(declaration).get("outputSchema")).get("$schema")
    if has_output_schema(declaration) or not isinstance(dialect, str) or _READ_BY_ALL.fullmatch(dialect):
        return None
    draft = _DRAFT.search(dialect)
    clients = refusing.names(refusing.TABLE["output-draft"])
    message = f"The outputSchema names {quoted(dialect, 80)}: every call is refused by {clients}."
    return Finding(message, cause=draft.group() if draft else "another")


@rule(
    "MCP083",
    "MCP.S.11",
    differs_by="the value of x-mcp-header, in any case of letters where it stands twice",
    remedy="Give each x-mcp-header a name of its own, of letters, digits and hyphens.",
)
def header_names_are_tokens(declaration: Declaration) -> Iterator[Finding]:
    """Each `x-mcp-header` is a name that HTTP allows, and no two of a tool differ in case alone.

    A client over HTTP drops the whole tool otherwise.
    """
    names: set[str] = set()
    for _, node in _annotated(declaration):
        name = node[_HEADER]
        if not isinstance(name, str) or not _TOKEN.fullmatch(name):
            yield Finding(f"An {_HEADER} is {printable(repr(name), 60)}.", cause=repr(name))
        elif name.casefold() in names:
            yield Finding(f"The {_HEADER} {quoted(name, 60)} stands twice.", cause=name.casefold())
        else:
            names.add(name.casefold())


@rule(
    "MCP084",
    "MCP.S.12",
    differs_by="the place in the inputSchema, and whether this place or the type there is wrong",
    remedy="Take x-mcp-header away from the property, or give it one of the types string, integer and boolean, at the root or "
    "inside objects only.",
)
def headers_repeat_plain_properties(declaration: Declaration) -> Iterator[Finding]:
    """`x-mcp-header` stands on strings, integers and booleans only, each reached from the root through `properties` alone.

    The header of a value in an array or in one of several alternatives could not be told from another. A client over HTTP
    drops the whole tool then.
    """
    for place, node in _annotated(declaration):
        shown = quoted("/".join(place), 100)
        if set(place[::2]) != {"properties"}:
            yield Finding(f"{_HEADER} stands at {shown}.", cause=("place", place))
        elif not _fits_a_header(node):
            kind = printable(repr(node.get("type", "none")), 60)
            yield Finding(f"{_HEADER} stands at {shown}, whose type is {kind}.", cause=("type", place))


def _annotated(declaration: Declaration) -> list[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """The parts of the inputSchema that have the keyword, with the way to each, in the order of these ways."""
    parts = subschemas(members(definition(declaration).get("inputSchema")))
    return sorted(((place, node) for place, node in parts if _HEADER in node), key=lambda each: each[0])


def _fits_a_header(node: Mapping[str, Any]) -> bool:
    """Whether a property holds values that a header can repeat; also where its own keywords do not say which it holds."""
    if "type" in node:
        kind = node["type"]
        types = [kind] if isinstance(kind, str) else kind if isinstance(kind, list) else []
        names = [each for each in types if each != "null"]
        return bool(names) and all(isinstance(each, str) and each in _IN_A_HEADER for each in names)
    listed = node.get("enum", [node["const"]] if "const" in node else None)
    if isinstance(listed, list) and listed:
        return all(type_of(each) in {*_IN_A_HEADER, "null"} for each in listed)
    return any(key in node for key in _OF_OTHER_SCHEMAS)
