"""Disturbances as the host protocol writes them."""

import pytest

from aptix_conformance.core.model import (
    CancellationPoint,
    InjectedFault,
    OtherConditions,
    OtherDisturbance,
    OtherHashSeed,
    ReplacedCatalog,
    ScarceResource,
    WatchedArguments,
)
from aptix_conformance.core.model.notation import write_disturbance


@pytest.mark.parametrize(
    ("disturbance", "text"),
    [
        (None, "nothing"),
        (CancellationPoint("watch"), "cancel:watch"),
        (CancellationPoint("before", within=0.5), "cancel:before;within=0.5"),
        (CancellationPoint("token", 3, block=2.5), "cancel:token:3;block=2.5"),
        (CancellationPoint("delay", 0.125), "cancel:delay:0.125"),
        (
            CancellationPoint("task", 1000, within=3, block=0.1, long=True),
            "cancel:task:1000;within=3;block=0.1;long=1",
        ),
        (InjectedFault("service", 2, "timeout"), "fault:service:2:timeout"),
        (InjectedFault("library", 2, "own", ("my_db",), lasts=True), "fault:library:2:lasting-own:my_db"),
        (
            InjectedFault("library", 20, "unknown", ("my_db", "other.part")),
            "fault:library:20:unknown:my_db,other.part",
        ),
        (ReplacedCatalog("hangs"), "catalog:hangs"),
        (WatchedArguments(), "arguments:"),
        (OtherHashSeed("20251"), "hash-seed:20251"),
        (OtherConditions(zone="Asia/Tokyo", clock="1 day"), "conditions:time zone=Asia/Tokyo;clock=1 day"),
        (ScarceResource("full-disk"), "resource:full-disk"),
        (OtherDisturbance("slow_disk:3"), "slow_disk:3"),
    ],
)
def test_a_disturbance_has_one_text(disturbance, text):
    assert write_disturbance(disturbance) == text
