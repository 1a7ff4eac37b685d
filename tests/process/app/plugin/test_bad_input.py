"""What is mistaken in the configuration or the options is refused where a run would otherwise pass over it."""

import os
import re

import pytest
from tests.process.app.plugin.projects import PARAMETERS

TABLE = "tool.aptix-conformance.tool.agent_weather"
GONE = """
from pathlib import Path

def pytest_sessionstart():
    Path("report.json").mkdir(exist_ok=True)
"""


def narrow(project, narrowing):
    """Narrow an argument of the tool."""
    project.configure(f"[{TABLE}]\narguments = {narrowing}\n")


def run(project, *arguments):
    return project.run("-k", "REG001", *arguments)


def refusal(project, *arguments):
    """What a run says that refuses to begin."""
    result = run(project, *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "aptix conformance, edition" not in result.stdout.str()
    return result.stderr.str()


def test_a_tool_that_is_not_contained_as_required_is_refused_before_anything_is_examined(project):
    project.configure(f'[{TABLE}]\nside_effects = "none"\n')
    said = refusal(project, "--aptix-containment", "partial").strip()
    assert "the project switches it off" in said
    assert "this run requires partial" in said
    assert len(said.splitlines()) == 1


def test_a_typo_in_the_configuration_names_the_key_and_the_nearest(project):
    """Bad input to us: exit status 4."""
    project.configure(f"[{TABLE}]\nexampels = []\n")
    assert re.search("exampels.*examples", refusal(project))


def test_a_narrowed_argument_that_the_tool_does_not_declare_is_refused(project):
    """The table, the name and the nearest declared one."""
    narrow(project, '{ cty = { enum = ["Oslo"] } }')
    said = refusal(project)
    assert f"pyproject.toml: {TABLE}.arguments.cty: " in said
    assert "agent_weather" in said
    assert "did you mean city?" in said


def test_where_no_declared_argument_is_near_they_are_listed(project):
    """A name like none."""
    narrow(project, '{ zzz = { enum = ["Oslo"] } }')
    assert "(the arguments are city" in refusal(project)


def test_where_the_schema_is_open_an_undeclared_argument_is_a_note(project):
    """It may be meant. And an edition that did judge is no note."""
    project.replace(parameters={**PARAMETERS, "additionalProperties": True})
    narrow(project, '{ cty = { enum = ["Oslo"] } }')
    result = run(project, "--aptix-edition", "aptix-agn-005-1.1")
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"note *{TABLE}.arguments.cty: *did you mean city?*"])
    result.stdout.no_fnmatch_line("note *no tool of the system*")


def test_a_table_of_several_tools_may_narrow_what_one_of_them_declares(project):
    """The others are called without it; what none of them declares is refused."""
    closed = {**PARAMETERS, "additionalProperties": False}
    town = {**closed, "properties": {"town": {"type": "string"}}, "required": ["town"]}
    project.add("pkg.weather_tools:WeatherTool", "agent_other", parameters=closed)
    project.add("pkg.town_tools:TownTool", "agent_town", parameters=town)
    table = '[tool.aptix-conformance]\ntools = ["pkg"]\n[tool.aptix-conformance.tool.pkg]\narguments = '
    project.pytester.makepyprojecttoml(f"{table}{{ town = {{}}, village = {{}} }}")
    assert "tool.pkg.arguments.village" in refusal(project, "--co")
    project.pytester.makepyprojecttoml(f"{table}{{ town = {{}} }}")
    assert run(project, "-k", "ARG006").parseoutcomes()["passed"] == 2


def test_a_narrowing_that_leaves_nothing_is_told_as_the_configurations_fault(real_project):
    """The table, and not the schema."""
    written = 'examples = [{ city = "Oslo" }]'
    real_project.change((written, "arguments = { city = { enum = [] } }"), name="pyproject.toml")
    result = run(real_project)
    result.stdout.fnmatch_lines([f"note *agent_weather: valid: {TABLE}.arguments leaves nothing*"])
    result.stdout.no_fnmatch_line("*fix the schema*")


def test_a_waiver_for_no_rule_is_told_with_its_key(project):
    """The file, the table and the place in it."""
    waiver = 'rule = "CAN999"\nowner = "us"\nreason = "none"\nexpires = 2999-01-01\n'
    project.configure(f"[[{TABLE}.waive]]\n{waiver}")
    assert f"pyproject.toml: {TABLE}.waive[0].rule: 'CAN999' names no rule" in refusal(project)


@pytest.mark.parametrize(
    "option", ["--aptix-report=", "--aptix-report= ", "--aptix-report=summary=", "--aptix-edition="]
)
def test_an_option_that_is_empty_is_refused(project, option):
    """An unset variable is not the same as no option."""
    assert f"{option.split('=')[0].removeprefix('--aptix-')}" in refusal(project, option)


