"""MCP001 to MCP010, MCP085 and MCP086: what the server says of itself, and of the tool in tools/list."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from jsonschema.exceptions import SchemaError
from jsonschema.validators import Draft7Validator, Draft202012Validator, validator_for

from aptix_conformance.core.model import Declaration, Exploration
from aptix_conformance.core.schemas.nodes import referred, subschemas
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.hosts.conditions import in_words
from aptix_conformance.rules.lib.documents import read
from aptix_conformance.rules.lib.kernel import Finding, Precondition, rule
from aptix_conformance.systems.mcp.facts import Revision
from aptix_conformance.systems.mcp.rules.accessors import (
    UNREAD_LIST,
    capabilities,
    declared,
    definition,
    has_output_schema,
    has_tasks,
    is_legacy,
    is_list_read,
    is_since,
    members,
    opening,
)

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_ICON: Final = re.compile(r"(?:https?:|data:).*", re.IGNORECASE | re.DOTALL)
_SINCE: Final[dict[str, Revision]] = {
    "title": "2025-06-18",
    "description": "2024-11-05",
    "annotations": "2025-03-26",
    "_meta": "2025-06-18",
}
"""The first revision that has a member of a tool."""
_SAMPLES: Final[dict[str, Any]] = {"title": "", "description": "", "annotations": {}, "_meta": {}}
"""A value of the type of each of them."""
_TASK_SUPPORT: Final = ("forbidden", "optional", "required")
_SCOPES: Final = ("public", "private")
_EITHER: Final = (Draft202012Validator, Draft7Validator)
"""The dialects of a schema that names none, the second before 2025-11-25 only."""


@rule(
    "MCP001",
    "MCP.L.5",
    of=("server",),
    remedy='Answer with "capabilities": {"tools": {}}; an SDK does so once a tool is registered.',
)
def server_declares_tools(declaration: Declaration) -> Finding | None:
    """A server that lists tools declares the capability `tools`, an object.

    A client need not ask for tools where the capability is missing.
    """
    tools = capabilities(declaration).get("tools")
    if not isinstance(tools, dict):
        return Finding("The capabilities have no object named tools.")
    changed = tools.get("listChanged", False)
    return None if isinstance(changed, bool) else Finding("tools.listChanged is no boolean.")


@rule(
    "MCP002",
    "MCP.L.6",
    "MCP.L.10",
    of=("server",),
    remedy="Answer initialize with protocolVersion, capabilities, and serverInfo with name and version; server/discover with "
    "supportedVersions and capabilities.",
)
def server_says_what_it_is(declaration: Declaration) -> Finding | None:
    """The response to `initialize` or `server/discover` has all of its members."""
    answer = opening(declaration)
    faulty = [] if isinstance(answer.get("capabilities"), dict) else ["capabilities"]
    if is_legacy(declaration):
        faulty += [] if isinstance(answer.get("protocolVersion"), str) else ["protocolVersion"]
        server = members(answer.get("serverInfo"))
        faulty += [f"serverInfo.{n}" for n in ("name", "version") if not isinstance(server.get(n), str)]
    else:
        versions = answer.get("supportedVersions")
        right = isinstance(versions, list) and all(isinstance(each, str) for each in versions)
        faulty += [] if right else ["supportedVersions"]
    return Finding(f"Missing or of another type: {', '.join(faulty)}.") if faulty else None


@rule(
    "MCP003",
    "MCP.S.1",
    "MCP.S.9",
    when=lambda declaration: bool(definition(declaration)),
    unseen_reason="tools/list did not have the tool",
    remedy="Give the member that is named the type that the schema of the protocol says, or leave it out.",
)
def definition_is_well_typed(declaration: Declaration) -> Finding | None:
    """The members of the tool's entry in tools/list have their types.

    `inputSchema` is required. `title` and `description` are strings; `annotations` and `_meta` are objects; `icons` are
    objects whose `src` is an http, https or data URI. A member that only a later revision has is not judged: annotations came
    with 2025-03-26, title and _meta with 2025-06-18, icons with 2025-11-25.
    """
    entry = definition(declaration)
    known = [name for name, since in _SINCE.items() if is_since(declaration, since)]
    faulty = [name for name in known if not isinstance(entry.get(name, _SAMPLES[name]), type(_SAMPLES[name]))]
    faulty += [] if isinstance(entry.get("inputSchema"), dict) else ["inputSchema"]
    icons = entry.get("icons", []) if is_since(declaration, "2025-11-25") else []
    faulty += [] if isinstance(icons, list) and all(map(_is_icon, icons)) else ["icons"]
    support = members(entry.get("execution")).get("taskSupport", "optional")
    if has_tasks(declaration) and support not in _TASK_SUPPORT:
        faulty.append("execution.taskSupport")
    return Finding(f"Missing or of another type: {', '.join(faulty)}.") if faulty else None


def _is_icon(icon: Any) -> bool:
    source = icon.get("src") if isinstance(icon, dict) else None
    return isinstance(source, str) and _ICON.fullmatch(source) is not None


@rule(
    "MCP004",
    "MCP.S.2",
    when=Precondition(
        lambda declaration: isinstance(definition(declaration).get("inputSchema"), dict),
        "there is no inputSchema that is an object",
        ("MCP003",),
    ),
    remedy='Write "type": "object" at the root of the inputSchema.',
)
def input_schema_has_the_type_object(declaration: Declaration) -> Finding | None:
    """The root of the inputSchema has the type `object`."""
    kind = definition(declaration)["inputSchema"].get("type")
    return None if kind == "object" else Finding(f"The type is {printable(repr(kind), 60)}.")


@rule(
    "MCP005",
    "MCP.S.3",
    differs_by="the schema, inputSchema or outputSchema",
    remedy="Correct the keyword that is named. A schema that names no dialect is read as JSON Schema 2020-12.",
)
def schemas_are_valid(declaration: Declaration) -> Iterator[Finding]:
    """The inputSchema and the outputSchema are valid in their dialect, and each reference leads to a part of its schema.

    Nobody can judge arguments by a schema with a reference that leads nowhere. A definition below `properties` is such a case: a
    reference begins at the root. References to other schemas are MCP082's. Before 2025-11-25 no dialect is named for a schema without
    `$schema`: one that is valid in draft-07 is right, too. An outputSchema came with 2025-06-18.
    """
    drafts = _EITHER if not is_since(declaration, "2025-11-25") else _EITHER[:1]
    for name in ("inputSchema", "outputSchema") if is_since(declaration, "2025-06-18") else ("inputSchema",):
        schema = definition(declaration).get(name)
        fault = _schema_fault(schema, drafts) if isinstance(schema, dict) else None
        if fault:
            yield Finding(f"The {name} is no valid schema: {fault}.", cause=name)


def _schema_fault(schema: dict[str, Any], drafts: Sequence[Any]) -> str | None:
    """What is wrong with a schema, read by the first of some dialects where it names none and is valid in no other of them."""
    faults = [_fault_by(validator_for(schema, default=draft), schema) for draft in drafts]
    if all(faults):
        return faults[0]
    lost = next(_lost_references(schema), None)
    return None if lost is None else f"the reference {quoted(lost, 120)} leads nowhere"


def _fault_by(validator: Any, schema: dict[str, Any]) -> str | None:
    try:
        validator.check_schema(schema)
    except SchemaError as error:
        return printable(f"{error.message} at {error.json_path}", 200)
    except RecursionError:
        return None
    return None


def _lost_references(schema: dict[str, Any]) -> Iterator[str]:
    """The references by a path from the root that no part of the schema is at; none where a part has an address of its own."""
    nodes = [node for _, node in subschemas(schema)]
    if any("$id" in node for node in nodes[1:]):
        return
    for node in nodes:
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/") and referred(schema, reference) is None:
            yield reference


@rule(
    "MCP006",
    "MCP.S.4",
    applies=has_output_schema,
    remedy='Write "type": "object" at the root of the outputSchema, and put another value under a property.',
)
def output_schema_describes_an_object(declaration: Declaration) -> Finding | None:
    """The root of the outputSchema has the type `object`."""
    schema = members(definition(declaration).get("outputSchema"))
    return None if schema.get("type") == "object" else Finding("The outputSchema is not rooted in an object.")


@rule(
    "MCP007",
    "MCP.S.5",
    "MCP.S.6",
    remedy="Rename the tool: 1 to 128 ASCII letters, digits, underscores, hyphens and dots.",
)
def name_has_plain_characters(declaration: Declaration) -> Finding | None:
    """The name has 1 to 128 characters: ASCII letters, digits, underscores, hyphens and dots."""
    name = definition(declaration).get("name")
    if isinstance(name, str) and not _NAME.fullmatch(name):
        return Finding(f"The name is {quoted(name, 140)}.")
    return None


@rule(
    "MCP008",
    "MCP.S.7",
    "MCP.P.4",
    when=is_list_read,
    unseen_reason=UNREAD_LIST,
    remedy="Give each tool of the server a name of its own, and list it on one page.",
)
def name_is_unique(declaration: Declaration) -> Finding | None:
    """No two tools of a server have one name, whatever their pages. Only the first can be called."""
    facts = declared(declaration)
    times = facts.names.count(declaration.tool_name.value or "") if facts else 0
    return Finding(f"tools/list has the name {times} times.") if times > 1 else None


@rule(
    "MCP009",
    "MCP.P.2",
    of=("server",),
    when=Precondition(
        lambda exploration: is_list_read(exploration.declarations[0]), UNREAD_LIST, ("MCP085", "MCP086")
    ),
    remedy="List the tools in a fixed order, such as that of their registration; iterate over no set, and draw no order when the server "
    "starts. Register all of them before the first tools/list is answered.",
)
def list_has_one_order(exploration: Exploration) -> Finding | None:
    """Two listings of an unchanged set of tools have the same order, also in another process.

    Clients keep the list and put it into a model's context, whose cache ends where the list changes. The second listing
    follows directly on the first, so no call has changed the set between them. No revision before 2026-07-28 asks for it: there it is advice.
    """
    declaration = exploration.declarations[0]
    facts = declared(declaration)
    if facts is None:
        return None
    if facts.names == facts.names_again:
        return _another_order_later(facts.names, exploration.declarations[1:])
    first, second = set(facts.names), set(facts.names_again)
    new, missing = sorted(second - first), sorted(first - second)
    changes = [f"had the new tool {quoted(new[0], 60)}"] if new else []
    changes += [f"had no {quoted(missing[0], 60)} any more"] if missing else []
    same = (
        "had another order"
        if sorted(facts.names) == sorted(facts.names_again)
        else "had a tool more or less often"
    )
    how = " and ".join(changes) or same
    return Finding(f"A second tools/list, directly after the first, {how}.", declaration=declaration)


def _another_order_later(names: Sequence[str], later: Iterable[Declaration]) -> Finding | None:
    """The first later listing that has the same names in another order: other names are another set of tools."""
    for declaration in later:
        facts = declared(declaration)
        if declaration.when != "restarted" or facts is None or sorted(facts.names) != sorted(names):
            continue
        pairs = enumerate(zip(names, facts.names, strict=True), 1)
        moved = next(((place, *pair) for place, pair in pairs if pair[0] != pair[1]), None)
        if moved:
            place, old, now = moved
            differs = f"tool {place} is {quoted(old, 60)}, then {quoted(now, 60)}"
            return Finding(
                f"The order differs {in_words(declaration.conditions)}: {differs}.", declaration=declaration
            )
    return None


@rule(
    "MCP010",
    "MCP.P.9",
    of=("server",),
    remedy='Give each page of tools/list "ttlMs", a whole number, and "cacheScope", "public" or "private", alike on all pages.',
)
def list_says_how_long_it_holds(declaration: Declaration) -> Finding | None:
    """Each page of tools/list has `ttlMs` and `cacheScope`, and all have the same `cacheScope`."""
    pages = _pages(declaration)
    for page in pages:
        life, scope = page.get("ttlMs"), page.get("cacheScope")
        if not isinstance(life, int) or isinstance(life, bool) or life < 0:
            return Finding(f"ttlMs is {printable(repr(life), 60)}.")
        if scope not in _SCOPES:
            return Finding(f"cacheScope is {printable(repr(scope), 60)}.")
    if len({page["cacheScope"] for page in pages}) > 1:
        return Finding("The pages of one listing have different cacheScopes.")
    return None


@rule(
    "MCP085",
    "MCP.P.1",
    of=("server",),
    when=Precondition(
        lambda declaration: is_list_read(declaration) or _breach(declaration) == "form",
        UNREAD_LIST,
        ("MCP086",),
    ),
    remedy='Answer tools/list with {"tools": […]}, and with nextCursor, a string, where another page follows.',
)
def list_is_a_list(declaration: Declaration) -> Finding | None:
    """Each page of tools/list has `tools`, a list that may be empty, and where it has `nextCursor`, that is a string.

    The tools that came before a page of another form are examined; those behind it are unknown. Null for `nextCursor` ends the
    list, and is no string: a client that checks types refuses the page.
    """
    if any("nextCursor" in page and page["nextCursor"] is None for page in _pages(declaration)):
        return Finding("tools/list gave null for nextCursor.")
    return _unread(declaration, "form")


@rule(
    "MCP086",
    "MCP.P.4",
    of=("server",),
    remedy="Leave nextCursor out of the last page.",
)
def list_has_an_end(declaration: Declaration) -> Finding | None:
    """Following `nextCursor` comes to a page that has none.

    A list has no end where a cursor comes twice, or where 100 pages have not ended it and the last one has no new tool. The tools
    that were read are examined.
    """
    return _unread(declaration, "end")


def _pages(declaration: Declaration) -> list[dict[str, Any]]:
    """The pages of the list, without their tools."""
    facts = declared(declaration)
    return [members(read(text).value) for text in facts.pages] if facts else []


def _breach(declaration: Declaration) -> str:
    facts = declared(declaration)
    return facts.list_breach if facts else ""


def _unread(declaration: Declaration, breach: str) -> Finding | None:
    """The finding on a list as the server gives it at its start; later, hostile messages have come before it."""
    facts = declared(declaration)
    if facts is None or facts.list_breach != breach or declaration.when != "start":
        return None
    return Finding(f"tools/list {printable(facts.list_fault, 300)}.")
