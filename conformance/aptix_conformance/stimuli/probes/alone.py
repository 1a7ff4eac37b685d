"""Probe `alone`: calls that were answered differently when they ran concurrently, made one after the other.

A tool may answer by chance, by the clock or by a counter. Such a value equals another call's value now and then, and is no
evidence that concurrent calls mix. These calls show which values belong to the arguments.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from aptix_conformance.core.model import Call, Change, Kind, Stimulus
from aptix_conformance.stimuli.probes.contexts import without_own_identifiers
from aptix_conformance.stimuli.probes.planning import plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject

NAME: Final = "alone"
TIMES: Final = 8
"""How often each of the calls is made."""
LEAST: Final = 4
"""How many of them show what is steady: chance rarely gives one value as often."""


class AloneProbe(Probe):
    """Plans these calls in a fresh process, in an order that turns round each time.

    So each call comes before and after the others, which a clock shows, and directly after an equal one, which a counter shows.
    """

    name = NAME
    in_sequence = True
    in_fresh_process = True

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The calls in their order; none where concurrent calls had the results that they have alone."""
        own = [call for call in calls if call.plan.probe == "repeat" and call.succeeded]
        together = [call for call in own if call.plan.kind is Kind.TOGETHER]
        alone = [call for call in own if call.plan.kind is not Kind.TOGETHER]
        if _answers(together) <= _answers(alone):
            return
        texts = list(dict.fromkeys(call.plan.arguments for call in together))
        kind = Kind.IDEMPOTENT if subject.settings.idempotent else Kind.SAME
        for number in range(1, TIMES + 1):
            for text in texts:
                yield plan(subject, self.name, Change(kind, detail="alone", number=number), text)
            texts.reverse()


def _answers(calls: Sequence[Call]) -> set[tuple[str | None, str]]:
    """The arguments of calls with their payloads, identifiers aside."""
    return {
        (call.plan.arguments, without_own_identifiers((call.result and call.result.payload) or ""))
        for call in calls
    }
