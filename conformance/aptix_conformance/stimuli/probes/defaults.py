"""Probe `defaults`: a call without an argument, and the same call with the default that the schema declares for it.

The answers of earlier calls are used where there are some. Only where the two answers differ are both calls made again, in an
order in which a counter, a switch or a cache gives equal calls different answers: with, without, without, with.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from aptix_conformance.core.model import Call, Change, Kind, Stimulus
from aptix_conformance.stimuli.generate import write
from aptix_conformance.stimuli.generate.arguments import default_of, has_default
from aptix_conformance.stimuli.probes.contexts import without_own_identifiers
from aptix_conformance.stimuli.probes.planning import argument_label, payload_text, plan, succeeded
from aptix_conformance.stimuli.probes.probe import Probe, Subject

NAME: Final = "defaults"
WITH_DEFAULT: Final = "with-default"
WITHOUT: Final = "without"
"""The details of the calls with the default and without the argument."""
_MOST: Final = 6
"""The most arguments whose defaults are sent."""
_MOST_AGAIN: Final = 3
"""The most pairs of calls that are made again: where each answer is another one, they show nothing."""
_LATER: Final = (WITH_DEFAULT, WITHOUT, WITHOUT, WITH_DEFAULT)
"""The calls that are made where the first two answers differ."""


class DefaultsProbe(Probe):
    """Plans, for each argument with a default, a call that works without it, and the same with its default.

    Two calls are taken as they are but for that argument: the first that worked, and the one that was answered with the longest text,
    which more likely shows what a limit or an order does.
    """

    name = NAME

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The calls in their order; later ones depend on the answers of earlier ones."""
        arguments = subject.arguments
        if arguments is None:
            return
        bases = _bases(calls)
        optional = [name for name in arguments.properties if name not in arguments.required]
        named = [name for name in optional if has_default(arguments.properties[name])]
        for name in [each for each in named if each not in subject.settings.arguments][:_MOST]:
            default = default_of(arguments.properties[name])
            without = {write(document): document for document in (_left_out(base, name) for base in bases)}
            for document in without.values():
                declared = {**document, name: default}
                if arguments.judge.admits(document) and arguments.judge.admits(declared):
                    texts = {WITHOUT: write(document), WITH_DEFAULT: write(declared)}
                    yield from self._compared(subject, argument_label(name), texts, calls)

    def _compared(
        self, subject: Subject, label: str, texts: Mapping[str, str], calls: Sequence[Call]
    ) -> Iterator[Stimulus]:
        """The calls that show whether the arguments without the default and with it are answered alike."""
        for detail, text in texts.items():
            if _answer(calls, text) is None:
                yield plan(subject, self.name, Change(Kind.VARIED, label, detail), text)
        answers = [_answer(calls, text) for text in texts.values()]
        made = sum(is_again(call) for call in calls)
        if None in answers or answers[0] == answers[1] or made >= _MOST_AGAIN * len(_LATER):
            return
        for number, detail in enumerate(_LATER, start=1):
            change = Change(Kind.VARIED, label, detail, number=number)
            yield plan(subject, self.name, change, texts[detail])


def is_again(call: Call) -> bool:
    """Whether a call of this probe was made because two answers differed."""
    return call.plan.probe == NAME and call.plan.change.number is not None


def _bases(calls: Sequence[Call]) -> list[Mapping[str, Any]]:
    """The arguments of the first valid call that succeeded, and of the one with the longest answer."""
    first = next(succeeded(calls), None)
    if first is None:
        return []
    own = [call for call in calls if call.plan.probe == "valid" and call.succeeded and not call.unrecorded]
    longest = max(own, key=lambda call: len(payload_text(call)))
    return [first, json.loads(longest.plan.arguments or "{}")]


def _left_out(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != name}


def _answer(calls: Sequence[Call], arguments: str) -> str | None:
    """What the last undisturbed call with these arguments returned, its identifiers aside; None where none succeeded."""
    last = next(
        (
            call
            for call in reversed(calls)
            if call.plan.arguments == arguments and call.plan.disturbance is None and call.succeeded
        ),
        None,
    )
    return None if last is None else without_own_identifiers(payload_text(last))
