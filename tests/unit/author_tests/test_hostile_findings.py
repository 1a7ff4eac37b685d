"""A report is a stranger's file: nothing of it becomes code in a written test, and what has no plain test is refused."""

import ast
from pathlib import Path

import pytest
from tests.stimuli import stimulus

from aptix_conformance.author_tests import Subject, write_test
from aptix_conformance.author_tests.assertions import CALLS, DECLARATIONS, OWN_SHAPE
from aptix_conformance.author_tests.reasons import OTHER, why_not
from aptix_conformance.author_tests.source import literal
from aptix_conformance.errors import ReportError
from aptix_conformance.model import CancellationPoint, InjectedFault, Outcome, canaries
from aptix_conformance.model.codec import replace
from aptix_conformance.model.disturbance import ReplacedCatalog
from aptix_conformance.model.report import CallReport, FindingReport, ResultReport
from aptix_conformance.run import RunOptions
from aptix_conformance.run.replay import find_rule
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
KEY = canaries.environment(0)["OPENAI_API_KEY"]
LEAK = ResultReport("R", is_invoke_result=True, successful=True, payload=f'{{"page": "{KEY}"}}')
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
    with pytest.raises(ReportError, match="a part that the contract's context does not have"):
        written(finding(context={key: "x"}))


@pytest.mark.parametrize("parts", [{"id": "x", "evil=1": "x"}, ["x"], 3, {"id": 1e999}])
def test_a_part_of_another_form_is_refused(parts):
    with pytest.raises(ReportError, match="has no plain test"):
        written(finding(context={"user": parts}))


@pytest.mark.parametrize("name", ["a b", "import", "a.b()", "", "a..b"])
def test_a_tool_without_a_name_in_python_is_refused(name):
    with pytest.raises(ReportError, match="is not a name in Python"):
        written(finding(), subject=replace_subject(qualname=name))


@pytest.mark.parametrize("name", ["call", "make_tool", "asyncio", "SECRET", "CancellationToken"])
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


@pytest.mark.parametrize("expected", ["[" * 100_000, "9" * 5_000, "{", '{"a": 1e999}'])
def test_an_expected_result_that_no_test_can_hold_is_refused(expected):
    with pytest.raises(ReportError, match=r"expected result|finite number"):
        written(finding(outcome=Outcome.RETURNED, expected=expected), "RES009")


def test_a_repeated_text_is_a_product():
    assert literal("[" * 100_000) == '"[" * 100_000'
    assert literal('{"a": "' + "xy" * 500 + '"}') == '\'{"a": "\' + "xy" * 500 + \'"}\''


def test_a_text_that_nobody_reads_is_refused():
    with pytest.raises(ReportError, match="too many for a test to read"):
        written(finding("".join(map(chr, range(256, 9_000)))))


@pytest.mark.parametrize(
    ("found", "code", "why"),
    [
        (finding(disturbance=CancellationPoint("token", at=2)), "CAN001", "where it waits a later time"),
        (finding(disturbance=CancellationPoint("task", at=1)), "EXC001", "a cancelled task"),
        (finding(disturbance=InjectedFault("library", 1, "unknown")), "EXC010", "made a library fail"),
        (finding(disturbance=ReplacedCatalog("x")), "EXC001", "replaced something"),
        (finding(outcome=Outcome.OVER_MEMORY), "EXC002", "the suite's limits"),
        (finding(history=(stimulus("repeat", "same", "{}", None),) * 9), "EXC001", "takes 9 earlier calls"),
        (finding(), "EXC004", "what leaks is encoded"),
        (finding(), "EXC003", "has no pattern of its own"),
        (
            finding(result=ResultReport("R", is_invoke_result=True, successful=False)),
            "ARG006",
            "did not succeed",
        ),
        (finding('{"path": "/proc/self/environ"}', result=LEAK), "EXC005", "which a test cannot set"),
        (finding(), "EXC006", "it weighs prose"),
        (replace(finding(), reproduced=False), "EXC001", "would pass by chance"),
        (replace(finding(), call=None), "USE003", "it weighs prose"),
    ],
)
def test_what_has_no_plain_test_is_refused_with_the_reason(found, code, why):
    with pytest.raises(ReportError, match=why):
        written(found, code)


@pytest.mark.parametrize(
    ("payload", "asserted"),
    [
        ('{"isError": true, "content": []}', 'assert payload.get("isError") is not True'),
        ('{"Success": false, "why": "no"}', 'assert payload.get("Success") is not False'),
        ('{"error": "no"}', "assert not result.successful"),
        ('["Error: no"]', "assert not result.successful"),
        ('{"cut', "assert not result.successful"),
    ],
)
def test_what_a_success_says_of_a_failure_is_what_its_test_asserts(payload, asserted):
    """Where it says outright that it failed, a fix may also take that back; an error and nothing else is a failure."""
    result = ResultReport("R", is_invoke_result=True, successful=True, payload=payload)
    assert written(finding(outcome=Outcome.RETURNED, result=result), "RES007").endswith(f"    {asserted}\n")


def test_each_rule_on_aptix_tools_has_an_assertion_or_a_reason():
    """A new rule is placed in one of the tables, not left to chance."""
    others = {code for code in (rule.code for rule in all_rules()) if code[:3] not in {"AMP", "ART", "MCP"}}
    known = CALLS.keys() | DECLARATIONS.keys() | OWN_SHAPE
    assert not known - others
    assert not [code for code in others - known if why_not(code) == OTHER]
    assert not [code for code in known if why_not(code) != OTHER and code[:3] not in {"CAT", "USE"}]
