"""What whole runs share with the tests of hosts: tools as source text, run for real."""

import os
import re

import pytest
from tests.acceptance.package_index import Index, serving
from tests.bench import bench, make_bench, module_bench  # noqa: F401 - fixtures

DIVIDED = re.compile(r"::test_a_tool_has_the_verdicts_of_the_matrix\[")
"""The tests of tools: each is examined by one of the further Pythons."""


def pytest_addoption(parser):
    """So that a further Python examines no more than a Python can change."""
    parser.addoption(
        "--further-python",
        metavar="K/N",
        help="of the tools of the golden matrix, examine only every Nth, from the Kth on, and judge each nonconforming one by "
        "the rules that it breaks alone",
    )


def pytest_collection_modifyitems(config, items):
    """Leave out what other Pythons examine."""
    part = config.getoption("--further-python")
    if part is None:
        return
    found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", part)
    if found is None or int(found[1]) > int(found[2]):
        raise pytest.UsageError("--further-python is K/N, with 1 <= K <= N: 1/2 for the first of two parts")
    first, step = int(found[1]) - 1, int(found[2])
    rows = [item for item in items if DIVIDED.search(item.nodeid)]
    left = {*rows} - {*rows[first::step]}
    items[:] = [item for item in items if item not in left]
    config.hook.pytest_deselected(items=[*left])


@pytest.fixture
def index(tmp_path, monkeypatch):
    """An index on this machine, to which pip and npm are set, in a project that is empty."""
    for name in [name for name in os.environ if name.lower().startswith(("pip_", "npm_config_"))]:
        monkeypatch.delenv(name)
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    with serving(Index()) as found:
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_INDEX_URL", f"{found.url}/simple")
        monkeypatch.setenv("npm_config_registry", f"{found.url}/npm/")
        monkeypatch.setenv("npm_config_userconfig", os.devnull)
        yield found
