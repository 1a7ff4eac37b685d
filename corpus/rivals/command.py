"""`python -m corpus rivals`: examine pairs of a faulty and a fixed MCP server with several programs, and write docs/comparison.md.

It installs the programs from PyPI and npm, once. Without other work on the machine it takes about a quarter of an hour.
"""

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

import aptix_conformance
from corpus.rivals.install import install
from corpus.rivals.measure import examine
from corpus.rivals.page import PAGE, render
from corpus.rivals.programs import PROGRAMS, Program
from corpus.rivals.results import RESULTS, Examination, Measured, Results, read_pairs, read_results


def main(arguments: list[str], cache: Path) -> int:
    """Run the command; gives its exit status: 1 if a program cannot be installed."""
    parser = argparse.ArgumentParser(prog="python -m corpus rivals", description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the page from the committed results")
    if not parser.parse_args(arguments).page:
        try:
            made = [each for program in PROGRAMS for each in _measured(program, cache / "rivals")]
        except (subprocess.CalledProcessError, OSError) as error:
            print(error, file=sys.stderr)
            return 1
        results = Results(
            datetime.now(UTC).date().isoformat(),
            f"{os.cpu_count()} processors, Linux, Python {platform.python_version()}",
            tuple(map(_entry, PROGRAMS)),
            tuple(made),
        )
        RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")
    PAGE.write_text(render(read_results(), read_pairs()), encoding="utf-8")
    return 0


def _measured(program: Program, folder: Path) -> Sequence[Examination]:
    path = install(program, folder)
    made = []
    for pair in read_pairs():
        for faulty in (True, False):
            made.append(examine(program, pair, faulty=faulty, path=path))
            said = ", ".join(finding.kind for finding in made[-1].findings) or "nothing"
            which = "faulty" if faulty else "fixed"
            print(
                f"{program.name}: {pair.name} {which}: {said} ({made[-1].wall:.1f} s)",
                file=sys.stderr,
                flush=True,
            )
    return made


def _entry(program: Program) -> Measured:
    version = (
        program.packages[0].replace("==", "@").rpartition("@")[2]
        if program.packages
        else aptix_conformance.__version__
    )
    return Measured(
        program.name, version, tuple(" ".join(each.words) for each in program.commands), program.note
    )
