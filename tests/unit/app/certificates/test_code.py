"""Digests of code: dirHash, over what is a tool's own."""

import base64
import hashlib
import os
from importlib import metadata

import pytest

from aptix_conformance.app.certificates import code
from aptix_conformance.app.certificates.code import distribution_digest, folder_digest
from aptix_conformance.app.certificates.walk import Walk
from aptix_conformance.core.errors import CertificateError


def _dir_hash(files):
    """As the in-toto specification says it: the SHA-256 of the sorted lines that sha256sum prints."""
    lines = sorted(f"{name}\n" for name in files)
    text = "".join(f"{hashlib.sha256(files[line[:-1]]).hexdigest()}  {line}" for line in lines)
    return hashlib.sha256(text.encode()).hexdigest()


def _write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def test_a_folder_is_hashed_as_the_specification_says(tmp_path):
    files = {"b.py": b"b", "a/z.py": b"z", "a.py": b"", "ä.txt": b"\xff"}
    assert folder_digest(_write(tmp_path, files)) == _dir_hash(files)


def test_every_file_counts_but_those_of_git_itself(tmp_path):
    files = {"a.py": b"a", "__pycache__/a.txt": b"x", "inner/.git/x.py": b"y"}
    assert folder_digest(_write(tmp_path, {**files, ".git/config": b"z"})) == _dir_hash(files)


def test_a_strangers_repository_does_not_say_which_files_count(tmp_path, monkeypatch):
    monkeypatch.setattr(code, "tracked_files", lambda _: ["a.py"])
    files = {"a.py": b"a", "a/__init__.py": b"shadows a.py"}
    assert folder_digest(_write(tmp_path, files)) == _dir_hash(files)
    assert folder_digest(tmp_path, tracked=True) == _dir_hash({"a.py": b"a"})


@pytest.mark.parametrize("name", ["a.pyc", "__pycache__/a.cpython-311.pyc", "inner/a.pyo"])
def test_bytecode_is_refused_by_name(name, tmp_path):
    with pytest.raises(CertificateError, match=f"{name} is a compiled file: delete it"):
        folder_digest(_write(tmp_path, {"a.py": b"a", name: b"x"}))


def test_a_link_counts_by_its_text_and_is_refused_where_it_leads_out(tmp_path):
    _write(tmp_path, {"a.py": b"a"})
    (tmp_path / "link").symlink_to("a.py")
    assert folder_digest(tmp_path) == _dir_hash({"a.py": b"a", "link": b"a.py"})
    (tmp_path / "folder").symlink_to("/etc")
    with pytest.raises(CertificateError, match="folder is a link that leads out of the code"):
        folder_digest(tmp_path)


def test_deep_folders_are_refused_by_name(tmp_path):
    place = tmp_path
    for _ in range(102):
        place = place / "d"
        place.mkdir()
    with pytest.raises(CertificateError, match="is below more than 100 folders"):
        folder_digest(tmp_path)


def test_a_sparse_file_counts_in_full_and_is_not_read(tmp_path):
    with (tmp_path / "a.py").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(CertificateError, match="too large for a digest"):
        folder_digest(tmp_path)


def test_a_walk_ends_at_its_bounds(tmp_path):
    _write(tmp_path, {f"{number}.py": b"" for number in range(5)})
    with pytest.raises(CertificateError, match="too many files"):
        list(Walk(files=4).names(tmp_path))
    with pytest.raises(CertificateError, match="takes more than -1 s"):
        list(Walk(seconds=-1).names(tmp_path))


def test_what_cannot_be_read_or_named_has_no_digest(tmp_path):
    for name in ("empty", "pipe", "line"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "pipe" / "a")
    (tmp_path / "line" / "a\nb").write_text("")
    for name, words in {
        "empty": "holds no file",
        "pipe": "not a regular file",
        "line": "line feed",
        "no": "not a folder",
    }.items():
        with pytest.raises(CertificateError, match=words):
            folder_digest(tmp_path / name)


@pytest.fixture
def installed(tmp_path):
    """A function that installs a distribution and returns it: files of its record, and how its record is written."""

    def install(files, listed=None):
        record = "\n".join(f"{name},," for name in (listed or files))
        _write(
            tmp_path,
            {
                **files,
                "w-1.dist-info/METADATA": b"Name: w\nVersion: 1\n",
                "w-1.dist-info/RECORD": record.encode(),
            },
        )
        return metadata.PathDistribution(tmp_path / "w-1.dist-info")

    return install


@pytest.mark.parametrize("name", ["a.pyc", "__pycache__/a.cpython-311.pyc"])
def test_a_compiled_file_that_git_tracks_is_refused_since_a_copy_without_git_would_not_have_it(
    name, tmp_path, monkeypatch
):
    monkeypatch.setattr(code, "tracked_files", lambda _: ["a.py", name])
    with pytest.raises(CertificateError, match="is a compiled file"):
        folder_digest(_write(tmp_path, {"a.py": b"a", name: b"x"}), tracked=True)


CODE = {"w/__init__.py": b"code", "w-1.dist-info/METADATA": b"Name: w\nVersion: 1\n"}


def test_a_distribution_has_the_digest_of_its_wheels_files(installed):
    extra = {
        "w-1.dist-info/INSTALLER": b"pip",
        "w-1.dist-info/REQUESTED": b"",
        "w-1.dist-info/direct_url.json": b"{}",
        "w-1.dist-info/uv_cache.json": b"{}",
        "w-1.dist-info/uv_build.json": b"{}",
        "w/__pycache__/a.cpython-311.pyc": b"x",
    }
    listed = [*CODE, *extra, "w-1.dist-info/RECORD", "../../../bin/w", "/etc/passwd"]
    assert distribution_digest(installed({**CODE, **extra}, listed)) == _dir_hash(CODE)


def test_a_file_of_code_that_is_called_as_an_installers_counts(installed):
    files = {**CODE, "w/INSTALLER": b"mine"}
    assert distribution_digest(installed(files)) == _dir_hash(files)


def test_a_compiled_file_in_place_of_its_source_is_refused(installed):
    with pytest.raises(CertificateError, match="is a compiled file"):
        distribution_digest(installed({**CODE, "w/hidden.pyc": b"x"}))


def test_a_file_that_was_changed_after_its_installation_is_refused(installed):
    listed = [
        "w/__init__.py,sha256="
        + base64.urlsafe_b64encode(hashlib.sha256(b"other").digest()).decode().rstrip("=")
    ]
    with pytest.raises(CertificateError, match=r"w/__init__\.py is not the file that was installed"):
        distribution_digest(installed(CODE, listed))


def test_a_compiled_file_that_a_record_lists_and_that_is_nowhere_does_not_count(installed):
    assert distribution_digest(installed(CODE, [*CODE, "w/a.cpython-311.pyc"])) == _dir_hash(CODE)


def test_a_missing_file_or_an_editable_distribution_has_no_digest(installed):
    with pytest.raises(CertificateError, match="cannot be read"):
        distribution_digest(installed(CODE, [*CODE, "w/gone.py"]))
    with pytest.raises(CertificateError, match="lists no code"):
        distribution_digest(installed(CODE, ["w-1.dist-info/METADATA"]))
