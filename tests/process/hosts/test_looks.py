"""A tool that looks at what tells an examination from production is noticed; one that has other reasons is not."""

import json
import sys

import pytest
from tests.bench import HEADER, Bench

from .elsewhere import CONDITIONS, Request, can_be, examine

LOOKS = {
    "frames": ("sys._getframe(1)", ["stack frames of the suite"]),
    "stack": ("inspect.stack()", ["stack frames of the suite"]),
    "outer": ("inspect.getouterframes(inspect.currentframe())", ["stack frames of the suite"]),
    "files": ("open(next(f for f in walk() if 'runners' in f)).close()", ["the suite's own files"]),
    "modules": ("attempt(lambda: __import__('_aptix_runners.python'))", ["the suite's modules"]),
    "suite": (
        "attempt(lambda: importlib.import_module('aptix_conformance.core.text'))",
        ["the suite's own files"],
    ),
    "parent": (
        "attempt(lambda: open(f'/proc/{os.getppid()}/cmdline').read())",
        ["the command line of another process"],
    ),
}
INNOCENT = {
    "own_frame": "[sys._getframe(0), inspect.currentframe(), inspect.currentframe().f_code.co_name]",
    "signature": "inspect.signature(json.dumps)",
    "source": "inspect.getsource(Innocent)",
    "logging": "logging.getLogger('x').warning('said', stack_info=True)",
    "find_caller": "logging.getLogger('x').findCaller(stacklevel=2)",
    "traceback": "[traceback.format_stack(), failing(), traceback.extract_stack()]",
    "namedtuple": "collections.namedtuple('N', 'a')",
    "dataclass": "dataclasses.make_dataclass('D', ['a'])",
    "warning": "warnings.warn('x', stacklevel=3)",
    "processes": "[open('/proc/self/cmdline').read(), open(f'/proc/{os.getpid()}/cmdline').read(), open('/proc/self/stat').read()]",
    "harness": "importlib.import_module('aptix_harness')",
    "debug": "asyncio.get_running_loop().set_debug(True) or await asyncio.sleep(0)",
}
HELPERS = """
import collections, dataclasses, importlib, inspect, logging, traceback, warnings
def attempt(action):
    try:
        return action()
    except Exception:
        return None
def failing():
    try:
        raise ValueError
    except ValueError:
        return traceback.format_exc()
def walk():
    frame = inspect.currentframe()
    while frame:
        yield frame.f_code.co_filename
        frame = frame.f_back
"""
DO = """
    {done}
    return InvokeResult.create("done")
"""


@pytest.fixture(scope="module")
def tools(module_bench):
    """A bench with a tool for each look."""
    bench = module_bench()
    done = {name: expression for name, (expression, _) in LOOKS.items()} | INNOCENT
    names = [name.title().replace("_", "") for name in done]
    texts = [
        bench.tool(name, DO.format(done=expression))
        for name, expression in zip(names, done.values(), strict=True)
    ]
    bench.write("tools", HELPERS + "".join(texts).replace("Innocent", "Source"))
    return bench


def looks_of(bench, name):
    host = bench.open(f"tools:{name.title().replace('_', '')}")
    calls = [host.execute(bench.plan()) for _ in range(2)]
    assert [call.result.payload for call in calls] == ["done", "done"]
    assert calls[0].looks == calls[1].looks
    return list(calls[0].looks)


@pytest.mark.parametrize("name", LOOKS)
def test_a_look_at_what_only_an_examination_has_is_noticed(tools, name):
    assert looks_of(tools, name) == LOOKS[name][1]


@pytest.mark.parametrize("name", INNOCENT)
def test_other_uses_of_the_same_libraries_are_not(tools, name):
    assert looks_of(tools, name) == []


def test_a_look_at_import_is_noticed(bench):
    bench.write(
        "early",
        bench.tool("Early", "return InvokeResult.create('done')") + "\nimport inspect; inspect.stack()",
    )
    assert bench.call("early:Early").looks == ("stack frames of the suite",)


SEEN = """
    def read(pid):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as stream:
                return stream.read().decode().rstrip("\\0")
        except OSError:
            return ""
    pids = [pid for pid in os.listdir("/proc") if pid.isdigit()]
    return InvokeResult.create(json.dumps({
        "lines": sorted({read(pid) for pid in [*pids, "self"]}),
        "argv": [sys.argv, sys.orig_argv],
        "token": f"{type(cancellation_token).__module__}.{type(cancellation_token).__qualname__}",
        "logger": type(self.logger).__name__,
    }))
"""


def test_command_lines_and_classes_do_not_name_the_suite():
    """The command line of the first process of the namespace held the whole configuration of the launcher."""
    condition = CONDITIONS[0]
    if not can_be(condition):
        pytest.skip("this user cannot start this version or read what the suite needs")
    answers = examine(condition, Request(HEADER + Bench.tool("Seen", SEEN), {"Seen": ["{}"]}))
    if answers["Seen"]["containment"] != "full":
        pytest.skip("without namespaces the tool sees all processes")
    seen = json.loads(answers["Seen"]["calls"][0][1])
    assert seen["lines"] == [f"{sys.executable}\0main.py"]
    assert seen["argv"] == [["main.py"], [sys.executable, "main.py"]]
    assert (seen["token"], seen["logger"]) == (
        "aptix_harness.cancellation.CancellationToken",
        "LoggingAdminLogger",
    )
