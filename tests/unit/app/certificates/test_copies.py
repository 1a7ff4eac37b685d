"""Copies of code: what the digest covers and nothing else, whatever the original becomes."""

import os
from pathlib import Path

import pytest

from aptix_conformance.app.certificates import copies
from aptix_conformance.app.certificates.code import distribution_digest, folder_digest
from aptix_conformance.app.certificates.copies import Code
from aptix_conformance.app.certificates.environment import installed_distribution
from aptix_conformance.app.certificates.statement import CodePart
from aptix_conformance.core.errors import CertificateError

FOLDER = CodePart("folder", "x")


@pytest.fixture
def places(tmp_path):
    """The folders `code`, `root` and `site`."""
    found = [tmp_path / name for name in ("code", "root", "site")]
    for place in found:
        place.mkdir()
    return found


def test_a_folder_is_copied_with_its_links_and_modes(places):
    code, root, site = places
    (code / "inner").mkdir()
    (code / "inner" / "run.sh").write_text("x")
    (code / "inner" / "run.sh").chmod(0o755)
    (code / "link").symlink_to("inner/run.sh")
    assert copies.copy_code(Code(FOLDER, code), root, site) == folder_digest(code)
    assert sorted(path.name for path in root.rglob("*")) == ["inner", "link", "run.sh"]
    assert (root / "link").is_symlink()
    assert (root / "inner" / "run.sh").stat().st_mode & 0o111


@pytest.mark.parametrize("to", ["/etc/passwd", "../elsewhere", "inner/../../elsewhere"])
def test_a_link_that_leads_out_is_refused_since_what_is_there_has_no_digest(places, to):
    code, root, site = places
    (code / "weather.py").symlink_to(to)
    with pytest.raises(CertificateError, match="leads out of the code"):
        copies.copy_code(Code(FOLDER, code), root, site)


def test_a_file_that_becomes_another_kind_while_it_is_copied_does_not_hold_anything_up(places):
    """Named pipes and devices have no digest; here one comes after the files were listed."""
    code, root, site = places
    os.mkfifo(code / "pipe")
    with pytest.raises(CertificateError, match="not a regular file"):
        copies.copy_code(Code(FOLDER, code), root, site)


def test_the_digest_is_that_of_the_copy(places):
    code, root, site = places
    (code / "weather.py").write_text("honest")
    digest = folder_digest(code)
    copied = copies.copy_code(Code(FOLDER, code), root, site)
    (code / "weather.py").write_text("other")
    assert copied == digest
    assert (root / "weather.py").read_text() == "honest"


def _install(folder, *names):
    (folder / "w-1.dist-info").mkdir()
    (folder / "w-1.dist-info" / "METADATA").write_text("Name: w\nVersion: 1\n")
    listed = [*names, "w-1.dist-info/METADATA", "w-1.dist-info/RECORD"]
    (folder / "w-1.dist-info" / "RECORD").write_text("".join(f"{name},,\n" for name in listed))
    for name in (*names, "other.py"):
        (folder / name).write_text("code")


def test_of_a_distribution_only_its_own_files_are_copied(places):
    code, root, site = places
    _install(code, "w.py")
    digest = distribution_digest(installed_distribution("w", [str(code)]))
    assert copies.copy_code(Code(CodePart("distribution", "w 1"), code), root, site) == digest
    assert sorted(path.name for path in site.iterdir()) == ["w-1.dist-info", "w.py"]
    assert distribution_digest(installed_distribution("w", [str(site)])) == digest


@pytest.mark.parametrize("name", ["w/__init__.py", "sitecustomize.py", "__pycache__/w.cpython-311.pyc"])
def test_a_file_beside_a_distribution_that_may_run_in_its_place_is_refused(places, name):
    code, _, _ = places
    _install(code, "w.py")
    (code / "other.py").unlink()
    part = CodePart("distribution", "w 1")
    copies.digest_in(code, part, None)
    (code / name).parent.mkdir(exist_ok=True)
    (code / name).write_text("")
    with pytest.raises(CertificateError, match=name):
        copies.digest_in(code, part, None)


def test_a_distribution_that_runs_where_the_interpreter_starts_is_refused(places):
    code, root, site = places
    _install(code, "w.py", "w.pth")
    with pytest.raises(CertificateError, match=r"w\.pth is run from where it is installed"):
        copies.copy_code(Code(CodePart("distribution", "w 1"), code), root, site)


def test_the_originals_are_hidden_except_for_what_is_needed(tmp_path):
    for name in ("src/w.py", "env/lib/x.py", "tool.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    code = Code(FOLDER, tmp_path)
    assert copies.originals(code, [str(tmp_path / "env" / "lib")]) == (
        f"{tmp_path}/src",
        f"{tmp_path}/tool.py",
    )
    assert copies.originals(Code(CodePart("distribution", "w 1"), tmp_path), []) == ()


def test_modules_are_imported_from_the_copy_and_from_environments(tmp_path):
    original, copy = tmp_path / "original", tmp_path / "copy"
    for place in (original / "src", original / "untracked", original / "env/site-packages", copy / "src"):
        place.mkdir(parents=True)
    paths = [
        original,
        original / "src",
        original / "untracked",
        original / "env/site-packages",
        Path("/usr/lib"),
    ]
    site = str(original / "env/site-packages")
    found = copies.import_paths(list(map(str, paths)), original, copy, [site])
    assert found == (str(copy), str(copy / "src"), site)


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("METADATA", None, "has no distribution w"),
        ("RECORD", None, "has no distribution w"),
        ("METADATA", b"\xff", "has no distribution w"),
        ("METADATA", b"", "has no distribution w"),
        ("RECORD", b"\xff", "cannot be read"),
        ("RECORD", b'"' + b"x" * 200_000, "cannot be read"),
        ("RECORD", b"", "lists no code"),
        ("RECORD", b"../../../etc/passwd,,\n/etc/passwd,,\n", "lists no code"),
        ("RECORD", b"absent.py,,\n", "cannot be read"),
        ("RECORD", b"w-1.dist-info/x,,\nw.py/w.py,,\n", "cannot be read"),
    ],
)
def test_a_distribution_of_a_stranger_is_refused_in_one_line(tmp_path, file, content, words):
    """Without content the file is a named pipe, which nobody ever writes to."""
    _install(tmp_path, "w.py")
    place = tmp_path / "w-1.dist-info" / file
    place.unlink()
    os.mkfifo(place) if content is None else place.write_bytes(content)
    with pytest.raises(CertificateError, match=words) as caught:
        copies.digest_in(tmp_path, CodePart("distribution", "w 1"), None)
    assert "\n" not in str(caught.value)
