"""Which events beneath a package of the tool's environment may fail."""

import sys
from functools import partial
from types import ModuleType, SimpleNamespace

import pytest

from aptix_conformance.runners.python import frames
from aptix_conformance.runners.python.disturb.fault import outside
from aptix_conformance.runners.python.disturb.fault.own_code import OwnCode

PACKAGES = "/env/lib/python3/site-packages/"


@pytest.fixture
def own(monkeypatch):
    """The code of a tool in a checkout."""
    module = ModuleType("tool_in_a_checkout")
    module.__path__ = ["/srv/checkout/src/tool_in_a_checkout"]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return OwnCode(type("Tool", (), {"__module__": module.__name__}))


def function(file, source):
    """The function `f` of a file that is not there."""
    names = {"__name__": file.rpartition("/")[2].removesuffix(".py")}
    exec(compile(source, file, "exec"), names)
    return names["f"]


def package(file="theirs.py"):
    return function(f"{PACKAGES}{file}", "def f(do): return do()")


def opened(own, path, *callers, fault=None):
    """What is counted of a file that is opened beneath these functions, the outermost first."""
    due = []
    watched = outside._Outside(
        fault or SimpleNamespace(reached=False, is_due=lambda name, _where: due.append(name)), own
    )

    def do():
        watched.meet("open", (path, "r", 0), sys._getframe(1))

    for caller in reversed(callers):
        do = partial(caller, do)
    token = outside._in_call.set(True)
    try:
        do()
    finally:
        outside._in_call.reset(token)
    return due


def test_the_runner_is_no_package_that_a_tool_calls_wherever_it_is_installed(own, monkeypatch):
    """Beneath a task there is no frame of the tool, and the runner that began the task may be installed."""
    monkeypatch.setattr(frames, "FOLDER", f"{PACKAGES}suite/")
    runner = package("suite/runner.py")
    tool = function("/srv/checkout/src/tool_in_a_checkout/tool.py", "def f(do): return do()")
    assert opened(own, "/srv/data.db", runner, package()) == ["theirs.f()"]
    assert opened(own, "/srv/data.db", runner) == []
    assert opened(own, "/srv/data.db", tool, runner, package()) == ["theirs.f()"]


class EndsMeanwhile(list):
    """What is watched, by a call that another thread ends once it has been asked for."""

    def __bool__(self):
        found = len(self) > 0
        self.clear()
        return found


def test_a_call_that_ends_while_another_thread_opens_a_file_does_nothing_to_it(monkeypatch):
    monkeypatch.setattr(outside, "_watching", EndsMeanwhile([SimpleNamespace(meet=lambda *_: None)]))
    outside._hook("open", ("/srv/data.db", "r", 0))


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("/srv/data.db", True),
        ("/library/data.db", True),
        ("/srv/checkout/notes.md", True),
        ("/srv/checkout/src/tool_in_a_checkout/page.html", False),
        ("/lib/libc.so", False),
        ("/lib64/libc.so", False),
        (f"{PACKAGES}theirs.toml", False),
    ],
)
def test_what_is_there_whenever_the_code_is_does_not_fail(own, path, counts):
    """A template beside the code is no part of the outside, wherever the code lies."""
    assert bool(opened(own, path, package())) is counts
