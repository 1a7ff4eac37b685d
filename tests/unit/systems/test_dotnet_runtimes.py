"""Which .NET runtime is taken where the project names none."""

from pathlib import Path

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.systems.aptix import dotnet_runtimes
from aptix_conformance.systems.aptix.dotnet_runtimes import Framework, dotnet_version, find_runtime

CORE = Framework("Microsoft.NETCore.App", "8.0.1", Path("/dotnet/shared/Microsoft.NETCore.App/8.0.1"))


@pytest.fixture
def installed(monkeypatch):
    """Says which programs there are, and that `dotnet` has a framework where it is one of them."""

    def programs(*names):
        monkeypatch.delenv("DOTNET_ROOT", raising=False)
        monkeypatch.setattr(dotnet_runtimes.importlib.util, "find_spec", lambda _: None)
        monkeypatch.setattr(
            dotnet_runtimes.shutil, "which", lambda name, **_: f"/bin/{name}" if name in names else None
        )
        monkeypatch.setattr(dotnet_runtimes, "_frameworks", lambda _: [CORE])
        monkeypatch.setattr(dotnet_runtimes, "json_net", lambda: Path("/Newtonsoft.Json.dll"))

    return programs


def test_mono_is_taken_by_itself_where_there_is_no_dotnet(installed):
    installed("mono", "mcs")
    assert (find_runtime("a tool").name, find_runtime("a tool").program) == ("mono", "/bin/mono")


def test_coreclr_goes_before_mono_where_both_are_there(installed):
    installed("dotnet", "mono", "mcs")
    assert (find_runtime("a tool").name, find_runtime("a tool").program) == ("coreclr", "/bin/dotnet")
    assert find_runtime("a tool", "mono").name == "mono"


def test_mono_does_not_stand_in_for_the_runtime_that_a_project_wants(installed):
    installed("mono", "mcs")
    with pytest.raises(TargetError, match="needs CoreCLR"):
        find_runtime("a tool", "coreclr")


def test_a_runtime_is_recorded_with_all_from_which_it_loads_code(installed, tmp_path, monkeypatch):
    """Where `dotnet` looks for assemblies that are in no framework, what starts it, and what compiles and is lent."""
    installed("dotnet", "mcs")
    for name in ("dotnet", "Newtonsoft.Json.dll"):
        (tmp_path / name).touch()
    for name in ("host", "store", "shared", "mono"):
        (tmp_path / name).mkdir()
    core = Framework("Microsoft.NETCore.App", "8.0.1", tmp_path / "shared")
    monkeypatch.setattr(dotnet_runtimes, "_installed", lambda: [(str(tmp_path / "dotnet"), (core,))])
    monkeypatch.setattr(dotnet_runtimes, "json_net", lambda: tmp_path / "Newtonsoft.Json.dll")
    monkeypatch.setattr(dotnet_runtimes, "_MONO_PLACES", (str(tmp_path / "mono"), str(tmp_path / "absent")))
    spoken, code = dotnet_version(None)
    names = {Path(path).name for path in code}
    assert (spoken, names) == (
        ".NET 8.0.1",
        {"dotnet", "shared", "host", "store", "mono", "Newtonsoft.Json.dll"},
    )
