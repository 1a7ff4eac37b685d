"""Makes a page for each rule, their index and the table of the clauses, as Markdown, and checks links.

  python -m tools.pages --write site
  python -m tools.pages --check

The failure texts are those of the golden matrix. Exit status: 0; 1 when the matrix does not have the failure text of a page, or,
with --check, when a link of these pages or of the hand-written pages is broken; 2 on bad usage.
"""

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from aptix_conformance.core.contracts import Inventory, load
from aptix_conformance.present.catalog import account_for, clause_markdown, rule_page, to_markdown
from aptix_conformance.present.evidence import Evidence
from aptix_conformance.rules import Rule
from aptix_conformance.systems.rulebook import all_rules
from tools.evidence import CHECKOUT, Checkout, gather
from tools.rule_index import index_markdown

_FENCED: Final = re.compile(r"^(?P<fence>`{3,}).*?^(?P=fence)$", re.MULTILINE | re.DOTALL)
_QUOTED: Final = re.compile(r"`[^`\n]*`")
LINK: Final = re.compile(r"(?<!\\)\]\((?P<target>[^)\s]+)\)")


def main(arguments: Sequence[str] | None = None, checkout: Checkout = CHECKOUT) -> int:
    """Write the pages, or check that they can be made and that their links work; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.pages", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", type=Path, metavar="FOLDER", help="bring the pages in FOLDER up to date")
    what.add_argument(
        "--check", action="store_true", help="make the pages in a temporary folder, and check their links"
    )
    options = parser.parse_args(arguments)
    evidence = gather(checkout)
    missing = _unexamined(evidence)
    if options.check:
        return _check(checkout, evidence, missing)
    return _write(options.write, checkout, evidence, missing)


def _write(folder: Path, checkout: Checkout, evidence: Evidence, missing: list[str]) -> int:
    pages = _pages(folder, checkout, evidence)
    changed = write(folder, pages)
    written = [f"written {folder / path}" for path in changed]
    print("\n".join([*written, *missing, f"{len(changed)} of {len(pages)} pages changed"]))
    return 1 if missing else 0


def _check(checkout: Checkout, evidence: Evidence, missing: list[str]) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        pages = _pages(folder, checkout, evidence)
        write(folder, pages)
        found = _broken(folder, (folder / path for path in pages))
    found += _broken(checkout.root, checkout.pages)
    print("\n".join([*found, *missing] or [f"{len(pages)} pages can be made, and no link leads nowhere"]))
    return 1 if found or missing else 0


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


def all_pages(
    rules: Iterable[Rule], inventory: Inventory, evidence: Evidence, *, root: str = ".."
) -> dict[str, str]:
    """The text of every page, by its path in the folder; `root` is the path from that folder to the checkout."""
    known = tuple(rules)
    fixtures = f"../{root}/fixtures"
    pages = {
        f"rules/{rule.code}.md": to_markdown(rule_page(rule, inventory, evidence), fixtures) for rule in known
    }
    pages["rules/README.md"] = index_markdown(known, inventory)
    pages["clauses.md"] = clause_markdown(account_for(inventory, known, evidence), root=root)
    return pages


def write(folder: Path, pages: Mapping[str, str]) -> list[str]:
    """Write every changed page and delete pages of unknown rules; returns the changed paths, sorted."""
    (folder / "rules").mkdir(parents=True, exist_ok=True)
    orphans = [path for path in _rule_pages(folder) if path not in pages]
    changed = [path for path, text in pages.items() if not _holds(folder / path, text)]
    for path in orphans:
        (folder / path).unlink()
    for path in changed:
        (folder / path).write_text(pages[path], encoding="utf-8")
    return sorted([*orphans, *changed])


def broken_links(page: Path) -> list[str]:
    """The targets of a Markdown page's links to missing files; links to the web are not checked."""
    text = _QUOTED.sub("", _FENCED.sub("", page.read_text(encoding="utf-8")))
    targets = [link["target"].partition("#")[0] for link in LINK.finditer(text)]
    return [
        target for target in targets if target and "://" not in target and not (page.parent / target).exists()
    ]


def _rule_pages(folder: Path) -> Iterator[str]:
    return (f"rules/{path.name}" for path in (folder / "rules").glob("*.md"))


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
