"""Which program may be started outside of the containment: none that is a part of the project."""

import os

import pytest

from aptix_conformance.hosts.visible import executable_of, program_outside


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
