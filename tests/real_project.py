"""A scratch project with a real tool in real processes, for sessions inside of tests.

An inner session in this process costs a tenth of what a fresh interpreter costs. `runpytest_inprocess` forgets what an inner
session has imported. What is imported here stays, and need not be imported again. Only what a fresh interpreter shows and
nothing else can is run with `runpytest_subprocess`.
"""

import json

import detect_secrets.plugins.base  # noqa: F401 - see above
import pytest

import aptix_conformance.app.plugin.session
import aptix_conformance.core.schemas.syrupy_extension  # noqa: F401 - see above
from aptix_conformance.app.run.examiner import Examiner
from aptix_conformance.app.run.requests import ToolExamined
from aptix_conformance.core.model.codec import from_json, to_json
from aptix_conformance.core.model.report import ToolReport

QUICK = ("--aptix-conformance", "-p", "no:cacheprovider", "-p", "no:asyncio")
FEW = (*QUICK, "--aptix-examples", "5")
FAULT = (
    ("(ValueError, RecursionError)", "ZeroDivisionError"),
    ("except Exception as error:", "except ZeroDivisionError as error:"),
)
"""What makes the real tool break ARG002: it does not catch what its parser raises."""
FIX = ("except ZeroDivisionError as error:", "except Exception as error:")
_ROOT = "<root>"
_examined = {}
"""What examinations gave: the tool's report as JSON and the shape of its results, by all that decides them."""


class RealProject:
    """A conforming tool, configured, in `weather_tools.py`; its hosts are real."""

    def __init__(self, pytester, source):
        self.pytester = pytester
        self.path = pytester.path
        pytester.makepyfile(weather_tools=source)
        pytester.makepyprojecttoml(
            """
            [tool.aptix-conformance]
            tools = ["weather_tools"]
            [tool.aptix-conformance.tool.agent_weather]
            examples = [{ city = "Oslo" }]
            """
        )

    def change(self, *changes, name="weather_tools.py"):
        """Replace texts of a file; each of them must be there."""
        path = self.path / name
        text = path.read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")

    def only_read(self, *others):
        """Have the tools read and not called, which is quicker where no call has anything to prove."""
        path = self.path / "pyproject.toml"
        harmful = 'side_effects = "destructive"\n'
        tables = [f"[tool.aptix-conformance.tool.{name}]\n{harmful}" for name in others]
        path.write_text("".join([path.read_text(encoding="utf-8"), "\n", harmful, *tables]), encoding="utf-8")

    def run(self, *arguments):
        """A session in this process."""
        return self.pytester.runpytest_inprocess(*FEW, *arguments)

    def run_apart(self, *arguments):
        """A session in a fresh interpreter, as a user starts it."""
        return self.pytester.runpytest_subprocess(*FEW, *arguments)

    def report(self):
        return json.loads((self.path / "report.json").read_text(encoding="utf-8"))


@pytest.fixture
def examined_once(monkeypatch):
    """The same tool, asked for in the same way by several tests, is examined for the first one only.

    The first examination is a real one. Its answer is kept without the folder that the test ran in. Nothing is examined ahead:
    the answer may be there when it is asked for.
    """
    examine = Examiner.examine

    def remembered(self, request, watch):
        local = self.lanes.first.serve.__self__
        environment, root = local.environment, str(local.environment.rootdir)
        if environment.coverage:
            return examine(self, request, watch)
        sources = sorted((path.name, path.read_bytes()) for path in environment.rootdir.rglob("*.py"))
        editions = [suite.edition.name for suite in local.suites.values()]
        asked = repr((request, local.options, environment.limits, editions, sources))
        key = asked.replace(root, _ROOT)
        if key not in _examined:
            found = examine(self, request, watch)
            _examined[key] = json.dumps(to_json(found.report)).replace(root, _ROOT), found.result_shape
        text, shape = _examined[key]
        return ToolExamined(from_json(ToolReport, json.loads(text.replace(_ROOT, root))), shape)

    monkeypatch.setattr(Examiner, "examine", remembered)
    monkeypatch.setattr("aptix_conformance.app.run.composer.usual_jobs", lambda: 1)


@pytest.fixture
def real_project(pytester, examined_once, tool_source, monkeypatch):
    """A project with one real tool, which conforms."""
    monkeypatch.delenv("CI", raising=False)
    return RealProject(pytester, tool_source("weather"))
