"""Gives damaged documents to one kind of reader, and judges how each reading ends."""

import random
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.acceptance.fuzzing.damage import damaged


class NotRefusedWellError(Exception):
    """A reading ended in a way that is a defect; the message says how."""


class _TooLongError(BaseException):
    """The time for one input is over. No `except Exception` on the way may catch it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of input: its name, valid documents, how one is read, and the processor time that this may take.

    The time is many times what is usual: it is there for what takes longer by more than a factor.

    `read` gets the bytes and an empty folder, and says whether they were accepted.

    Raises (in `read`):
        NotRefusedWellError: they were refused, but not in one clear line.
    """

    name: str
    documents: Callable[[], tuple[bytes, ...]]
    read: Callable[[bytes, Path], bool]
    seconds: float = 5.0


@dataclass(frozen=True, slots=True)
class Fault:
    """An input that showed a defect. `number` counts the inputs of its kind."""

    kind: str
    number: int
    reason: str
    data: bytes


@dataclass(slots=True)
class Figures:
    """How the inputs of one kind were read."""

    tried: int = 0
    refused: int = 0
    accepted: int = 0
    faults: list[Fault] = field(default_factory=list)


def try_kind(kind: Kind, inputs: int, seed: int, scratch: Path) -> Figures:
    """Read `inputs` damaged documents, and first each of the valid ones unchanged."""
    chance = random.Random(f"{seed}/{kind.name}")
    documents = kind.documents()
    figures = Figures()
    for document in documents:
        if not kind.read(document, scratch):
            raise AssertionError(f"a valid document of the kind {kind.name} was refused: {document[:200]!r}")
    before = signal.signal(signal.SIGPROF, _stop)
    try:
        for number in range(inputs):
            data = damaged(chance.choice(documents), chance)
            _try_one(kind, number, data, scratch, figures)
    finally:
        signal.signal(signal.SIGPROF, before)
    return figures


def _try_one(kind: Kind, number: int, data: bytes, scratch: Path, figures: Figures) -> None:
    figures.tried += 1
    signal.setitimer(signal.ITIMER_PROF, kind.seconds)
    try:
        accepted = kind.read(data, scratch)
    except _TooLongError:
        figures.faults.append(Fault(kind.name, number, f"it took more than {kind.seconds:g} s", data))
    except NotRefusedWellError as error:
        figures.faults.append(Fault(kind.name, number, str(error), data))
    except Exception:  # noqa: BLE001 - whatever it is, that is the finding
        figures.faults.append(Fault(kind.name, number, traceback.format_exc(limit=-6), data))
    else:
        figures.accepted += accepted
        figures.refused += not accepted
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _stop(*_: object) -> None:
    raise _TooLongError
