"""Probe `confined`: paths that lead out of the folder to which a tool's author confines it (`confined_to`).

Each text in the arguments of a call that worked is replaced by such paths, one text at a time. Nobody says which texts are
paths and what they are relative to: where a text is none, its tool refuses it or takes it as another text, and no result
has the canary. The host plants the canary (`hosts/confined_files.py`) for the calls of this probe only.

The calls themselves are made first, while the folder is empty. One that answers as before and writes nothing there shows
nothing of the folder; where no call shows more, the tool may work elsewhere, and the paths prove nothing.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, Final

from aptix_conformance.core.model import Call, Change, Kind, Shortfall, Stimulus
from aptix_conformance.core.model.confinement import (
    EMPTIED,
    FILE,
    FILE_LINK,
    INNER,
    KIND,
    LINK,
    NEW,
    other,
    similar,
)
from aptix_conformance.stimuli.generate import write
from aptix_conformance.stimuli.probes.planning import argument_label, plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject

_FROM_EXAMPLES: Final = (Kind.EXAMPLE, Kind.DECLARED)
_EMPTIED: Final = Change(Kind.CUSTOM, detail=EMPTIED)
_ELSEWHERE: Final = (
    "with the folder of `confined_to` empty, each example got the answer that it had before and wrote nothing there, so the tool "
    "may work elsewhere: let it find the folder by a path relative to its working directory, and give an example that reads or "
    "writes a file there"
)
_NUMBER: Final = re.compile(r"\d+")
_AGAIN: Final = ", from the working directory"
_READING: Final = ("files0-from", "pathspec-from-file")
"""Options that read the names of files from a file, and name in an error those that there are not: of GNU's tools, and of git."""
_MOST_TEXTS: Final = 8
"""Texts that are replaced, over all calls that worked."""

Steps = tuple[str | int, ...]
"""The path of a text in an object of arguments: names of members and places in arrays."""


class ConfinedProbe(Probe):
    """Plans the calls of the author's examples that worked, with paths that lead out of the folder."""

    name = KIND

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """Each example while the folder is empty, then each text of each example, replaced by each path."""
        if not subject.settings.confined_to or KIND not in subject.disturbances:
            return
        escapes = paths_outside(subject.settings.confined_to)
        chosen = _texts(calls)[:_MOST_TEXTS]
        for arguments in dict.fromkeys(call.plan.arguments for call, _ in chosen):
            yield plan(subject, self.name, _EMPTIED, arguments)
        for call, steps in chosen:
            for detail, path in escapes.items():
                change = Change(Kind.VARIED, argument_label(_label(steps)), detail)
                yield plan(subject, self.name, change, _replaced(call, steps, path))

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:
        """The author confines the tool, and no call could be made, or not one for each text."""
        if not subject.settings.confined_to:
            return None
        if KIND not in subject.disturbances:
            return Shortfall(
                self.name, "nothing can be planted beside the folder of `confined_to` here", rules=("EXC015",)
            )
        texts = _texts(calls)
        if not texts:
            return Shortfall(self.name, "no example with a text succeeded: give one", rules=("EXC015",))
        if not any(_shows_the_folder(call, calls) for call in calls if _is_control(call)):
            return Shortfall(self.name, _ELSEWHERE, rules=("EXC015",))
        tried = {call.plan.change.argument for call in calls if call.plan.probe == self.name}
        untried = {argument_label(_label(steps)) for _, steps in texts} - tried
        reason = f"the paths were not sent for {', '.join(sorted(untried))}"
        return Shortfall(self.name, reason, reduced_coverage=True) if untried else None


