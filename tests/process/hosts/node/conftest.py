"""A folder of tools in JavaScript, and a pool over it."""

import pytest
from tests.process.hosts.node.benches import Bench


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    made = Bench(tmp_path_factory.mktemp("node"))
    yield made
    made.systems.close()
