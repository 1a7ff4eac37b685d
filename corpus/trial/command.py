"""`python -m corpus trial`: examine the tools of the blind trial, and write docs/blind-trial.md.

It installs SDKs from PyPI and npm, and takes about half an hour. It is no part of CI.
"""

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

from aptix_conformance.core.errors import ConformanceError
from corpus.trial.page import PAGE, render, unjudged
from corpus.trial.trial_tools import HERE, Runtimes, examine, read_labels


def main(arguments: list[str], cache: Path) -> int:
    """Run the command; gives its exit status: 1 where a finding is not judged or a tool cannot be examined."""
    parser = argparse.ArgumentParser(prog="python -m corpus trial", description=__doc__)
    parser.add_argument("id", nargs="*", help="only examine these tools, and write no page")
    parser.add_argument("--again", action="store_true", help="examine those that have a report, too")
    parser.add_argument("--page", action="store_true", help="only write the page from the reports there are")
    parser.add_argument("--cache", type=Path, default=cache, metavar="FOLDER", help=f"default: {cache}")
    chosen = parser.parse_args(arguments)
    labels = read_labels()
    if unknown := set(chosen.id) - {label.id for label in labels}:
        parser.error(f"there is no tool {min(unknown)!r} in labels.json")
    reports = chosen.cache / "trial" / "reports"
    reports.mkdir(parents=True, exist_ok=True)
    failed = False
    if not chosen.page:
        runtimes = _installed(chosen.cache / "trial")
        for label in labels:
            report = reports / f"{label.id}.json"
            if (label.id in chosen.id or not chosen.id) and (chosen.again or not report.exists()):
                started = time.monotonic()
                try:
                    examine(label, runtimes, report)
                except ConformanceError as error:
                    print(f"{label.id}: {error}", file=sys.stderr, flush=True)
                    failed = True
                print(f"{label.id}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    if chosen.id:
        return int(failed)
    PAGE.write_text(render(labels, reports), encoding="utf-8")
    problems = unjudged(labels, reports)
    for line in problems:
        print(f"not judged: {line}", file=sys.stderr)
    return int(failed or bool(problems))


def _installed(place: Path) -> Runtimes:
    """The SDKs at the versions for which the tools were written."""
    python, node = place / "venv" / "bin" / "python", place / "node"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", place / "venv"], check=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "-r", HERE / "requirements.txt"], check=True
        )
    if not (node / "node_modules").exists():
        node.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / "package.json", node)
        subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--silent"], cwd=node, check=True)
    return Runtimes(python, node)