def paths_outside(folder: str) -> dict[str, str]:
    """Paths that lead out of a folder, each with the way out, as words for people; what follows a comma tells alike ways apart.

    They are relative to the folder, or to the working directory in which it lies, or absolute. The last ones are options
    of a program, should the text be handed to one: they write a file, or read one and name in their message what it holds.
    """
    planted = {"parent": other(folder), "similar name": similar(folder)}
    relative = {"link": f"{LINK}/{FILE}", "link, a folder": LINK, "link, to a file": FILE_LINK}
    for way, place in planted.items():
        name = PurePosixPath(place).name
        ends = {"": f"/{FILE}", ", a folder": "", ", a new file": f"/{NEW}"}
        relative |= {f"{way}{what}": f"../{name}{end}" for what, end in ends.items()}
    up = f"../{PurePosixPath(other(folder)).name}/{FILE}"
    relative |= {
        "parent, behind a dot": f"./{up}",
        "parent, down and up": f"{INNER}/../{up}",
        "parent, for who removes dots": f"....//{up.removeprefix('../')}",
    }
    paths = dict(relative)
    for way, place in planted.items():
        paths |= {f"{way}, by name": f"{place}/{FILE}", f"{way}, a new file by name": f"{place}/{NEW}"}
    paths |= {f"{way}{_AGAIN}": f"{folder}/{path}" for way, path in relative.items()}
    paths |= {
        "absolute": f"/proc/self/cwd/{planted['parent']}/{FILE}",
        "absolute, a folder": f"/proc/self/cwd/{planted['parent']}",
        "absolute, similar name": f"/proc/self/cwd/{planted['similar name']}/{FILE}",
        "option": f"--output={NEW}",
        "option, above": f"--output={'../' * len(PurePosixPath(folder).parts)}{NEW}",
    }
    for option in _READING:
        paths[f"option, {option}"] = f"--{option}={up}"
        paths[f"option, {option}{_AGAIN}"] = f"--{option}={planted['parent']}/{FILE}"
    return paths


def _texts(calls: Sequence[Call]) -> list[tuple[Call, Steps]]:
    """The calls whose texts are replaced, each with the place of one: the examples that worked, else the first call that did."""
    worked = [call for call in calls if call.plan.probe == "valid" and call.succeeded]
    examples = [call for call in worked if call.plan.kind in _FROM_EXAMPLES] or worked[:1]
    places = [(call, steps) for call in examples for steps in _places(_arguments(call))]
    # The first text of every example comes before the second of any.
    return sorted(places, key=lambda place: list(_places(_arguments(place[0]))).index(place[1]))


def _is_control(call: Call) -> bool:
    """Whether a call was made while the folder was empty."""
    return call.plan.files == "emptied"


def _shows_the_folder(control: Call, calls: Sequence[Call]) -> bool:
    """Whether the tool could not be loaded or failed with an empty folder, wrote there, or answered otherwise than equal calls."""
    if control.left_out or control.inside or not control.succeeded:
        return True
    equal = [
        call
        for call in calls
        if call.plan.probe != KIND and call.plan.arguments == control.plan.arguments and call.succeeded
    ]
    answers = [_answer(call) for call in equal]
    return _is_another(_answer(control), answers) or _is_another(
        _without_numbers(_answer(control)), map(_without_numbers, answers)
    )


def _is_another(answer: str, known: Iterable[str]) -> bool:
    """Whether some calls had one answer, and this is another."""
    answers = set(known)
    return len(answers) == 1 and answer not in answers


def _answer(call: Call) -> str:
    return (call.result.payload if call.result else None) or ""


def _without_numbers(answer: str) -> str:
    """An answer without its numbers: each process of a tool has a working directory of its own, which is named with one."""
    return _NUMBER.sub("", answer)


def _arguments(call: Call) -> Any:
    return json.loads(call.plan.arguments or "{}")


def _places(value: Any, steps: Steps = ()) -> Iterator[Steps]:
    """The paths of the texts of a value; of an array, those of the first member."""
    if isinstance(value, str):
        yield steps
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from _places(member, (*steps, name))
    elif isinstance(value, list):
        for place, member in islice(enumerate(value), 1):
            yield from _places(member, (*steps, place))


def _label(steps: Steps) -> str:
    """The path of a text, for people: `files[0].path`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def _replaced(call: Call, steps: Steps, text: str) -> str:
    """The arguments of a call, with another text at one place."""
    arguments = container = _arguments(call)
    *way, last = steps
    for step in way:
        container = container[step]
    container[last] = text
    return write(arguments)
