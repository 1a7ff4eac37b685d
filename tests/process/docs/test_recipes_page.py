"""docs/recipes.md and docs/upgrading.md: their files can be read, and their commands have the options that they name."""

import configparser
import json
import re
import shlex

import pytest
import yaml
from tests.pages import read_page

from aptix_conformance.app.commands.init_workflow import workflow_for
from aptix_conformance.app.commands.wiring import make_parser
from aptix_conformance.present.reports.renderers import all_renderers
from aptix_conformance.present.reports.report_changes import ChangeKind

RECIPES, UPGRADING = read_page("docs/recipes.md"), read_page("docs/upgrading.md")
GITHUB, GITLAB, DOCKER, TOX = (
    RECIPES.sections[name].blocks()[0] for name in ("GitHub Actions", "GitLab", "Docker", "tox")
)


def scripts():
    """The commands of the recipes that run pytest."""
    (job,) = yaml.safe_load(GITHUB)["jobs"].values()
    steps = [step["run"] for step in job["steps"] if "run" in step]
    lines = [*steps, *yaml.safe_load(GITLAB)["conformance"]["script"]]
    ini = configparser.ConfigParser()
    ini.read_string(TOX)
    lines.append(ini["testenv:conformance"]["commands"].removesuffix(" {posargs}"))
    words = [shlex.split(line) for line in lines]
    words.append(json.loads(re.search(r"^CMD (.*)$", DOCKER, re.MULTILINE)[1]))
    return [each for each in words if each[0].endswith("pytest")]


def test_the_workflow_is_the_one_that_init_writes(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    assert workflow_for(tmp_path, {"mcp"}).text == GITHUB


def test_each_recipe_examines_with_options_that_exist(pytestconfig):
    found = scripts()
    assert len(found) == 4
    for _, *words in found:
        chosen, unknown = pytestconfig._parser.parse_known_and_unknown_args(words)
        assert (chosen.aptix_conformance, unknown) == (True, [])
        forms = {each.partition("=")[0] for each in chosen.aptix_report if "=" in each}
        assert forms <= set(all_renderers())


def test_gitlab_takes_the_file_that_the_job_writes():
    job = yaml.safe_load(GITLAB)["conformance"]
    assert job["script"][-1].endswith(f"gitlab={job['artifacts']['reports']['codequality']}")


@pytest.mark.parametrize("words", UPGRADING.commands(), ids=" ".join)
def test_each_command_of_an_upgrade_exists(words, pytestconfig):
    program, *arguments = words
    if program == "pytest":
        chosen, unknown = pytestconfig._parser.parse_known_and_unknown_args(arguments)
        assert (len(chosen.aptix_report), unknown) == (1, [])
    elif program == "aptix-conformance":
        make_parser().parse_args(arguments)
    else:
        assert words[:3] == ["pip", "install", "--upgrade"]


def test_an_upgrade_explains_words_that_a_comparison_shows():
    said = {word for row in UPGRADING.sections["Steps"].rows() for word in re.findall("`(.*?)`", row[0])}
    assert said - {"rules added", "rules removed"} <= set(ChangeKind)
