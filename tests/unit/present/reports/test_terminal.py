"""The summary of a run on the terminal, and the failure of a rule."""

import datetime as dt

import pytest

from aptix_conformance.core.contracts import Level
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.report import ShortfallReport, UnreachedReport
from aptix_conformance.core.model.verdict import Obstacle, VerdictKind
from aptix_conformance.present.reports import (
    failed_target_report,
    failure_text,
    status_text,
    unneeded_waiver_text,
    wrapped,
)
from aptix_conformance.present.reports.terminal import containment_lines, render, summary_lines
from aptix_conformance.systems.rulebook import all_rules
from aptix_conformance.targets.settings import Waiver


def test_the_summary_tells_what_was_left_out_but_not_what_there_never_was():
    """A tool that never waits cannot be cancelled while it does: nobody need act, and the report has it."""
    tool = failed_target_report("zoo", "aptix", "aptix-tul-011", "no such module")
    left_out = ShortfallReport("cancel", "there was no time", reduced_coverage=True)
    never_was = ShortfallReport("cancel", "its calls never wait", reduced_coverage=True, expected=True)
    tool = replace(tool, shortfalls=(left_out, never_was))
    notes = [line for line in summary_lines([tool]) if line.startswith("note")]
    assert notes == ["note          zoo: no such module", "note          zoo: cancel: there was no time"]


def test_the_summary_has_tables_the_advice_and_the_totals(report):
    assert render(report).splitlines() == [
        "status        tool examined failed advice calls   s",
        "nonconforming owl       2/2      1      1     3 0.5",
        "incomplete    ape         -      -      -     0 0.0",
        "incomplete    zoo         -      -      -     0 0.0",
        "",
        "rule   name   level  failed waived unseen",
        "ARG001 a-rule MUST        1      0      0",
        "ARG002 b-rule SHOULD      1      0      0",
        "",
        "note          ape: no such module",
        "note          zoo: no such module",
        "note          owl: cancel: no time",
        "advice        owl: ARG002 b-rule: it is odd",
        "containment   partial for 1 tool: no namespaces (Operation not permitted)",
        "3 tools: 2 incomplete, 1 nonconforming",
    ]


def test_the_summary_names_the_rules_from_which_a_tools_own_contract_exempts_it(report):
    tool = report.tools[1]
    why = {"verdict": VerdictKind.NOT_APPLICABLE, "reason": "TUL-010 exempts it"}
    own = replace(tool.verdicts[0], rule="CTX001", obstacle=Obstacle.OWN_CONTRACT, **why)
    other = replace(tool.verdicts[0], rule="CTX002", obstacle=Obstacle.EXEMPT, **why)
    lines = summary_lines([replace(tool, verdicts=(own, other))])
    assert [line for line in lines if line.startswith("exempt")] == [
        "exempt        owl: CTX001: TUL-010 exempts it"
    ]


def test_the_summary_of_a_run_has_one_line_of_advice_for_a_tool(report):
    tool = report.tools[1]
    advice = [replace(tool.verdicts[1], rule=f"LOG00{number}") for number in range(1, 6)]
    lines = summary_lines([replace(tool, verdicts=(*tool.verdicts, *advice))])
    assert [line for line in lines if line.startswith("advice")] == [
        "advice        owl: ARG002 b-rule, LOG001 b-rule, LOG002 b-rule and 3 more",
        "advice        --aptix-advice shows what each tool did",
    ]


def test_each_level_of_containment_has_a_line_the_weakest_first():
    """Also of a report that was written before there were levels; a tool that had no process has none."""
    tool = failed_target_report("zoo", "aptix", "aptix-tul-011", "no such module")
    weak = Containment("partial", ("no \u202e namespaces", "no filter"))
    tools = [
        tool,
        replace(tool, containment="namespaces"),
        replace(tool, containment_reached=Containment("full")),
        replace(tool, containment_reached=weak),
    ]
    assert containment_lines(tools) == [
        "containment   partial for 1 tool: no \\u202e namespaces; no filter",
        "containment   full for 2 tools",
    ]
    old = containment_lines([replace(tool, containment="confined")])
    assert old == ["containment   partial for 1 tool: the report is older and does not say why"]


