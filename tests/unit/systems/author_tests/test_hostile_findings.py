"""A report is a stranger's file: nothing of it becomes code in a written test, whether the framework shows it or the suite."""

import ast
import json
from pathlib import Path

import pytest
from tests.stimuli import stimulus

from aptix_conformance.app.run import RunOptions
from aptix_conformance.app.run.replay import find_rule
from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.model import CancellationPoint, InjectedFault, Outcome
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.disturbance import ReplacedCatalog
from aptix_conformance.core.model.report import CallReport, FindingReport, ResultReport
from aptix_conformance.systems.author_tests import Subject, replayed_test, write_test
from aptix_conformance.systems.author_tests.demands import RULES
from aptix_conformance.systems.author_tests.source import literal
from aptix_conformance.systems.registry import installed
from aptix_conformance.systems.rulebook import all_rules
from aptix_conformance.targets import ToolSettings

HOSTILE = [
    '"""\nimport os; os._exit(3)\n"""',
    "'; __import__('os')._exit(3) #",
    '\\"\\" + __import__("os") + \\"',
    "{__import__('os')}",
    "\\",
    "a\\",
    "\"'\"'",
    "\u202eevil\u2066",
    "\ud83d",
    "\x00\x1b[2J\r\n",
    "\N{FULLWIDTH QUOTATION MARK}",
]
SUBJECT = Subject("weather_tools", "WeatherTool", ToolSettings(), Path("/nowhere"))


def finding(arguments="{}", context=None, history=(), outcome=Outcome.RAISED, result=None, **plan):
    made = replace(stimulus("valid", "generated", arguments, context), **plan)
    shown = CallReport(plan=made, label=made.label, outcome=outcome, result=result)
    return FindingReport("it raised", shown, history, reproduced=True, replay="")


def written(found, code="EXC001", subject=SUBJECT):
    return write_test(subject, find_rule(code), found, RunOptions())


def constants(text):
    return {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}


def calls(text):
    return sum(isinstance(node, ast.Call) for node in ast.walk(ast.parse(text)))


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_enter_as_literals_only(text):
    """The file has the same calls as one of a harmless report, and the text is one constant of it."""
    context = {"session_id": text, "user": {"id": text, "text": text}}
    harmless = written(finding("x", {"session_id": "x", "user": {"id": "x", "text": "x"}}))
    hostile = written(finding(text, context))
    assert calls(hostile) == calls(harmless)
    assert text in constants(hostile)
    hostile.encode()
    assert hostile.isprintable() or all(line.isprintable() for line in hostile.split("\n"))


@pytest.mark.parametrize("text", HOSTILE)
def test_expected_members_enter_as_literals_only(text):
    expected = literal({text: [text, {text: 1}]})
    assert ast.literal_eval(expected) == {text: [text, {text: 1}]}


@pytest.mark.parametrize("key", ["user=x, __import__('os')", "secret", "class"])
def test_an_unknown_part_of_a_context_is_refused(key):
    with pytest.raises(ReportError, match="only the suite shows"):
        written(finding(context={key: "x"}))


@pytest.mark.parametrize("parts", [{"id": "x", "evil=1": "x"}, ["x"], 3, {"id": 1e999}])
def test_a_part_of_another_form_is_refused(parts):
    with pytest.raises(ReportError, match="only the suite shows"):
        written(finding(context={"user": parts}))


@pytest.mark.parametrize("name", ["a b", "import", "a.b()", "", "a..b"])
def test_a_tool_without_a_name_in_python_is_refused(name):
    with pytest.raises(ReportError, match="is not a name in Python"):
        written(finding(), subject=replace_subject(qualname=name))


@pytest.mark.parametrize("name", ["call", "make_tool", "asyncio", "SECONDS", "CancellationToken"])
def test_a_class_with_a_name_that_the_file_uses_is_refused(name):
    with pytest.raises(ReportError, match="the file uses that name itself"):
        written(finding(), subject=replace_subject(qualname=name))


def replace_subject(**members):
    return Subject(
        **{"module": "m", "qualname": "T", "settings": ToolSettings(), "directory": Path("/x")} | members
    )


def test_two_factories_of_one_name_are_refused():
    services = {"a": "one:make", "b": "two:make"}
    with pytest.raises(ReportError, match="from two modules"):
        written(finding(), subject=replace_subject(settings=ToolSettings(services=services)))


def test_a_repeated_text_is_a_product():
    assert literal("[" * 100_000) == '"[" * 100_000'
    assert literal('{"a": "' + "xy" * 500 + '"}') == '\'{"a": "\' + "xy" * 500 + \'"}\''


def test_a_text_that_nobody_reads_is_refused():
    with pytest.raises(ReportError, match="too many for a test to read"):
        written(finding("".join(map(chr, range(256, 9_000)))))


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (finding(disturbance=CancellationPoint("task", at=1)), "EXC001"),
        (finding(disturbance=InjectedFault("library", 1, "unknown")), "EXC001"),
        (finding(disturbance=ReplacedCatalog("x")), "EXC001"),
        (finding(outcome=Outcome.OVER_MEMORY), "EXC002"),
        (finding(outcome=Outcome.RETURNED), "CTX001"),
        (finding(history=(stimulus("repeat", "same", "{}", None),) * 9), "EXC001"),
        (finding(result=ResultReport("R", is_invoke_result=True, successful=False)), "ARG006"),
        (finding(), "EXC006"),
        (replace(finding(), call=None), "USE003"),
    ],
)
def test_what_the_framework_does_not_show_is_left_to_the_suite(found, code):
    with pytest.raises(ReportError, match="only the suite shows"):
        written(found, code)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_report_in_a_test_is_one_constant(text):
    """Whatever is in it: the file has the calls of its template, and the report reads as it was."""
    report = json.dumps({text: [text, ""], "tool": text})
    harmless = replayed_test("{}", "x", find_rule("USE003"), ())
    hostile = replayed_test(report, text, find_rule("USE003"), (text,))
    assert calls(hostile) == calls(harmless)
    assert json.loads(report) in [
        json.loads(each) for each in constants(hostile) if str(each).startswith("{\n")
    ]
    assert {f"#{text}/USE003", f"--aptix-tools={text}"} <= constants(hostile)


@pytest.mark.parametrize("rule", all_rules(systems=installed()), ids=lambda rule: rule.code)
def test_each_rule_has_a_test_that_says_what_it_needs(rule):
    """The framework shows a finding of it, or the suite replays it, which the first line says."""
    text = replayed_test("{}", "the_tool", rule, ())
    assert text.partition("\n")[0].startswith(
        f'"""Fails until the tool keeps {rule.code} of aptix-conformance: '
    )
    assert text.partition("\n")[0].endswith('. It needs the suite, which replays the finding."""')
    ast.parse(text)


def test_the_rules_that_a_framework_shows_are_rules():
    known = {rule.code for rule in all_rules(systems=installed())}
    assert not frozenset().union(*RULES.values()) - known
