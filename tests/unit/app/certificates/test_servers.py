"""The digest of a server that was installed into a store: all that it needs, the same wherever it is installed."""

import os
import sys
from pathlib import Path

import pytest

from aptix_conformance.app.certificates.code import distribution_digest
from aptix_conformance.app.certificates.copies import (
    Code,
    copy_code,
    digest_in,
    digests,
    originals,
    what_differs,
)
from aptix_conformance.app.certificates.environment import installed_distribution
from aptix_conformance.app.certificates.packages import packages_in
from aptix_conformance.app.certificates.servers import copy_server, python_of, server_digest, why_unnamed
from aptix_conformance.app.certificates.statement import CodePart, DistributionPart, EnvironmentPart
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.model.codec import replace

REAL = os.path.realpath(sys.executable)
SITE = f"lib/python3.{sys.version_info.minor}/site-packages"
BODY = "import sys\nfrom notes import main\nsys.exit(main())\n"
LONG = "#!/bin/sh\n'''exec' '{}' \"$0\" \"$@\"\n' '''\n"
PART = CodePart("server", "notes 1.0")


def _installed(place, *, header="#!{}\n", number="1"):
    """A server of Python as `mcp install` leaves it; returns its folder."""
    folder = place / "python" / "notes"
    env = folder / f"env-{number.zfill(8)}"
    for path in (env / "bin", env / SITE / "notes-1.0.dist-info"):
        path.mkdir(parents=True)
    (folder / "requirements.lock").write_text("notes==1.0 --hash=sha256:00\n")
    (env / "pyvenv.cfg").write_text(f"home = {Path(REAL).parent}\nversion = 3.11.7\n")
    (env / "bin" / "python3.11").symlink_to(REAL)
    (env / "bin" / "python").symlink_to("python3.11")
    (env / "lib64").symlink_to("lib")
    (env / "bin" / "notes").write_text(header.format(env / "bin" / "python") + BODY)
    (env / "bin" / "notes").chmod(0o755)
    (env / SITE / "notes.py").write_text("def main(): ...\n")
    (env / SITE / "notes-1.0.dist-info" / "RECORD").write_text(f"of {env}")
    return folder


@pytest.fixture
def server(tmp_path):
    """A server of Python and its environment."""
    folder = _installed(tmp_path)
    return folder, folder / "env-00000001"


def test_the_digest_is_the_same_wherever_the_server_is_installed(server, tmp_path):
    folder, _ = server
    elsewhere = _installed(tmp_path / "elsewhere", header=LONG, number="2")
    assert server_digest(folder) == server_digest(elsewhere)


@pytest.mark.parametrize(
    "name",
    ["requirements.lock", "env-00000001/bin/notes", f"env-00000001/{SITE}/notes.py", "env-00000001/share/x"],
)
def test_every_other_file_counts(server, name):
    folder, _ = server
    before = server_digest(folder)
    (folder / name).parent.mkdir(exist_ok=True)
    with (folder / name).open("a") as file:
        file.write("# changed\n")
    assert server_digest(folder) != before


def test_what_a_shell_would_run_beside_the_interpreter_counts(server):
    folder, env = server
    (env / "bin" / "notes").write_text(LONG.format(env / "bin" / "python").replace('"$@"', '"$@" < x') + BODY)
    assert server_digest(folder) != server_digest(_installed(folder / "other", header=LONG))


@pytest.mark.parametrize(
    "header", ["#!/evil/python\n", "#!x\n", "#! /usr/bin/../../evil\n", LONG.format("/evil"), "#!/evil"]
)
def test_a_program_of_another_interpreter_is_named(server, header):
    folder, env = server
    (env / "bin" / "notes").write_text(header)
    with pytest.raises(
        CertificateError, match="notes has another interpreter than its environment: install the"
    ):
        server_digest(folder)


def test_a_program_whose_interpreter_has_options_is_named(server):
    folder, env = server
    (env / "bin" / "notes").write_text(f"#!{env}/bin/python -X frozen_modules\n")
    with pytest.raises(CertificateError, match="another interpreter"):
        server_digest(folder)


