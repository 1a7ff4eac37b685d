"""What is examined for a certificate: whose code it is, in an order of its own."""

import hashlib
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.unit.systems.programs import program

from aptix_conformance.app.certificates import code_owner, examined
from aptix_conformance.app.certificates.copies import Code
from aptix_conformance.app.certificates.statement import CodePart, EnvironmentPart
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.report import RunReport, SuiteReport
from aptix_conformance.present.reports import failed_target_report, make_report
from aptix_conformance.systems.mcp import server_code
from aptix_conformance.systems.mcp.installing.package_request import Wanted
from aptix_conformance.systems.mcp.installing.store import Installed, Store
from aptix_conformance.systems.registry import installed
from aptix_conformance.targets import ToolSettings


def _tool(spec, name="agent_weather", **settings):
    system, _, module = spec.partition(":") if spec.startswith("mcp:") else ("aptix", "", spec)
    target = SimpleNamespace(spec=spec, system=system, module=module, spelling=system)
    return SimpleNamespace(name=name, target=target, settings=replace(ToolSettings(), **settings))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A run of a folder with `weather.py`, all of it tracked; `tools` are what the run lists."""
    (tmp_path / "weather.py").write_text("code")
    monkeypatch.setattr(code_owner, "tracked_files", lambda _: ["weather.py"])
    run = SimpleNamespace(
        root=tmp_path,
        sys_path=(str(tmp_path),),
        systems=installed(),
        settings=installed().load_settings(tmp_path / "absent.toml"),
        tools=(),
    )
    run.list_tools = lambda: SimpleNamespace(failures=(), tools=run.tools)
    run.find = lambda *specs: SimpleNamespace(
        failures=(), tools=[tool for tool in run.tools if tool.target.spec in specs]
    )
    run.unneeded_waivers = lambda _: ()
    run.report = lambda tools, unneeded: make_report(
        tuple(tools), SuiteReport("1", 0, 1, True, True), RunReport(), None
    )
    return run


def test_a_folder_has_the_name_of_its_project_since_checkouts_have_any(project):
    code = code_owner.code_of(project, _tool("weather:WeatherTool")).part
    assert code == CodePart("folder", "project")
    (project.root / "pyproject.toml").write_text('[project]\nname = "acme-weather"\n')
    code = code_owner.code_of(project, _tool("weather:WeatherTool")).part
    assert code == CodePart("folder", "acme-weather")


@pytest.mark.parametrize("text", ["[project]\nname = 1\n", "project = 1\n", "[", "\0", ""])
def test_a_project_without_a_name_is_called_one(project, text):
    (project.root / "pyproject.toml").write_text(text)
    assert code_owner.code_of(project, _tool("weather:WeatherTool")).part.name == "project"


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        (_tool("mcp:weather.py", command=("npx", "server")), "a server that a command starts"),
        (_tool("mcp:python -m absent"), "is no file below"),
        (_tool("mcp:python absent.py"), "is no file below"),
        (_tool("mcp:python ../weather.py"), "is no file below"),
        (_tool("mcp:python /weather.py"), "a server that a command starts"),
        (_tool("mcp:python -c 'import weather'"), "a server that a command starts"),
        (_tool("mcp:python -I weather.py"), "a server that a command starts"),
        (_tool("mcp:python 'weather.py"), "a server that a command starts"),
        (_tool("mcp:python -m"), "a server that a command starts"),
        (_tool("mcp:python -m weather", files="/data"), "is no file below"),
        (_tool("mcp:bash weather.py"), "a server that a command starts"),
        (_tool("mcp:npx -y server#tool"), "a server that a command starts"),
        (_tool("mcp:https://example.org/mcp"), "a server at a URL"),
        (_tool("mcp:weather", url="https://example.org/mcp"), "a server at a URL"),
        (_tool("nowhere:Tool"), "it has no digest"),
    ],
)
def test_code_that_is_not_known_has_no_digest(project, tool, words):
    with pytest.raises(CertificateError, match=words):
        code_owner.code_of(project, tool)


@pytest.mark.parametrize(
    "command", ["python weather.py --fast", "python3 -m weather", "python3.11 ./weather.py"]
)
def test_the_code_of_a_server_is_that_of_the_project_whose_file_its_command_starts(
    project, command, monkeypatch
):
    monkeypatch.setattr(server_code, "resolve", lambda words, *_: (f"/env/bin/{words[0]}",))
    tool = _tool(f"mcp:{command}")
    assert code_owner.code_of(project, tool) == Code(
        CodePart("folder", "project"), project.root, tracked=True
    )
    assert code_owner.interpreter_of(project, tool) == f"/env/bin/{command.split()[0]}"


@pytest.fixture
def stored(project):
    """The folder of a server in the project's store."""
    wanted, store = Wanted("python", "notes", program="notes"), Store(project.root / ".aptix-servers")
    with store.alone(wanted) as folder:
        for name in ("python", "notes"):
            program(folder / "env-00000001" / "bin", name)
        lock = hashlib.sha256(b"notes==1.0").hexdigest()
        place, held = str(folder / "env-00000001"), Containment("partial")
        store.keep(wanted, Installed("notes", "1.0", "", place, lock, 1, held), "notes==1.0")
    return folder


