"""SIGTERM ends a run as Ctrl-C does: the report is written, every process ends, no scratch directory stays.

CI systems and process managers send SIGTERM before they kill.
"""

import signal
import threading
from types import FrameType

import pytest


class Termination:
    """The plugin object that turns the first SIGTERM of a run into a `KeyboardInterrupt`.

    A second one ends the process at once. A handler that the project has set itself stays.
    """

    def __init__(self) -> None:
        self._is_set = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Set the handler."""
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._interrupt)
            self._is_set = True

    def pytest_unconfigure(self) -> None:
        """Take the handler away."""
        if self._is_set:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        raise KeyboardInterrupt("SIGTERM")