@pytest.mark.parametrize(
    "path",
    ["pyproject.toml/report.json", "folder", "summary=folder", "pipe", "x" * 300, "/", "html=/", ".", ".."],
)
def test_a_report_that_cannot_be_written_is_refused_before_anything_is_examined(project, path):
    """Below a file, in the place of a folder or of what is no file, by a name that is too long."""
    project.pytester.mkdir("folder")
    os.mkfifo(project.path / "pipe")  # as good as a device, and nobody misses it
    assert "the report cannot be written to" in refusal(project, f"--aptix-report={path}")


def test_a_report_with_a_nul_in_its_path_is_refused(project):
    """An argument has no NUL, and an option in pyproject.toml may have one."""
    project.configure('[tool.pytest.ini_options]\naddopts = ["--aptix-report=a\\u0000b"]\n')
    assert "no path has a NUL" in refusal(project)


@pytest.mark.parametrize("path", ["/", "."])
def test_a_baseline_that_can_be_no_file_is_refused(project, path):
    """The option and the key."""
    assert "cannot be read: Is a directory" in refusal(project, f"--aptix-baseline={path}")
    project.configure(f'baseline = "{path}"\n')
    assert "cannot be read: Is a directory" in refusal(project)


def test_trying_whether_a_report_can_be_written_leaves_nothing(project):
    """A run that ends before the report is due."""
    project.conftest("def pytest_collection_finish(session): raise SystemExit(7)")
    run(project, "--aptix-report=report.json")
    assert not [path for path in project.path.iterdir() if "report" in path.name]


def test_trying_whether_a_report_can_be_written_leaves_the_old_one(project):
    """Until there is a new one."""
    (project.path / "report.json").write_text("old", encoding="utf-8")
    project.conftest("def pytest_collection_finish(session): raise SystemExit(7)")
    run(project, "--aptix-report=report.json")
    assert (project.path / "report.json").read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "xdist"])
def test_a_report_that_could_not_be_written_in_the_end_fails_the_run(project, workers):
    """The next reader would read an old one."""
    project.conftest(GONE)
    result = run(project, "--aptix-report=report.json", *workers)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["the report cannot be written to *report.json: Is a directory"])
    assert result.parseoutcomes()["passed"] == 1


BROKEN_RENDERERS = """
import sys

class Broken:
    def __init__(self, name, render):
        self.name, self.render = name, render

RAISES = Broken("raises", lambda report: report.no_such_member)
EXITS = Broken("exits", lambda report: sys.exit(3))
GIVES_BYTES = Broken("gives_bytes", lambda report: b"no text")
GIVES_HALF = Broken("gives_half", lambda report: chr(0xD800))
"""


def test_a_renderer_that_fails_loses_no_other_report(project):
    """One that raises, one that leaves, one that gives no text, one whose text has no form in UTF-8; the run fails."""
    names = ("raises", "exits", "gives_bytes", "gives_half")
    project.pytester.makepyfile(broken_renderers=BROKEN_RENDERERS)
    points = [f"{name} = broken_renderers:{name.upper()}" for name in names]
    project.pytester.syspathinsert()
    metadata = project.pytester.mkdir("broken_renderers-1.0.dist-info")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-renderers\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("\n".join(["[aptix_conformance.renderers]", *points]))
    asked = [f"--aptix-report={name}={name}.txt" for name in names]
    result = run(project, *asked, "--aptix-report=summary=summary.txt", "--aptix-report=report.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines_random([f"the renderer {name} failed: *" for name in names])
    assert {path.name for path in project.path.glob("*.txt")} == {"summary.txt"}
    assert project.report()["tools"]


def test_an_unknown_report_format_is_refused_before_anything_is_examined(project):
    """With the name that was meant, and a file that has the form of one."""
    assert "there is no report format 'sumary' (did you mean summary?): it is one of " in refusal(
        project, "--aptix-report=sumary=summary.txt"
    )
    assert run(project, "--aptix-report=./a=b.json").ret == 0
    assert (project.path / "a=b.json").is_file()


def test_two_formats_in_one_file_are_refused(project):
    """One would replace the other. The same twice, as in `addopts` and by hand, is one."""
    both = ("--aptix-report=out", "--aptix-report=summary=./out")
    assert "--aptix-report: two formats would be written to ./out" in refusal(project, *both)
    assert run(project, "--aptix-report=out", "--aptix-report=json=out").ret == 0


def test_an_edition_that_judged_nothing_is_a_note(project):
    """Another system's edition says nothing of the tools that were examined."""
    result = run(project, "--aptix-edition", "art-0.4.16", "--aptix-report=report.json")
    note = (
        "note *no tool of the system art was examined; art-0.4.16 judged nothing, * judged by aptix-tul-011"
    )
    result.stdout.fnmatch_lines([note])
    (tool,) = project.report()["tools"]
    assert tool["edition"] == "aptix-tul-011"
    run(project, "--aptix-edition", "aptix-agn-005-1.1").stdout.no_fnmatch_line(
        "note *no tool of the system*"
    )
