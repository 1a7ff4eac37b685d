"""A finding on an MCP tool as a pytest test: the official client, `mcp` 2 or later, starts the server and calls the tool.

The written file imports `mcp`, and nothing of the suite.
"""

import os
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from aptix_conformance.core.model.report import FindingReport
from aptix_conformance.rules import Rule
from aptix_conformance.systems.author_tests import (
    INDENT,
    Conditions,
    Demand,
    Draft,
    Subject,
    demand_of,
    earlier_calls,
    invocation,
    literal,
    only_the_suite,
    parsed_arguments,
    surround,
)
from aptix_conformance.systems.mcp.client_files import with_file
from aptix_conformance.systems.mcp.commands import is_url
from aptix_conformance.systems.mcp.traits import TRAITS
from aptix_conformance.targets import ToolSettings
from aptix_conformance.targets.endpoints import names_variable

_PYTHON: Final = ("python", "python3")
_OPENED: Final = "async with Client(server, read_timeout_seconds=SECONDS) as client:"
_ASSERTIONS: Final[Mapping[Demand, tuple[str, ...]]] = {
    Demand.IS_REFUSED: ("assert result is None or result.is_error",),
    Demand.SUCCEEDS: ("assert not result.is_error, result.content",),
    Demand.ENDS: (),
}


def write_test(subject: Subject, rule: Rule, finding: FindingReport, conditions: Conditions) -> str:
    """A test that shows a finding on an MCP tool (`author_tests.WriteTest`).

    Raises:
        ReportError: only the suite shows the finding.
    """
    demand, call = demand_of(rule, finding)
    if demand not in _ASSERTIONS:
        raise only_the_suite()
    settings = with_file(subject.settings, subject.module, subject.directory)
    draft = Draft(subject.directory)
    draft.modules.add("asyncio")
    draft.take("mcp", "Client", "StdioServerParameters")
    _give_server(draft, subject, settings)
    draft.constants += [
        f"SECONDS = {settings.timeout or TRAITS.patience or conditions.timeout:g}",
        f"TOOL = {literal(subject.qualname)}",
        f"ARGUMENTS = {_arguments_literal(call.plan.arguments)}",
    ]
    lines = earlier_calls(
        draft, finding, _arguments_literal, "await client.call_tool(TOOL, arguments)", "MCPError"
    )
    draft.take("mcp", *(["MCPError"] if lines else []))
    statement = "return await client.call_tool(TOOL, ARGUMENTS)"
    if demand is Demand.IS_REFUSED:  # an error of the protocol is a refusal, too
        draft.take("mcp", "MCPError")
        lines += ["try:", f"    {statement}", "except MCPError:", "    return None"]
    else:
        lines.append(statement)
    body = "".join(f"{INDENT * 2}{line}\n" for line in lines)
    draft.definitions.append(f"async def call(server):\n{INDENT}{_OPENED}\n{body}")
    called = "asyncio.run(call(server))"
    draft.body += [f"result = {called}" if _ASSERTIONS[demand] else called, *_ASSERTIONS[demand]]
    return draft.text(rule)


# ---- the file


def _give_server(draft: Draft, subject: Subject, settings: ToolSettings) -> None:
    """The line that says how the server is started.

    Raises:
        ReportError: it is not started by a command, or with what should not stand in a test.
    """
    if settings.url or is_url(subject.module):
        raise only_the_suite()
    if settings.env != subject.settings.env:
        raise only_the_suite()
    if any(map(names_variable, (*settings.env.values(), *settings.command))):
        raise only_the_suite()
    draft.fixtures.add("pytestconfig")
    program, *words = settings.command or shlex.split(subject.module)
    is_copied = settings.files is not None and not settings.directory
    arguments = [f"command={_program(draft, program)}"]
    if words:
        arguments.append(f"args=[{', '.join(_word(subject, word, is_copied=is_copied) for word in words)}]")
    if settings.env:
        arguments.append(f"env={literal(dict(settings.env))}")
    surround(
        draft,
        replace(subject, settings=replace(settings, env={}, files=settings.files if is_copied else None)),
    )
    arguments.append(f"cwd={'tmp_path' if is_copied else _rooted(subject, settings.directory or '.')}")
    server = invocation("StdioServerParameters", arguments, INDENT, "server = ")
    draft.body += [line.removeprefix(INDENT) for line in server.split("\n")]


def _program(draft: Draft, program: str) -> str:
    """The expression of a program: the interpreter that runs the test for Python's name, as the suite takes its own."""
    if program not in _PYTHON:
        return literal(program)
    draft.modules.add("sys")
    return "sys.executable"


def _word(subject: Subject, word: str, *, is_copied: bool) -> str:
    """The expression of an argument. A server that starts in a copy of files names the project's own by their paths."""
    is_file = is_copied and (subject.directory / word).is_file()
    return f"str({_rooted(subject, word)})" if is_file else literal(word)


def _rooted(subject: Subject, place: str) -> str:
    """The expression of a place in the project."""
    path = os.path.relpath(subject.directory / place, subject.directory).replace(os.sep, "/")
    return "pytestconfig.rootpath" if path == "." else f"pytestconfig.rootpath / {literal(path)}"


def _arguments_literal(arguments: str | None) -> str:
    """The arguments of a call as a literal.

    Raises:
        ReportError: they are no object, which the client does not send.
    """
    value = parsed_arguments(arguments)
    if not isinstance(value, dict):
        raise only_the_suite()
    return literal(value)
