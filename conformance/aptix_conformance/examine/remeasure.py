"""Makes calls again whose own time is not known for sure, when the scan is over and the machine may do less besides.

Each try is made in a new process, behind the calls that the first one's process had served: what was slow may be so for the first call of a
process, or for what earlier calls left. Then one try that waited for no processor tells what the first one could not. What is measured
here is never a breach.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from aptix_conformance.core.errors import HostError, SetupError
from aptix_conformance.core.model import INCIDENTS, Call
from aptix_conformance.examine.calls_at_once import execute_group
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.hosts.host import ToolHost

TRIES: Final = 4
"""How often a call is made again, at most."""
MOST_CALLS: Final = 12
"""Calls of one tool that are made again, at most."""
SECONDS: Final = 30.0
"""Seconds by the clock in the calls of all tries of one tool, after which no further call is made."""


@dataclass(slots=True)
class Remeasurement:
    """The further tries of the calls of one tool."""

    ledger: Ledger
    host: ToolHost
    _spent: float = 0.0
    _tries: dict[int, list[Call]] = field(default_factory=dict)
    """By the identity of a recorded call: the same call, made again."""

    def tries(self, call: Call) -> Iterator[Call]:
        """The same call, made again with the calls that were made at the same time; none that did not come back.

        A call that was not judged since the clock ended it is not made again: other rules have not judged it either.
        """
        if call.may_have_come_back or (id(call) not in self._tries and len(self._tries) >= MOST_CALLS):
            return
        known = self._tries.setdefault(id(call), [])
        for number in range(TRIES):
            if number == len(known):
                again = self._again(call)
                if again is None or again.outcome in INCIDENTS:
                    return
                known.append(again)
            yield known[number]

    def _again(self, call: Call) -> Call | None:
        group = self.ledger.made_with(call)
        try:
            self.host.reset()
            for plan in self.ledger.history_of(group[0]):
                if self._spent >= SECONDS:
                    return None
                earlier = self.host.execute(plan)
                self._spent += earlier.longest
                if earlier.outcome in INCIDENTS:
                    return None
            made = (
                execute_group(self.host, [each.plan for each in group])
                if len(group) > 1
                else (self.host.execute(call.plan),)
            )
        except (HostError, SetupError):
            return None
        self._spent += max(each.longest for each in made)
        return next(new for old, new in zip(group, made, strict=True) if old is call)
