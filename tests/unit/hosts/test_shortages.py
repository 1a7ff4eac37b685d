"""A run that may have too little is refused by the name of the limit; nothing is tried where there is enough."""

import resource
import threading

import pytest

from aptix_conformance.core.errors import ShortageError
from aptix_conformance.hosts import shortages


@pytest.fixture
def limited(monkeypatch):
    """Checks the limits of an ordinary user who can start no thread in the first `refusals` tries."""
    tries = []

    def check(files, tasks, group="max", refusals=1000):
        limits = {resource.RLIMIT_NOFILE: files, resource.RLIMIT_NPROC: tasks}
        texts = {"/proc/self/cgroup": "0::/user/run\n", "/sys/fs/cgroup/user/pids.max": group}
        monkeypatch.setattr(resource, "getrlimit", lambda kind: (limits[kind], limits[kind]))
        monkeypatch.setattr(shortages.os, "getuid", lambda: 1000)
        monkeypatch.setattr(shortages.cgroups.Path, "read_text", lambda path, _: texts.get(str(path), "max"))
        monkeypatch.setattr(threading.Thread, "start", lambda _: start(refusals))
        monkeypatch.setattr(threading.Thread, "join", lambda _: None)
        monkeypatch.setattr(shortages.time, "sleep", tries.append)
        shortages.check_limits.__wrapped__()

    def start(refusals):
        if len(tries) < refusals:
            raise RuntimeError("can't start new thread")

    return check


@pytest.mark.parametrize(
    ("files", "tasks", "group", "said"),
    [(40, -1, "max", "ulimit -n"), (1024, 60, "max", "limit of 60"), (1024, -1, "100", "limit of 100")],
)
def test_a_limit_that_leaves_too_little_is_named(limited, files, tasks, group, said):
    with pytest.raises(ShortageError, match=f"^not examined: .*{said}"):
        limited(files, tasks, group)


@pytest.mark.parametrize(("files", "tasks", "group"), [(-1, -1, "max"), (1024, 96365, "32768")])
def test_ordinary_limits_are_not_tried(limited, files, tasks, group):
    limited(files, tasks, group)


def test_who_else_uses_up_the_limit_for_a_moment_is_waited_for(limited):
    limited(1024, 200, refusals=19)
