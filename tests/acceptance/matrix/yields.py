"""Choose the numbers of `examine/quick.py`: the calls that show most planted faults for what they cost.

    python -m tests.acceptance.matrix.yields calls.jsonl

Examines the fixtures that the file does not have yet, which takes most of an hour, and adds a line for each. Then it chooses
the numbers by the nonconforming fixtures. How much they find of tools that they were not chosen by is measured too: numbers that
are chosen by a half of the fixtures, those whose titles have an even digest, are tried on the other half.
With `--part 0/4` it examines every fourth one and chooses nothing: several such commands share the work, each with a file of its own.
"""

import argparse
import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from tests.acceptance.matrix.laboratory import Examined, Laboratory, laboratory
from tests.acceptance.matrix.specimens import Specimen, all_specimens

from aptix_conformance.core.model import Call
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.examine.quick import BY_PART, part_of

MOST: Final = 0.2
"""The part of all calls that the chosen ones may be. It is 13% of the calls that a user's standard plan makes of the same tools: that
draws 100 calls where the matrix draws 15."""
AGAIN: Final = 0.2
"""What a further way to show a fault counts, as a part of the way before: what shows it twice shows its kin."""
EACH: Final = ("invalid",)
"""Probes of which one call of each kind is made, whatever the fixtures say: each stands for a fault of its own."""
ALWAYS: Final = {
    ("valid", "minimal"): 1,
    ("valid", "full"): 1,
    ("valid", "example"): 2,
    ("valid", "declared"): 1,
    ("valid", "boundary"): 6,
    ("valid", "drawn"): 4,
    ("malformed", "drawn"): 1,
    ("malformed", "garbage:prose"): 1,
    ("malformed", "root:array"): 1,
    ("malformed", "truncated:mid-string"): 1,
    ("malformed", "lenient:nan"): 1,
    ("context", "context:none"): 1,
    ("context", "context:empty"): 1,
    ("fault", "library:unknown"): 3,
    ("fault", "parser:unknown"): 1,
    ("fault", "service:unknown"): 2,
}
"""What every examination begins with: other calls are planned by what came of these, which the lines of the file do not show."""

Need = tuple[str, str, int]
"""A probe, a part of its calls or all of them (``), and how many of these are made up to and with a call."""


@dataclass(frozen=True)
class Fault:
    """A rule that a fixture breaks, and what has to be made to see it; `free` where no call is needed."""

    title: str
    rule: str
    free: bool
    needs: frozenset[Need]


def recorded(own: Laboratory, specimen: Specimen) -> Iterator[dict[str, Any]]:
    """What is kept of the examination of a specimen: its calls in order, and by rule which of them broke it."""
    broken: dict[int, dict[str, set[int | None]]] = defaultdict(lambda: defaultdict(set))
    keep = Ledger._keep

    def kept(self: Ledger, rule: Any, observation: Any, judged: Iterable[Any]) -> None:
        breaches = list(judged)
        for each in breaches:
            call = observation if isinstance(observation, Call) else each.call
            broken[id(self)][rule.code].add(None if call is None else id(call))
        keep(self, rule, observation, breaches)

    with patch.object(Ledger, "_keep", kept):
        found: Sequence[Examined] = own.examine(specimen)
    for each in found:
        calls = each.examination.exploration.calls
        numbers: dict[int | None, int | None] = {id(call): number for number, call in enumerate(calls)} | {
            None: None
        }
        fails = {verdict.rule for verdict in each.examination.verdicts if verdict.verdict is VerdictKind.FAIL}
        yield {
            "specimen": specimen.title,
            "title": each.title,
            "calls": [(call.plan.probe, str(call.plan.kind), call.plan.label) for call in calls],
            "broken": {
                code: [numbers[call] for call in seen if call in numbers]
                for rules in broken.values()
                for code, seen in rules.items()
                if code in fails
            },
        }


def needs_of(calls: Sequence[Sequence[str]]) -> list[Need]:
    """What has to be made to make each of some calls; all of a group that is made at the same time."""
    made: Counter[tuple[str, str]] = Counter()
    found: list[Need] = []
    for probe, kind, label in calls:
        part = part_of(kind, label) if probe in BY_PART or kind == "together" else ""
        part = "drawn" if kind in {"generated", "mutation"} else part
        made[probe, part] += 1
        found.append((probe, part, made[probe, part]))
    for at in reversed(range(len(found) - 1)):
        (_, kind, _), (_, after, following) = calls[at][:3], calls[at + 1][:3]
        if (
            kind == after == "together"
            and not following.endswith("-1")
            and found[at][:2] == found[at + 1][:2]
        ):
            found[at] = found[at + 1]
    return found


def faults(rows: Iterable[Mapping[str, Any]]) -> Iterator[Fault]:
    """The planted fault of each nonconforming fixture: the rule that its name begins with."""
    for row in rows:
        own = row["title"].rpartition("/")[2].partition("_")[0]
        if "nonconforming/" in row["title"] and own in row["broken"]:
            needs, numbers = needs_of(row["calls"]), row["broken"][own]
            shown = frozenset(needs[number] for number in numbers if number is not None)
            yield Fault(row["title"], own, None in numbers, shown)


