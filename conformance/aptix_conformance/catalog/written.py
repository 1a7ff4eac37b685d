"""All generated pages as files below `docs/`: which there are, which are stale."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from aptix_conformance.catalog.accounting import account_for
from aptix_conformance.catalog.clause_table import clause_markdown
from aptix_conformance.catalog.evidence import Evidence
from aptix_conformance.catalog.index import index_markdown
from aptix_conformance.catalog.markdown import to_markdown
from aptix_conformance.catalog.page import rule_page
from aptix_conformance.contracts import Inventory
from aptix_conformance.rules import Rule


def all_pages(rules: Iterable[Rule], inventory: Inventory, evidence: Evidence) -> dict[str, str]:
    """The text of every page, by its path below the folder of the documentation."""
    known = tuple(rules)
    pages = {f"rules/{rule.code}.md": to_markdown(rule_page(rule, inventory, evidence)) for rule in known}
    pages["rules/README.md"] = index_markdown(known, inventory)
    pages["clauses.md"] = clause_markdown(account_for(inventory, known, evidence))
    return pages


def stale(folder: Path, pages: Mapping[str, str]) -> list[str]:
    """The paths of pages that are missing or are not as they should be, and of pages of no rule."""
    wrong = [path for path, text in pages.items() if not _holds(folder / path, text)]
    return sorted([*wrong, *_orphans(folder, pages)])


def write(folder: Path, pages: Mapping[str, str]) -> list[str]:
    """Bring every page up to date and delete those of no rule; returns the paths of what was changed."""
    changed = stale(folder, pages)
    (folder / "rules").mkdir(parents=True, exist_ok=True)
    for path in changed:
        if path in pages:
            (folder / path).write_text(pages[path], encoding="utf-8")
        else:
            (folder / path).unlink()
    return changed


def _orphans(folder: Path, pages: Mapping[str, str]) -> list[str]:
    found = (f"rules/{path.name}" for path in (folder / "rules").glob("*.md"))
    return [path for path in found if path not in pages]


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text
