"""Unit tests stay in memory: a test here that starts a process, sleeps, uses a network or runs pytest in pytest fails.

Such a test belongs to tests/process. An audit hook sees it wherever it is done: in a test, in fixtures of any scope, while
a module is imported, in a thread, and inside the suite's own code, which may catch what the hook raises.
"""

import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Final

import detect_secrets.plugins.base  # noqa: F401 - imports urllib3, which binds a socket to learn of IPv6
import pytest

from aptix_conformance.hosts import remover

FORBIDDEN_EVENTS: Final = frozenset(
    {
        "subprocess.Popen",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.system",
        "os.exec",
        "time.sleep",
        "socket.bind",
        "socket.connect",
        "socket.getaddrinfo",
        "socket.gethostbyaddr",
        "socket.gethostbyname",
        "socket.sendto",
    }
)
"""An event loop's own pair of sockets causes none of them. `time.sleep` is an event from Python 3.13 on."""
NESTED_PYTEST: Final = frozenset({"pytester", "testdir"})


class _Guard:
    """Raises on a forbidden event while it is active. An audit hook cannot be removed, only switched off."""

    def __init__(self) -> None:
        self.active = False
        self.seen: list[str] = []

    def __call__(self, event: str, _arguments: tuple[object, ...]) -> None:
        if self.active and event in FORBIDDEN_EVENTS:
            self.seen.append(event)
            raise AssertionError(_text(event))

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Fail where a forbidden event happens inside, also where a thread caused it or the code under test caught it."""
        before = set(threading.enumerate())
        self.seen.clear()
        self.active = True
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(remover, "started", lambda _: None)
            try:
                yield
            finally:
                self.active = False
        assert not self.seen, _text(", ".join(self.seen))
        left = set(threading.enumerate()) - before
        assert not left, f"A unit test left threads: {', '.join(thread.name for thread in left)}."


def _text(events: str) -> str:
    return f"A unit test caused {events}: move it to tests/process, or use a fake."


_guard: Final = _Guard()
sys.addaudithook(_guard)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Watch the import of a module of tests. A hook that raises here would end the run."""
    try:
        with _guard.watching():
            report = yield
    except AssertionError as error:
        report.outcome, report.longrepr = "failed", str(error)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup() -> Generator[None]:
    """Watch the fixtures that a test needs, whatever their scope."""
    with _guard.watching():
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call() -> Generator[None]:
    """Watch a test."""
    with _guard.watching():
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Generator[None]:
    """Watch the end of fixtures; the last test of a run ends those of other folders too."""
    if nextitem is None:
        return (yield)
    with _guard.watching():
        return (yield)


@pytest.fixture(autouse=True)
def _not_nested(request: pytest.FixtureRequest) -> None:
    nested = NESTED_PYTEST & set(request.fixturenames)
    assert not nested, f"A unit test uses {', '.join(nested)}: move it to tests/process."
