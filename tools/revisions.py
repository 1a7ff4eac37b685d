"""Makes docs/mcp-revisions.md: the clauses that are not the same in all revisions of the Model Context Protocol.

  python -m tools.revisions            # write the page
  python -m tools.revisions --check    # say whether it is what the clauses say

Exit status: 0; 1 when the page differs; 2 on bad usage.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import yaml

from aptix_conformance.core.contracts import Clause, Inventory, load
from aptix_conformance.systems.rulebook import unchecked_rules

PAGE: Final = Path(__file__).parents[1] / "docs" / "mcp-revisions.md"
_OPENING: Final = """\
# Revisions of the Model Context Protocol

The specification has five dated revisions, and each is an edition of the suite. The suite judges a server by the newest revision that it
speaks ([mcp.md](mcp.md#the-server-and-its-tools)). Most clauses are the same in all revisions; the tables show the others.
`python -m tools.revisions` makes this page from `core/contracts/mcp-clauses.yaml`. That file also gives the place of each clause in the
specification, and the commit.

## Differences by subject

An empty cell means: as in the revision on its left.

"""
_CLAUSES: Final = """
## Clauses that appear, vanish or change their level

A dash means that the revision does not have the clause, so the suite judges nothing by it there.

"""


def main(arguments: Sequence[str] | None = None, page: Path = PAGE) -> int:
    """Write the page, or compare it; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.revisions", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing")
    if not parser.parse_args(arguments).check:
        page.write_text(text(), encoding="utf-8")
        return 0
    if page.exists() and page.read_text(encoding="utf-8") == text():
        return 0
    print(f"{page.name} is not what the clauses say: run python -m tools.revisions", file=sys.stderr)
    return 1


def text() -> str:
    """The whole page."""
    inventory = load()
    names = sorted(edition.name for edition in inventory.editions.values() if edition.system == "mcp")
    return "\n".join(
        [_OPENING + _row(["", *map(_date, names)]), _rule(names), *_differences(names), _CLAUSES]
    ) + "\n".join(
        [
            _row(["clause", *map(_date, names), "what it says", "rules"]),
            _rule([*names, "", ""]),
            *_changed(inventory, names),
            "",
        ]
    )


def _differences(names: Sequence[str]) -> Iterator[str]:
    """A line for each subject; an empty cell is the one on its left once more."""
    source = resources.files("aptix_conformance.core.contracts").joinpath("mcp-clauses.yaml")
    entries: list[dict[str, Any]] = yaml.safe_load(source.read_text(encoding="utf-8"))["differences"]
    for entry in entries:
        said = next(entry[name] for name in names if name in entry)
        cells = [said := entry.get(name, said) for name in names]
        yield _row(
            [entry["on"], *("" if cell == before else cell for before, cell in pairwise(["", *cells]))]
        )


def _changed(inventory: Inventory, names: Sequence[str]) -> Iterator[str]:
    rules: dict[str, list[str]] = {}
    for rule in unchecked_rules(()):
        for cited in rule.clauses:
            rules.setdefault(cited, []).append(rule.code)
    for clause in inventory.clauses.values():
        levels = [inventory.editions[name].levels.get(clause.id) for name in names]
        if clause.document == "MCP" and len(set(levels)) > 1:
            said = [level.value if level else "-" for level in levels]
            yield _row([clause.id, *said, _said(clause), " ".join(sorted(rules.get(clause.id, ())))])


def _said(clause: Clause) -> str:
    """The text of a clause as the quotation that it is."""
    return '"' + clause.text.replace("|", "\\|").replace("<", "&lt;").replace('"', "'") + '"'


def _date(name: str) -> str:
    return name.removeprefix("mcp-")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rule(names: Sequence[str]) -> str:
    return "|---" * (len(names) + 1) + "|"


if __name__ == "__main__":
    sys.exit(main())
