"""Tests for tools of other systems: what a report says enters as literals only."""

import ast
import json
import re
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.stimuli import stimulus
from tests.unit.systems.author_tests.test_hostile_findings import HOSTILE

from aptix_conformance.app.run import RunOptions
from aptix_conformance.app.run.replay import find_rule
from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.model import CancellationPoint, Outcome, SchemaReading
from aptix_conformance.core.model.call import Raised
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.disturbance import ScarceResource
from aptix_conformance.core.model.report import CallReport, FindingReport, ResultReport
from aptix_conformance.systems.ai_sdk import author_test as ai_sdk
from aptix_conformance.systems.ai_sdk.facts import AISDKTool
from aptix_conformance.systems.amplifier import author_test as amplifier
from aptix_conformance.systems.amplifier.facts import AmplifierMount, EntryPoint
from aptix_conformance.systems.art import author_test as art
from aptix_conformance.systems.art.facts import ArtTool
from aptix_conformance.systems.author_tests import Subject, javascript
from aptix_conformance.systems.frameworks import FrameworkTool
from aptix_conformance.systems.langchain import author_test as langchain
from aptix_conformance.systems.mcp import author_test as mcp
from aptix_conformance.systems.mcp.facts import McpTool
from aptix_conformance.systems.openai_agents import author_test as openai_agents
from aptix_conformance.systems.pydantic_ai import author_test as pydantic_ai
from aptix_conformance.targets import ToolSettings

SUCCEEDED = ResultReport("R", is_invoke_result=True, successful=True)
READING = SchemaReading("returned")
QUOTED = r"'(?:[^'\\\n]|\\(?:u[0-9a-f]{4}|[bfnrt\\']))*'"


def mount(**changes):
    given = {
        "where": "tool-notes", "function": "async", "parameters": (), "returned": "nothing", "detail": "", "key": "search_notes",
        "registrations": (), "entry_points": (), "events": (), "events_fault": None, "input_schema": READING, "get_schema": READING,
    }  # fmt: skip
    return AmplifierMount(**given | changes)


def subject(facts, module="m", **members):
    given = {"module": module, "qualname": "T", "settings": ToolSettings(), "directory": Path("/nowhere")}
    given |= members
    named = SimpleNamespace(value=given["qualname"])
    return Subject(**given, declaration=SimpleNamespace(facts=facts, module=module, tool_name=named))


def finding(arguments="{}", context=None, history=(), outcome=Outcome.RAISED, result=None, **plan):
    made = replace(stimulus("valid", "generated", arguments, context), **plan)
    shown = CallReport(plan=made, label=made.label, outcome=outcome, result=result)
    return FindingReport("it raised", shown, history, reproduced=True, replay="")


UNANSWERED = finding(
    outcome=Outcome.RETURNED,
    result=ResultReport("Command without one ToolMessage for the call", is_invoke_result=False),
)
NO_RESULT = finding(outcome=Outcome.RETURNED, result=ResultReport("object", is_invoke_result=False))


def in_javascript(found, code="EXC001", **members):
    tool = subject(ArtTool("class", READING), "./weather.mjs", **members)
    return art.write_test(tool, find_rule(code), found, RunOptions())


def for_ai_sdk(found, code="EXC002", place=("tools", "", ("a b",)), **members):
    variable, holder, keys = place
    facts = AISDKTool(
        "ai 7.0.173", is_async=True, variable=variable, holder=holder, validates=True, keys=keys
    )
    tool = subject(facts, "./tools.mjs", **members)
    return ai_sdk.write_test(tool, find_rule(code), found, RunOptions())


def for_amplifier(found, code="EXC001", facts=None, **members):
    tool = subject(facts or mount(), "notes", **members)
    return amplifier.write_test(tool, find_rule(code), found, RunOptions())


def for_mcp(found, code="EXC002", module="python weather.py", **members):
    tool = subject(McpTool("2026-07-28", "{}", "{}"), module, **members)
    return mcp.write_test(tool, find_rule(code), found, RunOptions())


