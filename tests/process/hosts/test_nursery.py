"""Launchers are forked by one process of the suite's own; where it is gone, or cannot serve, they are started."""

import os
import signal
import socket
from pathlib import Path

import pytest

from aptix_conformance.hosts.nursery import Forked, Nursery


@pytest.fixture
def nursery():
    """One that has served already."""
    made = Nursery()
    if fork(made) is None:
        pytest.skip("this machine has no PID namespaces")
    yield made
    made.close()


def fork(nursery, **env):
    """A launcher that cannot read its configuration, ended; with its standard error."""
    ours, theirs = socket.socketpair()
    reader, writer = os.pipe()
    with ours, theirs, Path(os.devnull).open() as nothing, os.fdopen(reader) as errors:
        descriptors = (theirs.fileno(), nothing.fileno(), writer, writer)
        try:
            found = nursery.fork("no JSON", env, "/", theirs.fileno(), descriptors)
        finally:
            os.close(writer)
        return found and (found, found.wait(10), errors.read())


def test_a_launcher_that_fails_is_a_child_of_the_suite_with_a_status_and_a_text(nursery):
    found, status, errors = fork(nursery)
    assert isinstance(found, Forked)
    assert status == 1
    assert errors.strip().endswith("Expecting value: line 1 column 1 (char 0)")


def test_a_nursery_that_was_killed_forks_no_more(nursery):
    os.kill(nursery._process.pid, signal.SIGKILL)
    nursery._process.wait()
    assert fork(nursery) is None
    assert fork(nursery) is None


def memory_of(pid):
    """What a process can write to."""
    found = b""
    with Path(f"/proc/{pid}/maps").open() as maps, Path(f"/proc/{pid}/mem").open("rb", 0) as memory:
        for line in maps:
            places, rights, *_ = line.split()
            if rights.startswith("rw"):
                start, end = (int(place, 16) for place in places.split("-"))
                memory.seek(start)
                found += memory.read(end - start)
    return found


def test_a_launcher_begins_without_the_secrets_of_those_before_it(nursery):
    """It has a copy of the nursery's memory, and a server may read that of its host."""
    secret = os.urandom(16).hex()
    fork(nursery, TOKEN=secret)
    found = memory_of(nursery._process.pid)
    assert b"server_host" in found
    assert secret.encode() not in found
