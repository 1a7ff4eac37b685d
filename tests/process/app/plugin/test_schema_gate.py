"""`--aptix-schema-gate`: which difference from a lock fails the run, and how it is reported."""

import json

import pytest
from tests.process.app.plugin.projects import PARAMETERS

from aptix_conformance.core.schemas import lock_record

LOCK = "aptix::agent_weather::lock"


@pytest.fixture
def project(project):
    """A project with one tool and its lock, made as the suite makes it."""
    project.configure(keys='schema_gate = "breaking"')
    assert run(project, "--snapshot-update").ret == 0
    return project


def run(project, *arguments):
    return project.run(LOCK, *arguments)


def relock(project, change):
    """Change what the lock says of the parameters, as if the tool had been so."""
    path = project.path / "snapshots" / "agent_weather.json"
    lock = json.loads(path.read_text(encoding="utf-8"))
    change(lock["schema"]["parameters"])
    record = lock_record(
        lock["tool"], lock["schema"], "\n".join(lock["usage_text"]), lock.get("result_shape")
    )
    path.write_text(record.text(), encoding="utf-8")


def test_a_stranger_with_a_taken_name_does_not_replace_the_lock(project):
    """The project's own tool is gone, so the name is free; the project may still replace its lock."""
    lock = project.path / "snapshots" / "agent_weather.json"
    before = lock.read_bytes()
    changed = {**PARAMETERS, "required": []}
    project.remove("weather_tools:WeatherTool")
    project.add("stranger:WeatherTool", parameters=changed)
    refused = run(project, "--aptix-tools", "stranger", "--snapshot-update")
    refused.assert_outcomes(failed=1)
    refused.stdout.fnmatch_lines(["*stranger:WeatherTool does not replace the lock*"])
    assert lock.read_bytes() == before
    project.replace(parameters=changed)
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
    failed.stdout.fnmatch_lines(["*is not a lock*"])
