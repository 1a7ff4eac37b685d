"""What whole runs share with the tests of hosts: tools as source text, run for real."""

import re

import pytest
from tests.bench import bench, make_bench, module_bench  # noqa: F401 - fixtures


def pytest_addoption(parser):
    """A second Python need not see every tool."""
    parser.addoption(
        "--part",
        metavar="K/N",
        default="1/1",
        help="examine only every Nth tool of the golden matrix, from the Kth on",
    )


def pytest_collection_modifyitems(config, items):
    """Leave out what is in other parts of the matrix."""
    found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", config.getoption("--part"))
    if found is None or int(found[1]) > int(found[2]):
        raise pytest.UsageError("--part is K/N, with 1 <= K <= N: 1/2 for the first of two parts")
    first, step = int(found[1]) - 1, int(found[2])
    rows = [item for item in items if item.name.startswith("test_a_tool_has_the_verdicts_of_the_matrix[")]
    kept = set(rows[first::step])
    left = [item for item in rows if item not in kept]
    items[:] = [item for item in items if item not in rows or item in kept]
    config.hook.pytest_deselected(items=left)