@pytest.mark.parametrize("command", [(), ("uvx", "--from", "notes", "notes", "--fast")])
def test_the_code_of_a_server_in_the_store_is_all_that_was_installed_with_it(project, stored, command):
    """Whichever way its command is named."""
    tool = _tool("mcp:uvx notes", command=command)
    assert code_owner.code_of(project, tool) == Code(CodePart("server", "notes 1.0"), stored)
    there = stored / "env-00000001"
    assert server_code.command_in(there, "uvx notes", tool.settings) == (f"{there}/bin/notes", *command[4:])


def test_a_server_that_was_not_installed_from_the_lock_that_is_there_has_no_digest(project, stored):
    (stored / "requirements.lock").write_text("notes==2.0")
    with pytest.raises(
        CertificateError, match=r"notes was not installed from .* as it is now: install it again by"
    ):
        code_owner.code_of(project, _tool("mcp:uvx notes"))


def test_what_belongs_to_no_package_of_a_server_of_node_is_named(tmp_path):
    for name in (
        "node_modules/x/package.json",
        "node_modules/evil.js",
        "a.runtimeconfig.json",
        "package-lock.json",
    ):
        (tmp_path / "s" / "env-00000001" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "s" / "env-00000001" / name).write_text('{"packages": {"node_modules/x": {}}}')
    (tmp_path / "s" / "package-lock.json").write_text("{}")
    (tmp_path / "copy").mkdir()
    copy = examined._Copy.of(Code(CodePart("server", "x 1"), tmp_path / "s"), tmp_path / "copy", None)
    reason, other = copy.unnamed(EnvironmentPart("CPython 3.11.2", "Linux"))
    assert other.startswith("a.runtimeconfig.json has code loaded from elsewhere")
    assert reason.startswith("node_modules/evil.js is not in package-lock.json")
    assert (copy.python, copy.files[0]) == (None, tmp_path / "copy" / "site" / "environment")


def test_what_is_not_in_the_lock_of_a_server_of_python_is_named(tmp_path):
    (tmp_path / "requirements.lock").write_text("notes==1.0 --hash=sha256:0\n")
    (tmp_path / "environment").mkdir()
    copy = examined._Copy(Code(CodePart("server", "x 1"), tmp_path), "0", tmp_path, tmp_path, "/python")
    (reason,) = copy.unnamed(EnvironmentPart("CPython 3.11.2", "Linux"))
    assert reason.startswith("notes is not installed, and requirements.lock has 1.0")


@pytest.mark.parametrize(
    ("settings", "python", "reasons"),
    [
        ({}, None, []),
        (
            {"directory": "src", "env": {"NODE_OPTIONS": "x"}},
            None,
            ["the variable NODE_OPTIONS", "its directory is"],
        ),
        ({}, "/python", ["its program bin/x is run by /usr/bin/env node"]),
    ],
)
def test_what_else_can_run_with_a_server_is_named(tmp_path, settings, python, reasons):
    program = tmp_path / "environment" / "bin" / "x"
    program.parent.mkdir(parents=True)
    program.write_text("#!/usr/bin/env node\n")
    (tmp_path / "package-lock.json").touch()
    copy = examined._Copy(Code(CodePart("server", "x 1"), tmp_path), "0", tmp_path, tmp_path, python)
    moved = ToolSettings(command=(str(program),))
    found = list(examined._unnamed(_tool("mcp:x", **settings), copy, tmp_path, moved))
    assert [reason[: len(words)] for reason, words in zip(found, reasons, strict=True)] == reasons


