"""The file of rows, `snapshots/matrix/verdicts.txt`: a head that explains it, then a section for each collection."""

from collections.abc import Iterable, Mapping

from tests.acceptance.matrix.rows import CODE
from tests.acceptance.matrix.specimens import CHECKOUT, COLLECTIONS, Specimen

from aptix_conformance.systems.rulebook import all_rules

PATH = CHECKOUT / "snapshots" / "matrix" / "verdicts.txt"
COMMAND = "python -m tests.acceptance.matrix --write"

_HEAD = f"""\
# Every rule over every fixture and every reference tool. A rule that a tool's lines do not name passes;
# EXC015 to EXC018, MCP114, MCP116, RES017, RES018 and RES023, which concern few tools, then do not apply, and ARG016 to ARG018, RES019 to RES022 and RES024 pass or do not apply.
# Written by `{COMMAND}`, compared by tests/acceptance/test_fixtures.py.
"""


def read() -> dict[str, str]:
    """The stored rows by title; none where the file is not there."""
    if not PATH.exists():
        return {}
    rows: dict[str, str] = {}
    title = ""
    for line in PATH.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            rows[title] += f"\n{line}"
        elif line and not line.startswith("#"):
            title = title_of(line)
            rows[title] = line
    return rows


def write(rows: Mapping[str, str]) -> None:
    """Replace the whole file."""
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_text(_text(rows), encoding="utf-8")


def rules_line() -> str:
    """The line of the head that counts the rules of each area."""
    codes = [rule.code for rule in all_rules()]
    areas = dict.fromkeys(code[: CODE // 2] for code in codes)
    counts = [f"{area} {sum(code.startswith(area) for code in codes)}" for area in areas]
    return f"# {len(codes)} rules: {', '.join(counts)}."


def title_of(row: str) -> str:
    """The title of a row."""
    return row.partition(": ")[0]


def rows_of(rows: Mapping[str, str], specimen: Specimen) -> dict[str, str]:
    """The rows of one specimen, which has several where it has several tools."""
    return {title: row for title, row in rows.items() if title.partition(":")[0] == specimen.title}


def stale(rows: Mapping[str, str], specimens: Iterable[Specimen]) -> list[str]:
    """The titles of rows whose specimen is gone."""
    known = {specimen.title for specimen in specimens}
    return [title for title in rows if title.partition(":")[0] not in known]


def _text(rows: Mapping[str, str]) -> str:
    parts = [_HEAD + rules_line() + "\n"]
    for collection in COLLECTIONS:
        own = sorted(title for title in rows if title.startswith(f"{collection.name}/"))
        if own:
            editions = " | ".join(collection.editions)
            parts.append(
                f"\n# {collection.name}: {editions}\n" + "".join(f"{rows[title]}\n" for title in own)
            )
    return "".join(parts)
