"""Examine the nonconforming MCP servers in the revision that is not theirs: each rule that binds in both is broken in both.

    python -m tests.acceptance.matrix.eras --jobs 4 'mcp/nonconforming/MCP04*'

Without titles, all of them, which takes a quarter of an hour or more. Exit status 1 if a rule that binds in both revisions is broken in one only.
"""

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.acceptance.matrix.batch import examine_all
from tests.acceptance.matrix.laboratory import laboratory
from tests.acceptance.matrix.rows import failed_in, row_of
from tests.acceptance.matrix.specimens import FIXTURES, Specimen, matching

from aptix_conformance.core.contracts import load
from aptix_conformance.systems.rulebook import all_rules

_EDITIONS: Final = ("mcp-2025-11-25", "mcp-2026-07-28")
_COLLECTIONS: Final = (
    "mcp/nonconforming",
    "mcp/http/nonconforming",
    "mcp/node/nonconforming",
    "mcp/node/http/nonconforming",
)
_ALL: Final = [f"{name}/*" for name in _COLLECTIONS]
_TURNED: Final = {
    "revisions = (LEGACY,)": 'revisions = ("2026-07-28",)',
    "revisions = (MODERN,)": 'revisions = ("2025-11-25",)',
    "revisions = (LEGACY, MODERN)": 'revisions = ("2025-11-25",)',  # a tool of such a server is judged by the later one
    "revisions = [LEGACY]": "revisions = ['2026-07-28']",
    "revisions = [MODERN]": "revisions = ['2025-11-25']",
    "revisions = [LEGACY, MODERN]": "revisions = ['2025-11-25']",
}
_APPLIES_IN_ONE: Final = frozenset({"MCP081", "MCP097"})
"""Rules of which both revisions have a clause, and one has nothing to judge: 2025-11-25 names no HTTP status for refusals, and
2026-07-28 tells changes to subscribers alone, during whose subscription the suite calls no tool."""
_ANY: Final = re.compile("|".join(map(re.escape, _TURNED)))


def main(arguments: list[str]) -> int:
    """Run the command; gives its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance.matrix.eras", description=__doc__)
    parser.add_argument("titles", nargs="*", default=_ALL, metavar="TITLE", help=f"default: {' '.join(_ALL)}")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default: 2)")
    chosen = parser.parse_args(arguments)
    wanted = [each for each in matching(chosen.titles) if each.collection.name in _COLLECTIONS]
    if not wanted:
        parser.error(f"no fixture of {' or '.join(_ALL)} has such a title")
    with tempfile.TemporaryDirectory(prefix="eras-") as name:
        turned = [*_turned(wanted, Path(name) / "fixtures")]
        unseen = [code for code in _not_broken(turned, chosen.jobs) if not _broken_by_others(code, wanted)]
    for code in unseen:
        print(f"{code} is broken in one revision only", file=sys.stderr)  # noqa: T201 - a command
    return int(bool(unseen))


def _turned(wanted: Sequence[Specimen], copy: Path) -> Iterator[Specimen]:
    """The specimens in a copy of the fixtures, with servers of the other revision."""
    shutil.copytree(FIXTURES / "mcp", copy / "mcp")
    for path in [*(copy / "mcp").rglob("*.py"), *(copy / "mcp").rglob("*.mjs")]:
        text = path.read_text(encoding="utf-8")
        path.write_text(_ANY.sub(lambda found: _TURNED[found.group()], text), encoding="utf-8")
    for specimen in wanted:
        moved = {
            name: copy / getattr(specimen.collection, name).relative_to(FIXTURES)
            for name in ("folder", "configuration")
        }
        yield Specimen(replace(specimen.collection, root=copy, **moved), specimen.name)


def _not_broken(turned: Sequence[Specimen], jobs: int) -> list[str]:
    """The rules that bind in both revisions and that none of their specimens breaks; prints each that does not break its own."""
    editions = [load().edition(name) for name in _EDITIONS]
    in_both = {rule.code for rule in all_rules() if all(map(rule.level, editions))} - _APPLIES_IN_ONE
    broken: dict[str, bool] = {}
    for seen in examine_all([(specimen, 0) for specimen in turned], jobs):
        name = seen.title.partition(":")[0].rpartition("/")[2]
        breaks = not seen.error and _code(name) in failed_in(seen.row)
        broken[name] = broken.get(name, False) or breaks
    for name, breaks in broken.items():
        if not breaks and _code(name) in in_both:
            print(f"{name} does not break its rule in the other revision", flush=True)  # noqa: T201 - a command
    codes = in_both & set(map(_code, broken)) - {_code(name) for name, breaks in broken.items() if breaks}
    return sorted(codes)


def _broken_by_others(code: str, wanted: Sequence[Specimen]) -> bool:
    """Whether specimens of both revisions break a rule, each in its own."""
    with laboratory() as own:
        found = [
            each for specimen in wanted if _code(specimen.name) == code for each in own.examine(specimen)
        ]
    broken = (each.verdicts for each in found if code in failed_in(row_of(each)))
    return set().union(*broken) >= {*_EDITIONS}


def _code(name: str) -> str:
    """The rule that a specimen is named for."""
    return name.partition("_")[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
