"""A finding on an MCP tool as a pytest test: the official client, `mcp` 2 or later, starts the server and calls the tool.

The written file imports `mcp`, and nothing of the suite. What only the bytes on the wire show has no such test, because the
client reads the messages first.
"""

import os
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from aptix_conformance.author_tests import (
    INDENT,
    Check,
    Conditions,
    Draft,
    Subject,
    earlier_calls,
    invocation,
    literal,
    no_internals,
    parsed_arguments,
    refuse_unshown,
    surround,
    unshown,
    without_test,
)
from aptix_conformance.model import ScarceResource
from aptix_conformance.model.report import CallReport, FindingReport
from aptix_conformance.rules import Rule
from aptix_conformance.systems.mcp.client_files import with_file
from aptix_conformance.systems.mcp.commands import is_url
from aptix_conformance.systems.mcp.facts import McpTool
from aptix_conformance.systems.mcp.probe import NO_ARGUMENTS
from aptix_conformance.systems.mcp.traits import TRAITS
from aptix_conformance.targets import ToolSettings
from aptix_conformance.targets.endpoints import names_variable

_PYTHON: Final = ("python", "python3")
_OPENED: Final = "async with Client(server, read_timeout_seconds=SECONDS) as client:"
_CALLED: Final = "asyncio.run(call(server))"
_RESULT: Final = f"result = {_CALLED}"
_LISTED: Final = "tool = asyncio.run(listed(server))[TOOL]"

LISTINGS: Final[Mapping[str, Check]] = {
    "MCP003": Check(("asyncio.run(listed(server))  # the client refuses a member of another type",)),
    "MCP004": Check((_LISTED, 'assert tool.input_schema["type"] == "object"')),
    "MCP006": Check((_LISTED, 'assert tool.output_schema["type"] == "object"')),
    "MCP007": Check(
        (
            "for name in asyncio.run(listed(server)):",
            r'    assert re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", name)',
        ),
        ("re",),
    ),
    "MCP010": Check(("asyncio.run(listed(server))  # the client refuses a page without them",)),
    "MCP085": Check(("asyncio.run(listed(server))  # the client refuses a page of another form",)),
    "SCH030": Check(
        (
            "for name in asyncio.run(listed(server)):",
            r'    assert re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", name)',
        ),
        ("re",),
    ),
    "SCH031": Check(
        (_LISTED, 'assert not {"anyOf", "oneOf", "allOf", "not", "enum"} & tool.input_schema.keys()')
    ),
    "SCH033": Check(
        (
            _LISTED,
            'for name in tool.input_schema.get("properties", {}):',
            '    assert re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name)',
        ),
        ("re",),
    ),
}
"""What a test of a listing asserts, by the rule. Tests on names look at all tools: fixing a name changes it."""

_REFUSED: Final = Check(("assert result is None or result.is_error",))
_ACCEPTED: Final = Check(("assert not result.is_error, result.content",))
_ANSWERED: Final = Check(())
_IMAGE: Final = ("for block in result.content:", '    if block.type in ("image", "audio"):')

CALLS: Final[Mapping[str, Check]] = {
    **dict.fromkeys(("ARG006", "ARG007", "ARG008", "ARG009", "ARG010", "MCP055", "MCP110"), _REFUSED),
    **dict.fromkeys(("MCP051", "RES006", "RES012"), _ACCEPTED),
    **dict.fromkeys(("EXC002", "MCP041", "MCP045", "MCP053", "MCP054"), _ANSWERED),
    **dict.fromkeys(("MCP040", "MCP043", "MCP046"), _ANSWERED),
    "MCP044": Check((*_IMAGE, "        base64.b64decode(block.data, validate=True)"), ("base64",)),
    "MCP047": Check(
        (
            'texts = [block.text for block in result.content if block.type == "text"]',
            "assert result.structured_content in [parsed(text) for text in texts]",
        ),
        ("json",),
        classes=(
            "def parsed(text):\n    try:\n        return json.loads(text)\n    except ValueError:\n        return None\n",
        ),
    ),
    **dict.fromkeys(("MCP052", "MCP087"), Check(("assert result.is_error",))),
    "RES004": Check(
        (
            'texts = [block.text for block in result.content if block.type == "text"]',
            "assert not result.is_error or any(text.strip() for text in texts)",
        )
    ),
}
"""What a test of a call asserts, by the rule. The client itself refuses a result that is not of the protocol's form."""

