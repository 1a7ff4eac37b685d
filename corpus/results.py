"""What the reports say of the servers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from aptix_conformance.core.model.report import ToolReport
from aptix_conformance.present.reports.report_files import read_report
from corpus.servers import Server


@dataclass(frozen=True)
class Result:
    """A server and what was found of its tools; None where there is no report."""

    server: Server
    tools: Sequence[ToolReport] | None


def read_results(servers: Iterable[Server], reports: Path) -> list[Result]:
    """The servers with their reports, `NAME.json` in a folder."""
    found = []
    for server in servers:
        path = reports / f"{server.name}.json"
        found.append(Result(server, read_report(path).tools if path.exists() else None))
    return found
