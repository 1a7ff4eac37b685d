"""C# projects as they are: built already, with a contract of their own, and with libraries that lie elsewhere."""

import json
import os
import shutil
from pathlib import Path

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.errors import TargetError
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.aptix.dotnet_compile import compile_sources
from aptix_conformance.systems.pools import Systems
from aptix_conformance.targets import Target, ToolSettings

HERE = Path(__file__).parent / "dotnet_project"
CONTRACT = "Acme.Contract.dll"
PIPELINE = "ExecuteAsync(string, IPipelineContext)"
ADAPTER = "Acme.Testing.Contexts:Make"


@pytest.fixture(scope="module")
def built(runtime, tmp_path_factory):
    """The project as a build leaves it: the tools in one folder, the contract in another."""
    folder = tmp_path_factory.mktemp("built")
    library, tools = folder / "lib" / CONTRACT, folder / "bin" / "Release" / "net8.0" / "Acme.Tools.dll"
    for made, name, references in ((library, "contract", []), (tools, "tools", [library])):
        made.parent.mkdir(parents=True)
        assert not compile_sources(
            runtime, ["-target:library", f"-out:{made}"], references, [*(HERE / name).glob("*.cs")]
        )
    (folder / "Tools.csproj").write_text(
        "<Project><PropertyGroup><AssemblyName>Acme.Tools</AssemblyName></PropertyGroup></Project>",
        encoding="utf-8",
    )
    return folder


@pytest.fixture
def open_clock(runtime, built):
    """Open the tool of this test with settings; its project file is the target unless another is named."""
    opened = Systems(Environment(built, (), {}, Limits(timeout=10)))

    def make(module="Tools.csproj", **settings):
        name = "Acme.Tools.ClockTool"
        target = Target(f"aptix-cs:{module}#{name}", "aptix", module, name, prefix="aptix-cs")
        return opened.open(target, ToolSettings(runtime=runtime.name, **settings))

    with opened:
        yield make


def payload_of(host, context=None):
    return host.execute(stimulus("test", "generated", "{}", context)).result.payload


def test_the_method_nearest_to_the_contract_is_called(open_clock, built):
    """Not the one with the most parameters; the contract's library is found by `references`."""
    host = open_clock(references=(str(built / "lib" / "*.dll"),))
    assert payload_of(host, {"session_id": "s-1"}) == "contract s-1 True"


def test_an_adapter_makes_the_context_that_production_passes(open_clock, built):
    """A token in the context counts as the token that the contract passes."""
    host = open_clock(
        references=(str(built / "lib"),), sources=(str(HERE / "testing"),), execute=PIPELINE, adapter=ADAPTER
    )
    assert payload_of(host, {"session_id": "s-1"}) == "pipeline s-1 True"
    assert payload_of(host) == "pipeline  "
    names = [parameter.name for parameter in host.describe().execute.parameters]
    assert names == ["arguments_json", "context", "token"]


def test_sources_are_compiled_with_the_references_and_the_sources_that_are_named(open_clock, built):
    """A folder of tools whose contract and adapter lie elsewhere."""
    shutil.copytree(HERE / "tools", built / "src", dirs_exist_ok=True)
    host = open_clock(
        "src",
        references=(str(built / "lib" / CONTRACT),),
        sources=(str(HERE / "testing" / "*.cs"),),
        execute=PIPELINE,
        adapter=ADAPTER,
    )
    assert payload_of(host, {"session_id": "s-1"}) == "pipeline s-1 True"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"execute": PIPELINE}, "IPipelineContext, which only your project can make.*adapter = "),
        ({"execute": "RunAsync"}, "has no method RunAsync: correct `execute`"),
        ({"execute": "ExecuteAsync(string)"}, r"it has ExecuteAsync\(string, string, string, string\); "),
        ({"adapter": "Acme.Testing.Contexts:None"}, "there is no adapter"),
        ({"references": ("/none/*.dll",)}, "`references` names /none/"),
    ],
)
def test_what_cannot_be_is_said_with_the_key_to_correct(settings, words, open_clock, built):
    """Before any call is made."""
    given = {"references": (str(built / "lib"),), "sources": (str(HERE / "testing"),), **settings}
    with pytest.raises(TargetError, match=words):
        open_clock(**given).describe()


def test_packages_that_a_build_does_not_copy_are_found_by_its_dependency_file(
    open_clock, built, runtime, tmp_path, monkeypatch
):
    """As `dotnet` itself finds them: in the user's folder of packages."""
    if runtime.name != "coreclr":
        pytest.skip("only CoreCLR reads .deps.json")
    package = tmp_path / "acme.contract" / "1.0.0" / "lib" / "net8.0"
    package.mkdir(parents=True)
    shutil.copy(built / "lib" / CONTRACT, package)
    own, used = "Acme.Tools/1.0.0", "Acme.Contract/1.0.0"
    dependencies = {
        "runtimeTarget": {"name": ".NETCoreApp,Version=v3.1"},
        "targets": {
            ".NETCoreApp,Version=v3.1": {
                own: {"dependencies": {"Acme.Contract": "1.0.0"}, "runtime": {"Acme.Tools.dll": {}}},
                used: {"runtime": {f"lib/net8.0/{CONTRACT}": {}}},
            }
        },
        "libraries": {
            own: {"type": "project", "serviceable": False, "sha512": ""},
            used: {"type": "package", "serviceable": True, "sha512": "", "path": "acme.contract/1.0.0"},
        },
    }
    file = built / "bin" / "Release" / "net8.0" / "Acme.Tools.deps.json"
    file.write_text(json.dumps(dependencies), encoding="utf-8")
    monkeypatch.setitem(os.environ, "NUGET_PACKAGES", str(tmp_path))
    try:
        assert payload_of(open_clock(), {"session_id": "s-1"}) == "contract s-1 True"
    finally:
        file.unlink()


def test_a_project_that_is_not_built_is_told_to_be(tmp_path):
    """By name of the command."""
    (tmp_path / "New.csproj").write_text("<Project/>", encoding="utf-8")
    with Systems(Environment(tmp_path, (), {})) as own, pytest.raises(TargetError, match="run dotnet build"):
        own.list_tools("aptix-cs", "New.csproj", ToolSettings())
