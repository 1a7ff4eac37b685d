"""Print the processor seconds that one processor of this machine needs now for a fixed piece of work, all processors at it at once.

    python3.11 .ci/speed.py

The work is what tests do: it compiles modules, which lives on memory, and starts interpreters, which lives on the kernel.
"""

import argparse
import os
import subprocess
import sys
import tarfile
import typing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import mean

SOURCES = [Path(module.__file__ or "").read_text(encoding="utf-8") for module in (argparse, tarfile, typing)]


def piece(_: int) -> float:
    """Processor seconds of one piece, those of its children included."""
    before = os.times()
    for _ in range(3):
        for source in SOURCES:
            compile(source, "piece", "exec")
        for _ in range(4):
            subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
    return sum(os.times()[:4]) - sum(before[:4])


if __name__ == "__main__":
    processors = os.cpu_count() or 1
    with ProcessPoolExecutor(processors) as pool:
        print(f"{mean(pool.map(piece, range(2 * processors))):.3f}")