def for_framework(found, code="EXC001", calling=langchain.CALLING, place=("search", ""), **members):
    variable, holder = place
    facts = FrameworkTool("a-framework 1", is_async=True, variable=variable, holder=holder)
    return calling.write_test(subject(facts, **members), find_rule(code), found, RunOptions())


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_is_one_literal_of_javascript(text):
    written = javascript.literal(text)
    assert re.fullmatch(QUOTED, written)
    assert written.isascii()
    assert (
        json.loads(
            f'"{written[1:-1].replace(chr(34), chr(92) + chr(34)).replace(chr(92) + chr(39), chr(39))}"'
        )
        == text
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_change_nothing_of_a_test_in_javascript_but_its_literals(text):
    def shape(written):
        return re.sub(QUOTED, "''", written)

    def made(word):
        return in_javascript(finding(json.dumps({"a b": word}), {"callId": word}))

    assert shape(made(text)) == shape(made("x"))
    assert shape(in_javascript(finding(json.dumps({text: 1})))) == shape(in_javascript(finding('{"a b": 1}')))
    hostile = for_ai_sdk(finding(json.dumps({text: text})), "RES001", ("tools", "", (text,)))
    assert shape(hostile) == shape(for_ai_sdk(finding('{"a b": "x"}'), "RES001"))


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_enter_a_test_for_amplifier_as_constants(text):
    def calls(written):
        return sum(isinstance(node, ast.Call) for node in ast.walk(ast.parse(written)))

    hostile = for_amplifier(finding(json.dumps({text: [text]})), facts=mount(key=text))
    assert calls(hostile) == calls(for_amplifier(finding('{"x": ["x"]}')))
    assert text in {node.value for node in ast.walk(ast.parse(hostile)) if isinstance(node, ast.Constant)}


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_enter_a_test_for_mcp_as_constants(text):
    def calls(written):
        return sum(isinstance(node, ast.Call) for node in ast.walk(ast.parse(written)))

    settings = ToolSettings(command=("node", text), env={"A": text})
    hostile = for_mcp(finding(json.dumps({text: [text]})), qualname=text, settings=settings)
    harmless = ToolSettings(command=("node", "x"), env={"A": "x"})
    assert calls(hostile) == calls(for_mcp(finding('{"x": ["x"]}'), settings=harmless))
    assert text in {node.value for node in ast.walk(ast.parse(hostile)) if isinstance(node, ast.Constant)}


@pytest.mark.parametrize("calling", [each.CALLING for each in (langchain, openai_agents, pydantic_ai)])
@pytest.mark.parametrize("text", HOSTILE)
def test_texts_enter_a_test_for_a_framework_as_constants(text, calling):
    """The name that a tool declares is one of them, where a list holds it."""

    def made(word):
        found = finding(json.dumps({word: [word]}))
        return for_framework(found, calling=calling, place=("TOOLS", "list"), qualname=word)

    def nodes(written):
        return [type(node) for node in ast.walk(ast.parse(written))]

    assert nodes(made(text)) == nodes(made("x"))


@pytest.mark.parametrize(
    "variable", ["", "a b", "a-b", "invoke", "tool", "ARGUMENTS", "None", "os.system('x')"]
)
def test_a_tool_that_a_test_cannot_import_is_refused(variable):
    with pytest.raises(ReportError):
        for_framework(finding(), place=(variable, ""))


def test_what_the_project_injects_enters_the_call_of_a_framework():
    settings = ToolSettings(services={"user": "people:ada"})
    assert '"args": {**arguments, "user": ada()},' in for_framework(finding(), settings=settings)
    for calling, parameter, line in (
        (openai_agents.CALLING, "context", "\n            ada(),\n"),
        (pydantic_ai.CALLING, "deps", "RunContext(deps=ada(), "),
    ):
        settings = ToolSettings(services={parameter: "people:ada"})
        written = for_framework(finding(), calling=calling, settings=settings)
        assert line in written
        assert "from people import ada" in written


def test_earlier_calls_of_a_tool_of_a_framework_are_made_first():
    written = for_framework(finding(history=(stimulus("repeat", "same", '{"a": 1}', None),)))
    assert 'EARLIER = [\n    {"a": 1},\n]' in written
    assert "with contextlib.suppress(Exception):" in written


def test_an_exception_of_the_tools_own_that_looks_like_a_refusal_is_left_to_the_suite():
    found = finding()
    raised = Raised("ValidationError", "1 validation error", "")
    with pytest.raises(ReportError, match="only the suite shows"):
        for_framework(replace(found, call=replace(found.call, raised=raised)))


def test_a_server_is_started_as_the_project_starts_it(tmp_path):
    """In the project's directory, in one of its folders, or in a copy of files that names the project's own."""
    (tmp_path / "weather.py").touch()
    command = ("python3", "weather.py", "--quick")
    plain = for_mcp(finding(), directory=tmp_path, settings=ToolSettings(command=command))
    assert "command=sys.executable" in plain
    assert 'args=["weather.py", "--quick"]' in plain
    assert "cwd=pytestconfig.rootpath," in plain
    inside = ToolSettings(command=("node", "x.js"), directory=str(tmp_path / "servers"))
    assert 'cwd=pytestconfig.rootpath / "servers"' in for_mcp(finding(), directory=tmp_path, settings=inside)
    copied = ToolSettings(command=command, files=str(tmp_path / "notes"))
    written = for_mcp(finding(), directory=tmp_path, settings=copied)
    assert 'str(pytestconfig.rootpath / "weather.py")' in written
    assert "cwd=tmp_path" in written


def test_earlier_calls_of_an_mcp_tool_are_made_first():
    written = for_mcp(finding(history=(stimulus("repeat", "same", '{"a": 1}', None),)))
    assert 'EARLIER = [\n    {"a": 1},\n]' in written
    assert "with contextlib.suppress(MCPError):" in written


def test_a_member_proto_is_no_prototype():
    assert javascript.literal({"__proto__": 1, "a": 2, "b c": 3}) == "{ ['__proto__']: 1, a: 2, 'b c': 3 }"


def test_a_repeated_text_is_written_with_repeat():
    assert javascript.literal("x" * 500) == "'x'.repeat(500)"


@pytest.mark.parametrize("value", [float("inf"), "".join(map(chr, range(256, 9_000)))])
def test_what_javascript_cannot_hold_or_nobody_reads_is_refused(value):
    with pytest.raises(ReportError):
        javascript.literal({"a": value})


@pytest.mark.parametrize(
    "place", ["./a'b.mjs", "./a\nb.mjs", "./`.mjs", "\N{LATIN SMALL LETTER E WITH ACUTE}.mjs"]
)
def test_a_place_that_needs_quoting_is_refused(place):
    with pytest.raises(ReportError, match="characters that need quoting"):
        art.write_test(
            subject(ArtTool("class", READING), place), find_rule("EXC001"), finding(), RunOptions()
        )


@pytest.mark.parametrize("name", ["a b", "a.b", "a'", ""])
def test_an_export_that_a_test_cannot_import_is_refused(name):
    with pytest.raises(ReportError, match="a test cannot import"):
        in_javascript(finding(), qualname=name)


@pytest.mark.parametrize(
    ("exported", "made"), [("class", "new T()"), ("factory", "await T()"), ("instance", "T")]
)
def test_a_tool_is_made_as_it_is_exported(exported, made):
    tool = subject(ArtTool(exported, READING), "./weather.mjs", folder=Path("/nowhere/test"))
    written = art.write_test(tool, find_rule("EXC001"), finding(), RunOptions())
    assert f"const tool = {made};" in written
    assert "import { T } from '../weather.mjs';" in written


@pytest.mark.parametrize("name", ["tool", "test", "INPUT", "call"])
def test_an_export_with_a_name_of_the_files_own_gets_another(name):
    written = for_ai_sdk(finding(), "EXC001", place=(name, "", ()))
    assert f"import {{ {name} as own_{name} }} from './tools.mjs';" in written
    assert f"const tool = own_{name};" in written


def test_a_tool_of_the_ai_sdk_is_found_where_its_module_has_it():
    settings = ToolSettings(services={"context": "./people.ts:default"})
    written = for_ai_sdk(finding(), "EXC001", ("makeTools", "function", ("agent", "a b")), settings=settings)
    assert "const tool = (await makeTools()).agent['a b'];" in written
    assert "await createJiti(import.meta.url).import('./people.ts')" in written
    assert "abortSignal: signal, context: await makeContext() };" in written


def test_a_tool_and_its_context_of_one_name_get_two_names():
    settings = ToolSettings(services={"context": "./people.mjs:make"})
    written = for_ai_sdk(finding(), "EXC001", ("make", "", ()), settings=settings)
    assert "import { make } from './tools.mjs';" in written
    assert "import { make as own_make } from './people.mjs';" in written
    assert "const tool = make;" in written
    assert "context: await own_make() };" in written


def test_typescript_is_loaded_by_jiti():
    tool = subject(ArtTool("class", READING), "./weather.ts")
    written = art.write_test(tool, find_rule("EXC001"), finding(), RunOptions())
    assert "const { T } = await createJiti(import.meta.url).import('./weather.ts');" in written


def test_the_mount_function_of_an_entry_point_is_imported():
    points = (EntryPoint("amplifier.modules", "tool-notes", "notes:attach"),)
    written = for_amplifier(finding(), facts=mount(entry_points=points))
    assert "from notes import attach" in written
    assert "    mount = attach\n" in written


@pytest.mark.parametrize("attribute", ["call", "a b", "a-b", "mounted"])
def test_a_mount_function_that_a_test_cannot_import_is_refused(attribute):
    points = (EntryPoint("amplifier.modules", "tool-notes", f"notes:{attribute}"),)
    with pytest.raises(ReportError, match="a test cannot import"):
        for_amplifier(finding(), facts=mount(entry_points=points))


@pytest.mark.parametrize(
    ("write", "found", "code"),
    [
        (in_javascript, finding(outcome=Outcome.OVER_MEMORY), "EXC002"),
        (in_javascript, finding("[1e999"), "EXC001"),
        (in_javascript, finding(result=SUCCEEDED), "ARG006"),
        (in_javascript, replace(finding(), call=None), "ART007"),
        (for_ai_sdk, finding('{"__proto__": 1}', result=SUCCEEDED), "ARG006"),
        (for_ai_sdk, finding(), "RES003"),
        (partial(for_ai_sdk, place=("", "", ())), finding(), "EXC001"),
        (for_amplifier, finding(disturbance=CancellationPoint("task", at=2)), "CAN007"),
        (for_amplifier, finding(result=SUCCEEDED), "RES003"),
        (for_mcp, finding("[]"), "EXC002"),
        (for_mcp, finding("{"), "EXC002"),
        (for_mcp, finding(disturbance=ScarceResource("full-disk")), "EXC002"),
        (for_mcp, finding(), "EXC001"),
        (for_mcp, finding(), "MCP023"),
        (for_framework, finding("[1]"), "EXC001"),
        (for_framework, finding(), "RES007"),
        (for_framework, UNANSWERED, "RES001"),
        (partial(for_framework, place=("GRAPH", "CompiledStateGraph")), finding(), "EXC001"),
        (partial(for_framework, calling=openai_agents.CALLING), finding(result=SUCCEEDED), "ARG006"),
        (partial(for_framework, calling=pydantic_ai.CALLING), NO_RESULT, "RES001"),
    ],
)
def test_what_the_framework_does_not_show_is_left_to_the_suite(write, found, code):
    with pytest.raises(ReportError, match="only the suite shows"):
        write(found, code)


def test_a_module_that_registers_nothing_is_left_to_the_suite():
    with pytest.raises(ReportError, match="only the suite shows"):
        for_amplifier(finding(), facts=mount(key=None))


@pytest.mark.parametrize(
    ("module", "settings"),
    [("http://127.0.0.1:8000/mcp", ToolSettings()), ("notes", ToolSettings(url="http://127.0.0.1/mcp"))],
)
def test_a_server_with_a_url_is_left_to_the_suite(module, settings):
    with pytest.raises(ReportError, match="only the suite shows"):
        for_mcp(finding(), module=module, settings=settings)


def test_the_environment_of_a_clients_file_stays_out_of_a_test(tmp_path):
    """It is where people keep their keys."""
    server = {"command": "python", "args": ["notes.py"], "env": {"NOTES_KEY": "whk-51c0"}}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"notes": server}}))
    with pytest.raises(ReportError, match="only the suite shows"):
        for_mcp(finding(), module="@mcp.json:notes", directory=tmp_path)
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"notes": server | {"env": {}}}}))
    assert 'args=["notes.py"]' in for_mcp(finding(), module="@mcp.json:notes", directory=tmp_path)


def test_a_tool_with_an_environment_is_left_to_the_suite():
    for write in (in_javascript, for_ai_sdk):
        with pytest.raises(ReportError, match="only the suite shows"):
            write(finding(), settings=ToolSettings(env={"A": "b"}))
