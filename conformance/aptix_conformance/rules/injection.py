"""ARG017 and ARG018: an argument is data, and neither a program of a shell nor a part of a statement."""

import json
import re
from collections.abc import Container, Iterator
from typing import Final

from aptix_conformance.core.model import Call, Declaration, Exploration
from aptix_conformance.core.text import quoted
from aptix_conformance.rules.confinement import returned_texts
from aptix_conformance.rules.lib.declarations import parameters, properties, usage_text
from aptix_conformance.rules.lib.documents import arguments_of, payload_of
from aptix_conformance.rules.lib.failures import reports_failure
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.prose import sections
from aptix_conformance.rules.lib.scope import argument, both, came_back, extreme
from aptix_conformance.rules.other_calls import JOINED
from aptix_conformance.stimuli.generate.extremes import QUOTING, SHELL_MARK, SHELL_TEXTS, TEXTS
from aptix_conformance.stimuli.probes import statements

_SHELLS: Final = (
    r"shells?|bash|zsh|sh|powershell|terminals?|tmux|tty|repl|cmds?|argv|exec|subprocess(?:es)?|kubectl|ssh"
)
_PROGRAMS: Final = r"commands?|scripts?|consoles?|makefiles?|sandbox(?:es)?"
_NAMED: Final = re.compile(rf"\b(?:{_SHELLS}|{_PROGRAMS})\b", re.IGNORECASE)
"""Words in the name of a tool or of an argument that may hand a text to a shell on purpose."""
_RUNS_COMMANDS: Final = re.compile(
    rf"\b(?:{_SHELLS}|(?:run|runs|running|start\w*|execut\w+|evaluat\w+|invok\w+|launch\w*|spawn\w*|issu\w+|types?|typing) "
    rf"(?:\S+ ){{0,3}}(?:{_PROGRAMS}|code|programs?|pipelines?|javascript)"
    rf"|(?:{_PROGRAMS}) (?:\w+ ){{0,2}}(?:run|executed?|evaluated?))\b",
    re.IGNORECASE,
)
"""Words of the texts of such a tool. A command that nothing runs, such as one to which a tool is compared, is none."""
_WORDS: Final = ("inherited-member", "not-a-number", "long-name")
"""Texts that are one word: a tool that takes an argument for a command does not find them."""
_NOT_FOUND: Final = re.compile(
    r"(?:constructor|nan|nnnnn)\W{1,4}.{0,40}(?:not found|no such file)|command not found|failed to run command",
    re.IGNORECASE,
)
_ENOUGH: Final = 3
"""Texts that work where an apostrophe does not: an argument that is a statement takes none of them."""
_LONGEST: Final = 500
"""Characters of a result that is no more than the sentence of an exception."""
_PLAIN: Final = TEXTS.keys() - QUOTING


def _may_run_commands(declaration: Declaration) -> str | None:
    """The `applies` of ARG017."""
    schema = json.dumps(parameters(declaration) or {})
    names = JOINED.sub(" ", " ".join([declaration.tool_name.value or "", *properties(declaration)]))
    purpose = "\n".join(line for section in sections(usage_text(declaration))[:2] for line in section.lines)
    match = _NAMED.search(names) or _RUNS_COMMANDS.search(JOINED.sub(" ", f"{purpose}\n{schema}"))
    return f"it speaks of {quoted(match[0], 40)}, and may run what it is given" if match else None


def _is_for_a_shell(call: Call) -> bool:
    return extreme(call) and call.plan.change.detail in SHELL_TEXTS


def _has_apostrophe(call: Call) -> bool:
    return extreme(call) and call.plan.change.detail == "apostrophe"


@rule(
    "ARG017",
    "MCP.Sec.5",
    applies=_may_run_commands,
    when=lambda exploration: any(map(both(_is_for_a_shell, came_back), exploration.calls)),
    unseen_reason=NotApplicable("no argument took a text that a shell would evaluate"),
    probes=("extremes",),
    differs_by="the argument",
    remedy="Start a program by a list of arguments and without a shell: subprocess.run([program, text]), execFile(program, [text]); "
    "before a text that may begin with a hyphen, give it its end of options (--).",
)
def no_argument_reaches_a_shell(exploration: Exploration) -> Iterator[Finding]:
    """No shell evaluates an argument of a tool that does not say that it runs commands.

    A model passes on what others wrote: a page, a mail, the name of a file. A shell that reads it runs their commands with the rights of
    the tool. The suite sends texts of which a shell makes aptix42, which none of them holds, between quotes of either kind and
    without; what came back, was logged or written to a standard stream held it. A tool that speaks of a shell, or says that it runs
    commands or scripts, may do so on purpose, and so may an argument of which each word is taken for a command.
    """
    commands = {argument(call) for call in exploration.calls if _takes_a_command(call)}
    for call in filter(both(_is_for_a_shell, came_back), exploration.calls):
        if argument(call) not in commands and any(SHELL_MARK in text for text in _all_texts(call)):
            message = f"It handed the text to a shell, which made {SHELL_MARK} of it."
            yield Finding(message, call, cause=argument(call))


