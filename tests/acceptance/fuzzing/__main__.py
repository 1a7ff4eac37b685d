"""Give the suite malformed files, host messages and specs; exit 1 if one is not refused well.

Each input is a valid document, damaged. Reading it must end in one of three ways: an answer, a refusal of one line with
the exit status 2, or, for a host's message, an incident of the tool. A traceback, a line that a terminal could take for
a command, and five seconds of processor time are defects; the input is kept, so that it can be tried again.

  python -m tests.acceptance.fuzzing                                 10,000 inputs, shared by all kinds
  python -m tests.acceptance.fuzzing --inputs 200000 --seed 7 report
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.acceptance.fuzzing.kinds import KINDS
from tests.acceptance.fuzzing.trial import Fault, Figures, try_kind


def main(arguments: list[str]) -> int:
    """Run the command; gives its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.acceptance.fuzzing",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"these only: {', '.join(KINDS)}")
    parser.add_argument(
        "--inputs", type=int, default=10_000, metavar="N", help="inputs in all (default: 10000)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the damage (default: 0)")
    parser.add_argument(
        "--keep",
        type=Path,
        default=Path("fuzzing-faults"),
        metavar="FOLDER",
        help="for inputs that show a defect",
    )
    chosen = parser.parse_args(arguments)
    unknown = sorted(set(chosen.kinds) - KINDS.keys())
    if unknown:
        parser.error(f"unknown kind {unknown[0]!r}: one of {', '.join(KINDS)}")
    kinds = chosen.kinds or list(KINDS)
    faults: list[Fault] = []
    for name in kinds:
        started = time.process_time()
        with tempfile.TemporaryDirectory() as scratch:
            figures = try_kind(KINDS[name], max(1, chosen.inputs // len(kinds)), chosen.seed, Path(scratch))
        print(_line(name, figures, time.process_time() - started), flush=True)
        faults += figures.faults
    for fault in faults[:20]:
        print(f"\n{fault.kind}: {fault.reason}\n  input: {_kept(fault, chosen.keep)}", file=sys.stderr)
    return int(bool(faults))


def _line(name: str, figures: Figures, seconds: float) -> str:
    return (
        f"{name:14} {figures.tried:7,} inputs  {figures.refused:7,} refused  {figures.accepted:7,} accepted  "
        f"{len(figures.faults):3} defects  {seconds:6.1f} s of processor time"
    )


def _kept(fault: Fault, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{fault.kind}-{fault.number}"
    path.write_bytes(fault.data)
    return path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
