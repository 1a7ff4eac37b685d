"""Makes docs/mechanisms.md of what was seen of the pairs."""

from collections.abc import Sequence
from typing import Final

from corpus.mechanisms.pairs import HERE, Seen

PAGE: Final = HERE.parents[1] / "docs" / "mechanisms.md"
_HEAD: Final = """# Public bugs of tools for Amplifier, ART and C#

Tools for these systems are seldom published in a registry: when we wrote this page, PyPI had no Amplifier tool module, npm had no ART
tool, and we could get no package of C# tools. So we rewrote each bug of this list, from a public report or a public history, as a pair of
our own: a small tool with the mechanism of the bug, and the same tool fixed. The pairs show that a rule finds the mechanism; they do not
show the findings of the suite in the project that had the bug. Bugs of published MCP servers are in
[real-servers.md](real-servers.md) and [deployed-servers.md](deployed-servers.md).

The sources were chosen before the first examination; each pair names the rule that found the bug, or should have found it. One source, a shell
whose children outlive a call (Amplifier), is left out, because its fixed tool had other faults. `python -m corpus mechanisms` makes this
page from `corpus/mechanisms/`; do not edit it. The command fails if an expected fault is not found, or if a fixed tool breaks a MUST rule.
"""


def render(seen: Sequence[Seen]) -> str:
    """The page, in Markdown."""
    found = [each for each in seen if not each.pair.missed]
    rows = [
        f"| {each.pair.name} | [{each.pair.what}]({each.pair.source}) | {each.pair.rule} | {each.states[0]} | {each.states[1]} |"
        for each in seen
    ]
    missed = [
        f"- {each.pair.name} ({each.pair.rule}): {each.pair.missed}." for each in seen if each.pair.missed
    ]
    return "\n".join(
        [
            _HEAD,
            f"- {len(seen)} pairs, {len(found)} of them found",
            "",
            "| pair | bug | rule | in the faulty tool | in the fixed one |",
            "|---|---|---|---|---|",
            *rows,
            "",
            "## What is missed",
            "",
            *missed,
            "",
        ]
    )
