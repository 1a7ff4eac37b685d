"""Show where a run of CI went, and fail where it took more processor time than the tree allows.

    python .ci/spent.py STEPS BUDGET

STEPS has a line for each step as `.ci/run` writes it: seconds by the clock at its beginning, the ticks that the processors of this
machine had worked until then, and what it is. BUDGET is a file with the processor seconds that a whole run may take, on a machine
whose processors do `piece_of_work` in `REFERENCE` seconds each while the others do it too: processors differ, and so does one that
has a busy neighbour.
"""

import json
import os
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path
from statistics import median

REFERENCE = 0.5
DOCUMENT = {f"key {number}": [number, str(number), {"nested": number / 7}] for number in range(200)}


def piece_of_work(_: int) -> float:
    """Processor seconds that reading, writing and searching JSON takes here."""
    began = time.process_time()
    for _ in range(300):
        text = json.dumps(json.loads(json.dumps(DOCUMENT)), sort_keys=True, indent=1)
        re.findall(r'"(\w+ \d+)": \[\s+(\d+)', text)
    return time.process_time() - began


def speed() -> float:
    """How many times as fast as the reference one processor is, while all of them work."""
    processors = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(processors) as pool:
        return REFERENCE / median(pool.map(piece_of_work, range(5 * processors)))


def main(steps: Path, budget: Path) -> None:
    """Print the table and the sum."""
    rows = [line.split("\t") for line in steps.read_text(encoding="utf-8").splitlines()]
    tick = 1 / os.sysconf("SC_CLK_TCK")
    begun = [(int(clock), int(worked) * tick, title) for clock, worked, title in rows]
    for (clock, spent, title), (next_clock, next_spent, _) in pairwise(begun):
        print(f"{(next_clock - clock) / 60:6.1f} min {next_spent - spent:7.0f} s of processors  {title}")
    (began, idle, _), (ended, worked, _) = begun[0], begun[-1]
    clock, spent = ended - began, worked - idle
    factor = speed()
    allowed = float(budget.read_text(encoding="utf-8").split()[0])
    print(
        f"{clock / 60:6.1f} min {spent:7.0f} s of processors, of which one is {factor:.2f} times the reference"
    )
    if spent * factor > allowed:
        sys.exit(
            f"that is {spent * factor:.0f} s of the reference, more than the {allowed:.0f} of {budget}: see what grew"
        )
    print(f"that is {spent * factor:.0f} s of the reference, of the {allowed:.0f} that {budget} allows")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