def test_the_failure_text_says_what_the_tool_did_and_how_to_reproduce_it(report):
    tool = report.tools[1]
    rule = next(rule for rule in all_rules() if rule.code == "ARG001")
    lines = failure_text(tool, tool.verdicts[0], rule).splitlines()
    assert lines[0] == "owl breaks ARG001 a-rule (MUST: TUL-011.1)"
    assert "  the suite     sent arguments that the schema allows." in lines
    assert "  the call      {}" in lines
    assert "  after         1 earlier call in the same process" in lines
    assert "  reproduce     replay r#t/ARG001" in lines


def test_a_fix_that_names_a_table_shows_the_tools_own_in_one_line(report):
    """The key has spaces, and the other lines are wrapped."""
    tool = replace(report.tools[1], target="mcp:python my server.py#owl")
    rule = next(rule for rule in all_rules() if rule.code == "RES006")
    lines = failure_text(tool, tool.verdicts[0], rule).splitlines()
    assert lines[-1] == '    [tool.aptix-conformance.tool."mcp:python my server.py#owl"]'
    assert "NAME" not in "".join(lines)


def test_the_status_text_names_the_broken_rules_or_the_error(report):
    assert [status_text(tool) for tool in report.tools[:2]] == [
        "ape was not examined\n  the error     no such module",
        (
            "owl is nonconforming: 1 rule failed; each is reported by its own item\n"
            "  the target    birds:Owl\n"
            "  ARG001 a-rule"
        ),
    ]


def test_the_summary_names_the_waivers_that_nothing_needs(report):
    unneeded = replace(report, unneeded_waivers=("the waiver of ARG002 is not needed: remove it",))
    assert "waiver        the waiver of ARG002 is not needed: remove it" in render(unneeded).splitlines()


def broken(report, **members):
    tool = report.tools[1]
    verdict = replace(tool.verdicts[0], **members)
    return replace(tool, verdicts=(verdict, *tool.verdicts[1:])), verdict


RULE = next(rule for rule in all_rules() if rule.code == "ARG001")


@pytest.mark.parametrize("width", [60, 80, 132])
def test_a_failure_wraps_to_the_terminals_width_but_for_the_command_to_copy(report, width):
    tool, verdict = broken(report, reason="The tool raised " + "a long word after another " * 20 + "x" * 200)
    lines = failure_text(tool, verdict, RULE, width).splitlines()
    assert all(len(line) <= width for line in lines if not line.startswith(("owl", "  reproduce")))


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [("", '""'), (" ", '" "'), (None, "null (no arguments at all)"), ("{}", "{}"), ("\n", r"\n")],
)
def test_a_call_without_a_visible_text_is_shown_all_the_same(report, arguments, shown):
    finding = report.tools[1].verdicts[0].finding
    call = replace(finding.call, plan=replace(finding.call.plan, arguments=arguments))
    tool, verdict = broken(report, finding=replace(finding, call=call))
    assert f"  the call      {shown}" in failure_text(tool, verdict, RULE).splitlines()


def test_the_arguments_stand_once(report):
    finding = report.tools[1].verdicts[0].finding
    call = replace(finding.call, plan=replace(finding.call.plan, arguments='{"only": "once"}'))
    tool, verdict = broken(report, finding=replace(finding, call=call))
    assert failure_text(tool, verdict, RULE).count('{"only": "once"}') == 1


@pytest.mark.parametrize(
    ("causes", "said"),
    [(2, []), (3, ["  and           1 more cause"]), (9, ["  and           7 more causes"])],
)
def test_the_causes_that_are_not_shown_are_counted(report, causes, said):
    """Two are shown here."""
    finding = report.tools[1].verdicts[0].finding
    tool, verdict = broken(report, finding=finding, further=(finding,), causes=causes)
    lines = failure_text(tool, verdict, RULE).splitlines()
    assert [line for line in lines if "more cause" in line] == said


def test_what_follows_from_another_finding_says_so_first(report):
    tool, verdict = broken(report, follows_from="EXC001")
    assert failure_text(tool, verdict, RULE).splitlines()[1] == (
        "  follows from  EXC001: fix that first, and run again"
    )


def test_the_status_shows_what_follows_from_what(report):
    tool = report.tools[1]
    root = replace(tool.verdicts[0], rule="EXC001", name="root")
    follows = replace(tool.verdicts[0], follows_from="EXC001")
    lines = status_text(replace(tool, verdicts=(follows, root))).splitlines()
    assert lines[-2:] == ["  EXC001 root", "    ARG001 a-rule (follows from EXC001)"]


