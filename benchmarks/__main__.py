"""`python -m benchmarks [--only NAME] [--quick] [--json PATH]`."""

import argparse
import sys
from pathlib import Path

from benchmarks import figures
from benchmarks.environments import CHECKOUT, Environments
from benchmarks.rows import FULL, QUICK, ROWS


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", choices=list(ROWS), help="this row (repeatable)")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes: to see that it works, not to quote"
    )
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the figures here too")
    parser.add_argument(
        "--here", action="store_true", help="measure the suite that this interpreter has, not a fresh install"
    )
    parser.add_argument(
        "--environments", type=Path, default=CHECKOUT / ".venv" / "benchmarks", metavar="FOLDER",
        help="where the measured environments are kept (default: .venv/benchmarks)",
    )  # fmt: skip
    chosen = parser.parse_args(arguments)
    environments = Environments(chosen.environments.absolute(), here=chosen.here)
    sizes = QUICK if chosen.quick else FULL
    found: list[figures.Figure] = []
    failed: list[str] = []
    for name, row in ROWS.items():
        if not chosen.only or name in chosen.only:
            print(f"measuring {name}", file=sys.stderr)
            try:
                found += list(row(environments, sizes))
            except SystemExit as fault:  # what was measured cannot be, and the other rows can
                failed.append(name)
                print(f"{name}: {fault}", file=sys.stderr)
    print(figures.table(found))
    if chosen.json:
        figures.write(chosen.json, found, quick=chosen.quick)
    if failed:
        print(f"not measured: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
