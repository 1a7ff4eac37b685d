"""Provides `aptix_harness` to a tool's interpreter in which it is not installed."""

import importlib.util
import sys
from typing import Any


class HarnessFinder:
    """Finds the package in the folder of the suite's copy."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:  # noqa: ARG002 - the protocol
        """The spec of the package. Python finds its modules by the path of the package."""
        if name != "aptix_harness":
            return None
        init = f"{self._folder}/__init__.py"
        return importlib.util.spec_from_file_location(name, init, submodule_search_locations=[self._folder])


def provide_harness(folder: str) -> None:
    """Make `aptix_harness` importable from `folder`, unless it is importable already."""
    spec = importlib.util.find_spec("aptix_harness")
    if (
        spec is None or spec.origin is None
    ):  # pip leaves a folder with bytecode behind, which is a package to Python
        sys.meta_path.insert(0, HarnessFinder(folder))
