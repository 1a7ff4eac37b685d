"""How long a process takes: wall time, and the processor time of it and all that it waited for.

On a machine with other work wall time says little, so each figure has both, and rounds of what is compared
alternate. What is reported is the median.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any, Final

from benchmarks.environments import PROGRAMS, clean

_PAUSE: Final = 0.02
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of one run, and how many things it did in them."""

    wall: float
    cpu: float
    count: int = 1


def of_process(
    command: Sequence[str | Path], folder: Path, variables: Mapping[str, str] = MappingProxyType({})
) -> Cost:
    """What a command costs from its start to its end; its output is shown where it fails.

    Args:
        command: the words of the command, an interpreter first.
        folder: where it runs.
        variables: environment variables that it gets besides.

    Raises:
        SystemExit: it fails.
    """
    started = time.perf_counter()
    process = subprocess.Popen(
        list(map(str, command)),
        cwd=folder,
        env={**clean(str(command[0])), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    output = process.stdout.read()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{output}")
    return Cost(wall, usage.ru_utime + usage.ru_stime)


def of_tree(command: Sequence[str | Path], folder: Path, apart: str) -> tuple[Cost, Cost]:
    """What a command and all processes below it cost; second, those of them that have the word `apart` in their command.

    What ends with its PID namespace leaves no processor time to who waits for it. So each process is looked at while it runs, every
    20 ms, and what it uses after the last look is not counted.

    Raises:
        SystemExit: the command fails.
    """
    started = time.perf_counter()
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen(
            list(map(str, command)), cwd=folder, env=clean(str(command[0])), stdout=output, stderr=output
        ) as process,
    ):
        ours: dict[tuple[int, str], float] = {}
        theirs: dict[tuple[int, str], float] = {}
        below = {process.pid}
        while process.poll() is None:
            for pid in sorted(below):
                below.update(_children(pid))
                fields = _read(pid, "stat").rpartition(")")[2].split()
                if not fields:
                    below.discard(pid)
                    continue
                key = pid, fields[19]  # when it started
                is_apart = key in theirs or apart in _read(pid, "cmdline")
                (theirs if is_apart else ours)[key] = (int(fields[11]) + int(fields[12])) / _TICKS
            time.sleep(_PAUSE)
        wall = time.perf_counter() - started
        output.seek(0)
        if process.returncode:
            raise SystemExit(
                f"{' '.join(map(str, command))} failed:\n{output.read().decode(errors='replace')}"
            )
    # Some of the server's were looked at before they had its command.
    used = sum(seconds for key, seconds in ours.items() if key not in theirs)
    return Cost(wall, used), Cost(wall, sum(theirs.values()))


def _children(pid: int) -> list[int]:
    return [
        int(child)
        for path in Path(f"/proc/{pid}/task").glob("*/children")
        for child in _read(pid, path.relative_to(f"/proc/{pid}")).split()
    ]


def _read(pid: int, name: str | Path) -> str:
    """A file of a process in /proc; empty where the process has ended."""
    try:
        return Path(f"/proc/{pid}", name).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def by_itself(python: Path, program: str, *arguments: object) -> Cost:
    """What a program of `programs/` says that its work cost.

    Raises:
        SystemExit: it fails.
    """
    command = [str(python), str(PROGRAMS / program), *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, env=clean(str(python)), check=False)
    if run.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{run.stdout}{run.stderr}")
    said: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return Cost(said["wall"], said["cpu"], said["calls"])


def alternating(rounds: int, *measured: Callable[[int], Cost]) -> list[list[Cost]]:
    """The costs of each, taken in turns; each gets the number of the round, which may serve as a seed."""
    costs: list[list[Cost]] = [[] for _ in measured]
    for number in range(rounds):
        for index, measure in enumerate(measured):
            costs[index].append(measure(number))
    return costs


def per_second(costs: Sequence[Cost]) -> tuple[float, float]:
    """How many things a second: by the clock, and by the processor."""
    return median(cost.count / cost.wall for cost in costs), median(cost.count / cost.cpu for cost in costs)


def seconds(costs: Sequence[Cost]) -> tuple[float, float]:
    """Seconds of one thing: by the clock, and of the processor."""
    return median(cost.wall / cost.count for cost in costs), median(cost.cpu / cost.count for cost in costs)
