"""The last line of a program that cannot start is whole in every format, with the setting behind it."""

import html
import json
import re

import pytest
from tests.unit.present.reports.conftest import SUITE

from aptix_conformance.core.model.report import RunReport
from aptix_conformance.hosts.last_words import LONGEST_LINE, described_output
from aptix_conformance.present.reports import (
    failed_target_report,
    gitlab,
    json_report,
    make_report,
    sarif,
    status_text,
    terminal,
)
from aptix_conformance.present.reports.github import annotations, summary
from aptix_conformance.present.reports.html.summary import summary as html_summary

LINE = f"OSError: [Errno 30] Read-only file system: '/srv/{'x' * (LONGEST_LINE - 100)}/end'"
SPEC = "mcp:/srv/notes/venv/bin/python server.py --folder notes"
FORMATS = {
    "terminal": terminal.render,
    "SARIF": sarif.render,
    "GitLab": gitlab.render,
    "JSON": json_report.render,
    "GitHub's annotations": annotations,
    "GitHub's summary": summary,
    "HTML": html_summary,
    "the item's failure": lambda report: status_text(report.tools[0], 10_000),
}


@pytest.fixture
def stopped():
    """The report of a server that cannot start."""
    printed = described_output("y" * 5_000 + f"\n{LINE}\n")
    error = (
        f"{SPEC}: loading it did not work: the server ended with exit status 1 before it answered{printed}"
    )
    return make_report([failed_target_report(SPEC, "mcp", "", error)], SUITE, RunReport(), None)


@pytest.mark.parametrize("render", FORMATS.values(), ids=FORMATS)
def test_the_last_line_of_a_program_that_cannot_start_is_whole(stopped, render):
    shown = " ".join(html.unescape(render(stopped)).split())
    assert LINE in shown
    assert re.search(r'files = \\?"FOLDER\\?"', shown)


def test_such_a_program_is_incomplete(stopped):
    document = json.loads(json_report.render(stopped))
    assert document["tools"][0]["status"] == "incomplete"
