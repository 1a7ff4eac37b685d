"""Waivers in a session: what is waived is an expected failure, and a waiver that is over or not needed fails."""

import pytest
from tests.process.app.plugin.projects import RAISES


def waive(project, key, rule, expires="2999-01-01"):
    """Waive a rule in the table of a tool, module or package; gives the place in the configuration."""
    place = f"tool.aptix-conformance.tool.{key}.waive"
    project.configure(
        f'[[{place}]]\nrule = "{rule}"\nowner = "weather team"\nreason = "none"\nexpires = {expires}\n'
    )
    return place


def test_a_waived_rule_is_an_expected_failure_and_an_expired_waiver_is_none(project):
    """Waived is xfailed, with its reason."""
    project.replace(broken={"ARG002": RAISES})
    waive(project, "agent_weather", "ARG002")
    waived = project.run("-v", "-k", "ARG002")
    waived.stdout.fnmatch_lines(["*ARG002-malformed-json-never-raises XFAIL*"])
    waive(project, "agent_weather", "ARG002", "2020-01-01")
    expired = project.run("-k", "ARG002")
    assert expired.ret == 1
    expired.stdout.fnmatch_lines(["*ran out on 2020-01-01*"])


def test_a_tool_with_a_waived_must_is_conforming_with_waivers(project):
    """The run succeeds, and nothing made from it says plainly `conforming`; --aptix-no-waivers takes no waiver."""
    project.replace(broken={"SCH004": {"message": "The schema has another name."}})
    waive(project, "agent_weather", "SCH004")
    waived = project.run("--junitxml", "junit.xml", "--aptix-report", "report.json")
    assert waived.ret == 0
    waived.stdout.fnmatch_lines(
        [
            "status * waived *",
            "conforming-with-waivers agent_weather * 0      1 *",
            "1 tool: 1 conforming-with-waivers",
        ]
    )
    report = project.report()
    assert report["tools"][0]["status"] == "conforming-with-waivers"
    assert report["totals"]["tools"]["conforming-with-waivers"] == 1
    junit = (project.path / "junit.xml").read_text(encoding="utf-8")
    assert 'name="aptix.status" value="conforming-with-waivers"' in junit
    strict = project.run("--aptix-no-waivers")
    assert strict.parseoutcomes()["failed"] == 2
    strict.stdout.fnmatch_lines(["nonconforming agent_weather * 1 *"])


@pytest.mark.parametrize("key", ["agent_weather", "weather_tools"])
def test_a_waiver_that_nothing_needs_fails_by_its_own_name(project, key):
    """The failure speaks of the waiver: of a tool by the rule's item, of a module at the end of the run."""
    table = waive(project, key, "ARG002")
    result = project.run("--aptix-report", "report.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"*pyproject.toml: {table}?0?*"])
    assert result.parseoutcomes().get("failed", 0) == (2 if key == "agent_weather" else 0)
    assert len(project.report()["unneeded_waivers"]) == (key == "weather_tools")
