"""The .NET host: what it reads, how it calls, what it records, and what it does to a call."""

import shutil
from pathlib import Path

import psutil
import pytest
from tests.stimuli import read_disturbance, stimulus

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import LogRecord, Outcome, canaries
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.aptix import dotnet_build, dotnet_runtimes
from aptix_conformance.systems.aptix.dotnet_runtimes import Compiler, DotnetRuntime
from aptix_conformance.systems.pools import Systems
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import Target, ToolSettings

HERE = Path(__file__).parent / "dotnet_tools"
CONTEXT = {"session_id": "s-1", "request": {"conversation_id": "c-1"}, "user": {"id": "u", "text": "U"}}


@pytest.fixture(scope="module")
def runtime(runtime):
    """The name of each runtime that is installed."""
    return runtime.name


@pytest.fixture(scope="module")
def systems(runtime):
    """Hosts for the tools of this test, compiled once for each runtime."""
    del runtime
    environment = Environment(HERE, (), canaries.environment(0), Limits(timeout=10))
    with Systems(environment) as opened:
        yield opened


@pytest.fixture
def open_tool(systems, runtime):
    """Open a tool of this test by its class's name."""
    opened = []

    def make(name, **settings):
        opened.append(systems.open(target(name), ToolSettings(runtime=runtime, **settings)))
        return opened[-1]

    yield make
    for host in opened:
        host.close()


def target(name):
    return Target(f"aptix-cs:.#Aptix.Tests.{name}", "aptix", ".", f"Aptix.Tests.{name}", prefix="aptix-cs")


def called(host, arguments="{}", disturbance="nothing", context=None):
    return host.execute(
        stimulus("test", "generated", arguments, context, disturbance=read_disturbance(disturbance))
    )


def test_a_spec_names_an_assembly_or_sources_and_a_class():
    """`aptix-cs:` is a short form like the others."""
    found = OURS.specs.parse("aptix-cs:./build/Tools.dll#My.Tools.WeatherTool")
    assert (found.spelling.prefix, found.spelling.system, found.module, found.qualname) == (
        "aptix-cs",
        "aptix",
        "./build/Tools.dll",
        "My.Tools.WeatherTool",
    )


def test_a_declaration_is_read_by_reflection(open_tool):
    """Constants, properties, the schema, the constructor, and the class of the arguments."""
    found = open_tool("EchoTool").describe()
    assert (found.tool_name.kind, found.tool_name.value) == ("plain", "echo")
    assert (found.usage_text.kind, found.usage_text.type_name) == ("plain", "str")
    assert (found.name.kind, found.name.value) == ("property", "echo")
    assert found.is_tool_fully_executed_on_server.value is True
    assert (found.execute.kind, found.execute.is_async) == ("method", True)
    assert [p.name for p in found.execute.parameters] == ["arguments_json", "context", "cancellation_token"]
    assert [p.annotation for p in found.constructor] == ["IAdminLogger"]
    assert [(each.name, each.public) for each in found.arguments_classes] == [("EchoArgs", False)]
    assert found.system == "aptix"


@pytest.mark.parametrize(
    ("name", "kind"), [("PropertyTool", "property"), ("ReadonlyTool", "static"), ("BareTool", "missing")]
)
def test_what_is_no_constant_is_told_for_what_it_is(name, kind, open_tool):
    """A registry finds a const alone."""
    assert open_tool(name).describe().tool_name.kind == kind


def test_a_tool_compiled_against_other_types_is_bound_by_the_names_of_members(open_tool):
    """A tool's project has its own contract assembly: logger, context and result go by their members."""
    call = called(open_tool("ForeignTool"), context=CONTEXT)
    assert call.result.is_invoke_result
    assert (call.result.successful, call.result.payload) == (True, "s-1/c-1/U")
    assert call.logs == (LogRecord("add_error", "tag", "message", pairs=(("a", "b"),)),)


