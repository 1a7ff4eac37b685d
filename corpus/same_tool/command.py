"""`python -m corpus same-tool`: examine one tool on every SDK and as an Aptix tool, and write docs/same-tool.md.

It installs SDKs from PyPI and npm, and takes about half an hour. It is no part of CI.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from aptix_conformance import Run
from aptix_conformance.core.errors import ConformanceError
from aptix_conformance.present.reports.report_files import read_report
from corpus.environments import write_lock
from corpus.same_tool.comparison import disagreements, seen_of
from corpus.same_tool.faults import CONFORMING, Fault, read_faults
from corpus.same_tool.page import PAGE, render
from corpus.same_tool.variants import VARIANTS, Variant


def main(arguments: list[str], cache: Path) -> int:
    """Run the command; gives its exit status."""
    parser = argparse.ArgumentParser(prog="python -m corpus same-tool", description=__doc__)
    parser.add_argument("name", nargs="*", help="only examine these variants, and write no page")
    parser.add_argument(
        "--lock", action="store_true", help="resolve the lock files again, and examine nothing"
    )
    parser.add_argument("--again", action="store_true", help="examine those that have a report, too")
    parser.add_argument("--cache", type=Path, default=cache, metavar="FOLDER", help=f"default: {cache}")
    chosen = parser.parse_args(arguments)
    variants = [variant for variant in VARIANTS if not chosen.name or variant.name in chosen.name]
    if len(variants) < len(set(chosen.name)):
        parser.error(f"choose of {', '.join(variant.name for variant in VARIANTS)}")
    try:
        if chosen.lock:
            _write_locks(variants, chosen.cache)
            return 0
        _examine(variants, chosen.cache, again=chosen.again)
    except (ConformanceError, subprocess.CalledProcessError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0 if chosen.name else _compare(chosen.cache)


def _write_locks(variants: list[Variant], cache: Path) -> None:
    for variant in variants:
        if variant.sdk:
            write_lock(variant.sdk, cache)


def _examine(variants: list[Variant], cache: Path, *, again: bool) -> None:
    for variant in variants:
        for fault in read_faults():
            report = _report(cache, variant, fault)
            if report.exists() and not again:
                continue
            report.parent.mkdir(parents=True, exist_ok=True)
            started = time.monotonic()
            project = variant.install(cache / "servers") / fault.name
            project.mkdir(exist_ok=True)
            Run.write_report(report, variant.examine(fault, project))
            seconds = time.monotonic() - started
            print(f"{variant.name} {fault.name}: {seconds:.0f} s", file=sys.stderr, flush=True)


def _compare(cache: Path) -> int:
    """Write the page, and say where the systems disagree; gives the exit status."""
    faults = read_faults()
    conforming = next(fault for fault in faults if fault.name == CONFORMING)
    seen = {
        fault.name: {
            variant.title: seen_of(
                fault,
                variant.system,
                read_report(_report(cache, variant, fault)).tools[0],
                read_report(_report(cache, variant, conforming)).tools[0],
            )
            for variant in VARIANTS
        }
        for fault in faults
    }
    PAGE.write_text(render(faults, seen), encoding="utf-8")
    found = [line for fault in faults for line in disagreements(fault, seen[fault.name])]
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


def _report(cache: Path, variant: Variant, fault: Fault) -> Path:
    return cache / "reports" / "same-tool" / f"{variant.name}-{fault.name}.json"
