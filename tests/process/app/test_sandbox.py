"""A sandbox around the suite is found in force."""

import subprocess
import sys

import pytest

NEW = ("unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "--mount-proc")
PRINT = (
    "from pathlib import Path; from aptix_conformance.app.certificates import sandbox; "
    "print(*sandbox.protections(Path('/proc/self')))"
)


@pytest.mark.skipif(
    subprocess.run([*NEW, "true"], check=False, capture_output=True).returncode != 0,
    reason="this machine refuses namespaces",
)
def test_namespaces_around_the_suite_are_found_in_force():
    done = subprocess.run([*NEW, sys.executable, "-c", PRINT], check=True, capture_output=True, text=True)
    assert {"no-network", "process-namespace", "user-namespace"} <= set(done.stdout.split())
