"""The host's statements on a server before any call: which of its tools are examined, and their declarations.

A declaration has the form of the host protocol, whose tools are classes elsewhere.
"""

import difflib
import json
from collections.abc import Sequence
from typing import Any, Final

from .opening import Listing, NotUsableError, Session, UnlistedError

OLDER: Final = "@"
"""Begins the name of a server in another revision than its newest: `@2025-06-18`."""
_NO_TOOLS: Final = (
    "lists no tools, so nothing can be examined: make it register its tools, or give it the arguments, the files or the "
    "variables that it needs for them"
)
_EACH_TIME: Final = "list it each time; a tool that does not always work is listed, and says so in its answer"
"""Advice for a tool that is not in every list."""
_MOST_OF_ENDLESS: Final = 10
"""Tools of a list without an end that are examined: such a list has as many as are read."""
_MOST_COMPARED: Final = 200
"""Tools whose names are compared with one that is not listed: a hostile list must not take long."""
_MOST_NAMED: Final = 5
"""Tools that are named among those that are not examined."""
_NO_MEMBERS: Final[dict[str, Any]] = {
    **{name: {"name": name, "kind": "missing"} for name in ("get_schema", "name", "execute")},
    "is_tool_fully_executed_on_server": {"name": "is_tool_fully_executed_on_server", "kind": "missing"},
    "constructor": [],
    "construction_error": None,
}
"""Members of a declaration for tools that are classes."""


def targets(server: str, listing: Listing, servers: Sequence[str]) -> dict[str, Any]:
    """The targets of a server: the server itself under the names `servers`, and its tools; also those not examined, with the reason.

    Raises:
        NotUsableError: there is nothing to examine.
    """
    names = [name_of(entry) for entry in listing.tools]
    reserved = {
        name: f"the name {name!r} is kept for the server itself" for name in names if name[:1] == OLDER
    }
    nameless = {
        _entry(server, place): f"entry {place} of tools/list {_nameless(entry)}"
        for place, entry in enumerate(listing.tools, start=1)
        if not name_of(entry)
    }
    tools = list(dict.fromkeys(name for name in names if name and name not in reserved))
    if not (tools or nameless or reserved or listing.fault):
        raise NotUsableError(f"the server {_NO_TOOLS}")
    unread = f"{server}: tools/list {listing.fault}; {len(tools)} of its tools were read"
    examined = tools[: max(_MOST_OF_ENDLESS, listing.on_first_page)] if listing.is_endless else tools
    return {
        "tools": [*servers, *examined],
        "failures": {
            **nameless,
            **reserved,
            **_others_of_a_name(server, listing),
            **_unexamined(server, listing, examined, tools),
        },
        "passed_over": [unread] if listing.fault else [],
    }


def _others_of_a_name(server: str, listing: Listing) -> dict[str, str]:
    """The entries that have the name of an earlier one and are not equal to it: a call by that name cannot mean both."""
    first: dict[str, tuple[int, Any]] = {}
    failures = {}
    for place, entry in enumerate(listing.tools, start=1):
        name = name_of(entry)
        earlier, other = first.setdefault(name, (place, entry))
        if name and entry != other:
            failures[_entry(server, place)] = (
                f"entry {place} of tools/list has the name {name[:60]!r} of entry {earlier} and says something else, so no call "
                "can be meant for it, and it is not examined: give it another name (MCP.S.7)"
            )
    return failures


def _entry(server: str, place: int) -> str:
    """The name of an entry that is not examined; no other server has that name."""
    return f"{server}#entry-{place}-of-the-list"


def _nameless(entry: Any) -> str:
    """The fault of an entry that has no name by which it could be called."""
    if isinstance(entry, dict) and entry.get("name") == "":
        return "has an empty name, so it is not examined; a name should have 1 to 128 characters (MCP.S.5)"
    return "has no name that is a text (MCP.S.1)"


def check_listed(listing: Listing, tool: str) -> None:
    """Check that a list has a tool.

    Raises:
        UnlistedError: it has not.
    """
    if entry_of(listing, tool) is None:
        fault = f": tools/list {listing.fault}" if listing.fault else ""
        raise UnlistedError(f"the server lists no tool {tool[:200]!r}{fault or _near_names(listing, tool)}")


