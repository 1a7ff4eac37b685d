"""A command that runs in the containment to its end, for the files that it makes."""

import socket
import sys

import psutil
import pytest

from aptix_conformance.core.errors import HostError
from aptix_conformance.hosts import job
from aptix_conformance.hosts.host import MIB, Limits


@pytest.fixture
def make(tmp_path):
    """Makes a job of a shell's command, with a file at its place."""
    place, files = tmp_path / "place", tmp_path / "files"
    place.mkdir()
    files.mkdir()
    (files / "given").write_text("given")

    def job_of(text, seconds=60.0, program=("/bin/sh", "-c"), **more):
        fields = {"env": {"GREETING": "hello"}, "visible": (), "network": (), **more}
        return job.Job("the job", (*program, text), place=place, files=files, seconds=seconds, **fields)

    return job_of


def test_its_files_are_there_until_the_context_ends_and_no_others(make, tmp_path):
    outside = tmp_path / "outside"
    text = f"cat given; echo $GREETING > made; touch {outside}; echo bad >&2; exit 3"
    with job.run(make(text)) as done:
        assert (done.status, done.incident) == (3, "")
        assert (done.place / "made").read_text() == "hello\n"
        assert done.output.startswith("given")
        assert "bad" in done.output
        assert done.containment.level in ("full", "partial")
    assert not outside.exists()


def test_it_reaches_no_host_that_is_not_named(make):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        text = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5).close()"
        program = (sys.executable, "-I", "-S", "-c")
        with job.run(make(text, program=program, visible=(sys.executable, sys.base_prefix))) as done:
            assert done.status == 1
            assert "Error" in done.output
        network = (("127.0.0.1", port),)
        visible = (sys.executable, sys.base_prefix)
        with job.run(make(text, program=program, visible=visible, network=network)) as done:
            assert (done.status, done.output) == (0, "")


@pytest.mark.parametrize("text", ["sleep 600", "exec >&- 2>&-; sleep 600", "while :; do echo much; done"])
def test_one_that_does_not_end_is_ended(make, text):
    with job.run(make(text, seconds=1.0)) as done:
        assert (done.status, done.incident) == (None, "took longer than 1 s")


def test_one_that_takes_too_much_memory_is_ended(make):
    limits = Limits(memory=64 * MIB, scratch=64 * MIB)
    program = (sys.executable, "-I", "-S", "-c")
    text = "held = bytearray(256 << 20)\nfor place in range(0, len(held), 4096): held[place] = 1\nwhile True: pass"
    visible = (sys.executable, sys.base_prefix)
    with job.run(make(text, program=program, visible=visible), limits) as done:
        assert done.incident == "took more than 64 MiB of memory"


def test_the_end_of_what_it_prints_is_kept(make):
    with job.run(make("i=0; while [ $i -lt 40000 ]; do echo line $i; i=$((i+1)); done")) as done:
        assert done.output.endswith("line 39999\n")
        assert len(done.output) == 1 << 18


def test_what_it_started_ends_with_it(make):
    with job.run(make("sleep 987654 & echo started")) as done:
        assert (done.status, done.output) == (0, "started\n")
    assert not [each for each in psutil.process_iter(["cmdline"]) if "987654" in (each.info["cmdline"] or ())]


def test_a_program_that_is_not_there_is_a_status(make):
    with job.run(make("x", program=("/nowhere/program",))) as done:
        assert done.status == 127


def test_a_place_that_is_not_there_is_an_error(make):
    task = make("true")
    task.place.rmdir()
    with pytest.raises(HostError), job.run(task):
        pass
