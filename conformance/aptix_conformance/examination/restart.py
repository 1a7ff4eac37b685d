"""The fourth phase: read the declaration under other conditions, and find the condition that changes it."""

from typing import Final

from aptix_conformance.errors import HostError, SlowTargetError, TargetError, UnlistedError
from aptix_conformance.examination.case import Explored
from aptix_conformance.examination.ledger import Ledger
from aptix_conformance.hosts.conditions import PROCESS
from aptix_conformance.hosts.host import ToolHost
from aptix_conformance.model import Declaration, SchemaReading, Shortfall
from aptix_conformance.model.codec import replace
from aptix_conformance.probes.restart import OF_SERVERS, THREADS, Conditions, alone, restarts_for

CLOCK = "clock"
_PLAINLY: Final = 4
"""Readings with nothing changed: so many seldom agree by chance where a value is drawn from a few."""


def restart(explored: Explored) -> Explored:
    """Add the declaration as fresh interpreters and two threads read it.

    Raises:
        HostError: no process could be started.
    """
    read_again(explored.case.host, explored.case.ledger)
    return explored


def read_again(host: ToolHost, ledger: Ledger) -> None:
    """Record the declaration as fresh interpreters and two threads read it.

    Raises:
        HostError: no process could be started.
    """
    if "restart" not in host.disturbances:
        reason = "this host cannot read the declaration in another process"
        ledger.shortfalls.append(Shortfall("restart", reason, reduced_coverage=True))
        return
    first = ledger.declarations[0]
    found = False
    if first.kind == "server":
        read = (_read_declaration(host, first, conditions, ledger) for conditions in OF_SERVERS)
        ledger.declarations += [again for again in read if again is not None]
        return
    restarts = restarts_for(first.schema.text)
    for conditions in restarts:
        again = _read_declaration(host, first, conditions, ledger, restarts)
        if again is None:
            continue
        ledger.declarations.append(again)
        if _differs(first, again) and not found:
            found = True
            ledger.declarations += _cause(host, first, conditions, ledger)
    at_once = _read_declaration(host, first, THREADS, ledger)
    if at_once is not None:
        ledger.declarations.append(at_once)


def _cause(host: ToolHost, first: Declaration, conditions: Conditions, ledger: Ledger) -> list[Declaration]:
    """The reading under the one condition that makes a difference; empty where only several together do."""
    plainly = [_read_declaration(host, first, {}, ledger) for _ in range(_PLAINLY)]
    read = [again for again in plainly if again is not None]
    if other := next((again for again in read if _differs(first, again)), None):
        # All were read in the same directory, which differs from that of the first reading.
        same_place = len(read) > 1 and not any(_differs(other, again) for again in read)
        return [replace(other, conditions={"directory" if same_place else PROCESS: "another"})]
    for single in alone(conditions):
        again = _read_declaration(host, first, single, ledger)
        # A host that cannot set up the condition says so: it sets up none.
        if again is not None and again.conditions and _differs(first, again):
            return [again]
    return []


def _differs(first: Declaration, again: Declaration) -> bool:
    return (first.schema, first.usage_text) != (again.schema, again.usage_text)


def _read_declaration(
    host: ToolHost,
    first: Declaration,
    conditions: Conditions,
    ledger: Ledger,
    then: tuple[Conditions, ...] = (),
) -> Declaration | None:
    """One reading; a failure to read the tool is recorded in it. None where the failure is not the tool's fault.

    A reading that takes too long is tried once more. That the tool was not listed is noted in the ledger.
    """
    unlisted = False
    try:
        try:
            return host.describe_again(conditions, then)
        except SlowTargetError:
            return host.describe_again(conditions)
    except TargetError as error:
        fault, unlisted = str(error), isinstance(error, UnlistedError)
    except HostError as error:
        # A host with one thread has tools with one thread.
        expected = conditions is THREADS
        ledger.shortfalls.append(Shortfall("restart", str(error), reduced_coverage=True, expected=expected))
        return None
    if CLOCK in conditions and _reads(host, {k: v for k, v in conditions.items() if k != CLOCK}):
        # Patching the clock breaks code that is not prepared for it, such as code in C.
        reason = f"the clock could not be moved for this tool: {fault}"
        ledger.shortfalls.append(Shortfall("restart", reason, reduced_coverage=True))
        return None
    if unlisted:
        ledger.note_unlisted("in another process", fault)
        return None
    return replace(
        first,
        conditions=dict(conditions),
        schema=SchemaReading("raised", None, fault),
        when="threads" if conditions is THREADS else "restarted",
    )


def _reads(host: ToolHost, conditions: Conditions) -> bool:
    try:
        host.describe_again(conditions)
    except (TargetError, HostError):
        return False
    return True
