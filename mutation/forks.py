"""Tests in a fork, over a module's changed text: what is costly to import is imported once, and no file is touched."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

import pytest

BROKEN: Final = 70
"""The exit status of a fork that could not do its work."""

ROOTS: Final = ("conformance", "reference_tools")
"""Where the project's packages are, below the checkout."""

_RELOADED: Final = {
    "aptix_conformance": ("aptix_conformance", "tests"),
    "aptix_harness": ("aptix_harness", "aptix_conformance", "aptix_reference_tools", "tests"),
}
"""What is imported again in a fork, by the package of the changed module."""

_OPTIONS: Final = (
    *(
        "-x",
        "-s",
        "--assert=plain",
        "-p",
        "no:terminal",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:cov",
    ),
)
"""Nothing is shown, the first failure will do, and pytest keeps out of the import of modules."""


def find_packages() -> None:
    """Let the packages of the checkout be imported, by absolute paths."""
    sys.path[:0] = [str(Path(root).absolute()) for root in ROOTS]


def module_name(path: Path) -> str:
    """The name under which a file is imported."""
    parts = path.with_suffix("").parts
    return ".".join(parts[1:-1] if parts[-1] == "__init__" else parts[1:])


def fork(work: Callable[[], int], seconds: float, output: Path) -> int:
    """Do something in a child, which is ended after so much time; gives its process id.

    Its exit status is what `work` gives; what it prints goes to a file.
    """
    pid = os.fork()
    if pid:
        return pid
    status = BROKEN
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 4 * seconds)
        handle = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        status = work()
    except BaseException:  # noqa: BLE001 - the parent learns of it by the status and the output
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def run_tests(files: Sequence[str], plugins: Sequence[object]) -> int:
    """Run pytest here; gives its exit status."""
    return int(pytest.main([*_OPTIONS, *files], plugins=list(plugins)))


def change(path: Path, text: str) -> None:
    """Let a module and its importers be imported again, with another text."""
    name = module_name(path)
    forget(name)
    sys.meta_path.insert(0, _Changed(name, path, text))


def forget(name: str) -> None:
    """Forget a module and whatever imports it."""
    prefixes = _RELOADED[name.partition(".")[0]]
    for known in list(sys.modules):
        if known.startswith(prefixes):
            del sys.modules[known]


class _Changed(importlib.abc.MetaPathFinder):
    """Finds one module, with a text of its own."""

    def __init__(self, name: str, path: Path, text: str) -> None:
        self._name, self._path, self._text = name, path, text

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        return importlib.util.spec_from_file_location(
            fullname, self._path.absolute(), loader=_Loader(fullname, str(self._path.absolute()), self._text)
        )


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self._text = text

    def get_code(self, _name: str) -> CodeType:
        return compile(self._text, self.path, "exec", dont_inherit=True)
