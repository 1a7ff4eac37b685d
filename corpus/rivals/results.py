"""What was measured: `results.json`, the pairs, and what they say of each program."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

HERE: Final = Path(__file__).parent
RESULTS: Final = HERE / "results.json"


class Pair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A public report of a fault, and the name of the server in `servers/` that has the fault."""

    name: str
    source: str
    what: str


class Finding(msgspec.Struct, frozen=True, order=True):
    """One kind of finding: the program's own name for it, and whether the program grades it as an error, not as advice."""

    kind: str
    fails: bool = True


NO_REPORT: Final = Finding("ends without a report")


class Examination(msgspec.Struct, frozen=True):
    """One program on one server. `wall` and `cpu` are seconds; `ended` is false where the time limit stopped it."""

    program: str
    pair: str
    faulty: bool
    wall: float
    cpu: float
    findings: tuple[Finding, ...]
    ended: bool = True


class Measured(msgspec.Struct, frozen=True):
    """A program as it was measured. `commands` has SERVER for the command of the server."""

    name: str
    version: str
    commands: tuple[str, ...]
    note: str = ""


class Results(msgspec.Struct, frozen=True):
    """All that `results.json` has: the day, the machine, the programs, and each examination."""

    day: str
    machine: str
    programs: tuple[Measured, ...]
    examinations: tuple[Examination, ...]


def read_pairs() -> list[Pair]:
    """The pairs, in the order of the list.

    Raises:
        msgspec.ValidationError: an entry lacks a key, or has an unknown one.
    """
    data = tomllib.loads((HERE / "pairs.toml").read_text(encoding="utf-8"))
    return msgspec.convert(data["pair"], list[Pair])


def read_results() -> Results:
    """The committed results.

    Raises:
        msgspec.ValidationError: the file has another form.
    """
    return msgspec.json.decode(RESULTS.read_bytes(), type=Results)


def told_apart(program: str, pair: str, examinations: Sequence[Examination]) -> tuple[Finding, ...]:
    """The kinds of finding that a program has on the faulty server of a pair and not on the fixed one."""
    mine = [each for each in examinations if (each.program, each.pair) == (program, pair)]
    fixed = {finding.kind for each in mine if not each.faulty for finding in each.findings}
    return tuple(
        finding
        for each in mine
        if each.faulty
        for finding in sorted(each.findings)
        if finding.kind not in fixed
    )


def on_fixed(program: str, examinations: Sequence[Examination], *, fails: bool) -> list[tuple[str, Finding]]:
    """The pairs on whose fixed server a program has findings, with these."""
    return [
        (each.pair, finding)
        for each in examinations
        if each.program == program and not each.faulty
        for finding in sorted(each.findings)
        if finding.fails == fails
    ]
