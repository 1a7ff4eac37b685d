"""Modules that hang when they are imported have the limit of one import each, at the same time; the run's deadline ends that too."""

import pytest

from aptix_conformance import Run, RunOptions
from aptix_conformance.app.run import lanes
from aptix_conformance.core.model.codec import replace

HANGS = {
    "computes": "while True: pass",
    "sleeps": "import time\ntime.sleep(10_000)",
    "blocks": "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
    "in_c": "import ctypes\nctypes.PyDLL(None).pause()",
    "package.one": "import time\ntime.sleep(10_000)",
    "package.other": "import time\ntime.sleep(10_000)",
}


@pytest.fixture
def names(tmp_path, tool_source, monkeypatch):
    monkeypatch.setattr(lanes, "PATIENCE", 0.2)
    (tmp_path / "package").mkdir()
    for name, source in {**HANGS, "package.__init__": ""}.items():
        (tmp_path / f"{name.replace('.', '/')}.py").write_text(source)
    (tmp_path / "weather.py").write_text(tool_source("weather"))
    return ("sleeps", "sleeps:Tool", "blocks", "in_c:Tool", "computes", "package", "weather")


def test_none_has_less_time_for_another_and_their_neighbour_conforms(tmp_path, names):
    with Run.open(tmp_path, RunOptions(examples=2, tools=names)) as run:
        local = run.local
        local.environment = replace(local.environment, limits=replace(local.environment.limits, start=3.0))
        report = run.examine_all()
    tools = {tool.target: tool for tool in report.tools}
    for name in ("computes", "sleeps", "sleeps:Tool", "blocks", "in_c:Tool", "package.one", "package.other"):
        module = name.partition(":")[0]
        assert str(tools[name].error) == f"importing {module} did not work: no answer within 3 s"
    assert tools["weather:WeatherTool"].status == "conforming"


def test_the_deadline_of_the_run_ends_an_import_and_keeps_the_rest(tmp_path, names):
    with Run.open(tmp_path, RunOptions(examples=2, tools=names, deadline=3.0)) as run:
        report = run.examine_all()
    assert len(report.tools) == len(names)
    assert {tool.status for tool in report.tools} == {"incomplete"}
    assert {str(tool.error) for tool in report.tools} == {"not examined: the deadline of the run was reached"}