def test_a_token_that_defaults_as_the_contract_writes_it_compiles(open_tool):
    """`CancellationToken cancellationToken = default` needs C# 7.1."""
    assert called(open_tool("DefaultTokenTool")).result.payload == "answered"


def test_a_call_gets_its_arguments_and_context_unchanged(open_tool):
    """Null too. Half a surrogate pair in a payload leaves a process of .NET as U+FFFD."""
    host = open_tool("EchoTool")
    assert called(host, '{"x": "\u00e9"}', context=CONTEXT).result.payload == '{"x": "\u00e9"}|s-1|c-1'
    assert called(host, "\ud800").result.payload == "\ufffd||"
    assert called(host, None).result.payload == "null||"


def test_every_text_of_a_failed_result_is_read(open_tool):
    """In collections, in what the tool's own types hold besides, and in the causes of an exception."""
    failed = called(open_tool("ForeignTool"), "fail", context=CONTEXT).result
    assert failed.successful is False
    assert {"said", "outer", "inner", "deep"} <= set(failed.texts)


@pytest.mark.parametrize(
    ("what", "type_name", "category"),
    [
        ("plain", "InvalidOperationException", "exception"),
        ("cancelled", "TaskCanceledException", "cancelled"),
        ("aggregate", "FormatException", "exception"),
        ("late", "InvalidOperationException", "exception"),
    ],
)
def test_exceptions_are_told_apart(what, type_name, category, open_tool):
    """Wrappers are taken off; a cancellation is one."""
    call = called(open_tool("ThrowingTool"), what)
    assert call.outcome is Outcome.RAISED
    assert (call.raised.type_name, call.raised.category) == (type_name, category)
    assert "Aptix.Conformance.Host" not in call.raised.traceback


@pytest.mark.parametrize(
    ("what", "words"), [("overflow", "stack"), ("exit", "exit"), ("nobody", "nobody caught: formatexception")]
)
def test_what_ends_a_process_of_dotnet_is_a_crash(what, words, open_tool):
    """A stack that overflows cannot be caught there, and is not here."""
    host = open_tool("ThrowingTool")
    call = called(host, what)
    assert call.outcome is Outcome.CRASHED
    assert words in f"{call.incident} {call.stderr.text}".lower()
    assert called(host, "nothing").outcome is Outcome.RETURNED


def test_what_the_logger_is_given_arrives(open_tool):
    """Each method, its level, exception and pairs."""
    found = called(open_tool("LoggingTool")).logs
    assert [(each.method, each.tag, each.message, each.level) for each in found] == [
        ("add_exception", "[x]", "broken", ""),
        ("add_error", "[y]", "wrong", ""),
        ("add_custom_event", "[z]", "done", "error"),
        ("trace", "", "on its way", ""),
    ]
    assert found[0].exception_type == "FormatException"
    assert found[2].pairs == (("Key", "value"),)


def test_suspensions_are_counted_with_and_without_a_captured_context(open_tool):
    """Task.Delay, ConfigureAwait(false), Task.Yield and a helper that waits: one suspension for each."""
    found = called(open_tool("WaitingTool"), disturbance="cancel:watch").disturbed
    assert len(found.suspensions) == 4


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_token_is_cancelled_at_the_suspension_that_was_asked_for(number, open_tool):
    """What the tool had done by then is what it had done, each time."""
    call = called(open_tool("WaitingTool"), disturbance=f"cancel:token:{number}")
    assert call.disturbed.reached
    done = int(call.result.payload.removeprefix("cancelled after "))
    # What waits for nothing (Task.Yield, the third) can go on in another thread before the token is cancelled.
    assert done in ({2, 3} if number == 3 else {number - 1})


@pytest.mark.parametrize("moment", ["before", "delay:0.02"])
def test_a_token_is_cancelled_before_the_call_and_after_a_while(moment, open_tool):
    """The tool's own token source is a real one."""
    call = called(open_tool("EndlessTool"), disturbance=f"cancel:{moment}")
    assert call.disturbed.reached
    assert call.result.payload == "cancelled"


