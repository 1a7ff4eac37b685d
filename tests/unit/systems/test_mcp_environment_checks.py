"""What a package may not leave in a virtual environment: the suite reads it, and asks its interpreter, uncontained."""

import json
import shutil
import sys

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.systems.mcp.installing.environment_checks import check_links, check_python


@pytest.fixture
def made(tmp_path):
    """A virtual environment before anything was installed."""
    place = tmp_path / "made"
    (place / "bin").mkdir(parents=True)
    (place / "bin" / "python").symlink_to(sys.executable)
    (place / "bin" / "python3").symlink_to("python")
    (place / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
    (place / "lib64").symlink_to("lib")
    (place / "pyvenv.cfg").write_text("home = /usr/bin\n")
    return place


@pytest.fixture
def installed(made, tmp_path):
    """The same after a package was installed."""
    place = tmp_path / "installed"
    shutil.copytree(made, place, symlinks=True)
    (place / "bin" / "notes").write_text(f"#!{place}/bin/python\n")
    (place / "bin" / "compiled").write_bytes(b"\x7fELF\xff\xfe")
    (place / "bin" / "shell").write_text("#!/bin/sh\n")
    site = place / "lib" / "python3.11" / "site-packages"
    (site / "notes").mkdir()
    (site / "notes.pth").write_text("import notes\nnotes\n")
    (site / "link").symlink_to("notes")
    return place


def test_what_packages_usually_leave_is_allowed(installed, made):
    check_python(installed, made)


def replace(place, text):
    place.unlink()
    place.write_text(text)


def record(site, folder):
    (site / "notes-1.0.dist-info").mkdir()
    said = {"url": f"file://{folder}", "dir_info": {"editable": True}}
    (site / "notes-1.0.dist-info" / "direct_url.json").write_text(json.dumps(said))


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        (lambda env, _: replace(env / "bin" / "python", "#!/bin/sh\n"), "replaced bin/python of"),
        (lambda env, _: (env / "bin" / "python3").unlink(), "replaced bin/python3 of"),
        (lambda env, _: replace(env / "pyvenv.cfg", "home = /root/.ssh\n"), "replaced pyvenv.cfg"),
        (
            lambda env, _: (env / "bin" / "python-3").write_text("#!/bin/sh\n"),
            "put the program python-3 beside",
        ),
        (lambda env, _: (env / "bin" / "x").write_text(f"#!{env}/lib/python\n"), "another interpreter .* x"),
        (lambda env, _: (env / "bin" / "x").write_text("#!lib/python\n"), "another interpreter .* x"),
        (
            lambda env, _: (env / "bin" / "x").write_text("#!/usr/bin/../../tmp/python\n"),
            "another interpreter",
        ),
        (lambda env, _: (env / "bin" / "x").symlink_to("/bin/sh"), "bin/x a link that leads outside"),
        (lambda env, _: (env / "lib" / "x").symlink_to("../.."), "lib/x a link that leads outside"),
        (lambda _, site: (site / "x").symlink_to("/"), "x a link that leads outside"),
        (lambda env, site: (site / "x.pth").write_text(f"{env.parent}\n"), "would make .* visible"),
        (lambda env, site: (site / "x.pth").write_text("../../../..\n"), "would make .* visible"),
        (lambda env, site: (site / "x.egg-link").write_text(f"{env.parent}\n"), "would make .* visible"),
        (lambda env, site: record(site, env.parent), "would make .* visible"),
    ],
)
def test_what_leads_outside_or_takes_the_place_of_the_interpreter_is_refused(installed, made, attack, said):
    attack(installed, installed / "lib" / "python3.11" / "site-packages")
    with pytest.raises(TargetError, match=said):
        check_python(installed, made)


def test_links_of_a_package_stay_inside(tmp_path):
    (tmp_path / "node_modules" / ".bin").mkdir(parents=True)
    (tmp_path / "node_modules" / "notes").mkdir()
    (tmp_path / "node_modules" / ".bin" / "notes").symlink_to("../notes")
    check_links(tmp_path, frozenset())
    (tmp_path / "node_modules" / "keys").symlink_to("/root")
    with pytest.raises(TargetError, match="node_modules/keys a link that leads outside"):
        check_links(tmp_path, frozenset())