SERVERS: Final[Mapping[str, Check]] = {
    "MCP001": Check(("assert client.server_capabilities.tools is not None",)),
    "MCP002": Check(("assert client.server_capabilities  # the client refuses an incomplete opening",)),
    "MCP008": Check(
        (
            "names = [tool.name for tool in (await client.list_tools()).tools]",
            "assert len(set(names)) == len(names)",
        )
    ),
    "MCP009": Check(
        (
            "first = [tool.name for tool in (await client.list_tools()).tools]",
            "again = [tool.name for tool in (await client.list_tools()).tools]",
            "assert again == first",
        )
    ),
    "MCP088": Check(("assert client.server_capabilities.resources is not None",)),
    "MCP048": Check(
        (
            "try:",
            '    result = await client.call_tool("no_such_tool", {})',
            "except MCPError:",
            "    return",
            "assert result.is_error",
        ),
        harness=("MCPError",),
    ),
    "MCP049": Check(
        (
            "with pytest.raises(MCPError) as refused:",
            '    await client.call_tool("no_such_tool", {})',
            "assert refused.value.error.code == -32602",
        ),
        ("pytest",),
        harness=("MCPError",),
    ),
}
"""What a test does with the client, for rules on a server."""

_WIRE: Final = "it judges the messages themselves, and a client reads them first"
_CANCELLED: Final = "it judges what comes behind a cancellation, at moments that the suite measures"
_HTTP: Final = "it judges HTTP, and a test starts its server over stdio"
WHY: Final[Mapping[str, str]] = {
    **dict.fromkeys((f"MCP{number:03}" for number in range(20, 40)), _WIRE),
    **dict.fromkeys(("MCP042", "MCP050", "MCP056", "MCP057", "MCP058", "MCP059", "MCP108"), _WIRE),
    **dict.fromkeys((f"MCP{number:03}" for number in range(60, 64)), _CANCELLED),
    **dict.fromkeys((f"MCP{number:03}" for number in range(70, 82)), _HTTP),
    "MCP064": "what repeats an argument may be a log message, or an error that the client raises",
    "MCP005": "it takes a validator of JSON Schema, in the dialect of the schema",
    **dict.fromkeys(
        ("MCP082", "MCP083", "MCP084"), "it takes a reader of JSON Schema, which knows where schemas stand"
    ),
    **dict.fromkeys(("MCP091", "MCP092", "MCP093"), "it compares the files before and after a call"),
    "MCP094": "the kernel counts what the server tries, in a network of its own",
    **dict.fromkeys(
        ("MCP106", "MCP107"), "the client of the SDK knows no tasks: its version 2 has left them out"
    ),
    "MCP086": "a list without an end has no end in a test either",
    "MCP090": "the tool must be called with arguments that it takes, and a server has none of its own",
    "MCP095": "a client of the SDK has one name",
    **dict.fromkeys((f"MCP{number:03}" for number in range(96, 105)), _WIRE),
    "MCP105": "it compares two processes of a server, and a test has one",
    "MCP109": "the suite makes something scarce for the server's process",
    **dict.fromkeys(("EXC004", "EXC005", "MCP089"), "what leaks is planted in the environment"),
    "CTX005": "it compares calls in several contexts, which the client does not send",
    "RES007": "its author alone knows whether the call should have succeeded or failed",
    "RES009": "the expected result may stand in the text or in the structured content",
}
"""Why rules on MCP tools have no plain test."""


def write_test(subject: Subject, rule: Rule, finding: FindingReport, conditions: Conditions) -> str:
    """A test that shows a finding on an MCP tool (`author_tests.WriteTest`).

    Raises:
        ReportError: the finding has no plain test, with the reason.
    """
    facts = subject.declaration.facts if subject.declaration else None
    assert isinstance(facts, McpTool)
    refuse_unshown(finding)
    settings = with_file(subject.settings, subject.module, subject.directory)
    draft = Draft(subject.directory)
    draft.modules.add("asyncio")
    draft.take("mcp", "Client", "StdioServerParameters")
    _give_server(draft, subject, settings)
    seconds = settings.timeout or TRAITS.patience or conditions.timeout
    draft.constants.append(f"SECONDS = {seconds:g}")
    if rule.code in SERVERS:
        return _server_test(draft, rule)
    if rule.code in LISTINGS:
        return _listing_test(draft, rule, subject)
    if finding.call is None or rule.code not in (*CALLS, "EXC003"):
        raise without_test(rule.code, WHY)
    return _call_test(draft, rule, subject.qualname, finding, finding.call)


def _server_test(draft: Draft, rule: Rule) -> str:
    check = SERVERS[rule.code]
    draft.modules |= {*check.modules}
    draft.take("mcp", *check.harness)
    draft.definitions.append(_function("look(server)", _OPENED, *_indented(*check.lines)))
    draft.body.append("asyncio.run(look(server))")
    return draft.text(rule)


def _listing_test(draft: Draft, rule: Rule, subject: Subject) -> str:
    check = LISTINGS[rule.code]
    if _LISTED in check.lines:
        draft.constants.append(f"TOOL = {literal(subject.qualname)}")
    draft.definitions.append(
        _function(
            "listed(server)",
            _OPENED,
            *_indented("tools, page = {}, None"),
            *_indented("while page is None or page.next_cursor:"),
            *_indented(*_indented("page = await client.list_tools(cursor=page and page.next_cursor)")),
            *_indented(*_indented("tools |= {tool.name: tool for tool in page.tools}")),
            *_indented("return tools"),
        )
    )
    draft.modules |= {*check.modules}
    draft.body += check.lines
    return draft.text(rule)


