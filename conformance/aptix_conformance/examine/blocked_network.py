"""A tool whose calls succeeded without their work: each that succeeded had tried the network, and was refused it."""

from collections.abc import Iterable, Sequence
from typing import Final

from aptix_conformance.core.model import Call, Declaration
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.rules.lib.documents import arguments_of, payload_of, strings_in
from aptix_conformance.rules.lib.exception_texts import sentence_in
from aptix_conformance.rules.lib.failures import only_text, reports_failure

_LONGEST: Final = 300
"""Characters of a payload that are read for a failure."""


def successes_without_network(
    declaration: Declaration, calls: Iterable[Call], containment: Containment | None
) -> list[Call]:
    """The calls that succeeded, where each of them whose result reports no failure had tried the network; else none.

    Only the calls of the probe `valid` are looked at: what others try is not counted for every one of them.
    """
    is_closed = containment is not None and not containment.opens_network
    if declaration.kind == "server" or not is_closed or not declaration.traits.has_servers:
        return []
    worked = [
        call
        for call in calls
        if call.plan.probe == "valid" and call.succeeded and call.plan.disturbance is None
    ]
    tried = any(map(hosts_of, worked))
    return worked if tried and all(hosts_of(call) or _reports_failure(call) for call in worked) else []


def hosts_of(call: Call) -> Sequence[str]:
    """The hosts that a call tried to reach, without sockets of this machine."""
    return [host for host in call.network if not host.startswith("/")]


def _reports_failure(call: Call) -> bool:
    """Whether a success says that it failed: such a call did no work either, wherever it ended."""
    answer = payload_of(call).value
    arguments = arguments_of(call)
    text = only_text(answer)
    if text is None:
        return reports_failure(answer, arguments)
    for sent in filter(None, strings_in(arguments)):
        text = text.replace(sent, "…")  # a line feed or a colon in it would hide how the message is built
    return reports_failure(text[:_LONGEST], {}) or bool(sentence_in(text))