def test_a_line_of_the_summary_wraps_below_its_text_on_a_terminal_only():
    line = "advice        owl: " + "word " * 40
    assert wrapped(line, None) == line
    first, *others = wrapped(line, 80).splitlines()
    assert first.startswith("advice        owl")
    assert all(other.startswith(" " * 14 + "word") for other in others)


def test_what_could_not_be_done_with_several_tools_is_one_line(report):
    """A tool may lack it in several ways, and each counts once."""
    lacking = ShortfallReport("restart", "it is not started under other conditions", reduced_coverage=True)
    alone = replace(lacking, probe="fault")
    first, second, third = (replace(tool, shortfalls=(lacking, lacking)) for tool in report.tools[:3])
    lines = summary_lines([first, second, replace(third, shortfalls=(lacking, alone))], 300)
    notes = [line for line in lines if line.startswith("note") and "restart" in line]
    assert len(notes) == 1
    assert " and 2 others: restart: it is not started" in notes[0]
    assert sum("fault: it is not started" in line and " others" not in line for line in lines) == 1


@pytest.mark.parametrize("is_unreached", [True, False])
def test_the_status_text_names_the_settings_that_do_not_count_once(report, is_unreached):
    """They may be why something failed: a note below the table is far from it."""
    said = "files under [tool.aptix-conformance.tool.owl] do not count: `tools` does not list birds:Owl"
    withheld = ShortfallReport("configuration", said, reduced_coverage=True)
    why = (
        UnreachedReport("It refused every call.", "", "Give a call that works.", "") if is_unreached else None
    )
    text = status_text(replace(report.tools[1], shortfalls=(withheld,), unreached=why), 300)
    assert text.count(f"  the settings  {said}\n") == 1


def test_a_finding_that_was_not_shown_again_says_how_often_it_was_seen(report):
    tool = report.tools[1]
    once = replace(tool.verdicts[0].finding, reproduced=False, attempts=3)
    chance = replace(tool.verdicts[0], finding=once)
    note = "  note          seen in 1 of 3 attempts; it depends on state or chance"
    assert note in failure_text(tool, chance, RULE).splitlines()
    assert note not in failure_text(tool, tool.verdicts[0], RULE).splitlines()


def test_the_fix_of_a_waiver_that_is_not_needed_is_to_remove_it(report):
    """The rule is kept: its own fix would send the author to work that is done."""
    place = "[[tool.aptix-conformance.tool.owl.waivers]] 1"
    waiver = Waiver("ARG001", "ann", "until the parser is new", dt.date(2030, 1, 1), place)
    text = unneeded_waiver_text(report.tools[1], waiver, 300)
    assert text.splitlines() == [
        "owl keeps ARG001: its waiver is not needed",
        f"  the waiver    {place} (ann, until 2030-01-01: until the parser is new)",
        "  the fix       Remove these lines from the configuration; the rule itself needs nothing.",
    ]


def test_a_finding_of_a_server_shows_what_the_suite_did_and_no_call(report):
    """The call is one of the messages of a conversation, and often not the one that was answered wrongly."""
    server = replace(report.tools[1], kind="server")
    lines = failure_text(server, server.verdicts[0], RULE).splitlines()
    assert "  the suite     sent arguments that the schema allows." in lines
    assert not any(line.startswith(("  the call", "  after")) for line in lines)
    assert "  reproduce     replay r#t/ARG001" in lines


def test_the_advice_on_a_server_shows_no_call_either(report):
    tool = report.tools[1]
    advice = replace(tool.verdicts[0], level=Level.SHOULD)
    shown = [
        next(
            line
            for line in summary_lines([replace(tool, kind=kind, verdicts=(advice,))], whole=True)
            if "a-rule:" in line
        )
        for kind in ("tool", "server")
    ]
    assert shown[0] == f"{shown[1]} Sent: {{}}"


def test_a_note_names_the_target_that_could_not_be_read_once():
    spec = "mcp:python -m notes"
    tool = failed_target_report(spec, "mcp", "mcp-2025-11-25", f"{spec}: the server lists no tools")
    assert f"note          {spec}: the server lists no tools" in summary_lines([tool])
