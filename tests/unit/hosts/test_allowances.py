"""How long a call may take follows from its stimulus alone: a host looks at no name of a probe, and a replay allows the same."""

from types import SimpleNamespace

import pytest
from tests.stimuli import stimulus as usual

from aptix_conformance.core.model import (
    CancellationPoint,
    Change,
    InjectedFault,
    Kind,
    OtherDisturbance,
    OtherHashSeed,
    ProtocolStimulus,
    ReplacedCatalog,
    ScarceResource,
    Stimulus,
    WatchedArguments,
)
from aptix_conformance.core.model.allowance import Allowance
from aptix_conformance.core.model.codec import from_json, replace, to_json
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.hosts import Limits
from aptix_conformance.hosts.launch import Held
from aptix_conformance.hosts.process_host import ProcessToolHost
from aptix_conformance.systems.mcp.served_tools import ServedToolHost, ServerHost
from aptix_conformance.systems.mcp.wire import ALLOWANCES, WORDS
from aptix_conformance.targets.settings import Target, ToolSettings

LIMIT = 7.0
MIB = 1024 * 1024


class Process:
    """Records how long it may take, and answers nothing of interest."""

    ended = is_orphan = False
    capabilities = frozenset()

    def __init__(self, allowed):
        self._allowed = allowed

    def execute(self, plan, timeout, idle_timeout=0.0):
        self._allowed.append(timeout)
        return SimpleNamespace(outcome=None, elapsed=0.0, plan=plan, disturbed=None)

    def abandon(self):
        pass

    def shut_down(self, *, graceful):
        pass

    waited = computed = 0.0


class Pool:
    """Starts such processes; `disks` are the sizes of those of small ones."""

    ends_gracefully = has_hash_seeds = False
    starts_under_conditions = staticmethod(lambda _target, _settings: False)
    environment = SimpleNamespace(limits=Limits(timeout=LIMIT), coverage=None)

    def __init__(self):
        self.allowed, self.disks = [], []

    def start(self, target, settings):
        return Process(self.allowed), Held(Containment("full"))

    def start_small(self, target, settings, disk):
        self.disks.append(disk)
        return Process(self.allowed)


def opened(kind, pool):
    return kind(pool, Target("mcp:server#t", "mcp", "server", "t"), ToolSettings(), {})


def plan(disturbance):
    return Stimulus("any", Change(Kind.DISTURBED, number=1), "{}", None, disturbance=disturbance)


def allowed(kind, stimulus, timeout=None):
    pool = Pool()
    opened(kind, pool).execute(stimulus, timeout)
    return pool.allowed


DISTURBED = (
    CancellationPoint("watch"),
    InjectedFault("service", 1, "error"),
    ReplacedCatalog("none"),
    WatchedArguments(),
    ProtocolStimulus("of-an-older-report"),
    OtherDisturbance("acme:moon"),
)
TWICE = ("watched-call", "watched-call-afterwards", "restarted-call")
MOMENTS = tuple(f"cancelled-at-{moment}" for moment in ("25", "50", "75", "progress"))


def test_a_plain_call_takes_the_limit():
    assert allowed(ProcessToolHost, usual("test", "generated", "{}", None)) == [LIMIT]


@pytest.mark.parametrize("disturbance", DISTURBED)
def test_a_disturbed_call_takes_two_seconds_more(disturbance):
    assert allowed(ProcessToolHost, plan(disturbance)) == [LIMIT + 2]


def test_another_hash_seed_takes_no_longer():
    assert plan(OtherHashSeed("1")).allowance == Allowance()


def test_a_timeout_that_is_given_counts_alone():
    assert allowed(ServedToolHost, plan(ProtocolStimulus("task")), 3.0) == [3.0]
    assert allowed(ServedToolHost, plan(ScarceResource("full-disk")), 3.0) == [3.0]


@pytest.mark.parametrize("name", sorted(WORDS))
def test_each_stimulus_of_mcp_takes_what_its_name_says(name):
    twice = name in (*TWICE, *MOMENTS)
    long = {"eight-mebibytes": 10, "sixteen-mebibytes": 20}.get(name)
    tasks = name in ("task", "cancelled-task", "unknown-task")
    special = 3 * LIMIT + 10 if twice else 12 * LIMIT if tasks else long and long * LIMIT
    assert allowed(ServedToolHost, plan(ProtocolStimulus(name))) == [special or LIMIT + 2]
    assert allowed(ServerHost, plan(ProtocolStimulus(name))) == [special or 3 * LIMIT]


def test_each_allowance_is_of_a_stimulus_that_is_sent():
    assert set(ALLOWANCES) <= set(WORDS)


def test_a_scarce_resource_takes_three_limits_and_a_small_disk():
    pool = Pool()
    opened(ServedToolHost, pool).execute(plan(ScarceResource("no-descriptors")))
    assert (pool.allowed, pool.disks) == ([3 * LIMIT], [32 * MIB])


@pytest.mark.parametrize("disturbance", [*DISTURBED, OtherHashSeed("1"), ScarceResource("full-disk"), None])
def test_a_stimulus_that_is_read_back_has_the_same_allowance_and_writes_none(disturbance):
    written = to_json(plan(disturbance))
    assert "allowance" not in {*written, *(written["disturbance"] or ())}
    assert from_json(Stimulus, written).allowance == plan(disturbance).allowance


@pytest.mark.parametrize(
    ("probe", "detail", "files"),
    [("valid", "", "author"), ("confined", "..", "planted"), ("confined", "emptied-folder", "emptied")],
)
def test_the_files_of_a_call_follow_from_its_stimulus(probe, detail, files):
    named = replace(plan(None), probe=probe, change=Change(Kind.CUSTOM, detail=detail))
    assert from_json(Stimulus, to_json(named)).files == files
