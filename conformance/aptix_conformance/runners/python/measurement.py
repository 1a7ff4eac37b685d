"""Measures coverage of the tools' code where the test run does so."""

import os
from collections.abc import Mapping
from typing import Any

from .foreign import attempt


class Measurement:
    """Coverage of this process and its forks. Off until `start` has found the package coverage."""

    def __init__(self) -> None:
        self._coverage: Any = None

    @property
    def is_on(self) -> bool:
        """Whether coverage is measured."""
        return self._coverage is not None

    def start(self, settings: Mapping[str, Any], root: str) -> None:
        """Start the measurement. `settings` are arguments of `coverage.Coverage`, with paths relative to `root`."""
        here = os.getcwd()
        os.makedirs(os.path.dirname(settings["data_file"]), exist_ok=True)
        try:
            import coverage  # noqa: PLC0415 - the tool's interpreter may not have it
        except ImportError:
            return
        os.chdir(root)
        try:
            self._coverage = coverage.Coverage(data_suffix=True, **settings)
            self._coverage.start()
        finally:
            os.chdir(here)

    def save(self) -> None:
        """Write the data file."""
        if self._coverage is not None:
            attempt(self._coverage.stop)
            attempt(self._coverage.save)
