"""Ordinary imports for the suite's own modules, in place of pytest's.

pytest rewrites the assertions of every module of a distribution that has a plugin, and compiles such a module itself.
Where no bytecode may be written (`PYTHONDONTWRITEBYTECODE`, a read-only image) it does so in every run, which takes
about half of the time of a short one. The bytecode that pip wrote serves as well: no module here holds tests.
"""

import contextlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Final

import pytest

_PACKAGES: Final = frozenset({"aptix_conformance", "aptix_harness", "hypothesis", "syrupy"})
"""The suite, and those of its dependencies that are plugins of pytest too."""


class PlainImports:
    """A finder for `sys.meta_path`: finds the modules of some packages as an interpreter without pytest does."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where a module inside of these packages is; None for any other, and where only another finder knows it.

        The packages themselves are left to pytest: a session inside of this one would warn that it did not import them.
        """
        package, dot, _ = name.partition(".")
        if not dot or package not in _PACKAGES:
            return None
        return PathFinder.find_spec(name, path, target)


def use_plain_imports(config: pytest.Config) -> None:
    """Put the finder before pytest's until the end of the run. Modules that are imported already stay as they are."""
    sys.meta_path.insert(0, PlainImports)
    config.add_cleanup(_remove)


def _remove() -> None:
    with contextlib.suppress(ValueError):  # other code may have restored an older `sys.meta_path`
        sys.meta_path.remove(PlainImports)
