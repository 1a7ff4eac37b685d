"""Reads records of the host protocol: declarations, results, and the answers to calls. A tool may forge them, so it is strict.

On the wire, facts of one system are in a member with the name of that system.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model import (
    Call,
    Declaration,
    Disturbed,
    Facts,
    LogRecord,
    Outcome,
    Output,
    Raised,
    Result,
    Stimulus,
    SystemTraits,
)
from aptix_conformance.core.model.codec import from_json, replace
from aptix_conformance.core.text import printable
from aptix_conformance.hosts import protocol
from aptix_conformance.hosts.supervisor import Exchange

_MOST_HELD: Final = 10
"""Kinds of what a process holds that are kept."""
_MOST_ATTEMPTS: Final = 20
"""Attempts to reach another host that are kept of one call."""
_ANSWERED: Final = (Outcome.RETURNED, Outcome.RAISED, Outcome.NOT_CONSTRUCTED)


def read_declaration(data: Any, systems: Iterable[SystemTraits]) -> Declaration:
    """Read the declaration of a tool of one of `systems`. A declaration without a system belongs to the first.

    Raises:
        RecordError: the declaration is invalid, or of another system.
    """
    known = {system.name: system for system in systems}
    if not isinstance(data, dict):
        raise RecordError(f"Declaration: an object was expected, not {printable(repr(data), 60)}")
    rest = dict(data)
    name = rest.pop("system", next(iter(known), None))
    if not isinstance(name, str) or name not in known:
        raise RecordError(
            f"Declaration.system: one of {', '.join(known)} was expected, not {printable(repr(name), 60)}"
        )
    facts = _facts(rest, {system.name: system.facts for system in known.values()}, "Declaration")
    declaration = replace(from_json(Declaration, rest), facts=facts.get(name), traits=known[name])
    if declaration.kind == "server" and not known[name].has_servers:
        raise RecordError(f"Declaration.kind: the system {name} has no servers")
    return declaration


def read_result(data: Any, systems: Iterable[SystemTraits], where: str) -> Result:
    """Read the result of a call.

    Raises:
        RecordError: the result is invalid; `where` begins the place in the message.
    """
    if not isinstance(data, dict):
        return from_json(Result, data, where)
    rest = dict(data)
    facts = _facts(rest, {system.name: system.result_facts for system in systems}, where)
    return replace(from_json(Result, rest, where), facts=next(iter(facts.values()), None))


def _facts(rest: dict[str, Any], kinds: Mapping[str, type[Facts] | None], where: str) -> dict[str, Facts]:
    """The facts of each system, by its name. They are removed from `rest`."""
    for name in ("facts", "traits"):
        if name in rest:
            raise RecordError(f"{where}: unknown member {name!r}")
    facts = {}
    for name, kind in kinds.items():
        value = rest.pop(name, None) if kind is not None else None
        if kind is not None and value is not None:
            facts[name] = from_json(kind, value, f"{where}.{name}")
    return facts


def _ended_how(exchange: Exchange) -> str:
    """How a process ended, with the incident that its host reported; how the host ended, too, where it is the tool's own process."""
    assert exchange.ending is not None
    words = _reported(exchange)
    incidents = (event.params for event in exchange.events if event.method == protocol.INCIDENT)
    if words and any(params.get("ended") == "program" for params in incidents):
        return words
    return exchange.ending.incident + (f": {words}" if words else "")


def why_ended(exchange: Exchange) -> str:
    """Why a process did not answer: what its host reported, else how it ended."""
    return _reported(exchange) or (exchange.ending.incident if exchange.ending else "the process ended")


def _reported(exchange: Exchange) -> str:
    """The incident that a host reported; empty where it reported none."""
    words = (event.params.get("words") for event in exchange.events if event.method == protocol.INCIDENT)
    return printable(next((word for word in words if isinstance(word, str)), ""), 300)


def part_of(exchange: Exchange, place: int) -> Exchange:
    """The part of one call in the exchange of several. Printed output belongs to the first call."""
    part = replace(
        exchange, events=tuple(event for event in exchange.events if event.params.get("place") == place)
    )
    if place:
        part = replace(part, stdout=Output(), stderr=Output())
    answer = exchange.answer
    if answer is None:
        return part
    # Where the process ended, all calls share the outcome.
    result = answer.result
    answers = result.get("answers") if isinstance(result, dict) else None
    if isinstance(answers, list):
        result = answers[place] if place < len(answers) else None
    return replace(part, answer=replace(answer, result=result))


