"""`aptix-conformance schema diff`: what changed between two schemas, and whose calls it breaks."""

import argparse
from pathlib import Path
from typing import Any, Final

from aptix_conformance.app.commands.command import BAD_USE, NO, OK, add_command, say
from aptix_conformance.app.commands.schema_sides import Side, read_side
from aptix_conformance.app.run.comparison import in_time
from aptix_conformance.core.schemas.diff import ChangeClass, Comparison, compare_all
from aptix_conformance.present.reports.schema_changes import (
    comparisons_github,
    comparisons_json,
    comparisons_markdown,
    comparisons_text,
)

FORMATS: Final = ("text", "json", "markdown", "github")

_DESCRIPTION = """\
Compare tool schemas: is a call that was allowed refused now? A breaking change is shown with the smallest such call.

  aptix-conformance schema diff main snapshots/
  aptix-conformance schema diff HEAD~3:snapshots/ HEAD
  aptix-conformance schema diff snapshots/agent_weather.json my_pkg.tools:WeatherTool

OLD and NEW can each be a lock file or a folder of locks; a function schema in a file, bare or in a provider's form; a
report; a git revision with the folder of the locks, or REVISION:PATH; or a target spec, whose tool is read and not called.
Exit status: 0 when every allowed call is still allowed; 1 when a call is refused, or when that is unknown without
--allow-unknown; 2 on bad input, such as a changed schema that is not a JSON Schema.
docs/schema-changes.md has the classes and a recipe for CI.
"""


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(
        subparsers, "diff", run, short="show the changes between two schemas", description=_DESCRIPTION
    )
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="text for people (default), or for machines"
    )
    parser.add_argument(
        "--allow-unknown",
        action="store_true",
        help="exit with 0 where it is unknown whether a call is refused now",
    )


def run(options: argparse.Namespace) -> int:
    """Compare both sides and print the changes; the exit status says whether a change is breaking."""
    old, new = (read_side(text, Path.cwd()) for text in (options.old, options.new))
    comparisons = _compared(old, new)
    several = (old.is_collection and new.is_collection) or len(comparisons) != 1
    files = {**old.files, **new.files}
    text = {
        "text": lambda: comparisons_text(comparisons),
        "json": lambda: comparisons_json(comparisons, several=several),
        "markdown": lambda: comparisons_markdown(comparisons),
        "github": lambda: comparisons_github(comparisons, files),
    }[options.format]()
    if text:
        say(text)
    if any(change.code == "schema-invalid" for comparison in comparisons for change in comparison.changes):
        return BAD_USE
    gated = {ChangeClass.BREAKING} if options.allow_unknown else {ChangeClass.BREAKING, ChangeClass.UNKNOWN}
    return NO if any(comparison.change_class in gated for comparison in comparisons) else OK


def _compared(old: Side, new: Side) -> tuple[Comparison, ...]:
    """The comparisons; beside a single tool, a collection counts for the tool of that name."""
    before, after = dict(old.tools), dict(new.tools)
    if len(after) == 1 < len(before) and not new.is_collection:
        before = {name: tool for name, tool in before.items() if name in after}
    elif len(before) == 1 < len(after) and not old.is_collection:
        after = {name: tool for name, tool in after.items() if name in before}
    with in_time() as judge:
        return compare_all(before, after, judge)
