"""Rules of Acme's own, for the tools of two systems."""

from aptix_conformance.model import Call
from aptix_conformance.rules import Finding, rule


@rule(
    "ACME-NET001",
    over=Call,
    source="suite",
    systems=("aptix", "toy"),
    when=lambda call: call.succeeded,
    unseen_reason="no call succeeded",
    remedy="Write https.",
)
def links_are_encrypted(call: Call) -> Finding | None:
    """No result holds a link that is not encrypted.

    Acme's agents follow links.
    """
    payload = call.result.payload if call.result else None
    return Finding("A result holds a plain http link.") if "http://" in (payload or "") else None
