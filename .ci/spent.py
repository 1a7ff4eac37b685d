"""Show where a run of CI went, and fail where it took more processor time than the tree allows.

    python .ci/spent.py STEPS BUDGET

STEPS has a line for each step as `.ci/run` writes it: seconds by the clock at its beginning, the ticks that the processors of this
machine had worked until then, what `.ci/speed.py` said, and what the step is. BUDGET is a file whose first line begins with the
processor seconds that a whole run may take, and whose second begins with what `.ci/speed.py` says where that is enough. A machine
for which it says more is slower, and is allowed more in proportion: machines that run this differ by a factor of three.
"""

import os
import sys
from itertools import pairwise
from pathlib import Path
from statistics import mean


def main(steps: Path, budget: Path) -> None:
    """Print the table and the sum."""
    rows = [line.split("\t") for line in steps.read_text(encoding="utf-8").splitlines()]
    tick = 1 / os.sysconf("SC_CLK_TCK")
    begun = [(int(clock), int(worked) * tick, title) for clock, worked, _, title in rows]
    for (clock, spent, title), (next_clock, next_spent, _) in pairwise(begun):
        print(f"{(next_clock - clock) / 60:6.1f} min {next_spent - spent:7.0f} s of processors  {title}")
    (began, idle, _), (ended, worked, _) = begun[0], begun[-1]
    clock, spent = ended - began, worked - idle
    seconds, piece = (float(line.split()[0]) for line in budget.read_text(encoding="utf-8").splitlines())
    slower = max(1.0, mean(float(speed) for _, _, speed, _ in rows) / piece)
    allowed = seconds * slower
    print(
        f"{clock / 60:6.1f} min {spent:7.0f} s of processors, of the {allowed:.0f} that {budget} allows a machine "
        f"on which work takes {slower:.2f} times as long"
    )
    if spent > allowed:
        sys.exit("that is too much: see what grew")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
