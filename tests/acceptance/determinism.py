"""Examine every fixture and every reference tool with many seeds, and print what differs from the stored matrix.

What a seed draws must decide nothing: a fixture that some seeds find and others do not shows that a probe needs a
better corpus. Prints a line for each verdict that differs, then one JSON object; exit 1 if anything differed. What was
examined is kept, and a run of the same sources goes on where the last one stopped.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.acceptance.matrix import stored
from tests.acceptance.matrix.batch import examine_all
from tests.acceptance.matrix.laboratory import EXAMPLES
from tests.acceptance.matrix.specimens import CHECKOUT, Specimen, matching

SOURCES = ("conformance", "reference_tools", "fixtures", "tests/acceptance/matrix")
KEPT = CHECKOUT / "build" / "determinism.jsonl"
BLOCK = 10
"""Seeds with which a specimen is examined one after the other: they share its hosts, and the hosts their canaries."""


def main(arguments: list[str]) -> int:
    """Run the command; gives its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance.determinism", description=__doc__)
    parser.add_argument("titles", nargs="*", metavar="TITLE", help="these only (clean/*, nonconforming/ARG*)")
    parser.add_argument(
        "--seeds", type=_seeds, default=_seeds("50"), metavar="N", help="seeds 1 to N, or M-N (default: 50)"
    )
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default: 2)")
    parser.add_argument(
        "--kept", type=Path, default=KEPT, metavar="FILE", help=f"default: {KEPT.name} in build/"
    )
    parser.add_argument(
        "--examples", type=int, default=EXAMPLES, metavar="N",
        help=f"drawn calls a probe (default: {EXAMPLES}); with 0 the seed decides nothing, and what differs needs luck",
    )  # fmt: skip
    chosen = parser.parse_args(arguments)
    specimens = matching(chosen.titles)
    if not specimens:
        parser.error("no fixture has such a title")
    rows = _rows(specimens, chosen.seeds, chosen)
    examined = {(_specimen_of(entry["title"]), entry["seed"]) for entry in rows}
    missing = len(specimens) * len(chosen.seeds) - len(examined)
    summary = {"examinations": len(examined), "not_examined": missing, "differ": _differing(rows)}
    print(json.dumps({"seeds": len(chosen.seeds), **summary}, indent=1))  # noqa: T201 - a command
    return int(bool(missing or summary["differ"]))


def _seeds(text: str) -> range:
    """`50` for 1 to 50, `21-50`; a ValueError, which argparse reports, for anything else and for no seed at all."""
    first, dash, last = text.partition("-")
    seeds = range(int(first), int(last) + 1) if dash else range(1, int(first) + 1)
    if not seeds:
        raise ValueError(text)
    return seeds


def _rows(
    specimens: Sequence[Specimen], seeds: Iterable[int], chosen: argparse.Namespace
) -> list[dict[str, Any]]:
    """The rows of all specimens for all seeds: those kept, and those examined now, which are kept at once."""
    kept, digest = chosen.kept, f"{_digest()}/{chosen.examples}"
    each = [(seed, specimen) for specimen in specimens for seed in seeds]
    each.sort(key=lambda run: (run[0] - 1) // BLOCK)
    wanted = {(specimen.title, seed): specimen for seed, specimen in each}
    known = [entry for entry in _read(kept) if entry["sources"] == digest]
    done = {(_specimen_of(entry["title"]), entry["seed"]) for entry in known}
    runs = [(specimen, seed) for (title, seed), specimen in wanted.items() if (title, seed) not in done]
    found = [entry for entry in known if (_specimen_of(entry["title"]), entry["seed"]) in wanted]
    kept.parent.mkdir(parents=True, exist_ok=True)
    with kept.open("a", encoding="utf-8") as file:
        for seen in examine_all(runs, chosen.jobs, chosen.examples):
            if seen.error:
                print(f"{seen.title} could not be examined: {seen.error}")  # noqa: T201 - a command
                continue
            entry = {"sources": digest, "title": seen.title, "seed": seen.seed, "row": seen.row}
            file.write(json.dumps(entry) + "\n")
            file.flush()
            found.append(entry)
    return found


def _differing(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that differ from the matrix, each difference printed."""
    matrix = stored.read()
    differ = []
    for entry in rows:
        before = matrix.get(entry["title"], "").splitlines()
        after = entry["row"].splitlines()
        if before != after:
            for sign, lines, others in (("-", before, after), ("+", after, before)):
                for line in lines:
                    if line not in others:
                        print(f"seed {entry['seed']} {sign} {line}")  # noqa: T201 - a command
            differ.append({"title": entry["title"], "seed": entry["seed"], "row": after})
    return differ


def _specimen_of(title: str) -> str:
    return title.partition(":")[0]


def _read(kept: Path) -> Iterator[dict[str, Any]]:
    """What earlier runs kept; a line cut off by an interrupt is left out."""
    for line in kept.read_text(encoding="utf-8").splitlines() if kept.exists() else ():
        if line.endswith("}"):
            yield json.loads(line)


def _digest() -> str:
    """What tells one state of the sources from another."""
    digest = hashlib.sha256()
    for folder in SOURCES:
        for path in sorted((CHECKOUT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(CHECKOUT)}\0".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