class Choice:
    """Numbers by probe and part, and what they cost on some rows."""

    def __init__(
        self, rows: Sequence[Mapping[str, Any]], most: Mapping[tuple[str, str], int] | None = None
    ) -> None:
        self.rows = rows
        self.calls = sum(len(row["calls"]) for row in rows)
        self._made: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
        for row in rows:
            last = {(probe, part): number for probe, part, number in needs_of(row["calls"])}
            for what, number in last.items():
                self._made[what][number] += 1
        each = {what: 1 for what in self._made if what[0] in EACH}
        self.most = Counter(each | ALWAYS if most is None else most)

    def cost(self, what: tuple[str, str], most: int) -> int:
        """The calls that a number makes on all rows."""
        return sum(min(most, number) * rows for number, rows in self._made[what].items())

    @property
    def spent(self) -> int:
        """The calls that all numbers make."""
        return sum(self.cost(what, most) for what, most in self.most.items())

    def ways(self, fault: Fault, what: tuple[str, str] = ("", ""), most: int = 0) -> int:
        """How many ways the numbers have to show a fault, one of them being another one."""
        return sum(
            number <= (max(most, self.most[probe, part]) if (probe, part) == what else self.most[probe, part])
            for probe, part, number in fault.needs
        )

    def improve(self, known: Sequence[Fault]) -> bool:
        """Raise the number that shows most for what it costs; False where none can be raised."""
        best: tuple[float, tuple[str, str], int] | None = None
        room = MOST * self.calls - self.spent
        by_need: dict[tuple[str, str], list[Fault]] = defaultdict(list)
        for fault in known:
            for what in {need[:2] for need in fault.needs} if not fault.free else ():
                by_need[what].append(fault)
        for what, concerned in by_need.items():
            before = sum(1 - AGAIN ** self.ways(fault) for fault in concerned)
            for most in sorted({need[2] for fault in concerned for need in fault.needs if need[:2] == what}):
                more = self.cost(what, most) - self.cost(what, self.most[what])
                gain = sum(1 - AGAIN ** self.ways(fault, what, most) for fault in concerned) - before
                if most > self.most[what] and more <= room and gain > 0:
                    best = max(best or (0.0, what, most), (gain / (more + 1), what, most))
        if best is None:
            return False
        self.most[best[1]] = best[2]
        return True

    def report(self, name: str, known: Sequence[Fault]) -> None:
        """Print what the numbers find, and what they miss."""
        missed = [fault for fault in known if not fault.free and not self.ways(fault)]
        for fault in missed:
            print(f"missed: {fault.title}", sorted(fault.needs)[:3])  # noqa: T201 - a command
        found = len(known) - len(missed)
        print(f"{name}: {found} of {len(known)} faults, {self.spent / self.calls:.1%} of the calls")  # noqa: T201


def chosen_by(rows: Sequence[Mapping[str, Any]]) -> Choice:
    """The numbers that show most of the faults of some rows."""
    found, known = Choice(rows), list(faults(rows))
    while found.improve(known):
        pass
    return found


def choose(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print what the numbers of a half of the rows find of the other half, then the numbers of all rows and what they find."""
    even = {row["title"]: hashlib.sha256(row["title"].encode()).digest()[0] % 2 == 0 for row in rows}
    seen, unseen = ([row for row in rows if even[row["title"]] is half] for half in (True, False))
    Choice(unseen, chosen_by(seen).most).report("a half, by the numbers of the other", list(faults(unseen)))
    learned = chosen_by(rows)
    by_probe: dict[str, dict[str, int]] = {call[0]: {} for row in rows for call in row["calls"]}
    for (probe, part), most in sorted(learned.most.items()):
        by_probe[probe]["" if probe in EACH and most == 1 else part] = most
    print(json.dumps(by_probe, indent=1, sort_keys=True))  # noqa: T201 - a command
    learned.report("all", list(faults(rows)))


def main(arguments: list[str]) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.acceptance.matrix.yields",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="what was recorded, a line a tool"
    )
    parser.add_argument(
        "--part", metavar="N/M", help="examine only each M-th fixture, from the N-th on; choose nothing"
    )
    chosen = parser.parse_args(arguments)
    first, _, step = (chosen.part or "0/1").partition("/")
    rows = [
        json.loads(line) for file in chosen.files if file.exists() for line in file.read_text().splitlines()
    ]
    done = {row["specimen"] for row in rows}
    left = [each for each in list(all_specimens())[int(first) :: int(step)] if each.title not in done]
    with laboratory() as own, chosen.files[-1].open("a") as file:
        for specimen in left:
            for row in recorded(own, specimen):
                file.write(json.dumps(row) + "\n")
                file.flush()
                rows.append(row)
    if not chosen.part:
        choose(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
