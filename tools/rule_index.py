"""The list of all rules: one table for each area."""

from collections.abc import Iterable

from aptix_conformance.core.contracts import Inventory
from aptix_conformance.present.catalog import AREAS, area_of, levels_of, systems_of
from aptix_conformance.present.catalog.markdown import cell
from aptix_conformance.rules import Rule

_HEAD = """\
# The rules

One page for each rule, made by `python -m tools.pages --write site`. In a terminal: `aptix-conformance rules` lists them and
`aptix-conformance explain ARG002` prints a page. What proves each clause: [clauses.md](../clauses.md).
"""


def index_markdown(rules: Iterable[Rule], inventory: Inventory) -> str:
    """The page, with the levels of each rule in the editions of its systems."""
    by_area: dict[str, list[Rule]] = {area: [] for area in AREAS}
    for rule in rules:
        by_area.setdefault(area_of(rule), []).append(rule)
    parts = [_HEAD]
    for area, some in by_area.items():
        if some:
            parts.append(f"\n## {area}: {AREAS.get(area, '')}\n\n{_table(some, inventory)}\n")
    return "".join(parts)


def _table(rules: list[Rule], inventory: Inventory) -> str:
    systems = {system for rule in rules for system in systems_of(rule, inventory)}
    editions = [name for name, edition in inventory.editions.items() if edition.system in systems]
    lines = [
        f"| rule | {' | '.join(editions)} | what it demands |",
        f"| --- | {' | '.join('---' for _ in editions)} | --- |",
    ]
    for rule in rules:
        levels = levels_of(rule, inventory)
        cells = [str(levels.get(edition, "")) for edition in editions]
        lines.append(
            f"| [{rule.code}]({rule.code}.md) {rule.name} | {' | '.join(cells)} | {cell(rule.demand)} |"
        )
    return "\n".join(lines)
