"""What a tool's server means for the tool: its certificate, and a line of the summary."""

from types import SimpleNamespace

import pytest
from tests.verdicts import finding, verdict

from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import HarnessErrorReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import failed_target_report
from aptix_conformance.present.reports.servers import server_lines, status_phrase, why_not_certified
from aptix_conformance.present.reports.tables import tool_table
from aptix_conformance.present.reports.terminal import advice_of, summary_lines, totals_line
from aptix_conformance.present.reports.tool_reports import inherited_by

SERVER = "mcp:python server.py"
BROKEN = VerdictReport("MCP028", "a-rule", Level.MUST, (), VerdictKind.FAIL, 1, "it answered", None)


def entry(target, kind, status="conforming", verdicts=()):
    made = failed_target_report(target, "mcp", "mcp-2025-11-25", "")
    server = SERVER if kind == "tool" else ""
    return replace(made, kind=kind, server=server, status=status, error=None, verdicts=verdicts)


TOOL = entry(f"{SERVER}#echo", "tool")
GOOD = entry(SERVER, "server")
BAD = entry(SERVER, "server", "nonconforming", (BROKEN,))
BY_ITS_SDK = replace(BAD, inherited={"MCP028": "mcp 1.30.0"})
OLDER = entry(f"{SERVER}#@2025-11-25", "server", "incomplete")


@pytest.mark.parametrize(
    ("beside", "reasons"),
    [
        ([GOOD], []),
        ([], [f"its server {SERVER} was not examined"]),
        ([BAD], [f"its server {SERVER} is nonconforming (MCP028)"]),
        ([BY_ITS_SDK], []),
        (
            [replace(BY_ITS_SDK, verdicts=(BROKEN, replace(BROKEN, rule="MCP048")))],
            [f"its server {SERVER} is nonconforming (MCP048)"],
        ),
        ([GOOD, OLDER], [f"its server {SERVER}#@2025-11-25 is incomplete"]),
        ([replace(GOOD, target="mcp:python server.pyc")], [f"its server {SERVER} was not examined"]),
    ],
    ids=[
        "conforming",
        "not examined",
        "nonconforming",
        "by its SDK alone",
        "by itself too",
        "in one revision",
        "another server",
    ],
)
def test_a_tool_is_certified_only_with_its_server(beside, reasons):
    assert why_not_certified(TOOL, [TOOL, *beside]) == reasons


def test_a_tool_without_a_server_needs_none():
    assert why_not_certified(replace(TOOL, server=""), []) == []


def test_the_summary_says_which_server_stands_in_the_way_and_counts_servers_by_themselves():
    lines = summary_lines([TOOL, BAD])
    assert f"server        {SERVER} is nonconforming (MCP028): no certificate for 1 tool" in lines
    assert lines[-1] == "1 tool: 1 conforming; 1 server: 1 nonconforming"
    of_quick_plan = summary_lines([replace(TOOL, quick=True), BAD])
    assert not [line for line in of_quick_plan if "certificate" in line]
    assert not [line for line in summary_lines([TOOL, GOOD]) if line.startswith("server")]


def test_the_summary_names_what_an_sdk_breaks():
    lines = summary_lines([TOOL, BY_ITS_SDK])
    assert f"server        {SERVER}: its SDK breaks this for every server on it: mcp 1.30.0: MCP028" in lines
    assert not [line for line in lines if "no certificate" in line]


def test_what_an_sdk_does_to_every_tool_is_said_once_for_the_server():
    tools = [
        replace(TOOL, target=f"{SERVER}#{name}", inherited={"MCP110": "mcp 1.30.0"})
        for name in ("echo", "ring")
    ]
    said = f"server        {SERVER}: its SDK breaks this for every server on it: mcp 1.30.0: MCP028, MCP110"
    assert [line for line in summary_lines([BY_ITS_SDK, *tools]) if "its SDK breaks" in line] == [said]
    alone = [line for line in summary_lines(tools[:1]) if "its SDK breaks" in line]
    assert alone == [
        f"server        {SERVER}#echo: its SDK breaks this for every server on it: mcp 1.30.0: MCP110"
    ]


FACTS = SimpleNamespace(
    breaks_by_itself=lambda rule, cause: "mcp 2.3.0" if (rule, cause) == ("MCP049", "result") else ""
)


@pytest.mark.parametrize(
    ("level", "causes", "inherited"),
    [
        (Level.MUST, ["result"], {"MCP049": "mcp 2.3.0"}),
        (Level.SHOULD, ["result"], {"MCP049": "mcp 2.3.0"}),
        (Level.SHOULD, ["result", "-32603"], {}),
        (Level.SHOULD, ["-32603"], {}),
    ],
)
def test_a_broken_rule_of_any_level_is_the_librarys_where_every_cause_is(level, causes, inherited):
    shown = tuple(finding("It was.", cause=cause) for cause in causes)
    broken = verdict("MCP049", VerdictKind.FAIL, level, findings=shown, causes=len(shown))
    assert inherited_by(SimpleNamespace(facts=FACTS), [broken]) == inherited


def test_what_the_suite_failed_to_examine_is_not_excused_by_an_sdk():
    failed = replace(BY_ITS_SDK, harness_errors=(HarnessErrorReport("judging MCP001", "it failed"),))
    assert status_phrase(BY_ITS_SDK) == "nonconforming by its SDK alone"
    assert status_phrase(failed) == "nonconforming"


def test_advice_that_is_its_sdks_is_not_listed_as_the_servers():
    advice = replace(BROKEN, level=Level.SHOULD)
    assert advice_of(replace(GOOD, verdicts=(advice,))) == [advice]
    assert advice_of(replace(BY_ITS_SDK, verdicts=(advice,))) == []


def test_the_table_and_the_totals_say_that_an_sdk_alone_is_why():
    _, line = tool_table([BY_ITS_SDK])
    assert line.startswith("nonconforming by its SDK alone ")
    assert line.split()[-3] == "0"
    assert totals_line([BY_ITS_SDK, BAD]) == "2 servers: 1 nonconforming, 1 nonconforming by its SDK alone"


def test_what_a_framework_breaks_is_told_of_the_tool():
    by_its_framework = replace(
        entry("langchain:tools#wait", "tool", "nonconforming", (BROKEN,)),
        inherited={"MCP028": "langchain-core 1.8.3"},
    )
    by_its_framework = replace(by_its_framework, server="")
    assert status_phrase(by_its_framework) == "nonconforming by its framework alone"
    assert list(server_lines([by_its_framework])) == [
        "tool          langchain:tools#wait: its framework breaks this for every tool on it: langchain-core 1.8.3: MCP028"
    ]
