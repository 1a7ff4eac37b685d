"""Environments with the SDKs of MCP, by the lock files of the corpus: installed once for all workers and for later runs."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

PEERS = Path(sys.prefix) / "sdk-peers"


def installed(sdk):
    """The folder with an SDK, a `Variant` or a `Server` of the corpus. Without its index the test is skipped; in CI it fails."""
    PEERS.mkdir(exist_ok=True)
    with (PEERS / f"{sdk.name}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        try:
            return sdk.install(PEERS)
        except (subprocess.CalledProcessError, OSError) as error:
            stop = pytest.fail if os.environ.get("CI") else pytest.skip
            stop(f"{sdk.name} cannot be installed from its index: {error}")
