"""A disk that is full under the tools' working directories ends the examination, and nothing that was found is lost."""

import subprocess
import tempfile

import pytest
from tests.variants import variant

FILLS = """
import errno
import os


def pytest_runtest_logreport(report):
    if report.when == "call" and report.nodeid.startswith("aptix::agent_weather::"):
        with open(os.path.join(os.environ["TMPDIR"], "filler"), "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(65536))
            except OSError as error:
                assert error.errno == errno.ENOSPC
"""


@pytest.fixture
def disk(tmp_path, monkeypatch):
    """A small disk for the working directories."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", place], check=False).returncode:
        pytest.skip("nothing can be mounted here")
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def test_a_full_disk_is_named_in_every_format_and_what_was_found_is_kept(real_project, disk):
    source = (real_project.path / "weather_tools.py").read_text(encoding="utf-8")
    later = source + variant("Later", "agent_weather_later")
    (real_project.path / "later.py").write_text(later, encoding="utf-8")
    real_project.change(
        ('tools = ["weather_tools"]', 'tools = ["weather_tools", "later:Later"]'), name="pyproject.toml"
    )
    real_project.only_read("agent_weather_later")
    real_project.pytester.makeconftest(FILLS)
    forms = [
        word for form in ("summary", "sarif", "html") for word in ("--aptix-report", f"{form}={form}.txt")
    ]
    result = real_project.run("-k", "SCH017 or status", "--aptix-report", "report.json", *forms)
    why = f"no space is left in {disk}: free some, or name another folder for temporary files by TMPDIR"
    said = f"The run ended before every tool was examined ({why}). Not examined: agent_weather_later."
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    for text in (
        str(result.stdout),
        *((real_project.path / f"{form}.txt").read_text() for form in ("summary", "sarif", "html")),
    ):
        assert said in " ".join(text.split())
        assert "harness error" not in text
    report = real_project.report()
    assert (report["suite"]["complete"], report["suite"]["stopped"]) == (False, why)
    first, later = report["tools"]
    assert first["verdicts"]
    assert later["error"] == f"not examined: {why}"
    assert [path.name for path in disk.iterdir()] == ["filler"]
