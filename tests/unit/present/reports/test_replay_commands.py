"""The command that reproduces a finding: what a shell makes of it."""

import shlex

import pytest

from aptix_conformance.present.reports.replay_commands import for_report_at, replay_command
from aptix_conformance.targets.settings import Target

NAMES = ["agent_weather", "it's a tool", "a b`c`$(d)"]


def target(origin):
    return Target("my tools:T", "my tools", "T", "", origin)


@pytest.mark.parametrize("tool", NAMES)
@pytest.mark.parametrize("path", ["report.json", "of today/it's.json"])
def test_a_shell_reads_the_reference_as_one_word(tool, path):
    command = for_report_at(path, replay_command(tool, "ARG002:2", target("pyproject.toml")))
    assert shlex.split(command) == ["aptix-conformance", "replay", f"{path}#{tool}/ARG002:2"]


@pytest.mark.parametrize("path", ["report.json", "of today/it's.json"])
def test_a_target_that_the_project_does_not_configure_is_named(path):
    command = for_report_at(path, replay_command("owl", "ARG002", target("--aptix-tools")))
    assert shlex.split(command)[3:] == ["--aptix-tools", "my tools:T"]
