"""What is started outside of the containment, and what a tool is shown: nothing to which only a stranger leads."""

import os
import re
import sys
from pathlib import Path

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.hosts import readable_paths
from aptix_conformance.hosts.places import Place, is_open, named, shown
from aptix_conformance.hosts.readable_paths import executable_of, node, program, program_outside, python
from aptix_conformance.runners.paths import RUNNERS


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with programs of its own, beside an interpreter that the user has on PATH."""
    monkeypatch.setenv("PATH", str(tmp_path / "opt" / "bin"), prepend=os.pathsep)
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


def test_what_is_neither_the_machines_nor_on_path_is_not_started(project, monkeypatch):
    """A stranger may have written it, as the link or the line that names it."""
    program = project.parent / "opt" / "bin" / "python3"
    (project / ".venv" / "bin" / "python").symlink_to(program)
    monkeypatch.setenv("PATH", "/usr/bin")
    assert program_outside(str(project / ".venv" / "bin" / "python"), project) == ""
    assert program_outside(str(program), project) == ""


def test_of_an_environment_elsewhere_only_what_its_link_leads_to_is_started(project):
    """Its `pyvenv.cfg` may name a standard library of a stranger."""
    program, link = project.parent / "opt" / "bin" / "python3", project.parent / "venv" / "bin" / "python"
    link.parent.mkdir(parents=True)
    link.symlink_to(program)
    assert program_outside(str(link), project) == str(program)


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


@pytest.fixture(params=[".ssh", "Documents"])
def key(request, tmp_path, monkeypatch):
    """A key in a folder of a home."""
    made = tmp_path / "home" / request.param / "id_test"
    made.parent.mkdir(parents=True)
    made.write_text("key")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return made


WAYS = {
    "pth": lambda site, key: (site / "a.pth").write_text(f"{key.parent}\n"),
    "pth to a file": lambda site, key: (site / "a.pth").write_text(f"\ufeff{key}\n"),
    "egg-link": lambda site, key: (site / "a.egg-link").write_text(f"{key.parent}\n"),
    "link": lambda site, key: (site / "a").symlink_to(key.parent),
    "link to a file": lambda site, key: (site / "a.py").symlink_to(key),
    "direct_url": lambda site, key: (site / "a.dist-info" / "direct_url.json").write_text(
        f'{{"url": "file://{key.parent}", "dir_info": {{"editable": true}}}}'
    ),
    "metadata": lambda site, key: (site / "a.dist-info" / "METADATA").symlink_to(key.parent / "a" / "b"),
}


@pytest.fixture
def site(project):
    made = project / "site-packages"
    (made / "a.dist-info").mkdir(parents=True)
    return made


def refused(places, project, key, by):
    """Check that places are shown only where `reads` allows them, and that the refusal names what leads there."""
    with pytest.raises(TargetError, match=re.escape(str(by))) as raised:
        shown(places, project=project)
    assert str(key.parent) in str(raised.value)
    # A line to paste shows no folder that mostly holds keys.
    assert (f'`reads = ["{key.parent}' in str(raised.value)) == (key.parent.name == "Documents")
    assert "`reads = [" in str(raised.value)
    assert {str(key), str(key.parent)} & {*shown(places, [str(key.parent)], project=project)}


@pytest.mark.parametrize("way", WAYS)
def test_packages_lead_a_tool_nowhere_else(project, site, key, way):
    WAYS[way](site, key)
    refused(python(sys.executable, [str(site)], project), project, key, site)


def test_an_entry_of_the_path_that_a_file_names_is_not_the_users(project, site, key):
    """`PYTHONPATH` is, unless it is the hidden part of a home."""
    WAYS["pth"](site, key)
    refused(python(sys.executable, [str(site), str(key.parent)], project), project, key, site / "a.pth")
    (site / "a.pth").unlink()
    readable_paths._beyond.cache_clear()
    places = python(sys.executable, [str(site), str(key.parent)], project)
    if key.parent.name == ".ssh":
        refused(places, project, key, key.parent)
    else:
        assert str(key.parent) in shown(places, project=project)


@pytest.mark.parametrize("name", ["node_modules/a", "node_modules/@scope/a", "package.json"])
def test_a_link_of_a_project_in_javascript_leads_nowhere_else(project, key, name):
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).symlink_to(key if name == "package.json" else key.parent)
    refused(node(str(project)), project, key, project / name)


@pytest.mark.parametrize("text", ["[1]", '{"url": 1, "dir_info": {"editable": 1}}', '{"dir_info": []}', "[" * 100_000,
    '{"url": "file://[", "dir_info": {"editable": 1}}', '{"url": "file:///' + "a" * 5000 + '", "dir_info": {"editable": 1}}'])  # fmt: skip
def test_a_record_of_another_form_leads_nowhere(project, site, text):
    (site / "a.dist-info" / "direct_url.json").write_text(text)
    (site / "a.pth").write_text("a" * 5000)
    assert python(sys.executable, [str(site)], project)


def test_the_interpreter_of_a_script_of_the_project_is_looked_at(project, key):
    key.chmod(0o755)
    (project / "run").write_text(f"#!{key}\n")
    refused(program(str(project / "run"), project), project, key, project / "run")


def test_a_program_of_the_project_that_is_a_link_is_looked_at(project, key, monkeypatch):
    monkeypatch.setenv("PATH", str(project))
    (project / "run").symlink_to(key)
    refused(program(str(project / "run"), project), project, key, project / "run")


def test_a_strangers_program_is_no_interpreter_for_its_name(project, key, monkeypatch):
    monkeypatch.setattr(readable_paths, "_prefixes", lambda *_: ())
    key.with_name("python_notes").touch(0o755)
    with pytest.raises(TargetError, match="the command leads to"):
        shown(program(str(key.with_name("python_notes")), project, "the command"), project=project)


def test_scripts_that_start_each_other_end(project):
    for one, other in (("a", "b"), ("b", "a")):
        (project / one).write_text(f"#!{project / other}\n")
    os.mkfifo(project / "pipe")
    assert program(str(project / "a"), project)
    assert program(str(project / "pipe"), project)


def test_what_a_stranger_names_is_shown_where_it_is_an_installed_program(project, key, monkeypatch):
    home, opt = key.parent.parent, project.parent / "opt"
    monkeypatch.setenv("PATH", f"{opt / 'bin'}")
    on_path, installed = opt / "bin" / "server", home / ".local" / "bin" / "server"
    installed.parent.mkdir(parents=True)
    for each in (on_path, installed):
        each.touch(0o755)
    assert str(opt) in shown(program(str(on_path), project, "the command"), project=project)
    assert str(installed) in shown(program(str(installed), project, "the command"), project=project)
    assert shown([Place(str(on_path.parent), "the variable PATH")]) == (str(on_path.parent),)
    key.chmod(0o755)
    refused(program(str(key), project, "the command"), project, key, "the command")


@pytest.mark.parametrize("folder", [".local", ".docker", ".proto/node"])
def test_of_a_hidden_folder_only_installed_programs_are_shown(project, key, monkeypatch, folder):
    """Also where it is the prefix of a program of PATH or of an interpreter: beside them lie keys. Not where it is one deeper."""
    prefix = key.parent.parent / folder
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "server").touch(0o755)
    monkeypatch.setenv("PATH", str(prefix / "bin"))
    places = program(str(prefix / "bin" / "server"), project)
    if folder == ".local":
        monkeypatch.setattr(readable_paths, "_prefixes", lambda *_: (str(prefix),))
        places += readable_paths.interpreter(str(prefix / "bin" / "python"), project)
    found = shown(places, project=project)
    assert str(prefix / "bin" / "server") in found
    assert (str(prefix) in found) == (folder == ".proto/node")
    assert (str(prefix / "bin") in found) == (folder == ".local")


def test_a_virtual_environment_elsewhere_is_an_interpreter_whoever_names_it(project, key):
    environment = project.parent / "home" / ".other" / "env"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "server").touch(0o755)
    places = program(str(environment / "bin" / "server"), project, "the command")
    with pytest.raises(TargetError, match="the command"):
        shown(places, project=project)
    (environment / "pyvenv.cfg").touch()
    places = program(str(environment / "bin" / "server"), project, "the command")
    assert str(environment) in shown(places, project=project)


def test_a_virtual_environment_does_not_import_what_its_base_has(project, key):
    environment, base = project / ".venv", project.parent / "opt"
    for prefix in (environment, base):
        (prefix / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
    (base / "lib" / "python3.11" / "os.py").touch()
    WAYS["link"](base / "lib" / "python3.11" / "site-packages", key)
    own, settings = environment / "bin" / "python", environment / "pyvenv.cfg"
    own.touch(0o755)
    settings.write_text(f"home = {base / 'bin'}\n")
    assert str(base) in shown(python(str(own), (), project), project=project)
    settings.write_text(f"home = {base / 'bin'}\nInclude-System-Site-Packages = true\n")
    refused(python(str(own), (), project), project, key, base)


def test_installations_in_a_home_and_a_project_in_a_hidden_folder_are_shown(key):
    home = key.parent.parent
    installed = (".pyenv/versions/3", ".cache/uv/archive-v0/a", ".vscode/extensions/a", ".work/src")
    paths = [f"{home}/{path}" for path in installed]
    for path in paths:
        Path(path).mkdir(parents=True)
    assert shown([Place(path, "a link") for path in paths], project=home / ".work") == tuple(paths)


def test_of_a_home_that_is_the_project_the_hidden_part_stays_hidden(key):
    place = Place(str(key), "an argument")
    assert is_open(str(key), key.parent.parent) == (key.parent.name == "Documents")
    assert is_open(str(key), key.parent)
    if key.parent.name == ".ssh":
        refused([place], key.parent.parent, key, "an argument")
    else:
        assert shown([place], project=key.parent.parent) == (str(key),)


def test_a_root_that_holds_homes_has_nothing_of_its_own(project):
    assert not named(str(project), Path("/")).by
    assert named(str(project / "a"), project).by


def test_a_stranger_may_name_what_each_tool_has_for_itself_the_suites_own_files_and_nothing():
    own = str(RUNNERS.parents[1])
    paths = (own, "/usr", "/etc/passwd", "/there/is/nothing")
    assert shown([Place(path, "a link") for path in ("/tmp", *paths)]) == paths


def test_many_places_are_refused_in_one_line(project):
    """What lies in another one of them need not be allowed by itself."""
    names = ["0/src", *map(str, range(12))]
    for name in names:
        (project.parent / name).mkdir(parents=True, exist_ok=True)
    places = [Place(f"{project.parent}/{name}", "x.pth") for name in names]
    with pytest.raises(TargetError, match=r", and 3 more$") as raised:
        shown(places, project=project)
    assert "\n" not in str(raised.value)
    assert f'`reads = ["{project.parent}/0", "{project.parent}/1"' in str(raised.value)
