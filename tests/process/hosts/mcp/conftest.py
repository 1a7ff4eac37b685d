"""A pool for a server that a test changes."""

import pytest
from tests.process.hosts.mcp.servers import SERVER

from aptix_conformance.core.model import canaries
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.mcp.pool import McpPool
from aptix_conformance.systems.registry import OURS


@pytest.fixture
def bench(tmp_path):
    """Makes a pool for a server: that of `servers.py`, with `changes` before it serves."""
    pools = []

    def make(changes, start=10.0, serves="serve()", uncalled=()):
        (tmp_path / "server.py").write_text(f"{SERVER}\n{changes}\n{serves}\n")
        limits = Limits(timeout=5.0, start=start)
        environment = Environment(
            tmp_path,
            (),
            canaries=canaries.environment(0),
            limits=limits,
            systems=OURS.traits,
            uncalled=uncalled,
        )
        pools.append(McpPool(environment))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()
