"""What holds a tool's process, from what its launcher says."""

import pytest

from aptix_conformance.hosts.launched import Held, held_by


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ({"contained": True, "fault": None, "pids": True, "mounts": True}, Held("namespaces")),
        ({"contained": True, "fault": None, "pids": True, "mounts": False}, Held("confined")),
        ({"contained": True, "fault": None, "pids": True, "mounts": True, "weaker": ["x"]}, Held("confined")),
        ({"contained": True, "fault": None, "pids": False, "mounts": False}, Held("confined")),
        (
            {"contained": True, "fault": "no network", "pids": True, "mounts": True},
            Held("none", "no network"),
        ),
        ({"contained": False, "fault": None, "pids": False, "mounts": False}, Held("none")),
        ({}, Held("none")),
    ],
)
def test_the_level_is_what_could_be_held(said, held):
    assert held_by(said) == held
