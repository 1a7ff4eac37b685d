"""What the tests of the plugin share.

Most inner sessions have canned tools, and run in this process: that costs a tenth of what a fresh interpreter costs.
`runpytest_inprocess` forgets what an inner session has imported. What is imported here stays, and need not be imported again.
Only what a fresh interpreter shows and nothing else can is run with `runpytest_subprocess`.
"""

import json

import detect_secrets.plugins.base  # noqa: F401 - see above
import pytest
from tests.process.plugin.projects import CannedProject, RealProject

import aptix_conformance.plugin.session
import aptix_conformance.schemas.syrupy_extension  # noqa: F401 - see above
from aptix_conformance.model.codec import from_json, to_json
from aptix_conformance.model.report import ToolReport
from aptix_conformance.run.examiner import Examiner, ToolExamined

_ROOT = "<root>"
_examined = {}
"""What examinations gave: the tool's report as JSON and the shape of its results, by all that decides them."""


@pytest.fixture
def examined_once(monkeypatch):
    """The same tool, asked for in the same way by several tests, is examined for the first one only.

    The first examination is a real one. Its answer is kept without the folder that the test ran in.
    """
    examine = Examiner.examine

    def remembered(self, request, watch):
        local = self.worker.serve.__self__
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


@pytest.fixture
def project(pytester, monkeypatch):
    """A project with one canned tool, which keeps every rule."""
    for name in ("CI", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    return CannedProject(pytester)


@pytest.fixture
def real_project(pytester, examined_once, tool_source, monkeypatch):
    """A project with one real tool, which conforms."""
    monkeypatch.delenv("CI", raising=False)
    return RealProject(pytester, tool_source("weather"))
