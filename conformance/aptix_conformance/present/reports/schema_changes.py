"""Comparisons of schemas as people and machines read them: text, JSON, Markdown, and GitHub's annotations."""

import json
from collections.abc import Iterable, Sequence

from aptix_conformance.core.schemas.diff import Change, ChangeClass, Comparison
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports.markup import (
    LONGEST_SPAN,
    cell,
    code_span,
    command_data,
    command_property,
)

_GRAVE = (ChangeClass.BREAKING, ChangeClass.UNKNOWN)


def changes_text(comparison: Comparison) -> str:
    """The text for one tool: its class, each change, and the call that is refused now."""
    name = printable(comparison.tool) or "(no name)"
    lines = [
        f"{comparison.change_class.label:<14}{name}",
        *(f"  {line}" for line in change_lines(comparison)),
    ]
    return "\n".join(lines)


def change_lines(comparison: Comparison) -> list[str]:
    """One line for each change; the last line is the witness, if there is one."""
    lines = [
        f"{change.change_class.label:<14}{change.code} at {printable(change.path, 200)}: {printable(change.message, 400)}"
        for change in comparison.changes
    ]
    if comparison.witness is not None:
        lines.append(f"{'witness':<14}was allowed and is refused now: {_witness(comparison)}")
    return lines


def comparisons_text(comparisons: Sequence[Comparison]) -> str:
    """The text for all tools that changed, and the number of the others."""
    changed = [comparison for comparison in comparisons if comparison.changes]
    same = len(comparisons) - len(changed)
    lines = [changes_text(comparison) for comparison in changed]
    if same:
        names = (
            printable(comparisons[0].tool)
            if len(comparisons) == 1
            else f"{same} tool{'s' if same > 1 else ''}"
        )
        lines.append(f"{ChangeClass.IDENTICAL.label:<14}{names}")
    return "\n".join(lines)


def comparisons_json(comparisons: Sequence[Comparison], *, several: bool) -> str:
    """One object for one tool; a list with `tool` in each where several were compared."""
    data = [comparison.data() for comparison in comparisons]
    if not several:
        return json.dumps(data[0], indent=2)
    named = [{"tool": comparison.tool, **entry} for comparison, entry in zip(comparisons, data, strict=True)]
    return json.dumps(named, indent=2)


def comparisons_markdown(comparisons: Sequence[Comparison]) -> str:
    """A table for a comment on a pull request."""
    lines = ["| tool | class | change | what it means |", "|---|---|---|---|"]
    for comparison in comparisons:
        if not comparison.changes:
            lines.append(f"| {code_span(comparison.tool)} | identical | | |")
        for change in comparison.changes:
            place = f"{change.code} at {code_span(change.path)}"
            word = change.change_class.label
            emphasis = f"**{word}**" if change.change_class in _GRAVE else word
            lines.append(f"| {code_span(comparison.tool)} | {emphasis} | {place} | {cell(change.message)} |")
    for comparison in comparisons:
        if comparison.witness is not None:
            lines += [
                "",
                f"Was allowed and is refused now, {code_span(comparison.tool)}: {code_span(_witness(comparison))}",
            ]
    return "\n".join(lines)


def comparisons_github(comparisons: Sequence[Comparison], files: dict[str, str]) -> str:
    """Workflow commands that GitHub shows as annotations; `files` are the tools' lock files, by name."""
    return "\n".join(_annotations(comparisons, files))


def _annotations(comparisons: Sequence[Comparison], files: dict[str, str]) -> Iterable[str]:
    for comparison in comparisons:
        where = f"file={command_property(files[comparison.tool])}," if comparison.tool in files else ""
        for change in comparison.changes:
            message = f"{change.path}: {change.message}"
            if _is_proved(change, comparison):
                message += f" (refused now: {_witness(comparison)})"
            title = command_property(f"{comparison.tool}: {change.change_class.label}: {change.code}")
            yield f"::{_level(change)} {where}title={title}::{command_data(printable(message, 2000))}"


def _is_proved(change: Change, comparison: Comparison) -> bool:
    """Whether the witness shows this change: only a breaking change of the parameters has one."""
    is_of_arguments = change.path.partition(".")[0] == "parameters"
    return comparison.witness is not None and change.change_class is ChangeClass.BREAKING and is_of_arguments


def _level(change: Change) -> str:
    if change.change_class in _GRAVE:
        return "error"
    return "warning" if change.change_class is ChangeClass.COMPATIBLE else "notice"


def _witness(comparison: Comparison) -> str:
    return printable(json.dumps(comparison.witness, ensure_ascii=True), LONGEST_SPAN)
