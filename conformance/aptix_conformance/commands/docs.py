"""`aptix-conformance docs`: the generated pages of this project."""

import argparse
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from aptix_conformance.catalog import all_pages, broken_links, write
from aptix_conformance.commands.command import NO, OK, add_command, say
from aptix_conformance.contracts import load
from aptix_conformance.errors import ConfigurationError
from aptix_conformance.evidence import Checkout, Evidence, checkout_around, gather
from aptix_conformance.systems.rulebook import all_rules

_DESCRIPTION: Final = """\
For developers of the suite, in a checkout: make a page for each rule, their index and the table of the clauses, as
Markdown. The failure texts are those of the golden matrix.

  aptix-conformance docs --write site
  aptix-conformance docs --check

Exit status: 0; 1 when the matrix does not have the failure text of a page, or, with --check, when a link of these pages
or of the hand-written pages is broken; 2 on bad usage.
"""


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(subparsers, "docs", run, description=_DESCRIPTION)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", type=Path, metavar="FOLDER", help="bring the pages in FOLDER up to date")
    what.add_argument(
        "--check", action="store_true", help="make the pages in a temporary folder, and check their links"
    )


def run(options: argparse.Namespace) -> int:
    """Write the pages, or check that they can be made and that their links work."""
    checkout = checkout_around(Path.cwd())
    if checkout is None:
        raise ConfigurationError(
            "`aptix-conformance docs` works in a checkout of the suite; the current directory is in none"
        )
    evidence = gather(checkout)
    missing = _unexamined(evidence)
    if options.check:
        return _check(checkout, evidence, missing)
    return _write(options.write, checkout, evidence, missing)


def _write(folder: Path, checkout: Checkout, evidence: Evidence, missing: list[str]) -> int:
    pages = _pages(folder, checkout, evidence)
    changed = write(folder, pages)
    written = [f"written {folder / path}" for path in changed]
    say("\n".join([*written, *missing, f"{len(changed)} of {len(pages)} pages changed"]))
    return NO if missing else OK


def _check(checkout: Checkout, evidence: Evidence, missing: list[str]) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        pages = _pages(folder, checkout, evidence)
        write(folder, pages)
        found = _broken(folder, (folder / path for path in pages))
    found += _broken(checkout.root, checkout.pages)
    say("\n".join([*found, *missing] or [f"{len(pages)} pages can be made, and no link leads nowhere"]))
    return NO if found or missing else OK


def _pages(folder: Path, checkout: Checkout, evidence: Evidence) -> dict[str, str]:
    inventory = load()
    root = Path(os.path.relpath(checkout.root.resolve(), folder.resolve())).as_posix()
    return all_pages(all_rules((), inventory), inventory, evidence, root=root)


def _broken(folder: Path, pages: Iterable[Path]) -> list[str]:
    return [
        f"{page.relative_to(folder)}: the link to {target} leads nowhere"
        for page in pages
        for target in broken_links(page)
    ]


def _unexamined(evidence: Evidence) -> list[str]:
    return [
        f"The golden matrix has no failure text of {code} for fixtures/{example.path}; "
        f"to fix it: python -m tests.acceptance.matrix --write '*/{code}_*'"
        for code, example in evidence.examples.items()
        if not example.failure
    ]
