"""What became of the mutants: a table by module, and the survivors with the places where they are explained."""

import difflib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cosmic_ray.work_db import WorkDB
from cosmic_ray.work_item import TestOutcome, WorkerOutcome

from mutation.mutants import Mutant

EXPLAINED: Final = Path(__file__).with_name("survivors.md")


def show(db: WorkDB, modules: set[str]) -> int:
    """Print the survivors that are not explained, and the table; gives the command's exit status."""
    killed: Counter[str] = Counter()
    survived: Counter[str] = Counter()
    living = []
    for item, result in db.completed_work_items:
        mutant = Mutant.of(item)
        if result.worker_outcome is WorkerOutcome.SKIPPED or (modules and mutant.path.stem not in modules):
            continue
        if result.test_outcome is TestOutcome.SURVIVED:
            survived[_title(mutant)] += 1
            living.append(mutant)
        else:
            killed[_title(mutant)] += 1
    explained = set(EXPLAINED.read_text(encoding="utf-8").splitlines())
    unexplained = 0
    for mutant in sorted(living, key=lambda m: (str(m.path), m.first_line)):
        said = entry(mutant)
        unexplained += said not in explained
        if said not in explained:
            print(said)
    for title in sorted({*killed, *survived}):
        print(f"{title:40} {killed[title]:5} killed {survived[title]:4} survived")
    dead, alive = killed.total(), survived.total()
    print(
        f"{'all':40} {dead:5} killed {alive:4} survived, {dead / max(1, dead + alive):.1%}; {unexplained} unexplained"
    )
    return int(bool(unexplained))


def entry(mutant: Mutant) -> str:
    """The line that a survivor has in survivors.md."""
    where = " ".join(filter(None, (mutant.path.name, mutant.spec.definition_name)))
    return f"- {where}: {' '.join(_changes(mutant))}"


def _title(mutant: Mutant) -> str:
    return "/".join(mutant.path.parts[2:])


def _changes(mutant: Mutant) -> Iterator[str]:
    """The changed line before and after, as survivors.md cites it."""
    before = mutant.path.read_text(encoding="utf-8").splitlines()
    after = mutant.source().splitlines()
    for tag, i, j, k, m in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            yield f"`{' '.join(x.strip() for x in before[i:j])}` → `{' '.join(x.strip() for x in after[k:m])}`"
