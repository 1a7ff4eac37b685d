"""ARG017 and ARG018 find a text that a shell or a database evaluated, and no text that only came back."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.contracts import load
from aptix_conformance.core.model import Change, Exploration, Kind, LogRecord, Output, Raised
from aptix_conformance.stimuli.generate.extremes import SHELL_MARK, SHELL_TEXTS
from aptix_conformance.stimuli.probes.statements import ALWAYS, NEVER

JOINED = 'near "Brien": syntax error'
SYNTAX_ERRORS = [
    JOINED,
    "unrecognized token: \"'''\"",
    'syntax error at or near "Brien"\nLINE 1: SELECT',
    'unterminated quoted string at or near "\'"',
    "You have an error in your SQL syntax; check the manual that corresponds to your MariaDB server version",
    "Unclosed quotation mark after the character string ''.",
    "ORA-01756: quoted string not properly terminated",
]


def extreme(detail, result=None, **seen):
    made = b.call(probe="extremes", result=result or b.success({"text": detail}), **seen)
    return b.replace(made, plan=b.replace(made.plan, change=Change(Kind.EXTREME, "name", detail)))


def findings(code, *calls):
    explored = Exploration((b.declaration(),), calls)
    rule = b.RULES[code]
    return list(rule.findings(explored)) if rule.when(explored) else []


PLAIN = [extreme(detail) for detail in ("percent", "braces", "semicolon")]


@pytest.mark.parametrize("detail", SHELL_TEXTS)
def test_the_mark_of_a_shell_is_found_wherever_it_shows(detail):
    shown = f"grep: {SHELL_MARK}: No such file"
    calls = [
        extreme(detail, b.success({"lines": [SHELL_MARK]})),
        extreme(detail, b.failure(shown)),
        extreme(detail, logs=(LogRecord("add_error", "t", shown),)),
        extreme(detail, stderr=Output(shown, 40)),
    ]
    assert [len(findings("ARG017", call)) for call in calls] == [1] * 4


@pytest.mark.parametrize("text", SHELL_TEXTS.values())
def test_a_text_that_comes_back_as_it_was_sent_is_none(text):
    assert not findings("ARG017", *(extreme(detail, b.success({"name": text})) for detail in SHELL_TEXTS))


def test_an_argument_that_is_a_command_may_be_evaluated():
    lost = extreme("inherited-member", b.success({"stderr": "sh: 1: constructor: not found"}))
    assert not findings("ARG017", lost, extreme("command", b.success({"stdout": SHELL_MARK})))
    prefixed = extreme(
        "inherited-member", b.success("timeout: failed to run command 'constructor': No such file")
    )
    assert not findings("ARG017", prefixed, extreme("command", b.success({"stdout": SHELL_MARK})))


@pytest.mark.parametrize(
    ("usage", "applies"),
    [
        ("Runs a command in a shell.", False),
        ("Executes Python code.", False),
        ("Types into the terminal.", False),
        ("Runs a search in the address book.", True),
        ("Shows the commit log.", True),
        ("Execute arbitrary Python 3 code in a container.", False),
        ("Evaluates JavaScript on the page.", False),
        ("The command to execute is checked first.", False),
        ("Opens a PowerShell session.", False),
        ("Finds people, as the command grep finds lines.", True),
        ("Prints the list to the console, for scripts.", True),
        ("Uses the sandbox of the payment service.", True),
    ],
)
def test_a_tool_that_says_that_it_runs_commands_may_run_them(usage, applies):
    assert (b.RULES["ARG017"].applies(b.declaration(usage=usage)) is None) is applies


def _with_argument(name, description):
    members = {"type": "object", "properties": {name: {"type": "string", "description": description}}}
    return b.declaration({**b.SCHEMA, "parameters": members})


def test_an_argument_that_is_named_so_may_be_run_and_one_that_speaks_of_a_command_may_not():
    applies = b.RULES["ARG017"].applies
    assert applies(_with_argument("userCommand", "What to do."))
    assert applies(_with_argument("step", "The script that is executed."))
    assert applies(_with_argument("path", "What the command `pwd` prints.")) is None
    assert applies(b.declaration(name="agent_ssh_hosts"))


@pytest.mark.parametrize("error", SYNTAX_ERRORS)
def test_an_apostrophe_that_ends_a_text_in_a_statement_is_found(error):
    (found,) = findings("ARG018", *PLAIN, extreme("apostrophe", b.failure(f"Failed: {error}")))
    assert error.splitlines()[0][:30] in found.message


def test_it_is_found_in_the_log_too_and_left_to_exc001_in_an_exception():
    logged = extreme("apostrophe", b.failure("Failed."), logs=(LogRecord("add_exception", "t", JOINED),))
    assert findings("ARG018", *PLAIN, logged)
    raised = extreme("apostrophe", raised=Raised("OperationalError", JOINED, ""))
    assert [found.defers_to for found in findings("ARG018", *PLAIN, raised)] == ["EXC001"]


@pytest.mark.parametrize(
    "calls",
    [
        [extreme("apostrophe", b.failure(JOINED)), *(extreme(d, b.failure("no")) for d in ("percent", "braces", "nul"))],
        [extreme("apostrophe", b.success(f"Error: {JOINED}")), *(extreme(d, b.success(f"Error: {d}")) for d in ("percent", "braces", "nul"))],
        [*PLAIN, extreme("apostrophe", b.failure("parse error: unterminated quoted string"))],
        [*PLAIN, extreme("apostrophe", b.failure("Unclosed quotation mark at position 1"))],
        [*PLAIN, extreme("apostrophe", b.failure('fts5: syntax error near "\'"'))],
        [*PLAIN, extreme("apostrophe", b.failure("Nobody is called O'Brien."))],
        [*PLAIN, extreme("quotes", b.failure(JOINED))],
        [*PLAIN, extreme("apostrophe", b.success({"page": "How I lost a day: " + f"{JOINED}. " * 30}))],
    ],
    ids=["takes statements", "takes conditions", "a query language", "a grammar of phrases", "a full-text query", "a refusal", "another text", "a page"],
)  # fmt: skip
def test_what_is_no_statement_of_the_tool_is_not(calls):
    assert not findings("ARG018", *calls)


def condition(detail, rows):
    made = extreme(detail, b.success({"rows": [["Ada", "London"]] * rows}))
    return b.replace(made, plan=b.replace(made.plan, probe="statements"))


def test_a_condition_that_is_always_true_finds_more_than_any_other_text():
    others = [extreme("percent", b.success({"rows": []})), condition(NEVER, 0)]
    (found,) = findings("ARG018", extreme("apostrophe"), *others, condition(ALWAYS, 3))
    assert found.message.startswith("It found 3 where")
    assert not findings("ARG018", extreme("apostrophe"), condition(ALWAYS, 3))


@pytest.mark.parametrize(("always", "never", "other"), [(3, 2, 0), (3, 0, 3), (0, 0, 0)])
def test_words_that_are_looked_for_find_the_same_in_any_order(always, never, other):
    plain = extreme("percent", b.success({"rows": [1] * other}))
    calls = [plain, condition(NEVER, never), condition(ALWAYS, always)]
    assert not findings("ARG018", extreme("apostrophe"), *calls)


@pytest.mark.parametrize(
    ("edition", "level"),
    [
        ("mcp-2025-11-25", "MUST"),
        ("aptix-tul-011", "SHOULD"),
        ("art-0.4.16", "SHOULD"),
        ("amplifier-1.0.0", "SHOULD"),
    ],
)
def test_they_bind_by_a_clause_of_mcp_and_are_advice_elsewhere(edition, level):
    assert [b.RULES[code].level(load().editions[edition]) for code in ("ARG017", "ARG018")] == [level] * 2
