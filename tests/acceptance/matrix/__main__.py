"""Examine every fixture and every reference tool, and show what differs from the stored matrix; exit 1 if anything does.

With --write the matrix and the texts of its findings (snapshots/matrix/) are written again.
"""

import argparse
import difflib
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from tests.acceptance.matrix import findings, stored
from tests.acceptance.matrix.batch import examine_all
from tests.acceptance.matrix.specimens import Specimen, all_specimens, matching

_PROGRESS: Final = 100
"""Fixtures from one line of progress to the next."""


def main(arguments: list[str]) -> int:
    """Run the command; gives its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance.matrix", description=__doc__)
    parser.add_argument(
        "titles", nargs="*", metavar="TITLE", help="examine these only (clean/*, nonconforming/ARG*)"
    )
    parser.add_argument("--write", action="store_true", help="store what was found")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default: 2)")
    chosen = parser.parse_args(arguments)
    wanted = matching(chosen.titles)
    if not wanted:
        parser.error("no fixture has such a title")
    before = stored.read()
    faults = _examine(wanted, before, chosen.jobs, write=chosen.write)
    for fault in faults:
        print(fault, file=sys.stderr)  # noqa: T201 - a command
    return int(bool(faults))


def _examine(wanted: Sequence[Specimen], before: Mapping[str, str], jobs: int, *, write: bool) -> list[str]:
    """Print what differs from the rows before, and write if asked to; gives what is wrong, in sentences."""
    gone = {
        *stored.stale(before, all_specimens()),
        *(t for each in wanted for t in stored.rows_of(before, each)),
    }
    rows = {title: row for title, row in before.items() if title not in gone}
    texts = {title: found for title, found in findings.read().items() if title not in gone}
    faults = []
    for number, seen in enumerate(examine_all([(specimen, 0) for specimen in wanted], jobs), start=1):
        if number % _PROGRESS == 0:
            print(f"{number} of {len(wanted)} examined", file=sys.stderr, flush=True)  # noqa: T201 - a command
        if seen.error:
            faults.append(f"{seen.title} could not be examined: {seen.error}")
            continue
        rows[seen.title], texts[seen.title] = seen.row, seen.findings
        if before.get(seen.title) != seen.row:
            print(_difference(before.get(seen.title, ""), seen.row), flush=True)  # noqa: T201 - a command
    for title in sorted(before.keys() - rows.keys()):
        print(_difference(before[title], ""))  # noqa: T201 - a command
    if write:
        stored.write(rows)
        findings.write({title: texts.get(title, {}) for title in rows})
    elif rows != before:
        faults.append(f"the matrix differs; if that is meant: {stored.COMMAND}")
    return faults


def _difference(before: str, after: str) -> str:
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return "\n".join(line for line in lines if line[0] in "+-")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
