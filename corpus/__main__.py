"""`python -m corpus`: examine real MCP servers and tools of frameworks, and write the pages of the lists. With names, the pages stay.

`python -m corpus same-tool` examines one tool on every SDK instead, and writes docs/same-tool.md.
`python -m corpus trial` examines the tools of the blind trial, and writes docs/blind-trial.md.
`python -m corpus mechanisms` examines public bugs of tools for Amplifier, ART and C#, and writes docs/mechanisms.md.
`python -m corpus rivals` compares other programs with the suite on pairs of servers, and writes docs/comparison.md.
`python -m corpus fleet` examines the servers of `fleet.txt` by `check --fleet`, and writes docs/fleet-servers.md.
`python -m corpus standard-tests` runs langchain-tests on the LangChain tools.

It installs and starts programs of strangers from PyPI and npm, one server at a time, contained. It is no part of CI.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import ConformanceError
from corpus.environments import install, write_lock
from corpus.examine import examine
from corpus.fleet import main as fleet
from corpus.judgements import Judgement, read_judgements
from corpus.known import lost
from corpus.mechanisms.command import main as mechanisms
from corpus.page import HEADS, PAGES, render, unjudged
from corpus.results import read_results
from corpus.rivals.command import main as rivals
from corpus.same_tool.command import main as same_tool
from corpus.servers import LISTS, Server, read_servers
from corpus.standard_tests.command import main as standard_tests
from corpus.standard_tests.results import read_results as read_tests
from corpus.standard_tests.results import section
from corpus.trial.command import main as trial

_CACHE: Final = Path.home() / ".cache" / "aptix-corpus"
_OTHERS: Final = {
    "same-tool": same_tool,
    "trial": trial,
    "rivals": rivals,
    "fleet": fleet,
    "standard-tests": standard_tests,
}


def main(arguments: list[str]) -> int:
    if arguments and arguments[0] in _OTHERS:
        return _OTHERS[arguments[0]](arguments[1:], _CACHE)
    if arguments[:1] == ["mechanisms"]:
        return mechanisms(arguments[1:])
    chosen = _parser().parse_args(arguments)
    lists = {path.stem: read_servers(path) for path in LISTS if chosen.list in (None, path.stem)}
    servers = [server for each in lists.values() for server in each]
    unknown = set(chosen.name) - {server.name for server in servers}
    if unknown:
        print(f"there is no server {min(unknown)!r} in {' or '.join(lists)}.toml", file=sys.stderr)
        return 2
    reports = chosen.cache / "reports"
    reports.mkdir(parents=True, exist_ok=True)
    if not chosen.page:
        for server in servers:
            if not chosen.name or server.name in chosen.name:
                _one(server, chosen.cache, lock=chosen.lock, again=chosen.again)
    if (chosen.name or chosen.lock) and not chosen.page:
        return 0
    judgements = read_judgements()
    problems = [line for name, each in lists.items() for line in _write_page(name, each, reports, judgements)]
    for line in problems:
        print(line, file=sys.stderr)
    return 1 if problems else 0


def _write_page(
    name: str, servers: Sequence[Server], reports: Path, judgements: Sequence[Judgement]
) -> list[str]:
    """Write the page of a list; gives a line for each finding without a judgement, and for each known fault that is lost."""
    results = read_results(servers, reports)
    page = render(results, judgements, HEADS[name])
    if name == "frameworks":
        page = "\n".join([page, *section(read_tests())])
    PAGES[name].write_text(page, encoding="utf-8")
    problems = [f"not judged: {line}" for line in unjudged(results, judgements)]
    return problems + [f"known fault {line}" for line in lost(results)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m corpus", description=__doc__)
    parser.add_argument("name", nargs="*", help="these servers; without any, all")
    parser.add_argument(
        "--list", choices=[path.stem for path in LISTS], help="only the servers, and the page, of one list"
    )
    parser.add_argument(
        "--lock", action="store_true", help="resolve the lock files again, and examine nothing"
    )
    parser.add_argument("--again", action="store_true", help="examine those that have a report, too")
    parser.add_argument(
        "--page", action="store_true", help="only write the pages from the reports that there are"
    )
    parser.add_argument(
        "--cache", type=Path, default=_CACHE, metavar="FOLDER",
        help="where environments and reports are kept (default: ~/.cache/aptix-corpus)",
    )  # fmt: skip
    return parser


def _one(server: Server, cache: Path, *, lock: bool, again: bool) -> None:
    report = cache / "reports" / f"{server.name}.json"
    try:
        if lock:
            write_lock(server, cache)
            return
        if report.exists() and not again:
            return
        started = time.monotonic()
        examine(server, install(server, cache / "servers"), report)
        print(f"{server.name}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    except (ConformanceError, subprocess.CalledProcessError, OSError) as error:
        print(f"{server.name}: {error}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
