"""The host of one tool, with a pool that starts no processes."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from aptix_conformance.core.errors import ContainmentError, HostError, TargetError
from aptix_conformance.core.model import BrokenFiles, Call, Change, Kind, Outage, Outcome, Stimulus
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.hosts import call_ahead
from aptix_conformance.hosts.broken_files import BrokenCopy
from aptix_conformance.hosts.host import Limits
from aptix_conformance.hosts.launch import Held
from aptix_conformance.hosts.process_host import ProcessToolHost
from aptix_conformance.targets import Target
from aptix_conformance.targets.settings import ToolSettings


class Process:
    """A process that answers each call."""

    capabilities = frozenset()
    ended = is_orphan = False

    limits = ()

    def execute(self, plan, timeout, idle_timeout=0.0):
        self.limits = (timeout, idle_timeout)
        return Call(plan, Outcome.RETURNED, 0.0)

    def __init__(self):
        self.is_killed = self.is_abandoned = False
        self.end = threading.Event()

    def kill(self):
        self.is_killed = True
        self.end.set()

    def abandon(self):
        self.is_abandoned = True

    def changed_texts(self):
        return (("note", "milk"),)

    def shut_down(self, *, graceful):
        pass

    waited = computed = 0.0


class Pool:
    """Starts such processes, and keeps what it was asked to forget."""

    ends_gracefully = False
    environment = SimpleNamespace(limits=Limits(), coverage=None)

    kind, containment = Process, "full"

    def __init__(self):
        self.started, self.forgotten, self.fault = [], [], None

    def start(self, target, settings):
        self.started.append(settings.files)
        if self.fault and len(self.started) > 1:
            raise self.fault
        self.process = self.kind()
        return self.process, Held(Containment(self.containment))

    def forget_files(self, settings):
        self.forgotten.append(settings.files)


def opened(pool, **settings):
    return ProcessToolHost(pool, Target("t:T", "aptix", "t", "T"), ToolSettings(**settings), {})


def planned(disturbance):
    return Stimulus("any", Change(Kind.DISTURBED, number=1), "{}", None, disturbance=disturbance)


def test_a_call_that_gets_longer_while_it_waits_keeps_the_allowance_of_its_disturbance():
    """It computes as long as the first one could: a client that tries again computes a little."""
    pool = Pool()
    opened(pool, timeout=5.0).execute_patiently(planned(Outage("refused")), 85.0)
    assert pool.process.limits == (30.0, 85.0)


@pytest.mark.parametrize("fault", [None, TargetError("It needs them.")])
def test_nothing_is_left_of_broken_files_after_the_call(tmp_path, fault):
    (tmp_path / "notes.txt").write_text("milk")
    pool = Pool()
    pool.fault = fault
    host = opened(pool, files=str(tmp_path))
    plan = planned(BrokenFiles("empty"))
    assert bool(host.execute(plan).left_out) is bool(fault)
    assert pool.forgotten == pool.started[1:]
    assert not Path(pool.started[1]).exists()


class Hanging(Process):
    """A process whose call ends when it is killed, or at last by itself."""

    def execute(self, plan, timeout, idle_timeout=0.0):
        self.end.wait(10.0)
        return super().execute(plan, timeout, idle_timeout)


FURTHER = Stimulus("neighbours", Change(Kind.GENERATED, detail="base", number=1), "{}", None)
PATIENCE = 60.0


def test_an_interrupt_does_not_wait_for_a_call_ahead(monkeypatch):
    pool = Pool()
    host = opened(pool)
    pool.kind = Hanging
    host.execute_ahead(FURTHER, PATIENCE)
    host.reset()

    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(call_ahead, "wait", interrupted, raising=False)
    with pytest.raises(KeyboardInterrupt):
        host.execute(FURTHER, PATIENCE)
    assert pool.process.is_killed


def test_a_call_ahead_shows_what_it_changed_in_the_files():
    host = opened(Pool())
    host.execute_ahead(FURTHER, PATIENCE)
    host.reset()
    assert host.execute(FURTHER, PATIENCE).files == (("note", "milk"),)


@pytest.mark.parametrize("level", ["full", "partial"])
def test_no_call_is_made_ahead_without_a_thread_or_whole_containment(monkeypatch, level):
    def refused(*_):
        raise RuntimeError("can't start new thread")

    pool = Pool()
    host = opened(pool)
    if level == "full":
        monkeypatch.setattr(ThreadPoolExecutor, "submit", refused)
    pool.containment = level
    host.execute_ahead(FURTHER, PATIENCE)
    assert pool.process.is_abandoned
    host.reset()
    host.execute(FURTHER, PATIENCE)
    assert len(pool.started) == 3


def test_a_process_that_does_not_start_for_a_call_ahead_is_no_error():
    pool = Pool()
    host = opened(pool)
    pool.fault = ContainmentError("It is contained less than before.")
    host.execute_ahead(FURTHER, PATIENCE)
    assert len(pool.started) == 2


def test_a_call_ahead_ends_though_the_usual_process_does_not(monkeypatch):
    pool = Pool()
    host = opened(pool)
    usual, pool.kind = pool.process, Hanging
    host.execute_ahead(FURTHER, PATIENCE)

    def refused(**_):
        raise HostError("its process cannot be ended")

    monkeypatch.setattr(usual, "shut_down", refused)
    with pytest.raises(HostError):
        host.close()
    assert pool.process.is_killed


def test_the_packages_beside_a_tools_files_are_not_broken(tmp_path):
    """Their data are not the tool's: a library that cannot read its own would fail in the tool's place."""
    for place in (".venv/lib/known", "site-packages/known", "node_modules/known", "notes"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "data.json").write_text("{}")
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin")
    copy = BrokenCopy(ToolSettings(files=str(tmp_path)), "empty", 1_000_000)
    try:
        folder = Path(copy.settings.files)
        broken = [
            path.parent.name for path in folder.rglob("*") if path.is_file() and not path.stat().st_size
        ]
    finally:
        copy.remove()
    assert broken == ["notes"]
