"""The fourth phase: read the declaration under other conditions, and find the condition that changes it."""

from dataclasses import dataclass, field
from typing import Final

from aptix_conformance.core.errors import HostError, SlowTargetError, TargetError, UnlistedError
from aptix_conformance.core.model import Declaration, SchemaReading, Shortfall
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine.case import Explored
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.hosts.conditions import CONDITIONS, FILE_TIMES, PROCESS, VARIABLES, variables_in
from aptix_conformance.hosts.host import ToolHost
from aptix_conformance.stimuli.probes.restart import (
    BREAKING,
    OF_SERVERS,
    THREADS,
    Conditions,
    alone,
    restarts_for,
)

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
    readings = _Readings(host, ledger, ledger.declarations[0])
    if readings.first.kind == "server":
        others = map(readings.read, OF_SERVERS)
        ledger.declarations += [reading for reading in others if reading is not None]
        return
    readings.read_all(restarts_for(readings.first.schema.text))
    at_once = readings.read(THREADS)
    if at_once is not None:
        ledger.declarations.append(at_once)


@dataclass(slots=True)
class _Readings:
    """Reads the declaration of one tool again and again, and compares it with the first reading."""

    host: ToolHost
    ledger: Ledger
    first: Declaration
    broken: dict[str, str] = field(default_factory=dict)
    """Why the tool could not be read under a condition that it need not bear, by that condition."""

    def read_all(self, restarts: tuple[Conditions, ...]) -> None:
        """Read it under each set of conditions; find the cause of a difference, and say what was never changed."""
        requested: dict[str, None] = {}
        changed: set[str] = set()
        is_explained = False
        for conditions in restarts:
            reading = self.read(conditions, restarts)
            if reading is None:
                continue
            self.ledger.declarations.append(reading)
            requested |= dict.fromkeys(conditions)
            changed |= reading.conditions.keys()
            if self._differs(reading) and not is_explained:
                is_explained = True
                self.ledger.declarations += self._cause(conditions)
        for name in requested:
            if name not in changed:
                self._say_unchanged(name)

    def _say_unchanged(self, name: str) -> None:
        reason = CONDITIONS[name].unmade
        if name in self.broken:
            reason = f"{reason.partition(':')[0]} for this tool: {self.broken[name]}"
        else:
            reason += "; whether the declaration depends on it is not known"
        expected = name == FILE_TIMES and name not in self.broken
        self.ledger.shortfalls.append(Shortfall("restart", reason, reduced_coverage=True, expected=expected))

    def read(self, conditions: Conditions, then: tuple[Conditions, ...] = ()) -> Declaration | None:
        """One reading; a failure to read the tool is recorded in it. None where the failure is not the tool's fault.

        A reading that fails under conditions of `BREAKING` is made without them. That the tool was not listed is noted in the
        ledger.
        """
        reading = self._attempt(conditions, then)
        breaking = tuple(name for name in BREAKING if name in conditions)
        if isinstance(reading, TargetError) and breaking:
            reading = self._without(breaking, conditions, reading)
        if isinstance(reading, UnlistedError):
            self.ledger.note_unlisted("in another process", str(reading))
            return None
        if isinstance(reading, TargetError):
            return replace(
                self.first,
                conditions=dict(conditions),
                schema=SchemaReading("raised", None, str(reading)),
                when="threads" if conditions is THREADS else "restarted",
            )
        return reading

    def _without(
        self, breaking: tuple[str, ...], conditions: Conditions, fault: TargetError
    ) -> Declaration | TargetError | None:
        """The reading without the one condition that breaks the tool, else without all that may."""
        reading = self._attempt(_less(conditions, breaking))
        if not isinstance(reading, Declaration):
            return reading
        for name in breaking if len(breaking) > 1 else ():
            fuller = self._attempt(_less(conditions, (name,)))
            if isinstance(fuller, Declaration):
                reading, breaking = fuller, (name,)
                break
        self.broken.update(dict.fromkeys(breaking, str(fault)))
        return reading

    def _attempt(
        self, conditions: Conditions, then: tuple[Conditions, ...] = ()
    ) -> Declaration | TargetError | None:
        """A reading, or why the tool could not be read; None where no process could be started.

        What takes too long is tried once more. Variables may make the schema raise what it does not raise without them.
        """
        try:
            try:
                reading = self.host.describe_again(conditions, then)
            except SlowTargetError:
                reading = self.host.describe_again(conditions)
        except TargetError as error:
            return error
        except HostError as error:
            # A host with one thread has tools with one thread.
            expected = conditions is THREADS
            shortfall = Shortfall("restart", str(error), reduced_coverage=True, expected=expected)
            self.ledger.shortfalls.append(shortfall)
            return None
        is_read, was_read = (each.schema.outcome == "returned" for each in (reading, self.first))
        if VARIABLES in conditions and was_read and not is_read:
            return TargetError(reading.schema.error or reading.schema.outcome)
        return reading

    def _cause(self, conditions: Conditions) -> list[Declaration]:
        """The reading under the one condition that makes a difference; empty where only several together do."""
        readings = [latest for latest in (self.read({}) for _ in range(_PLAINLY)) if latest is not None]
        if other := next(filter(self._differs, readings), None):
            # All were read in the same directory, which differs from that of the first reading.
            same_place = len(readings) > 1 and len({(each.schema, each.usage_text) for each in readings}) == 1
            return [replace(other, conditions={"directory" if same_place else PROCESS: "another"})]
        latest = self._first_that_differs(alone(conditions))
        while latest is not None and len(variables := variables_in(latest.conditions.get(VARIABLES, ""))) > 1:
            items = [f"{name}={value}" for name, value in variables.items()]
            halves = (items[: len(items) // 2], items[len(items) // 2 :])
            fewer = self._first_that_differs(tuple({VARIABLES: ", ".join(half)} for half in halves))
            if fewer is None:
                break
            latest = fewer
        return [latest] if latest is not None else []

    def _first_that_differs(self, restarts: tuple[Conditions, ...]) -> Declaration | None:
        """The first different reading. A host that cannot set up a condition says so: it sets up none."""
        readings = map(self.read, restarts)
        return next((each for each in readings if each and each.conditions and self._differs(each)), None)

    def _differs(self, reading: Declaration) -> bool:
        return (self.first.schema, self.first.usage_text) != (reading.schema, reading.usage_text)


def _less(conditions: Conditions, without: tuple[str, ...]) -> Conditions:
    return {name: value for name, value in conditions.items() if name not in without}
