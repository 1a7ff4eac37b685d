"""Where an MCP server starts: in the project, in the folder of `cwd`, or beside the copy of the author's files."""

import json
import sys

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.hosts import Environment
from aptix_conformance.systems.mcp.pool import McpPool
from aptix_conformance.targets import ToolSettings


@pytest.fixture
def directory(tmp_path):
    def started_in(**settings):
        pool = McpPool(Environment(rootdir=tmp_path, sys_path=()))
        said = pool.module_for("notes", ToolSettings(command=(sys.executable,), **settings))
        return json.loads(said)["directory"]

    return started_in


def test_a_server_starts_in_the_project(directory, tmp_path):
    assert directory() == str(tmp_path)


def test_a_server_with_files_starts_in_its_working_directory(directory, tmp_path):
    assert directory(files=str(tmp_path)) is None


def test_cwd_goes_before_files(directory, tmp_path):
    assert directory(files=str(tmp_path), directory=str(tmp_path)) == str(tmp_path)
    with pytest.raises(TargetError, match="there is no directory"):
        directory(directory=str(tmp_path / "none"))
