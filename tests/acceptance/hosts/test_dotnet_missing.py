"""A library that a C# tool was built with or calls, and that is not there, is a fault of its set-up; one that it names itself is not."""

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import Outcome
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.aptix.dotnet_compile import compile_sources
from aptix_conformance.systems.pools import Systems
from aptix_conformance.targets import Target, ToolSettings

LIBRARY = "namespace Acme { public static class Text { public static string Up(string given) { return given.ToUpper(); } } }"
TOOLS = """
using System;
using System.Threading;
using System.Threading.Tasks;

namespace Acme
{
    public sealed class InvokeResult<T> { public bool Successful { get; set; } public T Result { get; set; } public string ErrorMessage { get; set; } }

    public abstract class Tool
    {
        public const string ToolName = "t";
        public static object GetSchema() { return null; }
        public string Name { get { return ToolName; } }

        public Task<InvokeResult<string>> ExecuteAsync(string arguments, object context, CancellationToken token)
        {
            return Task.FromResult(new InvokeResult<string> { Successful = true, Result = Work(arguments) });
        }

        protected abstract string Work(string arguments);
    }

    public sealed class NeedsTool : Tool
    {
        protected override string Work(string arguments) { return arguments == "other" ? "fine" : Up(arguments); }
        private static string Up(string arguments) { return Text.Up(arguments); }
    }

    public sealed class CatchesTool
    {
        public const string ToolName = "t";
        public static object GetSchema() { return null; }

        public Task<InvokeResult<string>> ExecuteAsync(string arguments, object context, CancellationToken token)
        {
            var result = new InvokeResult<string>();
            try { result.Result = Up(arguments); result.Successful = true; }
            catch (Exception) { result.ErrorMessage = "It did not work."; }
            return Task.FromResult(result);
        }

        private static string Up(string arguments) { return Text.Up(arguments); }
    }

    public interface IAdminLogger { void AddException(string tag, Exception exception); }

    public sealed class NativeTool : Tool
    {
        private readonly IAdminLogger logger;

        public NativeTool(IAdminLogger logger) { this.logger = logger; }

        [System.Runtime.InteropServices.DllImport("acme-native")]
        private static extern int Count(string text);

        protected override string Work(string arguments)
        {
            if (arguments == "throw") { throw new DllNotFoundException("acme-native"); }
            if (arguments == "other") { return "fine"; }
            if (arguments == "call") { return Count(arguments).ToString(); }
            if (arguments == "log")
            {
                try { return Count(arguments).ToString(); }
                catch (Exception error) { logger.AddException("[t_ExecuteAsync__Exception]", error); throw new InvalidOperationException("It did not work."); }
            }
            try { return Count(arguments).ToString(); }
            catch (DllNotFoundException) { }
            throw new InvalidOperationException("The text is too long.");
        }
    }

    public sealed class PluginTool : Tool
    {
        protected override string Work(string arguments) { return System.Reflection.Assembly.Load(arguments).FullName; }
    }
}
"""


@pytest.fixture(scope="module")
def opened(runtime, tmp_path_factory):
    """Opens a tool of an assembly whose library is not there."""
    folder = tmp_path_factory.mktemp("built")
    made = []
    for name, text in (("Library", LIBRARY), ("Tools", TOOLS)):
        source, made_here = folder / f"{name}.cs", folder / f"Acme.{name}.dll"
        source.write_text(text, encoding="utf-8")
        fault = compile_sources(runtime, ["-target:library", f"-out:{made_here}"], made[:], [source])
        assert not fault
        made.append(made_here)
    made[0].unlink()

    with Systems(Environment(folder, (), {}, Limits(timeout=10))) as systems:

        def open_tool(name):
            target = Target("t", "aptix", "Acme.Tools.dll", f"Acme.{name}", prefix="aptix-cs")
            return systems.open(target, ToolSettings(runtime=runtime.name))

        yield open_tool


def called(host, arguments):
    return host.execute(stimulus("test", "generated", arguments, None))


@pytest.mark.parametrize("name", ["NeedsTool", "CatchesTool"])
def test_a_missing_reference_is_no_answer_of_the_tool(opened, name):
    """Each time, also where the tool catches the exception, and where calls run concurrently."""
    host = opened(name)
    for _ in range(2):
        with pytest.raises(TargetError, match=r"^set `references` or `runtime` .* Acme\.Library, "):
            called(host, "text")
    plans = [stimulus("test", "generated", "text", None)] * 2
    with pytest.raises(TargetError, match="`references`"):
        host.execute_together(plans)


def test_a_call_that_needs_no_missing_reference_is_answered(opened):
    assert called(opened("NeedsTool"), "other").result.payload == "fine"


@pytest.mark.parametrize("named", ["Acme.Plugin, Version=1.0.0.0", "Acme.Plugin", "no name, at all="])
def test_an_assembly_that_an_argument_names_is_for_the_tool_to_answer(opened, named):
    assert called(opened("PluginTool"), named).outcome is Outcome.RAISED


@pytest.mark.parametrize("arguments", ["call", "log"])
def test_a_missing_native_library_is_no_answer_of_the_tool(opened, arguments):
    """Also where the tool logs the exception, and answers with something else."""
    with pytest.raises(
        TargetError, match=r"^install the native library acme-native, or put it beside the assembly: "
    ):
        called(opened("NativeTool"), arguments)


@pytest.mark.parametrize("arguments", ["throw", "do without"])
def test_a_native_library_that_the_tool_does_without_or_only_speaks_of_is_for_it_to_answer(opened, arguments):
    assert called(opened("NativeTool"), arguments).outcome is Outcome.RAISED
