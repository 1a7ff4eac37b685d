"""`python -m corpus fleet`: examine the servers of `fleet.txt` with `check --fleet`, and write docs/fleet-servers.md.

A person judges each finding of a MUST rule in a sample of the examined servers; `SEED` draws it. With `--page`, only the page is written.
"""

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from aptix_conformance.app.cli import main as suite
from aptix_conformance.present.reports import read_report
from aptix_conformance.present.reports.fleet import FleetRow, fleet_lines
from aptix_conformance.systems.fleet import FleetServer, read_fleet
from aptix_conformance.systems.registry import installed
from corpus.judgements import Judgement, read_judgements
from corpus.page import figures, findings, unjudged
from corpus.results import Result
from corpus.servers import HERE, Server

LIST: Final = HERE / "fleet.txt"
PAGE: Final = HERE.parent / "docs" / "fleet-servers.md"
SEED: Final = 36
LIMITS: Final = ("--budget", "10", "--deadline", "60s")
_SAMPLE: Final = 30
_UNFINISHED: Final = frozenset({2, 3, 4})
"""The exit statuses of `check` after which there is no page: interrupted, a fault of the suite, or wrong options."""
_HEAD: Final = """# A fleet of MCP servers

This page shows what `aptix-conformance check --fleet corpus/fleet.txt` found ([fleet.md](fleet.md) describes the command), with the quick
plan, at most 10 s for the calls of a tool and 60 s for a server. `python -m corpus fleet` makes this page of the reports and of the judgements of a person
in `corpus/judgements.toml`; do not edit it. The list names its sources. None of the servers got credentials or a network. The seconds are
those of a machine that other work shared.

{shares}
"""
_JUDGED: Final = """## Judged findings

These are all findings of MUST rules in {count} of the examined servers, which the seed {seed} draws: *true*; *true, its SDK's*, if every
server on that SDK does the same; or *false*, which is a fault of the suite.
"""


def main(arguments: list[str], cache: Path) -> int:
    """Examine the fleet and write its page; 1 where a finding of the sample has no judgement."""
    parser = argparse.ArgumentParser(prog="python -m corpus fleet", description=__doc__)
    parser.add_argument(
        "--page", action="store_true", help="only write the page of the reports that there are"
    )
    parser.add_argument("--store", type=Path, default=cache / "fleet", help="where reports are kept")
    chosen = parser.parse_args(arguments)
    if not chosen.page:
        status = suite(["check", "--fleet", str(LIST), "--store", str(chosen.store), *LIMITS])
        if status in _UNFINISHED:
            return status
    servers = read_fleet(LIST, installed().specs)
    results = read_results(servers, chosen.store)
    judgements = read_judgements()
    PAGE.write_text(page(results, judgements, len(servers)), encoding="utf-8")
    problems = unjudged(sample(results), judgements)
    for line in problems:
        print(f"not judged: {line}", file=sys.stderr)
    return 1 if problems else 0


def read_results(servers: Sequence[FleetServer], store: Path) -> list[tuple[FleetRow, Result]]:
    """The servers that have a report in a store, each with its row of the summary."""
    found = []
    for server in servers:
        path = store / server.folder / "report.json"
        if path.exists():
            report, name = read_report(path), server.package.requirement
            row = FleetRow.of(server.command, report)
            why = row.error.partition("; it printed")[0]
            kind = "pypi" if server.package.kind == "python" else "npm"
            found.append((replace(row, error=why), Result(Server(name, f"{kind}:{name}"), report.tools)))
    return found


def sample(results: Sequence[tuple[FleetRow, Result]]) -> list[Result]:
    """The servers whose findings are judged."""
    examined = sorted(
        (result for row, result in results if row.is_examined), key=lambda each: each.server.name
    )
    return random.Random(SEED).sample(examined, min(_SAMPLE, len(examined)))  # noqa: S311 - everybody may draw it again


def page(results: Sequence[tuple[FleetRow, Result]], judgements: Sequence[Judgement], total: int) -> str:
    """The page, in Markdown; `total` is how many servers the list has."""
    rows = [row for row, _ in results]
    examined = sum(row.is_examined for row in rows)
    drawn = sample(results)
    head = _HEAD.format(shares=_shares(len(rows), examined, total))
    judged = _JUDGED.format(count=len(drawn), seed=SEED)
    return "\n".join(
        [head, *fleet_lines(rows), judged, *figures(drawn, judgements), *findings(drawn, judgements)]
    )


def _shares(tried: int, examined: int, total: int) -> str:
    """How many servers of a list were tried, and how many of them were examined."""
    if tried == total:
        return f"All {total} servers of the list were tried. {examined} of them were installed, started and examined."
    return (
        f"**Only {tried} of the {total} servers of the list were tried. {examined} of them were installed, started and examined.\n"
        "The figures below say nothing about those that were not tried.**"
    )
