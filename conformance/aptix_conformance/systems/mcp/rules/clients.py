"""SCH037 and SCH038: how many tools, and how long names, clients take from a server.

Those who have a limit, with sources and dates, are in `core.schemas.refusing`.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from aptix_conformance.core.model import Declaration
from aptix_conformance.core.schemas import refusing
from aptix_conformance.core.schemas.portability import LONGEST_NAME_BESIDE_A_SERVER
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.kernel import Finding, Precondition, rule
from aptix_conformance.systems.mcp.rules.accessors import (
    SERVER_INFO,
    UNREAD_LIST,
    declared,
    definition,
    is_list_read,
    members,
    opening,
)

_Judge = TypeVar("_Judge", bound=Callable[..., object])
_KEY: Final = re.compile(r"[A-Za-z0-9_.-]+")
"""The name of a server that its user may take for the server's key in a client's configuration as it is."""
_JOINED: Final = {
    "name-beside-server-of-60": ("{server}-{tool}", 60),
    "name-beside-server-of-64": ("mcp__{server}__{tool}", 64),
}
"""By the name in the table: how a client writes a tool's name, and how many characters it may have then."""


def _sourced(*whats: str) -> Callable[[_Judge], _Judge]:
    """Put the sources of some things in the table below a rule's docstring."""

    def add(judge: _Judge) -> _Judge:
        judge.__doc__ = f"{inspect.getdoc(judge)}\n\n{refusing.sources(*whats)}"
        return judge

    return add


@rule(
    "SCH037",
    of=("server",),
    source="suite",
    when=Precondition(is_list_read, UNREAD_LIST, ("MCP085", "MCP086")),
    differs_by="which limits are exceeded",
    remedy="Serve fewer tools: join those that differ in one argument, or let the user choose groups of tools when the server starts.",
)
@_sourced(*refusing.MOST_TOOLS)
def every_client_takes_all_tools(declaration: Declaration) -> Finding | None:
    """A server lists no more tools than each client and provider takes at once.

    A client counts the tools of all its servers. Above its limit it leaves tools out, refuses the server, or sends a request that
    the provider refuses, with every tool in it.
    """
    facts = declared(declaration)
    number = len(set(facts.names)) if facts else 0
    exceeded = refusing.crowded(number)
    if not exceeded:
        return None
    limits = ", ".join(f"{refusing.names(lines)} {most}" for most, lines in exceeded)
    message = f"The server lists {number:,} tools, more than these take at once: {limits}."
    return Finding(message, cause=tuple(most for most, _ in exceeded))


@rule(
    "SCH038",
    source="suite",
    differs_by="which limit is exceeded",
    remedy="Shorten the name of the tool or that of the server: clients write both, and something that joins them.",
)
@_sourced(*_JOINED)
def name_fits_beside_that_of_its_server(declaration: Declaration) -> Iterator[Finding]:
    """With the server's own name before it, as clients write it, the tool's name is not too long.

    Users choose the name that stands in a client's configuration, and most take the server's own. A name that cannot stand there
    as it is, such as one with a blank, is not judged. SCH030 reports a name that is too long beside any server.
    """
    server, tool = _server_name(declaration), definition(declaration).get("name")
    if not isinstance(tool, str) or not _KEY.fullmatch(server):
        return
    for what, (form, most) in _JOINED.items():
        length = len(form.format(server=server, tool=tool))
        if length > most:
            shown = printable(form.format(server=server, tool=tool), 200)
            message = f"{shown} has {length} characters: more than {most} are refused by {refusing.names(refusing.TABLE[what])}."
            yield Finding(
                message, defers_to="SCH030" if len(tool) > LONGEST_NAME_BESIDE_A_SERVER else "", cause=what
            )


def _server_name(declaration: Declaration) -> str:
    """What the server calls itself; empty where it does not say."""
    said = opening(declaration)
    info = members(said.get("serverInfo")) or members(members(said.get("_meta")).get(SERVER_INFO))
    return name if isinstance(name := info.get("name"), str) else ""