def _takes_a_command(call: Call) -> bool:
    is_word = extreme(call) and call.plan.change.detail in _WORDS
    return is_word and any(map(_NOT_FOUND.search, _all_texts(call)))


@rule(
    "ARG018",
    "MCP.Sec.5",
    when=lambda exploration: any(map(both(_has_apostrophe, came_back), exploration.calls)),
    unseen_reason=NotApplicable("no argument took a text with an apostrophe"),
    probes=("extremes", "statements"),
    differs_by="the argument",
    remedy="Give the text to the driver as a parameter, and join it to no statement: "
    'execute("SELECT … WHERE name = ?", (name,)), query("SELECT … WHERE name = $1", [name]).',
)
def no_argument_becomes_a_part_of_a_statement(exploration: Exploration) -> Iterator[Finding]:
    """An apostrophe in an argument does not end a text in a statement of the tool's database.

    A tool that joins the text to its statement does not find O'Brien. It also runs what follows the apostrophe: whoever writes the
    text that a model passes on can see, change or delete the data of others. The rule counts a database's error about the syntax of
    the statement, in a result, in the log or on a standard stream, where the same argument takes other texts. An argument that is
    itself a statement is not counted. The rule also counts a text that makes a condition always true where the tool finds more for
    it than for the same words in another order, and more than for any other text.
    """
    for call, error in joined(exploration):
        message = (
            f"It joined the text to a statement, which the database could not read: {quoted(error, 80)}."
        )
        yield Finding(message, call, "EXC001" if call.raised else "", cause=argument(call))
    for call, found, others in _widened(exploration):
        message = f"It found {found} where a text in a statement makes the condition always true, and at most {others} with other texts."
        yield Finding(message, call, cause=argument(call))


def _widened(exploration: Exploration) -> Iterator[tuple[Call, int, int]]:
    """The calls whose text made a condition always true, how many rows each found, and the most that any other text found."""
    own = [call for call in exploration.calls if call.plan.probe == statements.NAME and call.succeeded]
    for call in own:
        never = [_rows(each) for each in own if _is_of(call, each, (statements.NEVER,))]
        others = [_rows(each) for each in exploration.calls if extreme(each) and _is_of(call, each, TEXTS)]
        found = _rows(call)
        if call.plan.change.detail == statements.ALWAYS and never and found > max(2 * max(never), *others, 0):
            yield call, found, max(*never, *others, 0)


def _is_of(call: Call, other: Call, details: Container[str | None]) -> bool:
    same = argument(other) == argument(call) and other.plan.change.detail in details
    return same and other.succeeded


def _rows(call: Call) -> int:
    """How many items the longest array of a payload has, and how many lines prose has."""
    payload = payload_of(call)
    if payload.is_prose:
        return len(payload.value.split("\n"))
    longest, waiting = 0, [payload.value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            longest = max(longest, len(value) if isinstance(value, list) else 0)
            waiting += value.values() if isinstance(value, dict) else value
    return longest


def joined(exploration: Exploration) -> Iterator[tuple[Call, str]]:
    """The calls whose apostrophe ended a text in a statement, and what the database said."""
    for call in filter(both(_has_apostrophe, came_back), exploration.calls):
        error = _syntax_error(call)
        if error and _takes_other_texts(exploration, call):
            yield call, error


def _takes_other_texts(exploration: Exploration, quoting: Call) -> bool:
    worked = {
        call.plan.change.detail
        for call in exploration.calls
        if extreme(call)
        and call.succeeded
        and argument(call) == argument(quoting)
        and call.plan.change.detail in _PLAIN
        and not _syntax_error(call)
        and not _shows_a_failure(call)
    }
    return len(worked) >= _ENOUGH


def _shows_a_failure(call: Call) -> bool:
    """Whether a call that succeeded says in its result that it failed."""
    payload = payload_of(call)
    value = call.result.payload if payload.fault and call.result else payload.value
    return reports_failure(value, arguments_of(call))


def _syntax_error(call: Call) -> str:
    """What a database says in a call of a statement that it cannot read; empty without it. A long result may quote it as data."""
    returned = (text for text in returned_texts(call) if len(text) <= _LONGEST or not call.succeeded)
    found = next(filter(None, map(statements.SYNTAX_ERROR.search, (*returned, *_written(call)))), None)
    return found[0] if found else ""


def _all_texts(call: Call) -> Iterator[str]:
    yield from returned_texts(call)
    yield from _written(call)


def _written(call: Call) -> Iterator[str]:
    """What a call logged, and wrote to the standard streams."""
    yield from (record.message for record in call.logs)
    yield call.stdout.text
    yield call.stderr.text
