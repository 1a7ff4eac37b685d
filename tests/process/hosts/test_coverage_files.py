"""Lines that run in hosts are in the parent's coverage."""

import os
from pathlib import Path

import coverage
import pytest

from aptix_conformance.hosts import CoverageSettings, coverage_files

SOURCE = """
def helper():
    return 1

def unused():
    return 2
"""


@pytest.fixture
def measured(make_bench, tmp_path):
    data_file = str(tmp_path / "data" / ".coverage")
    Path(data_file).parent.mkdir()
    settings = CoverageSettings(data_file, source=("cov_pkg",), include=None, omit=None, branch=True)
    bench = make_bench(coverage=settings)
    bench.write("cov_pkg.__init__", "")
    bench.write("cov_pkg.helper", SOURCE)
    body = "from cov_pkg.helper import helper\nhelper()\nreturn InvokeResult.create('1')"
    bench.write(
        "cov_pkg.tools", bench.tool("One", body) + bench.tool("Two", "x = 1\nreturn InvokeResult.create('2')")
    )
    return bench, data_file


def lines(data_file, name):
    data = coverage.Coverage(data_file=data_file)
    data.combine([str(Path(data_file).parent)])
    found = data.get_data()
    (file,) = [file for file in found.measured_files() if file.endswith(name)]
    return set(found.lines(file) or ())


def test_what_a_tool_runs_is_counted_and_what_it_does_not_is_not(measured):
    bench, data_file = measured
    for name in ("One", "Two"):
        host = bench.open(f"cov_pkg.tools:{name}")
        assert host.execute(bench.plan()).succeeded
        host.close()
    bench.pool.close()
    kept = list(Path(data_file).parent.glob(".coverage.*"))
    assert len(kept) == 3, "one for each process: two tools and the zygote"
    assert lines(data_file, "helper.py") & {5, 8} == {5}


def test_what_ran_before_an_incident_in_another_process_is_kept(measured):
    bench, data_file = measured
    bench.write("cov_pkg.ends", bench.tool("Ends", "os._exit(1)"))
    host = bench.open("cov_pkg.tools:One")
    host.execute(bench.plan())
    bench.open("cov_pkg.ends:Ends").execute(bench.plan())
    bench.pool.close()
    assert 5 in lines(data_file, "helper.py")


def test_without_measurement_no_data_is_left(bench):
    bench.write("tools", bench.tool("One", "return InvokeResult.create(str('coverage' in sys.modules))"))
    assert bench.call("tools:One").result.payload == "False"


def test_what_a_tool_puts_beside_its_coverage_data_does_not_reach_the_project(tmp_path):
    place, project = tmp_path / "place", tmp_path / "project"
    place.mkdir()
    project.mkdir()
    secret = tmp_path / "secret"
    secret.write_bytes(b"SQLite format 3\0 secret")
    (place / ".coverage.link").symlink_to(secret)
    (place / ".coverage.folder").mkdir()
    (place / ".coverage.folder" / "inner").write_text("x")
    os.mkfifo(place / ".coverage.fifo")
    (place / ".coverage.text").write_text("no database")
    (place / ".coverage.real").write_bytes(b"SQLite format 3\0 data")
    coverage_files.collect(place, str(project / ".coverage"))
    assert [path.name for path in project.iterdir()] == [".coverage.real"]
    assert secret.exists()


def test_coverage_data_never_replaces_a_file_of_the_project(tmp_path):
    (tmp_path / ".coverage.1").write_bytes(b"SQLite format 3\0 theirs")
    (tmp_path / "mine.1").write_text("kept")
    coverage_files.collect(tmp_path, str(tmp_path / "mine"))
    assert (tmp_path / "mine.1").read_text() == "kept"