@pytest.mark.parametrize(("python", "runtime"), [("/env/bin/python", None), (None, "Node.js 22.0.0")])
def test_node_is_recorded_for_a_server_that_no_python_runs(project, python, runtime):
    spoken = ("Node.js 22.0.0", [__file__])
    runtimes = SimpleNamespace(
        runtime=lambda _: SimpleNamespace(version=lambda _: spoken, started=server_code)
    )
    project.systems = runtimes
    around = code_owner.with_runtime(
        EnvironmentPart("CPython 3.11.2", "Linux"), project, _tool("mcp:x"), python
    )
    assert (around.runtime, around.runtime_binary is None) == (runtime, runtime is None)


def test_the_package_that_a_command_starts_is_found_in_its_directory(project, monkeypatch):
    monkeypatch.setattr(server_code, "resolve", lambda words, *_: words)
    monkeypatch.setattr(code_owner, "tracked_files", lambda _: ["src/acme/__main__.py"])
    (project.root / "src" / "acme").mkdir(parents=True)
    (project.root / "src" / "acme" / "__main__.py").write_text("")
    tool = _tool("mcp:acme", command=("python", "-m", "acme"), directory=str(project.root / "src"))
    assert code_owner.code_of(project, tool).place == project.root
    monkeypatch.setattr(code_owner, "tracked_files", lambda _: ["src/other.py"])
    with pytest.raises(CertificateError, match="git does not track src/acme/__main__"):
        code_owner.code_of(project, tool)


def test_the_code_of_a_tool_with_an_interpreter_of_its_own_is_looked_for_there(project, tmp_path):
    site = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    (site / "acme-1.dist-info").mkdir(parents=True)
    (site / "acme.py").write_text("")
    (site / "acme-1.dist-info" / "METADATA").write_text("Name: acme\nVersion: 1\n")
    (site / "acme-1.dist-info" / "RECORD").write_text("acme.py,,\n")
    tool = _tool("acme:Tool", python=str(tmp_path / "env" / "bin" / "python"))
    assert code_owner.code_of(project, tool).part == CodePart("distribution", "acme 1")


@pytest.fixture
def only_named(project, monkeypatch):
    """The project, whose tools have each a folder of their own and are not really copied or examined."""
    around = EnvironmentPart("CPython 3.11.2", "Linux")

    def examine(run, copy, tools, watch):
        for tool in tools:
            report = failed_target_report(tool.target.spec, "aptix", "aptix-tul-011", "no")
            yield examined.Examined(tool, report, CodePart("folder", "x"), "0" * 64, around)

    monkeypatch.setattr(examined, "interpreter_of", lambda *_: None)
    monkeypatch.setattr(examined, "code_of", lambda _, tool: Code(CodePart("folder", "x"), tool.target.spec))
    monkeypatch.setattr(examined._Copy, "of", lambda *_: None)
    monkeypatch.setattr(examined, "_examine", examine)
    return project


def test_the_order_of_the_tools_does_not_matter(only_named):
    tools = [_tool("a:A", "two"), _tool("b:B", "one"), _tool("a:B", "one")]
    found = []
    for only_named.tools in (tools, tools[::-1]):
        report, ours = examined.examine_all(only_named, lambda _: None)
        found.append((report, [one.report.target for one in ours]))
    assert found[0] == found[1]
    assert found[0][1] == ["a:B", "b:B", "a:A"]


def test_the_tools_that_are_named_are_examined_and_no_others(only_named):
    only_named.tools = (_tool("a:A"), _tool("b:B"))
    _, ours = examined.examine_all(only_named, lambda _: None, ["b:B"])
    assert [one.report.target for one in ours] == ["b:B"]


def test_a_report_has_no_paths_of_the_folders_in_which_it_was_made(tmp_path):
    report = failed_target_report(
        "a:A", "aptix", "aptix-tul-011", f"{tmp_path}/one/a.py is wrong, /etc/x too"
    )
    assert examined.placeless(report, tmp_path / "one").error == "a.py is wrong, /etc/x too"
    assert examined.placeless(report, Path("/")) == report
