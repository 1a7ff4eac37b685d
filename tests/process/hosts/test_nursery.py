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


def fork(nursery):
    """A launcher that cannot read its configuration, ended; with its standard error."""
    ours, theirs = socket.socketpair()
    reader, writer = os.pipe()
    with ours, theirs, Path(os.devnull).open() as nothing, os.fdopen(reader) as errors:
        descriptors = (theirs.fileno(), nothing.fileno(), writer, writer)
        try:
            found = nursery.fork("no JSON", {}, "/", theirs.fileno(), descriptors)
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
