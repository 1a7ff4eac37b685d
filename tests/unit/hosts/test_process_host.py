"""The host of one tool, with a pool that starts no processes."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import BrokenFiles, Call, Change, Kind, Outage, Outcome, Stimulus
from aptix_conformance.core.model.containment import Containment
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

    def abandon(self):
        pass

    def shut_down(self, *, graceful):
        pass

    waited = computed = 0.0


class Pool:
    """Starts such processes, and keeps what it was asked to forget."""

    ends_gracefully = False
    environment = SimpleNamespace(limits=Limits(), coverage=None)

    def __init__(self):
        self.started, self.forgotten, self.fault = [], [], None

    def start(self, target, settings):
        self.started.append(settings.files)
        if self.fault and len(self.started) > 1:
            raise self.fault
        self.process = Process()
        return self.process, Held(Containment("full"))

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
