"""Which program may be started outside of the containment: none that is a part of the project."""

import os
import sys

import pytest

from aptix_conformance.errors import TargetError
from aptix_conformance.hosts.visible import check_shown, executable_of, node, program_outside, python


@pytest.fixture
def project(tmp_path):
    """A project with programs of its own, beside an interpreter of the machine."""
    made = tmp_path / "project"
    for path in (tmp_path / "opt" / "bin" / "python3", made / "bin" / "python"):
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    (made / ".venv" / "bin").mkdir(parents=True)
    return made


def test_a_program_of_the_project_is_not_started_outside(project):
    assert program_outside(str(project / "bin" / "python"), project) == ""
    assert executable_of(str(project / "bin" / "python"), project) == ""


def test_a_program_elsewhere_is_itself(project):
    program = str(project.parent / "opt" / "bin" / "python3")
    assert program_outside(program, project) == program
    assert program_outside(str(project / ".." / "opt" / "bin" / "python3"), project) == program


@pytest.mark.parametrize("end", ["absolute", "relative"])
def test_of_an_environments_link_the_first_place_outside_is_started(project, end):
    program, folder = project.parent / "opt" / "bin" / "python3", project / ".venv" / "bin"
    (folder / "python3").symlink_to(program if end == "absolute" else os.path.relpath(program, folder))
    (folder / "python").symlink_to("python3")
    assert program_outside(str(folder / "python"), project) == str(program)


def test_a_link_elsewhere_that_leads_into_the_project_is_a_part_of_it(project):
    link = project.parent / "opt" / "bin" / "python"
    link.symlink_to(project / "bin" / "python")
    assert program_outside(str(link), project) == ""
    (project / "again").symlink_to(link)
    assert program_outside(str(project / "again"), project) == ""


def test_a_folder_that_is_a_link_into_the_project_hides_nothing(project):
    (project.parent / "linked").symlink_to(project / "bin")
    assert program_outside(str(project.parent / "linked" / "python"), project) == ""


def test_links_that_lead_to_each_other_lead_nowhere(project):
    (project / "one").symlink_to("two")
    (project / "two").symlink_to("one")
    assert program_outside(str(project / "one"), project) == ""


@pytest.fixture
def key(tmp_path, monkeypatch):
    """A key in the hidden folder of a home."""
    made = tmp_path / "home" / ".ssh" / "id_test"
    made.parent.mkdir(parents=True)
    made.write_text("key")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return made


@pytest.mark.parametrize("way", ["pth", "link", "direct_url", "node", "file", "folder"])
def test_no_way_leads_into_the_hidden_part_of_a_home(project, key, way):
    site, packages = project / "site-packages", project / "node_modules"
    for folder in (site / "a.dist-info", packages):
        folder.mkdir(parents=True)
    if way == "pth":
        (site / "a.pth").write_text(f"{key.parent}\n")
    elif way == "link":
        (site / "a").symlink_to(key.parent)
    elif way == "direct_url":
        text = f'{{"url": "file://{key.parent}", "dir_info": {{"editable": true}}}}'
        (site / "a.dist-info" / "direct_url.json").write_text(text)
    elif way == "node":
        (packages / "a").symlink_to(key.parent)
    named = {"file": [str(key)], "folder": [str(key.parent)]}.get(way, [])
    found = [*python(sys.executable, [str(site)]), *node(str(project)), *named]
    with pytest.raises(TargetError, match=r"\.ssh.*`reads = "):
        check_shown(found, (), project)
    check_shown(found, [str(key.parent)], project)


def test_installations_in_a_home_and_a_project_in_a_hidden_folder_are_shown(key):
    home = key.parent.parent
    check_shown(
        [f"{home}/.pyenv/versions/3", f"{home}/.local/share/uv", f"{home}/.work/src"], (), home / ".work"
    )
