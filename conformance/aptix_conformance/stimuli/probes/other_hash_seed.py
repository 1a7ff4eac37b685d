"""Probe `hash-seed`: a call that works, made in a process in which texts have other hashes.

Python orders a set by the hashes of what is in it, and each process of an agent draws a hash seed of its own. A list made of a
set is then another one in each process. The call is made where its result shows texts in a row, and again where the result is another.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from aptix_conformance.core.model import Call, Change, Kind, OtherHashSeed, Stimulus
from aptix_conformance.stimuli.probes.contexts import without_own_identifiers
from aptix_conformance.stimuli.probes.hash_seeds import seed_for
from aptix_conformance.stimuli.probes.neighbours import base_of_neighbours
from aptix_conformance.stimuli.probes.planning import payload_text, plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject

NAME: Final = "hash-seed"
"""The probe, and the kind of its disturbance."""
_USED: Final = "0"
"""The hash seed of all other calls."""
_TIMES: Final = 2


class OtherHashSeedProbe(Probe):
    """Plans the first call whose result shows texts in a row, twice if it is another, each time in a process of its own."""

    name = NAME

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The calls, which are equal; a second one only where the first was answered in another way than without the seed."""
        candidate = next(_candidates(calls), None) if NAME in subject.disturbances else None
        if candidate is None:
            return
        like, seed = candidate
        for number in range(1, _TIMES + 1):
            change = Change(Kind.SAME, detail="seed", number=number)
            yield plan(subject, self.name, change, like.plan.arguments, disturbance=OtherHashSeed(seed))
            if _text(calls[-1]) == _text(like):
                return


def _candidates(calls: Sequence[Call]) -> Iterator[tuple[Call, str]]:
    """The calls that other probes repeat and whose results show texts in a row, each with a seed."""
    base = base_of_neighbours(calls)
    for call in (
        *([base] if base else []),
        *(call for call in calls if call.plan.probe == "repeat" and call.succeeded),
    ):
        seed = seed_for(call.result.payload or "", _USED) if call.result else None
        if seed is not None:
            yield call, seed


def _text(call: Call) -> str:
    return without_own_identifiers(payload_text(call))
