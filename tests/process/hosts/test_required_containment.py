"""A run that requires more containment than a tool gets runs none of its code."""

import os
import sys
from pathlib import Path

import pytest
from tests.bench import HEADER, Bench

from aptix_conformance.core.errors import ContainmentError
from aptix_conformance.hosts import Environment, Limits, ProgramHostPool, PythonHostPool
from aptix_conformance.hosts.launch import Launch, Launched
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets.settings import Target, ToolSettings

from .elsewhere import CONDITIONS, Request, can_be, examine

WITHOUT = next(condition for condition in CONDITIONS if not condition[1])


def environment(place: Path, least: str) -> Environment:
    return Environment(place, (str(place), *sys.path), systems=OURS.traits, least_containment=least)


def test_a_module_is_not_imported_without_the_required_containment(tmp_path):
    """And is, where nothing is required: what shows that it was not can show that it was."""
    mark = tmp_path / "imported"
    source = HEADER + f"open({str(mark)!r}, 'w').close()\n" + Bench.tool("Some", "return None")
    (tmp_path / "tools.py").write_text(source)
    for least, made in (("partial", False), ("none", True)):
        with PythonHostPool(environment(tmp_path, least)) as pool:
            settings, target = (
                ToolSettings(side_effects="none"),
                Target("tools:Some", "aptix", "tools", "Some"),
            )
            if made:
                pool.open(target, settings)
            else:
                with pytest.raises(ContainmentError, match='side_effects = "none"'):
                    pool.open(target, settings)
        assert mark.exists() is made


@pytest.mark.parametrize(("least", "started"), [("partial", False), ("none", True)])
def test_the_launcher_starts_no_command_without_the_required_containment(tmp_path, least, started):
    """So a host that is a command runs none of its code before the suite has read the level."""
    launch = Launch(
        "the host",
        lambda _: (["/usr/bin/touch", str(tmp_path / "started")], {}),
        tmp_path,
        tmp_path,
        None,
        Limits(),
        contained=False,
        least=least,
    )
    launched = Launched(launch)
    with launched.channel:
        assert launched.wait(10)
        assert (launched.kill(), (tmp_path / "started").exists()) == ((0, True) if started else (1, False))
        assert b'"level": "none"' in launched.channel.recv(4096)
    for stream in launched.streams:
        os.close(stream)


def test_a_host_of_ones_own_is_refused_without_the_required_containment(tmp_path):
    (tmp_path / "host.py").write_text("")
    settings, module = ToolSettings(side_effects="none"), f"{sys.executable} host.py"
    with ProgramHostPool(environment(tmp_path, "full")) as pool, pytest.raises(ContainmentError):
        pool.open(Target(f"host:{module}#t", "", module, "t", prefix="host"), settings)


def test_without_namespaces_the_level_is_partial_with_the_reasons_and_full_is_refused():
    if not can_be(WITHOUT):
        pytest.skip("this user cannot start this version or read what the suite needs")
    request = Request(HEADER + Bench.tool("Some", "return None"), {"Some": ["{}"]})
    found = examine(WITHOUT, request)["Some"]
    assert found["containment"] == "partial"
    assert found["reasons"][0].startswith(
        "no namespaces (unshare: Operation not permitted), so the tool sees processes"
    )
    refused = examine(WITHOUT, Request(request.source, request.arguments, least="full"))["Some"]
    assert "is partial (no namespaces" in refused["refused"]
