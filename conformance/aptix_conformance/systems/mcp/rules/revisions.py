"""MCP111 and MCP112: what one revision has and another has not: batches, and types of content blocks."""

from collections.abc import Iterator
from typing import Any, Final

from aptix_conformance.core.model import Call, Exploration
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.documents import read
from aptix_conformance.rules.lib.kernel import AnyCall, Finding, rule
from aptix_conformance.systems.mcp.facts import Revision
from aptix_conformance.systems.mcp.rules.accessors import (
    blocks,
    has_result,
    http,
    is_since,
    members,
    received,
    server_rule,
    wire,
)

BATCH_IDS: Final = ("aptix-4", "aptix-5")
"""The ids of the requests in the batch (`runners/mcp/hostile.py`)."""
_SINCE: Final[dict[str, Revision]] = {"audio": "2025-03-26", "resource_link": "2025-06-18"}
"""The first revision that has a type of block, where it is not the first of all."""
_BAD: Final = 400
_NOT_THE_SERVERS: Final = frozenset({401, 403, 407, 429, 502, 503, 504})
"""Access, rates and gateways: no word on what a server can read."""


def _is_read(call: Call) -> bool:
    """The batch, which did not end the server, and which nothing before the server refused."""
    facts, answer = received(call), http(call)
    is_stopped = answer is not None and answer.status in _NOT_THE_SERVERS
    return wire("batched-requests")(call) and facts is not None and not facts.ended and not is_stopped


@server_rule(
    "MCP111",
    "MCP.L.21",
    when=_is_read,
    unseen_reason="the server ended",
    differs_by="whether the batch was refused, or not answered",
    remedy="Read an array of messages one by one, and answer each request in it; or speak 2025-06-18, which has no batches.",
)
def batch_is_received(call: Call) -> Finding | None:
    """A batch, an array of requests, is received: each request in it is answered. So the revision 2025-03-26 has it.

    Two requests are sent, ping and tools/list. Their responses may come alone or in an array, and in any order. Over stdio five
    later requests are answered before a silence counts. What the requests themselves are answered with is for other rules.
    """
    facts, answer = received(call), http(call)
    found = [members(read(text).value) for text in (facts.others if facts else ())]
    answers = [each for each in found if "method" not in each]
    if answer is not None and not answer.status:
        message = (
            f"The batch got no HTTP answer: {printable(answer.fault, 120)}. The next request was answered."
        )
        return Finding(message, cause="unanswered", timed=True)
    if answer is not None and answer.status >= _BAD:
        return Finding(f"The batch was refused with the status {answer.status}.", cause="refused")
    own = [each for number in BATCH_IDS for each in answers if each.get("id") == number]
    if own and not any("result" in each for each in own):
        return Finding(f"Each request of the batch was refused: {_said(own[0])}.", cause="refused")
    refusal = next((each for each in answers if each.get("id") is None and "error" in each), None)
    if len({each["id"] for each in own}) == len(BATCH_IDS):
        return None
    if refusal is not None:
        return Finding(f"The batch was refused: {_said(refusal)}.", cause="refused")
    how = "" if answer is not None else "; five later requests were"
    missing = [number for number in BATCH_IDS if all(each.get("id") != number for each in own)]
    which = "The batch" if len(missing) == len(BATCH_IDS) else "A request of the batch"
    return Finding(f"{which} was never answered{how}.", cause="unanswered")


def _said(answer: dict[str, Any]) -> str:
    failure = members(answer.get("error"))
    return printable(f"{failure.get('code')!r} {failure.get('message')}", 120)


@rule(
    "MCP112",
    "MCP.O.8",
    when=AnyCall(has_result),
    unseen_reason="no call came back with a result",
    differs_by="the type of the block",
    remedy="Return a block of the type text or resource to a client that speaks an older revision, or speak a newer one.",
)
def blocks_are_of_the_revision(exploration: Exploration) -> Iterator[Finding]:
    """No block of the content is of a type that only a later revision has.

    `audio` came with 2025-03-26, and `resource_link` with 2025-06-18. A client of an older revision refuses the whole result. MCP043
    is on types that no revision has.
    """
    declaration = exploration.declarations[0]
    for call in exploration.calls:
        for block in blocks(call):
            since = _SINCE.get(block["type"]) if isinstance(block.get("type"), str) else None
            if since and not is_since(declaration, since):
                message = f"A block has the type {block['type']}, which came with the revision {since}."
                yield Finding(message, call, cause=block["type"])