@pytest.mark.parametrize(
    ("program", "content"),
    [
        ("env-00000001/bin/python3.11", b"\x7fELF"),
        ("own/python3.11", b"\x7fELF"),
        ("../outside", b"#!/bin/sh\n"),
        ("../absent", None),
    ],
)
def test_an_interpreter_that_is_not_installed_on_the_machine_is_named(server, program, content):
    """A copy, a link into the folder, and a script, each of which its `pyvenv.cfg` names too. Nothing is started."""
    folder, env = server
    python, program = env / "bin" / "python3.11", folder / program
    python.unlink()
    if content is not None:
        program.parent.mkdir(exist_ok=True)
        program.write_bytes(content)
    if python != program:
        python.symlink_to(program)
    (env / "pyvenv.cfg").write_text(f"home = {os.path.realpath(program.parent)}\n")
    with pytest.raises(CertificateError, match=r"the interpreter of .*: make the environment again"):
        server_digest(folder)


@pytest.mark.parametrize(
    "text",
    [
        "home = /elsewhere\n",
        "include-system-site-packages = True\n",
        "include-system-site-packages\x0c= true\n",
        "home = /a\0b\n",
    ],
)
def test_a_configuration_that_leads_to_further_packages_is_named(server, text):
    folder, env = server
    with (env / "pyvenv.cfg").open("a") as file:
        file.write(text)
    with pytest.raises(CertificateError, match=r"the interpreter of .*: make the environment again"):
        server_digest(folder)


def test_programs_count_for_the_bounds_too(server):
    folder, env = server
    os.truncate(env / "bin" / "notes", 5 << 30)
    with pytest.raises(CertificateError, match="notes makes the code too large for a digest"):
        server_digest(folder)


def test_a_home_that_is_longer_than_a_path_can_be_is_not_looked_for(server):
    """A file of 16 MiB would take gigabytes of memory."""
    folder, env = server
    (env / "pyvenv.cfg").write_text(f"home = {Path(REAL).parent}{'/.' * 3000}\n")
    with pytest.raises(CertificateError, match=r"the interpreter of .*: make the environment again"):
        server_digest(folder)


def test_a_second_interpreter_is_named(server):
    folder, env = server
    (env / "bin" / "python3").symlink_to("/bin/sh")
    with pytest.raises(CertificateError, match=r"the interpreter of .*: make the environment again"):
        server_digest(folder)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("env-00000001/x.pyc", "x.pyc is a compiled file: delete it"),
        ("env-00000002/x", "not the folder of one server in a store"),
        (f"env-00000001/{SITE}/__pycache__/notes.cpython-311.pyc", "is a compiled file: delete it"),
    ],
)
def test_what_could_run_instead_is_named(server, name, words):
    folder, _ = server
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("")
    with pytest.raises(CertificateError, match=words):
        digest_in(folder, PART, None)


def test_a_folder_without_a_lock_and_a_link_that_leads_out_are_named(server):
    folder, env = server
    (env / "out").symlink_to("/etc/passwd")
    with pytest.raises(CertificateError, match="out is a link that leads out of the code"):
        server_digest(folder)
    (folder / "requirements.lock").unlink()
    with pytest.raises(CertificateError, match="not the folder of one server in a store, with its lock"):
        server_digest(folder)


def test_a_copy_runs_nothing_of_the_original_and_has_the_digest_of_the_original(server, tmp_path):
    """Bytecode stays behind, and what is changed afterwards is seen."""
    folder, env = server
    (env / SITE / "__pycache__").mkdir()
    (env / SITE / "__pycache__" / "notes.cpython-311.pyc").write_bytes(b"evil")
    site = tmp_path / "site"
    site.mkdir()
    code = Code(PART, folder)
    digest = copy_code(code, tmp_path, site)
    assert digests(code, tmp_path, site) == {digest}
    assert originals(code, ()) == (str(folder),)
    copied = site / "environment"
    assert (copied / "bin" / "notes").read_text() == f"#!{copied}/bin/python\n{BODY}"
    assert str((copied / "bin" / "python").readlink()) == REAL
    assert not (copied / SITE / "__pycache__").exists()
    (env / SITE / "notes.py").write_text("other")
    assert len(digests(code, tmp_path, site)) == 2


