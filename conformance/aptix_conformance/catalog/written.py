"""All generated pages as files of one folder, and the check of links."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from aptix_conformance.catalog.accounting import account_for
from aptix_conformance.catalog.clause_table import clause_markdown
from aptix_conformance.catalog.index import index_markdown
from aptix_conformance.catalog.markdown import to_markdown
from aptix_conformance.catalog.page import rule_page
from aptix_conformance.contracts import Inventory
from aptix_conformance.evidence import Evidence
from aptix_conformance.rules import Rule

_FENCED: Final = re.compile(r"^(?P<fence>`{3,}).*?^(?P=fence)$", re.MULTILINE | re.DOTALL)
_QUOTED: Final = re.compile(r"`[^`\n]*`")
_LINK: Final = re.compile(r"(?<!\\)\]\((?P<target>[^)\s]+)\)")


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
    targets = [link["target"].partition("#")[0] for link in _LINK.finditer(text)]
    return [
        target for target in targets if target and "://" not in target and not (page.parent / target).exists()
    ]


def _rule_pages(folder: Path) -> Iterator[str]:
    return (f"rules/{path.name}" for path in (folder / "rules").glob("*.md"))


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text
