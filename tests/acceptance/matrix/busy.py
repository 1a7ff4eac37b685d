"""Examine the fixtures and the reference tools beside busy loops; the verdicts must be those of the stored matrix.

    python -m tests.acceptance.matrix.busy --loops 8 'reference/*' 'clean/*' 'nonconforming/CAN*'

Without titles, all of them, which takes an hour and more. Exit status 1 if a verdict differs from that of an idle machine.
"""

import argparse
import subprocess
import sys
from contextlib import ExitStack

from tests.acceptance.matrix.__main__ import main as examine

_LOOP = "while True: pass"


def main(arguments: list[str]) -> int:
    """Run the command; gives its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance.matrix.busy", description=__doc__)
    parser.add_argument("titles", nargs="*", metavar="TITLE", help="examine these only")
    parser.add_argument("--loops", type=int, default=8, metavar="N", help="busy loops (default: 8)")
    parser.add_argument("--jobs", default="2", metavar="N", help="processes that examine (default: 2)")
    chosen = parser.parse_args(arguments)
    with ExitStack() as stack:
        for _ in range(chosen.loops):
            loop = subprocess.Popen([sys.executable, "-I", "-S", "-c", _LOOP])
            stack.callback(loop.wait)
            stack.callback(loop.kill)
        return examine(["--jobs", chosen.jobs, *chosen.titles])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
