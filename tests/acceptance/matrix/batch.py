"""Many specimens examined in several processes; a module of its own, since a fresh process cannot import `__main__`."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import repeat
from multiprocessing import get_context

from tests.acceptance.matrix.findings import findings_of
from tests.acceptance.matrix.laboratory import EXAMPLES, Laboratory, laboratory
from tests.acceptance.matrix.rows import row_of
from tests.acceptance.matrix.specimens import Specimen

from aptix_conformance.core.errors import ConformanceError
from aptix_conformance.core.text import printable

_PORTION = 20
"""Examinations that a process makes before it hands over what it found: they share hosts, which take time to start."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one tool's examination left: its row, and the texts of its findings."""

    title: str
    seed: int
    row: str = ""
    findings: dict[str, list[str]] = field(default_factory=dict)
    error: str = ""
    """Why it could not be examined, empty where it could."""


def examine_all(runs: Sequence[tuple[Specimen, int]], jobs: int, examples: int = EXAMPLES) -> Iterator[Seen]:
    """Examine specimens, each with a seed, in `jobs` processes; gives what was seen in the same order."""
    # Fresh interpreters: the threads of an executor do not go with a fork.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as workers:
        for seen in workers.map(_examine, _portions(runs), repeat(examples)):
            yield from seen


def _portions(runs: Sequence[tuple[Specimen, int]]) -> Iterator[Sequence[tuple[Specimen, int]]]:
    """The runs in their order, so many at a time."""
    return (runs[place : place + _PORTION] for place in range(0, len(runs), _PORTION))


def _examine(portion: Sequence[tuple[Specimen, int]], examples: int) -> list[Seen]:
    _, first = portion[0]
    with laboratory(first, examples) as own:
        return [seen for specimen, seed in portion for seen in _seen(own, specimen, seed)]


def _seen(own: Laboratory, specimen: Specimen, seed: int) -> list[Seen]:
    """What one specimen left; where it could not be examined that is said, and the others go on."""
    try:
        return [
            Seen(found.title, seed, row_of(found), findings_of(found))
            for found in own.examine(specimen, seed)
        ]
    except ConformanceError as error:
        return [Seen(specimen.title, seed, error=printable(str(error)))]