def test_a_copy_has_the_interpreter_that_is_asked_for(server, tmp_path):
    folder, _ = server
    copy_server(folder, tmp_path / "copy", "/bin/sh")
    copied = tmp_path / "copy" / "environment"
    assert str((copied / "bin" / "python").readlink()) == os.path.realpath("/bin/sh")


def test_a_program_that_the_interpreter_of_its_environment_does_not_run_is_named(server):
    folder, env = server
    program = env / "bin" / "notes"
    assert why_unnamed(env, [str(program)]) == ""
    program.write_text("#!/usr/bin/env node\n")
    server_digest(folder)
    assert why_unnamed(env, [str(program)]).startswith(
        "its program bin/notes is run by /usr/bin/env node, and not"
    )
    program.write_bytes(b"\x7fELF")
    assert why_unnamed(env, [str(program)]) == ""


@pytest.mark.parametrize(
    ("words", "is_known"),
    [(["-m", "notes"], True), (["-c", "evil"], False), (["notes.py"], False), ([], False)],
)
def test_the_interpreter_itself_is_the_program_of_a_module_alone(server, words, is_known):
    _, env = server
    reason = why_unnamed(env, [f"{env}/bin/python", *words])
    assert (reason == "") is is_known


def test_a_server_of_node_has_the_digest_of_all_of_its_files(tmp_path):
    """None of them is an interpreter of Python, whatever its name."""
    for name in ("package-lock.json", "env-0000000a/bin/python", "env-0000000a/node_modules/x/index.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    (tmp_path / "env-0000000a" / "node_modules" / ".bin").mkdir()
    (tmp_path / "env-0000000a" / "node_modules" / ".bin" / "x").symlink_to("../x/index.js")
    assert python_of(tmp_path) is None
    copy_server(tmp_path, tmp_path / "copy")
    digest = server_digest(tmp_path)
    assert server_digest(tmp_path / "copy") == digest
    (tmp_path / "env-0000000a" / "bin" / "python").write_text("other")
    assert server_digest(tmp_path) != digest


def test_what_is_not_as_it_was_signed_is_named_as_far_as_it_is_known(server):
    folder, env = server
    site = env / SITE
    (site / "stray.py").write_text("")
    for name in ("notes", "helper"):
        (site / f"{name}-1.0.dist-info").mkdir(exist_ok=True)
        (site / f"{name}-1.0.dist-info" / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n")
        (site / f"{name}-1.0.dist-info" / "RECORD").write_text(
            f"{name}.py,,\n{name}-1.0.dist-info/METADATA,,\n{name}-1.0.dist-info/RECORD,,\n"
        )
        (site / f"{name}.py").write_text("")
    helper = installed_distribution("helper", [str(site)])
    signed = (
        DistributionPart("helper", "1.0", distribution_digest(helper)),
        DistributionPart("notes", "1.0", "0" * 64),
        DistributionPart("gone", "1.0", "0" * 64),
    )
    stray, *others = what_differs(folder, PART, EnvironmentPart("CPython 3.11.7", "Linux", signed))
    assert stray.startswith("stray.py in site-packages belongs to no installed distribution")
    assert others == [f"{name} 1.0 is not as it was signed: install it again" for name in ("notes", "gone")]


def test_a_package_that_is_not_as_it_was_signed_is_named(tmp_path):
    (tmp_path / "node_modules" / "x").mkdir(parents=True)
    (tmp_path / "node_modules" / "x" / "index.js").write_text("")
    part, around = CodePart("folder", "x"), EnvironmentPart("CPython 3.11.7", "Linux")
    (package,) = packages_in(tmp_path, ["node_modules/x/index.js"])
    assert list(what_differs(tmp_path, part, replace(around, packages=(package,)))) == []
    absent, foreign = replace(package, place="node_modules/y"), replace(package, place="Acme")
    (reason,) = what_differs(tmp_path, part, replace(around, packages=(absent, foreign, package)))
    assert reason == "node_modules/y is not as it was signed: install it again"
    (tmp_path / "node_modules" / "x" / "index.js").write_text("other")
    (reason,) = what_differs(tmp_path, part, replace(around, packages=(package,)))
    assert reason == "node_modules/x is not as it was signed: install it again"
    assert list(what_differs(tmp_path, part, around)) == []