def _call_test(draft: Draft, rule: Rule, tool: str, finding: FindingReport, call: CallReport) -> str:
    check = CALLS[rule.code] if rule.code in CALLS else no_internals(call)
    _refuse_unseen(rule.code, check, finding, call)
    draft.constants.append(f"TOOL = {literal(tool)}")
    if call.plan.change != NO_ARGUMENTS:
        draft.constants.append(f"ARGUMENTS = {_given(call.plan.arguments)}")
    if finding.history:
        given = "".join(f"{INDENT}{_given(plan.arguments)},\n" for plan in finding.history)
        draft.constants.append(f"EARLIER = [\n{given}]")
    lines, modules = earlier_calls(
        finding,
        "for arguments in EARLIER:",
        "    with contextlib.suppress(MCPError):",
        "        await client.call_tool(TOOL, arguments)",
    )
    if lines:
        draft.take("mcp", "MCPError")
    draft.modules |= {*modules}
    _define_call(draft, lines, refusable=check is _REFUSED, bare=call.plan.change == NO_ARGUMENTS)
    _give_body(draft, check)
    return draft.text(rule)


def _refuse_unseen(code: str, check: Check, finding: FindingReport, call: CallReport) -> None:
    """Refuse what a test with the client would not show.

    Raises:
        ReportError: it would not, with the reason.
    """
    if isinstance(call.plan.disturbance, ScarceResource):
        raise unshown("something was scarce for its server")
    if call.plan.disturbance is not None and call.plan.change != NO_ARGUMENTS:
        raise unshown("the suite sent something else than a call")
    if check is _REFUSED and (call.result is None or call.result.successful is not True):
        raise unshown("the call did not succeed where it should have been refused")
    if code == "RES012" and call.result is not None and call.result.successful:
        raise unshown("it compares the forms of several results")
    if (code, finding.cause) in {("MCP040", "isError"), ("MCP044", "uri"), ("MCP044", "blob")}:
        raise unshown("the client takes it as it is")


# ---- the file


def _give_server(draft: Draft, subject: Subject, settings: ToolSettings) -> None:
    """The line that says how the server is started.

    Raises:
        ReportError: it is not started by a command, or with what should not stand in a test.
    """
    if settings.url or is_url(subject.module):
        raise unshown("the server is reached by a URL, and a test starts its server over stdio")
    if settings.env != subject.settings.env:
        raise unshown("the client's file gives the server an environment, which may hold secrets")
    if any(map(names_variable, (*settings.env.values(), *settings.command))):
        raise unshown("its server is started with variables of the environment, which may hold secrets")
    draft.fixtures.add("pytestconfig")
    program, *words = settings.command or shlex.split(subject.module)
    is_copied = settings.files is not None and not settings.directory
    given = [f"command={_program(draft, program)}"]
    if words:
        given.append(f"args=[{', '.join(_word(subject, word, is_copied=is_copied) for word in words)}]")
    if settings.env:
        given.append(f"env={literal(dict(settings.env))}")
    surround(
        draft,
        replace(subject, settings=replace(settings, env={}, files=settings.files if is_copied else None)),
    )
    given.append(f"cwd={'tmp_path' if is_copied else _rooted(subject, settings.directory or '.')}")
    server = invocation("StdioServerParameters", given, INDENT, "server = ")
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
    found = os.path.relpath(subject.directory / place, subject.directory).replace(os.sep, "/")
    return "pytestconfig.rootpath" if found == "." else f"pytestconfig.rootpath / {literal(found)}"


def _define_call(draft: Draft, earlier: tuple[str, ...], *, refusable: bool, bare: bool = False) -> None:
    """The function `call`, which gives the result; None for an error of the protocol where that is a refusal, too."""
    made = f"return await client.call_tool({'TOOL' if bare else 'TOOL, ARGUMENTS'})"
    lines = (*earlier, made)
    if refusable:
        draft.take("mcp", "MCPError")
        answers = ("try:", *_indented(made), "except MCPError:", *_indented("return None"))
        lines = (*earlier, *answers)
    draft.definitions.append(_function("call(server)", _OPENED, *_indented(*lines)))


def _give_body(draft: Draft, check: Check) -> None:
    draft.modules |= {*check.modules}
    draft.definitions += check.classes
    uses_result = any("result" in line for line in check.lines)
    draft.body.append(_RESULT if uses_result else _CALLED)
    draft.body += check.lines


def _function(signature: str, *lines: str) -> str:
    return f"async def {signature}:\n" + "".join(f"{INDENT}{line}\n" for line in lines)


def _indented(*lines: str) -> tuple[str, ...]:
    return tuple(f"{INDENT}{line}" for line in lines)


def _given(arguments: str | None) -> str:
    """The arguments of a call as a literal.

    Raises:
        ReportError: they are no object, which the client does not send.
    """
    found = parsed_arguments(arguments)
    if not isinstance(found, dict):
        raise unshown("the arguments are no object, and the client sends no others")
    return literal(found)
