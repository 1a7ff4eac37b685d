"""Modules that hang when they are imported cost the limit of one import each, once; the run's deadline ends that too."""

import pytest

from aptix_conformance import Run, RunOptions
from aptix_conformance.model.codec import replace

HANGS = {
    "computes": "while True: pass",
    "sleeps": "import time\ntime.sleep(10_000)",
    "blocks": "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
    "in_c": "import ctypes\nctypes.PyDLL(None).pause()",
}


@pytest.fixture
def names(tmp_path, tool_source):
    for name, source in HANGS.items():
        (tmp_path / f"{name}.py").write_text(source)
    (tmp_path / "weather.py").write_text(tool_source("weather"))
    return (*HANGS, "weather")


def test_each_is_waited_for_once_and_its_neighbour_conforms(tmp_path, names):
    with Run.open(tmp_path, RunOptions(examples=2, tools=names)) as run:
        local = run.local
        local.environment = replace(local.environment, limits=replace(local.environment.limits, start=3.0))
        report = run.examine_all()
    tools = {tool.target: tool for tool in report.tools}
    for name in HANGS:
        assert str(tools[name].error) == f"importing {name} did not work: no answer within 3 s"
    assert tools["weather:WeatherTool"].status == "conforming"


def test_the_deadline_of_the_run_ends_an_import_and_keeps_the_rest(tmp_path, names):
    with Run.open(tmp_path, RunOptions(examples=2, tools=names, deadline=3.0)) as run:
        report = run.examine_all()
    assert len(report.tools) == len(names)
    assert {tool.status for tool in report.tools} == {"incomplete"}
    assert {str(tool.error) for tool in report.tools} == {"not examined: the deadline of the run was reached"}
