"""Unit tests stay in memory: a test here that starts a process, sleeps or runs pytest in pytest fails.

Such a test belongs to tests/process. An audit hook sees it however it was imported, also inside the suite's own code.
"""

import sys
from collections.abc import Iterator
from typing import Final

import pytest

FORBIDDEN_EVENTS: Final = frozenset(
    {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec", "time.sleep"}
)
NESTED_PYTEST: Final = frozenset({"pytester", "testdir"})


class _Guard:
    """Raises on a forbidden event while a unit test runs. An audit hook cannot be removed, only switched off."""

    active = False

    def __call__(self, event: str, _arguments: tuple[object, ...]) -> None:
        if event in FORBIDDEN_EVENTS and self.active:
            raise AssertionError(f"A unit test caused {event}: move it to tests/process, or use a fake.")


_guard: Final = _Guard()
sys.addaudithook(_guard)


@pytest.fixture(autouse=True)
def _in_memory(request: pytest.FixtureRequest) -> Iterator[None]:
    nested = NESTED_PYTEST & set(request.fixturenames)
    assert not nested, f"A unit test uses {', '.join(nested)}: move it to tests/process."
    _guard.active = True
    yield
    _guard.active = False
