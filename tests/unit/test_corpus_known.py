"""Known faults of the corpus: each has to be found in the version that has it, and not in the one that fixed it."""

import pytest
from corpus import __main__ as command
from corpus.judgements import Judgement
from corpus.known import State, lost, state_of
from corpus.page import render
from corpus.results import Result
from corpus.servers import LISTS, KnownFault, Server, read_servers

from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import FindingReport, OtherCauseReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import failed_target_report

FAULT = KnownFault(
    "EXC015", "a link is followed", tool="read_*", cause="path read link", fixed_in="new", cve="CVE-2025-1"
)
FOUND, NOT_FOUND, NOT_EXAMINED = State.FOUND, State.NOT_FOUND, State.NOT_EXAMINED


def finding(cause):
    return FindingReport("It was.", None, (), reproduced=True, replay="", cause=cause)


def tool(kind, *causes, name="read_file", rule="EXC015", others=()):
    """The report of a tool with one verdict."""
    first, *further = map(finding, causes) if causes else [None]
    other = tuple(map(OtherCauseReport, others))
    verdict = VerdictReport(
        rule, "a-rule", Level.MUST, (), kind, 1, "", first, tuple(further), other_causes=other
    )
    made = failed_target_report(name, "mcp", "mcp-2025-11-25", "")
    return replace(made, tool=name, kind="tool", error=None, verdicts=(verdict,))


PASSED = tool(VerdictKind.PASS)
FAILED = tool(VerdictKind.FAIL, "path read link")
BESIDE = tool(VerdictKind.FAIL, "path read parent")
OPEN = tool(VerdictKind.INCONCLUSIVE)
FREE = tool(VerdictKind.NOT_APPLICABLE)


@pytest.mark.parametrize(
    ("tools", "state"),
    [
        ([FAILED], FOUND),
        ([tool(VerdictKind.FAIL, "path read parent", "path read link")], FOUND),
        ([tool(VerdictKind.FAIL, "path read parent", others=["path read link"])], FOUND),
        ([PASSED, FAILED], FOUND),
        ([PASSED], NOT_FOUND),
        ([BESIDE], NOT_FOUND),
        ([FREE], State.NOT_ASKED),
        ([FREE, PASSED], NOT_FOUND),
        ([PASSED, OPEN], NOT_EXAMINED),
        ([tool(VerdictKind.FAIL, "path read link", name="list")], NOT_EXAMINED),
        ([tool(VerdictKind.FAIL, "path read link", rule="EXC005")], NOT_EXAMINED),
        ([], NOT_EXAMINED),
        (None, NOT_EXAMINED),
    ],
)
def test_a_fault_is_found_by_its_rule_its_tool_and_its_cause(tools, state):
    assert state_of(FAULT, tools) is state


def results(old, new):
    servers = (
        Server("old", "pypi:notes==1.0", known=[FAULT]),
        Server("new", "pypi:notes==2.0"),
    )
    return [Result(server, tools) for server, tools in zip(servers, (old, new), strict=True)]


@pytest.mark.parametrize("fixed", [PASSED, BESIDE, FREE])
def test_a_fault_that_is_found_in_the_old_version_alone_is_not_lost(fixed):
    assert lost(results([FAILED], [fixed])) == []


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ([PASSED], [PASSED], "not found in old: EXC015 read_* (path read link): a link is followed"),
        (None, [PASSED], "not examined in old: EXC015 read_* (path read link): a link is followed"),
        ([FREE], [PASSED], "does not apply in old: EXC015 read_* (path read link): a link is followed"),
        ([FAILED], [FAILED], "found in new, which fixed it: EXC015 read_* (path read link): a link is followed"),
        ([FAILED], None, "not examined in new, which fixed it: EXC015 read_* (path read link): a link is followed"),
    ],
)  # fmt: skip
def test_a_fault_that_is_lost_or_found_where_it_is_fixed_has_a_line(old, new, line):
    assert lost(results(old, new)) == [line]


def test_a_fault_without_a_fixed_version_is_looked_for_in_the_old_one_alone():
    fault = replace(FAULT, fixed_in="")
    alone = Server("old", "pypi:notes==1.0", known=[fault])
    assert lost([Result(alone, [FAILED])]) == []
    assert len(lost([Result(alone, [PASSED])])) == 1


def test_the_page_has_a_row_for_each_known_fault():
    page = render(results([FAILED], [PASSED]), [])
    row = "| `notes==1.0` | `read_*` | EXC015 | a link is followed (CVE-2025-1) | found | `notes==2.0` | not found |"
    assert row in page


def test_the_command_names_what_is_lost_and_fails(monkeypatch, tmp_path, capsys):
    made = results([PASSED], [PASSED])
    monkeypatch.setattr(command, "PAGES", {"servers": tmp_path / "page.md"})
    monkeypatch.setattr(command, "read_results", lambda servers, reports: made)
    page = ["--page", "--list", "servers", "--cache", str(tmp_path)]
    assert command.main(page) == 1
    assert "known fault not found in old: EXC015 read_*" in capsys.readouterr().err
    assert "| a link is followed (CVE-2025-1) | not found |" in (tmp_path / "page.md").read_text()
    made = results([FAILED], [PASSED])
    judgements = [Judgement("old", "EXC015", "true", "it does")]
    monkeypatch.setattr(command, "read_judgements", lambda: judgements)
    assert command.main(page) == 0
    assert capsys.readouterr().err == ""


def test_the_list_says_which_server_fixed_a_fault(tmp_path):
    path = tmp_path / "servers.toml"
    path.write_text("""[[server]]
name = "old"
package = "pypi:notes==1.0"
known = [{ rule = "EXC015", what = "a link is followed", fixed_in = "new" }]
""")
    with pytest.raises(
        ValueError, match=r"old: there is no server 'new', which is said to have fixed EXC015"
    ):
        read_servers(path)


@pytest.mark.parametrize(
    "server", [server for path in LISTS for server in read_servers(path)], ids=lambda server: server.name
)
def test_a_known_fault_says_what_it_is(server):
    assert all(fault.what and not fault.what.endswith(".") for fault in server.known)
