"""The registry and the rules agree: what keeps a tool from being registered breaks a MUST, and nothing else does.

The tool is agent_list_modes, of which TUL-010 demands that it registers without error.
"""

import importlib.util
import sys

import pytest

from aptix_conformance.core.contracts import Level, load
from aptix_conformance.core.model import Declaration
from aptix_conformance.examine import applicable_rules
from aptix_conformance.hosts import Environment, PythonHostPool
from aptix_conformance.systems.registry import OURS
from aptix_conformance.systems.rulebook import suites
from aptix_conformance.targets import Target, ToolSettings
from aptix_harness import AgentToolRegistry, InvalidOperationError, LoggingAdminLogger

MODULE = """
from aptix_reference_tools import AgentListModesTool

class Sound(AgentListModesTool): pass
"""
TOOLS = {
    "Sound": "",
    "Subclass": "class Subclass(Sound): pass",
    "ClassMethod": "class ClassMethod(Sound):\n    get_schema = classmethod(lambda cls: Sound.get_schema())",
    "BlankUsage": "class BlankUsage(Sound):\n    TOOL_USAGE_METADATA = ' '",
    "ComputedUsage": "class ComputedUsage(Sound):\n    TOOL_USAGE_METADATA = property(lambda self: 'text')",
    "UsageIsNoText": "class UsageIsNoText(Sound):\n    TOOL_USAGE_METADATA = b'text'",
    "BoundSchema": "class BoundSchema(Sound):\n    def get_schema(self): return Sound.get_schema()",
    "AskingSchema": "class AskingSchema(Sound):\n    get_schema = staticmethod(lambda language: {})",
    "RaisingSchema": "class RaisingSchema(Sound):\n    get_schema = staticmethod(lambda: 1 / 0)",
    "TextSchema": "class TextSchema(Sound):\n    get_schema = staticmethod(lambda: '{}')",
    "NoExecute": (
        "members = {key: value for key, value in vars(AgentListModesTool).items() if key != 'execute'}\n"
        "NoExecute = type('NoExecute', (), members)"
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("catalog_tools")
    text = "\n\n".join([MODULE, *filter(None, TOOLS.values())])
    (path / "catalog_tools.py").write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def pool(folder):
    with PythonHostPool(
        Environment(rootdir=folder, sys_path=(str(folder), *filter(None, sys.path)), systems=OURS.traits)
    ) as opened:
        yield opened


def is_refused(folder, name):
    spec = importlib.util.spec_from_file_location("catalog_tools", folder / "catalog_tools.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    try:
        AgentToolRegistry(LoggingAdminLogger()).register(getattr(module, name))
    except InvalidOperationError:
        return True
    return False


def broken_musts(pool, name):
    """The rules on the declaration that a tool breaks, of those that are a MUST."""
    spec = f"catalog_tools:{name}"
    settings = ToolSettings(services={"catalog": "aptix_reference_tools:make_catalog"})
    host = pool.open(Target(spec, "aptix", "catalog_tools", name), settings)
    try:
        declaration = host.describe()
    finally:
        host.close()
    suite = suites(None, load())["aptix"]
    return {
        found.rule.code
        for found in applicable_rules(suite, declaration)
        if found.rule.over is Declaration and found.level is Level.MUST and not found.exempt
        if found.rule.when(declaration) and found.rule.check(declaration)
    }


@pytest.mark.clause("TUL-010.3.2")
@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_refused_where_it_breaks_a_must_on_its_declaration(pool, folder, name):
    """So the rules tell of any tool, agent_list_modes too, whether it registers without error."""
    assert is_refused(folder, name) is bool(broken_musts(pool, name)), broken_musts(pool, name)
