"""A C# source that does not compile gets one line that names the fault, and leaves other tools alone."""

import subprocess

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.aptix import dotnet_compile
from aptix_conformance.systems.pools import Systems
from aptix_conformance.targets import ToolSettings

TOOL = """
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;

public sealed class PlainTool
{
    public const string ToolName = "agent_plain";
    public static object GetSchema() { return new { type = "function", name = ToolName }; }
    public string Name { get { return ToolName; } }

    public Task<InvokeResult<string>> ExecuteAsync(string arguments, AgentToolExecutionContext context, CancellationToken token)
    {
        return Task.FromResult(InvokeResult<string>.Create("{}"));
    }
}
"""


@pytest.fixture
def listed(runtime, tmp_path):
    """Lists the tools of a file that the test wrote."""
    with Systems(Environment(tmp_path, (), {}, Limits())) as systems:
        yield lambda file: systems.list_tools("aptix-cs", file, ToolSettings(runtime=runtime.name))


def test_a_file_that_does_not_compile_is_refused_alike_each_time_and_spoils_no_other(
    listed, tmp_path, monkeypatch
):
    (tmp_path / "broken.cs").write_text("public class { }")
    (tmp_path / "plain.cs").write_text(TOOL)
    listed("plain.cs")
    with pytest.raises(TargetError, match=r"aptix-cs:broken\.cs does not compile with .*broken\.cs"):
        listed("broken.cs")
    (tmp_path / "other.cs").write_text(TOOL.replace("plain", "other"))
    assert listed("other.cs")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("it is compiled again"))
    with pytest.raises(TargetError, match=r"aptix-cs:broken\.cs does not compile"):
        listed("broken.cs")


def test_syntax_that_an_old_compiler_does_not_know_names_the_one_that_does(listed, runtime, tmp_path):
    if not runtime.compiler.is_old:
        pytest.skip("this compiler knows it")
    (tmp_path / "new.cs").write_text(TOOL.replace("return Task", "using var a = context; return Task"))
    with pytest.raises(
        TargetError, match=r"`using var` \(C# 8\) at new\.cs\(14\); the compiler of the \.NET SDK"
    ):
        listed("new.cs")


def test_a_compiler_that_does_not_end_is_told_in_a_clear_line(listed, tmp_path, monkeypatch):
    (tmp_path / "plain.cs").write_text(TOOL)
    listed("plain.cs")  # the host is compiled
    (tmp_path / "slow.cs").write_text(TOOL)
    monkeypatch.setattr(dotnet_compile, "_PATIENCE", 0.01)
    with pytest.raises(
        TargetError, match=r"the compiler did not end within 0\.01 s on 1 file; build the project"
    ) as caught:
        listed("slow.cs")
    assert "Command" not in str(caught.value)
