"""`--aptix-schema-gate`: which difference from a lock fails the run, and how it is told."""

import json

import pytest

from aptix_conformance.schemas import lock_record

QUICK = [
    "--aptix-conformance",
    "--aptix-examples",
    "1",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:asyncio",
    "aptix::agent_weather::lock",
]


@pytest.fixture
def project(pytester, examined_once, tool_source, monkeypatch):
    """A project with one tool and its lock, made as the suite makes it."""
    monkeypatch.delenv("CI", raising=False)
    pytester.makepyfile(weather_tools=tool_source("weather"))
    pytester.makepyprojecttoml(
        """
        [tool.aptix-conformance]
        tools = ["weather_tools"]
        schema_gate = "breaking"
        [tool.aptix-conformance.tool.agent_weather]
        examples = [{ city = "Oslo" }]
        """
    )
    assert run(pytester, "--snapshot-update").ret == 0
    return pytester


def run(project, *arguments):
    return project.runpytest_inprocess(*QUICK, *arguments)


def relock(project, change):
    """Change what the lock says of the parameters, as if the tool had been so."""
    path = project.path / "snapshots" / "agent_weather.json"
    lock = json.loads(path.read_text(encoding="utf-8"))
    change(lock["schema"]["parameters"])
    record = lock_record(
        lock["tool"], lock["schema"], "\n".join(lock["usage_text"]), lock.get("result_shape")
    )
    path.write_text(record.text(), encoding="utf-8")


def test_a_stranger_with_a_taken_name_does_not_replace_the_lock(project, tool_source):
    """The project's own tool is gone, so the name is free; the project may still replace its lock."""
    lock = project.path / "snapshots" / "agent_weather.json"
    before = lock.read_bytes()
    source = (project.path / "weather_tools.py").read_text(encoding="utf-8")
    changed = source.replace('"required": ["city"]', '"required": []')
    assert changed != source
    (project.path / "weather_tools.py").write_text("raise ImportError\n", encoding="utf-8")
    (project.path / "stranger.py").write_text(changed, encoding="utf-8")
    refused = run(project, "--aptix-tools", "stranger", "--snapshot-update")
    refused.assert_outcomes(failed=1)
    refused.stdout.fnmatch_lines(["*stranger:WeatherTool does not replace the lock*"])
    assert lock.read_bytes() == before
    (project.path / "weather_tools.py").write_text(changed, encoding="utf-8")
    assert run(project, "--snapshot-update").ret == 0
    assert lock.read_bytes() != before


def test_what_is_compatible_passes_the_gate_with_a_line_in_the_summary(project):
    """The line has the command that updates the lock; `any` fails it, and no Python warning is raised."""
    relock(project, lambda parameters: parameters["properties"]["city"].update(enum=["Oslo"]))
    passed = run(project, "-W", "error")
    passed.assert_outcomes(passed=1)
    update = "pytest --aptix-conformance --snapshot-update 'aptix::agent_weather::lock'"
    passed.stdout.fnmatch_lines(
        [f"note *agent_weather: the lock differs, compatible; update it with: {update}"]
    )
    passed.stdout.no_fnmatch_line("*snapshot*failed*")
    failed = run(project, "--aptix-schema-gate", "any")
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(
        ["*the change is compatible", "*enum-dropped at parameters.properties.city.enum*"]
    )


def test_what_breaks_fails_the_gate_with_its_witness(project):
    """The text is the comparison, and not the text of two JSON files; `off` lets it through."""
    relock(project, lambda parameters: parameters["properties"].update(unit={"type": "string"}))
    failed = run(project)
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(
        [
            "*the change is breaking",
            "*argument-removed at parameters.properties.unit*",
            '*was allowed and is refused now: {*"unit": *',
            "*accept the change with: *",
        ]
    )
    failed.stdout.no_fnmatch_line("*(locked)*")
    passed = run(project, "--aptix-schema-gate", "off")
    passed.assert_outcomes(passed=1)
    passed.stdout.fnmatch_lines(["note *the lock differs, breaking; *"])


def test_a_lock_that_is_none_fails_every_gate_but_off(project):
    """Nothing is known of what was promised."""
    path = project.path / "snapshots" / "agent_weather.json"
    path.write_text("{}", encoding="utf-8")
    failed = run(project)
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(["*is no lock*"])
