"""What a failed installer printed, in one line: pip and its library put it in words of their own, which change."""

from pathlib import Path

import pytest

from aptix_conformance.systems.mcp.installing.installers import installer_of
from aptix_conformance.systems.mcp.installing.wanted import Wanted

OLDER_PIP = (
    "ERROR: Could not install packages due to an OSError: HTTPSConnectionPool(host='elsewhere.example', port=443): "
    "Max retries exceeded with url: /helper.whl (Caused by NewConnectionError('[Errno 111] Connection refused'))\n"
)
NEWER_PIP = (
    "error: connection-failed\n\n"
    "\N{MULTIPLICATION SIGN} Failed to connect to elsewhere.example while fetching https://elsewhere.example/helper.whl\n"
    "╰─> [Errno 111] Connection refused\n"
)


@pytest.fixture
def reason():
    return installer_of(Wanted("python", "notes"), (), Path()).reason


@pytest.mark.parametrize("output", [OLDER_PIP, NEWER_PIP], ids=["older pip", "newer pip"])
def test_a_host_that_is_not_reached_is_named(reason, output):
    assert reason(output) == "the index cannot be reached at elsewhere.example"


@pytest.mark.parametrize(
    "output",
    ["ERROR: it is broken\n", "error: broken\n\n\N{MULTIPLICATION SIGN} it is broken\n"],
    ids=["older pip", "newer pip"],
)
def test_another_error_is_shown_as_pip_puts_it(reason, output):
    assert reason(output) == "it is broken"


def test_output_without_an_error_gives_no_reason(reason):
    assert not reason("WARNING: nothing of importance\n")