def _near_names(listing: Listing, tool: str) -> str:
    """The listed name that is most like one that is not listed, else the first ones, as the end of a sentence."""
    names = [name for entry in listing.tools if (name := name_of(entry))]
    near = difflib.get_close_matches(tool[:60], [name[:60] for name in names[:_MOST_COMPARED]], n=1)
    if near:
        return f"; did you mean {near[0]!r}?"
    shown = ", ".join(repr(name[:60]) for name in names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"; it lists {shown}{more}" if shown else "; it lists none"


def _unexamined(server: str, listing: Listing, examined: list[str], tools: list[str]) -> dict[str, str]:
    """One failure for all tools of a list without an end that are not examined; none where all are."""
    rest = tools[len(examined) :]
    if not rest:
        return {}
    named = ", ".join(name[:60] for name in rest[:_MOST_NAMED])
    named += f" and {len(rest) - _MOST_NAMED} more" if len(rest) > _MOST_NAMED else ""
    return {
        f"{len(rest)} of the tools of {server}": f"tools/list {listing.fault}, so {len(examined)} of the "
        f"{len(tools)} tools that were read are examined, and {named} are not: leave nextCursor out of the last page, or "
        f"name a tool to examine it: {server}#{rest[0][:60]}"
    }


def of_server(
    session: Session, read: Sequence[Listing], server: str, when: str, sdks: Sequence[str]
) -> dict[str, Any]:
    """The declaration of the server itself: it has no schema.

    Args:
        session: with the server, in the revision in which it is examined.
        read: two readings of its list.
        server: its name.
        when: `start` or `after_calls`.
        sdks: the libraries that it is built on.
    """
    first, second = read
    unread = {"outcome": "not_callable", "text": None, "error": "a server has no schema"}
    return {
        "class_name": server,
        "module": "",
        "when": when,
        "system": "mcp",
        "kind": "server",
        "tool_name": _constant("name", None),
        "usage_text": _constant("description", None),
        "schema": unread,
        "schema_again": unread,
        **_NO_MEMBERS,
        "mcp": {**_facts(session, next(iter(first.tools), None), first, second), "sdks": sdks},
    }


def of_tool(
    session: Session, read: Sequence[Listing], server: str, tool: str, when: str, sdks: Sequence[str]
) -> dict[str, Any]:
    """The declaration of a tool; the arguments as those of `of_server`.

    Raises:
        UnlistedError: the tool is not in both of two readings of the list.
    """
    first, second = read
    entry, second_entry = entry_of(first, tool), entry_of(second, tool)
    if entry is None or second_entry is None:
        raise UnlistedError(
            f"{server}: the server lists the tool {tool[:200]!r} at one reading of tools/list and not at another: {_EACH_TIME}"
        )
    return {
        "class_name": tool,
        "module": "",
        "when": when,
        "system": "mcp",
        "tool_name": _constant("name", tool),
        "usage_text": _constant("description", entry.get("description")),
        "schema": _function(entry),
        "schema_again": _function(second_entry),
        **_NO_MEMBERS,
        "mcp": {**_facts(session, entry, first, second), "sdks": sdks},
    }


def name_of(entry: Any) -> str:
    """The name of an entry of tools/list; empty where it has none that is a text."""
    name = entry.get("name") if isinstance(entry, dict) else None
    return name if isinstance(name, str) else ""


def entry_of(listing: Listing, tool: str) -> Any:
    """The first entry with a name; None where there is none."""
    return next((entry for entry in listing.tools if name_of(entry) == tool), None)


def _facts(session: Session, entry: Any, first: Listing, second: Listing) -> dict[str, Any]:
    """The statements of the server before any call."""
    return {
        "revision": session.revision,
        "opening": session.opening,
        "http": session.http,
        "definition": json.dumps(entry),
        "names": [name_of(listed) for listed in first.tools],
        "names_again": [name_of(listed) for listed in second.tools],
        "pages": first.pages,
        "list_fault": first.fault,
        "list_breach": first.breach,
        "others": [*session.others, *first.others, *second.others],
    }


def is_destructive(entry: Any) -> bool:
    """Whether a tool says of itself that it destroys something."""
    hints = entry.get("annotations") if isinstance(entry, dict) else None
    return (
        isinstance(hints, dict)
        and hints.get("destructiveHint") is True
        and hints.get("readOnlyHint") is not True
    )


def _constant(name: str, value: Any) -> dict[str, Any]:
    if value is None:
        return {"name": name, "kind": "missing"}
    text = value if isinstance(value, str) else None
    return {"name": name, "kind": "plain", "value": text, "type_name": "str" if text is not None else "other"}


def _function(entry: Any) -> dict[str, Any]:
    """A reading of an entry as the function schema that a model gets. Without properties there are none."""
    function = {"type": "function", **{k: entry[k] for k in ("name", "description") if k in entry}}
    schema = entry.get("inputSchema")
    if isinstance(schema, dict) and schema.get("type") == "object":
        schema = {"properties": {}, **schema}
    rest = {k: v for k, v in entry.items() if k not in ("name", "description", "inputSchema")}
    return {"outcome": "returned", "text": json.dumps({**function, "parameters": schema, "mcp": rest})}
