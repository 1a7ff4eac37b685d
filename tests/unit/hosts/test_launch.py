"""What holds a tool's process, from what its launcher says."""

import pytest

from aptix_conformance.core.model.containment import Containment
from aptix_conformance.hosts.launch import Held, held_by
from aptix_conformance.hosts.required_containment import SWITCHED_OFF

PARTIAL = Containment("partial", ("no namespaces (refused)",))


@pytest.mark.parametrize(
    ("said", "held"),
    [
        (
            {
                "contained": True,
                "fault": None,
                "level": "full",
                "weaker": [],
                "host name": True,
                "PID": False,
            },
            Held(Containment("full"), changed=frozenset({"host name"})),
        ),
        (
            {"contained": True, "level": "partial", "weaker": ["no namespaces (refused)"], "PID": True},
            Held(PARTIAL, changed=frozenset({"PID"})),
        ),
        (
            {"contained": True, "level": "none", "fault": "no network", "weaker": ["x"]},
            Held(Containment("none", ("no network", "x")), "no network", changed=frozenset()),
        ),
        ({"contained": True, "level": "whole"}, Held(Containment("none"), changed=frozenset())),
        (
            {"contained": False, "level": "none", "fault": None},
            Held(SWITCHED_OFF, changed=frozenset({"PID"})),
        ),
    ],
)
def test_the_level_is_what_the_launcher_reached_and_the_reasons_are_kept(said, held):
    assert held_by(said) == held