def test_what_goes_on_after_a_cancelled_call_is_seen(open_tool):
    """A task that nobody waits for is left running."""
    host = open_tool("LeavingTool")
    assert called(host, "leave", "cancel:before;within=0.1").disturbed.left_running
    assert not called(host, "stay", "cancel:before;within=0.1").disturbed.left_running


def test_whether_the_token_is_read_is_seen_in_the_code(open_tool):
    """A tool that never looks at its token is distinguished from one that does."""
    assert called(open_tool("EndlessTool"), disturbance="cancel:before").token_consultations == 1
    assert called(open_tool("EchoTool")).token_consultations == 0


def test_services_come_from_factories_and_can_fail(open_tool):
    """One use breaks; what the factory gives serves every other."""
    host = open_tool("ServiceTool", services={"clock": "Aptix.Tests.Clock:Make"})
    assert called(host).result.payload == "noon noon"
    second = called(host, disturbance="fault:service:2:timeout")
    assert (second.disturbed.reached, second.disturbed.place) == (True, "clock.ReadAsync()")
    assert second.raised.type_name == "TimeoutException"
    assert called(host, disturbance="fault:service:1:gives_none").result.payload == "null noon"
    assert not called(host, disturbance="fault:service:3:unknown").disturbed.reached


def test_a_silent_service_ends_its_wait_with_the_token_that_it_was_given(open_tool):
    """As services do. A tool that gives it none waits on, and that is the tool's."""
    host = open_tool("PassingTool", services={"gauge": "Aptix.Tests.Gauge:Make"})
    passed = called(host, "passes", "fault:service:1:never_answers")
    assert (passed.disturbed.reached, passed.disturbed.given_up) == (True, False)
    assert passed.raised.category == "cancelled"
    assert called(host, "keeps", "fault:service:1:never_answers").disturbed.given_up


def test_computing_in_a_thread_of_the_pool_keeps_nobody_waiting_and_sleeping_there_does(open_tool):
    """Task.Run is how .NET computes; a thread that sleeps is lost to others."""
    host = open_tool("PassingTool", services={"gauge": "Aptix.Tests.Gauge:Make"})
    computed, slept = (called(host, what, "cancel:watch") for what in ("computes", "sleeps"))
    assert slept.longest_block >= 0.2
    assert computed.disturbed.blocked < 0.2


@pytest.mark.parametrize(
    ("services", "words"),
    [
        ({"watch": "Aptix.Tests.Clock:Make"}, "no parameter"),
        ({"clock": "Aptix.Tests.Clock:No"}, "no factory"),
    ],
)
def test_a_service_that_cannot_be_is_said_to_its_author(services, words, open_tool):
    """Before any call is made."""
    with pytest.raises(TargetError, match=words):
        open_tool("ServiceTool", services=services)


def test_a_service_that_is_missing_is_named(open_tool):
    """The tool is described all the same."""
    found = open_tool("ServiceTool").describe()
    assert found.missing_services == ("clock",)
    assert "'clock'" in found.construction_error


def test_calls_made_together_block_nobody(open_tool):
    """Fifty calls that hold their threads are under way at once: each waits for the last."""
    host = open_tool("MeetingTool")
    found = host.execute_together([stimulus("test", f"together:{n}", "{}", None) for n in range(50)])
    assert {call.result.payload for call in found} == {"met"}


def test_a_tool_writes_nowhere_and_reaches_no_network(open_tool, tmp_path):
    """The same containment as for tools in other languages."""
    host = open_tool("WritingTool")
    assert host.read_only is None
    assert called(host, str(tmp_path / "out")).result.payload in {
        "UnauthorizedAccessException",
        "IOException",
        "DirectoryNotFoundException",
    }
    assert not (tmp_path / "out").exists()
    assert called(host, "in-scratch").result.payload == "written"


