"""A row of the matrix: what all rules say of one tool, in a few lines that a person can read.

    nonconforming/ARG002_loads_outside_try: nonconforming; fails ARG002 MUST
        not applicable: CAT, EXC010-012

The first line is the one that matters: a false finding or a lost detection changes it and nothing else. Where the
editions differ, their verdicts are in their order: `conforming | nonconforming; fails REG012 SHOULD | MUST`. A
rule that a row does not name passes. The rules of `DECLARED` are the exception: they do not apply where a row does not name
them, which is nearly everywhere, and `passes` names them where they do. A rule of `RARE` is named where it fails only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from tests.acceptance.matrix.laboratory import Examined

from aptix_conformance.core.model.verdict import VerdictKind

DECLARED = frozenset(
    {"EXC015", "EXC016", "EXC017", "EXC018", "MCP114", "MCP116", "RES017", "RES018", "RES023"}
)
"""Rules on what few tools do, or few authors declare in the configuration."""

RARE = frozenset({"ARG016", "ARG017", "ARG018", "RES019", "RES020", "RES021", "RES022", "RES024"})
"""Rules on what any tool may happen to show: which tools they judge says nothing of the tools."""

CODE = 6
"""Characters of a rule's code: three letters and three digits."""


def row_of(examined: Examined) -> str:
    """The row of one tool, its lines without a last line break."""
    by_edition = list(examined.verdicts.values())
    head = _together([replace(examined.examination, verdicts=verdicts).status for verdicts in by_edition])
    failed = [
        f"{same_rule[0].rule} {_together([verdict.level.value for verdict in same_rule])}"
        for same_rule in zip(*by_edition, strict=True)
        if same_rule[0].verdict is VerdictKind.FAIL
    ]
    if failed:
        head += f"; fails {', '.join(failed)}"
    lines = [f"{examined.title}: {head}"]
    named = [
        verdict
        for verdict in by_edition[0]
        if verdict.rule not in RARE
        and (verdict.rule not in DECLARED or verdict.verdict is not VerdictKind.NOT_APPLICABLE)
    ]
    judged = [verdict.rule for verdict in named]
    for kind in (VerdictKind.WAIVED, VerdictKind.INCONCLUSIVE, VerdictKind.NOT_APPLICABLE):
        codes = [verdict.rule for verdict in named if verdict.verdict is kind]
        if codes:
            lines.append(f"    {kind.value.replace('_', ' ')}: {spans(codes, judged)}")
    passed = [each.rule for each in named if each.rule in DECLARED and each.verdict is VerdictKind.PASS]
    if passed:
        lines.append(f"    passes: {', '.join(passed)}")
    return "\n".join(lines)


def failed_in(row: str) -> frozenset[str]:
    """The codes of the rules that a row says fail."""
    _, _, found = row.partition("\n")[0].partition("; fails ")
    return frozenset(entry[:CODE] for entry in found.split(", ") if entry)


def spans(codes: Iterable[str], known: Sequence[str]) -> str:
    """Codes as spans of the known ones: `CAT` for a whole area, `EXC010-012` for neighbours."""
    wanted = set(codes)
    parts = []
    for area, members in groupby(known, lambda code: code[:3]):
        listed = list(members)
        if wanted >= set(listed):
            parts.append(area)
            continue
        for chosen, span in groupby(listed, wanted.__contains__):
            if chosen:
                first, *_, last = [*span] * 2
                parts.append(first if first == last else f"{first}-{last[3:]}")
    return ", ".join(parts)


def _together(words: Sequence[str]) -> str:
    """What each edition says: once, where they all say the same."""
    return words[0] if len(set(words)) == 1 else " | ".join(words)
