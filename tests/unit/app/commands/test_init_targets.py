"""The targets that `aptix-conformance init` adds: what it leaves out, it says."""

import json

import pytest

from aptix_conformance.app.commands.init_targets import new_targets
from aptix_conformance.core.errors import ConfigurationError, TargetError
from aptix_conformance.systems.registry import OURS

APTIX = "class WeatherTool:\n    TOOL_USAGE_METADATA = ''\n"


@pytest.fixture
def targets(tmp_path):
    """Finds the targets of a project with some files."""

    def find(texts=(), **files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return new_targets(tmp_path, texts, OURS)

    return find


@pytest.mark.parametrize("name", ["my-tool.py", "a#b.py", "other/queue.py"])
def test_a_found_file_that_no_target_can_name_is_a_note_and_a_named_one_an_error(targets, name):
    found = targets(**{name: APTIX, "my_tools.py": APTIX})
    assert found.specs == ("my_tools",)
    assert "rename it" in found.notes[0]
    with pytest.raises(TargetError, match="rename it"):
        targets([name])


@pytest.mark.parametrize("texts", [(), ("a/birds.py", "b/birds.py")])
def test_of_two_files_of_one_module_the_second_is_left_out(targets, texts):
    found = targets(texts, **{"a/birds.py": APTIX, "b/birds.py": APTIX})
    assert found.specs == ("birds",)
    assert (
        found.notes[0]
        == "b/birds.py is left out: the target birds is a/birds.py already; rename one of the two"
    )
    assert "the modules in a are not found" in found.notes[1]
    assert len(found.notes) == 2


def test_one_target_that_is_named_twice_is_one(targets):
    found = targets(["my_tools", "my_tools.py"], **{"my_tools.py": APTIX})
    assert (found.specs, found.notes) == (("my_tools",), ())


def test_a_server_that_a_clients_file_disables_is_left_out(targets):
    servers = {"on": {"command": "sh"}, "off": {"command": "sh", "disabled": True}}
    found = targets(["mcp.json"], **{"mcp.json": json.dumps({"mcpServers": servers})})
    assert found.specs == ("mcp:@mcp.json:on",)
    assert "off is disabled in mcp.json" in found.notes[0]
    del servers["on"]
    with pytest.raises(ConfigurationError, match=r"name mcp:@mcp\.json:off"):
        targets(["mcp.json"], **{"mcp.json": json.dumps({"mcpServers": servers})})
