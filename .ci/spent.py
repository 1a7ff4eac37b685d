"""Show where a run of CI went, and fail where it took more processor time than the tree allows.

    python .ci/spent.py STEPS BUDGET

STEPS has a line for each step as `.ci/run` writes it: seconds by the clock at its beginning, the ticks that the processors of this
machine had worked until then, and what it is. BUDGET is a file that begins with the processor seconds that a whole run may take.
Seconds are taken as they are: those of one tree differ by a tenth between machines, while how fast a machine does a small piece of
work differs by half from one moment to the next.
"""

import os
import sys
from itertools import pairwise
from pathlib import Path


def main(steps: Path, budget: Path) -> None:
    """Print the table and the sum."""
    rows = [line.split("\t") for line in steps.read_text(encoding="utf-8").splitlines()]
    tick = 1 / os.sysconf("SC_CLK_TCK")
    begun = [(int(clock), int(worked) * tick, title) for clock, worked, title in rows]
    for (clock, spent, title), (next_clock, next_spent, _) in pairwise(begun):
        print(f"{(next_clock - clock) / 60:6.1f} min {next_spent - spent:7.0f} s of processors  {title}")
    (began, idle, _), (ended, worked, _) = begun[0], begun[-1]
    clock, spent = ended - began, worked - idle
    allowed = float(budget.read_text(encoding="utf-8").split()[0])
    print(f"{clock / 60:6.1f} min {spent:7.0f} s of processors, of the {allowed:.0f} that {budget} allows")
    if spent > allowed:
        sys.exit("that is too much: see what grew")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