def read_call(plan: Stimulus, exchange: Exchange, earlier: int, systems: Sequence[SystemTraits]) -> Call:
    """The call with its observations. Raises RecordError where the answer is invalid."""
    logs = tuple(
        from_json(LogRecord, event.params.get("record"), "log")
        for event in exchange.events
        if event.method == "log"
    )
    if exchange.ending is not None:
        return ended_call(plan, exchange, earlier, exchange.ending.outcome, _ended_how(exchange), logs)
    assert exchange.answer is not None
    data = exchange.answer.result
    if not isinstance(data, dict) or data.get("outcome") not in _ANSWERED:
        raise RecordError("answer: an object with an outcome was expected")
    outcome = Outcome(data["outcome"])
    consultations, incident = data.get("token_consultations", 0), data.get("incident")
    if type(consultations) is not int or not isinstance(incident, str | None):
        raise RecordError("answer: token_consultations is a number and incident a text")
    return Call(
        plan=plan,
        outcome=outcome,
        elapsed=exchange.elapsed,
        waited=exchange.waited,
        overdue=exchange.overdue,
        result=read_result(_required(data, "result"), systems, "answer.result")
        if outcome is Outcome.RETURNED
        else None,
        raised=_read_raised(data, outcome),
        logs=logs,
        stdout=exchange.stdout,
        stderr=exchange.stderr,
        token_consultations=consultations,
        incident=incident,
        earlier=earlier,
        disturbed=_read_disturbed(data.get("disturbed"), exchange.elapsed),
        network=from_json(tuple[str, ...], data.get("network", ()), "answer.network")[:_MOST_ATTEMPTS],
        looks=from_json(tuple[str, ...], data.get("looks", ()), "answer.looks")[:_MOST_ATTEMPTS],
        left_changed=_read_left_changed(data.get("left_changed")),
        descriptors=_read_descriptors(data.get("descriptors")),
        held=_read_held(data.get("held")),
    )


def _read_left_changed(data: Any) -> tuple[str, ...] | None:
    """The names of things that a call left changed; None where its host does not notice that."""
    if data is None:
        return None
    return from_json(tuple[str, ...], data, "answer.left_changed")[:_MOST_ATTEMPTS]


def _read_descriptors(data: Any) -> tuple[int, int] | None:
    """How many were open before and after a call; None where its host does not count them."""
    return None if data is None else from_json(tuple[int, int], data, "answer.descriptors")


def _read_held(data: Any) -> tuple[tuple[str, int, int], ...]:
    """What a process held before and after a call, by name; nothing where its host does not say it."""
    counts = from_json(dict[str, tuple[int, int]], data or {}, "answer.held")
    return tuple((name, *pair) for name, pair in sorted(counts.items())[:_MOST_HELD])


def _read_disturbed(data: Any, elapsed: float) -> Disturbed | None:
    """The disturbance that a host observed. No part of a call takes longer than the whole; the host's clock may count waits."""
    if data is None:
        return None
    disturbed = from_json(Disturbed, data, "answer.disturbed")
    if max(disturbed.after, disturbed.blocked) <= elapsed:
        return disturbed
    return replace(disturbed, after=min(disturbed.after, elapsed), blocked=min(disturbed.blocked, elapsed))


def _read_raised(data: dict[str, Any], outcome: Outcome) -> Raised | None:
    """The exception of the tool, required where the outcome is `raised`; elsewhere that of its constructor, if any."""
    if outcome is Outcome.RAISED:
        return from_json(Raised, _required(data, "raised"), "answer.raised")
    thrown = data.get("raised")
    return None if thrown is None else from_json(Raised, thrown, "answer.raised")


def _required(data: dict[str, Any], name: str) -> Any:
    if data.get(name) is None:
        raise RecordError(f"answer: the member {name!r} is missing")
    return data[name]


def ended_call(
    plan: Stimulus,
    exchange: Exchange,
    earlier: int,
    outcome: Outcome,
    incident: str,
    logs: tuple[LogRecord, ...],
) -> Call:
    """A call whose process ended, or was killed, instead of answering; `incident` says how."""
    return Call(
        plan=plan,
        outcome=outcome,
        elapsed=exchange.elapsed,
        waited=exchange.waited,
        overdue=exchange.overdue,
        logs=logs,
        stdout=exchange.stdout,
        stderr=exchange.stderr,
        incident=incident,
        earlier=earlier,
    )
