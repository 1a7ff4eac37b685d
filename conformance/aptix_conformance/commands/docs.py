"""`aptix-conformance docs`: the generated pages of this project, and the evidence that is shipped with it."""

import argparse
from pathlib import Path
from typing import Any, Final

from aptix_conformance.catalog import (
    Checkout,
    Evidence,
    all_pages,
    checkout_around,
    gather,
    stale,
    text_of,
    write,
)
from aptix_conformance.commands.command import NO, OK, add_command, say
from aptix_conformance.contracts import load
from aptix_conformance.errors import ConfigurationError
from aptix_conformance.systems.rulebook import all_rules

_DESCRIPTION: Final = """\
For who works on the suite, in a checkout of it: make the pages of the rules and of the clauses, and evidence.json,
which `explain` and `clauses` read where the suite is installed. The failure texts are those of the golden matrix.

  aptix-conformance docs --write docs
  aptix-conformance docs --check docs

Exit status: 0; 1 when a page is stale, or the matrix does not have the failure text of one; 2 when it is called wrongly.
"""


def add(subparsers: Any) -> None:
    """How it is called."""
    parser = add_command(subparsers, "docs", run, description=_DESCRIPTION)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", type=Path, metavar="FOLDER", help="bring the pages below FOLDER up to date")
    what.add_argument("--check", type=Path, metavar="FOLDER", help="change nothing, and say what is stale")


def run(options: argparse.Namespace) -> int:
    """Write the pages, or look whether they are as they would be written."""
    checkout = checkout_around(Path.cwd())
    if checkout is None:
        raise ConfigurationError(
            "`aptix-conformance docs` works in a checkout of the suite, and here is none"
        )
    inventory = load()
    rules = all_rules((), inventory)
    evidence = gather(checkout, rules)
    pages = all_pages(rules, inventory, evidence)
    if options.check:
        return _check(options.check, checkout, evidence, pages)
    checkout.evidence.write_text(text_of(evidence), encoding="utf-8")
    changed = write(options.write, pages)
    missing = _unexamined(evidence)
    written = [f"written {options.write / path}" for path in changed]
    say("\n".join([*written, *missing, f"{len(changed)} of {len(pages)} pages changed"]))
    return NO if missing else OK


def _check(folder: Path, checkout: Checkout, evidence: Evidence, pages: dict[str, str]) -> int:
    found = [f"{folder / path} is stale" for path in stale(folder, pages)]
    if not checkout.evidence.is_file() or checkout.evidence.read_text(encoding="utf-8") != text_of(evidence):
        found.append(f"{checkout.evidence.relative_to(checkout.root)} is stale")
    if found:
        found.append(f"To mend it: aptix-conformance docs --write {folder}")
    found += _unexamined(evidence)
    say("\n".join(found or [f"{len(pages)} pages are up to date"]))
    return NO if found else OK


def _unexamined(evidence: Evidence) -> list[str]:
    return [
        f"The golden matrix has no failure text of {code} for fixtures/{example.path}; "
        f"to mend it: python -m tests.acceptance.matrix --write '*/{code}_*'"
        for code, example in evidence.examples.items()
        if not example.failure
    ]
