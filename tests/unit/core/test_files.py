"""Files at places where a stranger may have put something else."""

import os
from pathlib import Path

import pytest

from aptix_conformance import RunOptions
from aptix_conformance.app.commands.schema_sides import read_side
from aptix_conformance.app.run.replay import replay
from aptix_conformance.core.errors import RecordError, ReportError
from aptix_conformance.core.files import path_beside, read_bounded, read_text, write_atomically
from aptix_conformance.core.schemas import read_lock
from aptix_conformance.core.schemas.locking import shape_to_lock
from aptix_conformance.present.reports import prove_writable, read_report
from aptix_conformance.present.reports.report_files import LARGEST


@pytest.fixture(params=["pipe", "device", "folder", "link to a device", "link to itself", "large"])
def unfit(request, tmp_path):
    """A path at which there is no file that can be read."""
    path = tmp_path / "report.json"
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "device":
        path = Path("/dev/zero")
    elif request.param == "folder":
        path.mkdir()
    elif request.param == "link to a device":
        path.symlink_to("/dev/zero")
    elif request.param == "link to itself":
        path.symlink_to(path)
    else:
        with path.open("wb") as stream:
            stream.truncate(LARGEST + 1)
    return path


def test_what_is_no_file_of_some_size_is_refused_at_once(unfit):
    with pytest.raises(OSError, match=r"regular file|Is a directory|symbolic links|more than 256 bytes"):
        read_bounded(unfit, 256)


def test_a_report_that_is_no_file_is_one_clear_error(unfit):
    with pytest.raises(ReportError, match="cannot be read: "):
        read_report(unfit)


def test_a_path_that_no_file_can_have_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_bounded(tmp_path / "a\0b", 9)


@pytest.mark.parametrize("path", ["/", ".", "", "//", "..", "a/..", "a\0b", "a\ud800"])
def test_a_path_that_no_file_can_have_has_none_beside_it_and_is_not_written(path, tmp_path, monkeypatch):
    """One kind of error, with the fix, for what `pathlib` refuses in several ways."""
    monkeypatch.chdir(tmp_path)
    for use in (lambda: path_beside(Path(path), after=".pub"), lambda: write_atomically(Path(path), "")):
        with pytest.raises(OSError, match=r"add the name of a file|name another file"):
            use()
    with pytest.raises(ReportError, match="cannot be written to"):
        prove_writable(Path(path))


def test_a_file_is_read_up_to_its_bound_with_line_feeds(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"a\r\nb\rc\n")
    assert read_text(path, 7) == "a\nb\nc\n"
    with pytest.raises(OSError, match="more than 6 bytes"):
        read_text(path, 6)


def test_a_link_at_the_place_of_a_draft_is_not_followed(tmp_path):
    """Its name can be guessed, so somebody else may have put a link there that leads to a file of the user's."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / f".report.json.{os.getpid()}").symlink_to(victim)
    write_atomically(tmp_path / "report.json", "new")
    assert victim.read_text() == "precious"
    assert (tmp_path / "report.json").read_text() == "new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.json", "victim"]


def test_a_link_at_the_place_of_a_file_is_replaced_and_not_followed(tmp_path):
    victim, path = tmp_path / "victim", tmp_path / "report.json"
    victim.write_text("precious")
    path.symlink_to(victim)
    write_atomically(path, "new")
    assert (victim.read_text(), path.read_text(), path.is_symlink()) == ("precious", "new", False)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_a_report_is_not_written_over_what_is_no_file(make, tmp_path):
    make(tmp_path / "report.json")
    with pytest.raises(ReportError, match="is not a file"):
        prove_writable(tmp_path / "report.json")
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_a_report_is_not_written_over_a_device():
    with pytest.raises(ReportError, match="is not a file"):
        prove_writable(Path("/dev/null"))


def test_a_lock_with_more_values_than_a_tool_can_declare_is_not_read():
    with pytest.raises(RecordError, match="more than 200,000 JSON values"):
        read_lock("[" + "[]," * 300_000 + "0]", "here")


def test_a_folder_of_locks_with_a_pipe_in_it_is_one_clear_error(tmp_path):
    os.mkfifo(tmp_path / "agent_weather.json")
    with pytest.raises(RecordError, match=r"agent_weather\.json cannot be read \(it is not a regular file\)"):
        read_side(".", tmp_path)


def test_a_lock_that_is_a_pipe_is_waited_for_by_nobody(tmp_path):
    os.mkfifo(tmp_path / "agent_weather.json")
    assert shape_to_lock(None, tmp_path, "agent_weather", update=False) is None


def test_a_report_that_is_nested_without_end_is_one_clear_error(tmp_path):
    (tmp_path / "report.json").write_text("[" * 1_000_000)
    with pytest.raises(ReportError, match="is not JSON"):
        replay("report.json#agent_weather/ARG002", tmp_path, RunOptions())
