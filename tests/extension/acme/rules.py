"""Rules of Acme's own, for the tools of two systems."""

import re
from collections.abc import Iterator

from aptix_conformance.core.model import Call
from aptix_conformance.rules import Finding, OwnPractice, rule


@rule(
    "ACME-NET001",
    source=OwnPractice("suite", ("aptix", "toy")),
    when=lambda call: call.succeeded,
    differs_by="the host to which the link leads",
    remedy="Write https.",
)
def links_are_encrypted(call: Call) -> Iterator[Finding]:
    """No result holds a link that is not encrypted.

    Acme's agents follow links.
    """
    payload = call.result.payload if call.result else None
    for host in sorted(set(re.findall(r"http://([a-z0-9.-]+)", payload or ""))):
        yield Finding(f"A result holds a plain http link to {host}.", cause=host)
