"""A scratch project for sessions inside of tests, whose tools are canned."""

import json
from pathlib import Path

import pytest
from tests.real_project import QUICK

CONFTEST = f"""
import sys

sys.path.insert(0, {str(Path(__file__).parents[3] / "canned")!r})
pytest_plugins = ["canned_tools"]
"""
PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "The city's English name."}},
    "required": ["city"],
}
USAGE = 'agent_weather tells the weather.\n\nArguments:\n- city: a name, such as "Oslo".\n'
RAISES = {"message": "It raised ValueError.", "arguments": '{"city', "cause": "ValueError"}
"""What ARG002 finds in a tool that does not catch what its parser raises."""


class CannedProject:
    """Tools that only `tests/canned/canned_tools.py` knows. The first one, `weather_tools:WeatherTool`, keeps every rule."""

    def __init__(self, pytester):
        self.pytester = pytester
        self.path = pytester.path
        self.tools = {}
        self.configure()
        self.conftest("")
        self.add("weather_tools:WeatherTool")

    def configure(self, table="", keys=""):
        """Name the first tool's module in the configuration, with some more keys and tables."""
        self.pytester.makepyprojecttoml(
            f'[tool.aptix-conformance]\ntools = ["weather_tools"]\n{keys}\n{table}'
        )

    def conftest(self, more):
        """Add to the module that makes the tools canned, also in a worker of xdist."""
        self.pytester.makeconftest(f"{CONFTEST}{more}")

    def add(self, spec, name="agent_weather", **canned):
        """Add a tool, or put another in its place.

        Args:
            spec: its target.
            name: its name.
            canned: `usage`, its usage text; `parameters` of its schema; `broken`, by code what each rule found: its `message`,
                the `arguments` of its call, its `cause`, and the rule that it `follows_from`; `unseen`, by code why each
                rule could not be judged; `error`, why it cannot be examined.
        """
        schema = {
            "type": "function",
            "name": name,
            "description": "Tells today's weather in a city.",
            "parameters": canned.get("parameters", PARAMETERS),
        }
        self.tools[spec] = {
            "declares": {"name": name, "schema": schema, "usage": canned.get("usage", USAGE)},
            "broken": canned.get("broken", {}),
            "unseen": canned.get("unseen", {}),
            "error": canned.get("error", ""),
        }
        (self.path / f"{spec.partition(':')[0]}.py").touch()  # the report says where it is
        self._write()

    def replace(self, **canned):
        """Put another tool in the place of the first."""
        self.add("weather_tools:WeatherTool", **canned)

    def remove(self, spec):
        """Make a tool's module one that cannot be imported."""
        del self.tools[spec]
        self._write()

    def _write(self):
        (self.path / "canned_tools.json").write_text(json.dumps(self.tools), encoding="utf-8")

    def run(self, *arguments):
        """A session in this process."""
        return self.pytester.runpytest_inprocess(*QUICK, *arguments)

    def report(self):
        return json.loads((self.path / "report.json").read_text(encoding="utf-8"))


@pytest.fixture
def project(pytester, monkeypatch):
    """A project with one canned tool, which keeps every rule."""
    for name in ("CI", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    return CannedProject(pytester)