def test_too_much_memory_ends_the_call(runtime):
    """By what is resident, as for every tool."""
    environment = Environment(HERE, (), {}, Limits(timeout=20, memory=200 * 1024 * 1024))
    with Systems(environment) as narrow:
        host = narrow.open(target("HoardingTool"), ToolSettings(runtime=runtime))
        assert called(host).outcome is Outcome.OVER_MEMORY


def test_nothing_is_left_when_the_hosts_are_closed(systems, runtime):
    """No process of the runtime outlives its host."""
    before = set(psutil.Process().children(recursive=True))
    host = systems.open(target("EchoTool"), ToolSettings(runtime=runtime))
    started = set(psutil.Process().children(recursive=True)) - before
    host.close()
    assert started
    assert not any(process.is_running() for process in started)


def test_sources_that_do_not_compile_are_said_with_the_place(tmp_path, runtime):
    """The compiler's own words, and what to do where the compiler is too old."""
    (tmp_path / "Broken.cs").write_text("class Broken { int x = ; }", encoding="utf-8")
    with (
        Systems(Environment(tmp_path, (), {})) as own,
        pytest.raises(TargetError, match=r"Broken\.cs\(1,23\).*dotnet build the project"),
    ):
        own.list_tools("aptix-cs", "Broken.cs", ToolSettings(runtime=runtime))


@pytest.mark.parametrize("where", ["missing.dll", "empty"])
def test_what_is_not_there_is_said(where, tmp_path):
    """In a sentence that names the place."""
    (tmp_path / "empty").mkdir()
    with Systems(Environment(tmp_path, (), {})) as own, pytest.raises(TargetError, match=where):
        own.list_tools("aptix-cs", where, ToolSettings())


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (
            None,
            "install a .NET SDK, or Mono: apt-get install mono-mcs mono-runtime libnewtonsoft-json5.0-cil",
        ),
        ("mono", "apt-get install mono-mcs mono-runtime libnewtonsoft-json5.0-cil"),
        ("coreclr", "install a .NET runtime with `dotnet` on PATH"),
    ],
)
def test_without_a_runtime_one_line_says_what_to_install(wanted, words, tmp_path, monkeypatch):
    """Nothing is green, and nothing is a riddle."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("DOTNET_ROOT", raising=False)
    monkeypatch.setattr(dotnet_runtimes.importlib.util, "find_spec", lambda _: None)
    (tmp_path / "Tools.dll").touch()
    with Systems(Environment(tmp_path, (), {})) as own, pytest.raises(TargetError) as caught:
        own.list_tools("aptix-cs", "Tools.dll", ToolSettings(runtime=wanted))
    assert "\n" not in str(caught.value)
    assert words in str(caught.value)


def test_the_host_is_compiled_once_and_kept_in_the_users_cache(tmp_path, monkeypatch, runtime):
    """By the hash of its sources; a second run compiles nothing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    shutil.copy(HERE / "Tools.cs", tmp_path)
    for _ in range(2):
        with Systems(Environment(tmp_path, (), {})) as own:
            assert own.list_tools("aptix-cs", "Tools.cs", ToolSettings(runtime=runtime)).tools
        (kept,) = (tmp_path / "aptix-conformance").iterdir()
        (program,) = (each for each in kept.glob("aptix-dotnet-host.*") if each.suffix in {".exe", ".dll"})
        made = program.stat().st_mtime_ns
    assert program.stat().st_mtime_ns == made


def test_other_options_of_the_compiler_make_another_host(monkeypatch):
    """The cache never gives a host that was compiled in another way."""
    mono = DotnetRuntime("mono", "mono", Compiler((__file__,), "mcs"))
    before = dotnet_build._fingerprint(mono)
    monkeypatch.setattr(dotnet_build, "OPTIONS", (*dotnet_build.OPTIONS, "-debug+"))
    assert dotnet_build._fingerprint(mono) != before
