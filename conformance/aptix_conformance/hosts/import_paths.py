"""What the interpreter of a Python tool imports from: the project and the suite's harness, without the suite's own packages."""

import contextlib
import importlib.util
import os
import sys
import sysconfig
from pathlib import Path

from aptix_conformance.hosts.host import Environment


def import_paths(environment: Environment, python: str) -> list[str]:
    """The directories and archives from which the interpreter `python` of tools imports, without its own."""
    paths = [str(environment.rootdir), *environment.sys_path]
    paths = list(dict.fromkeys(os.path.abspath(path) for path in paths))  # noqa: PTH100 - zip files too
    if python == sys.executable:
        return paths
    return [path for path in paths if not _belongs_to_this_interpreter(path)]


def harness() -> str:
    """The folder of `aptix_harness`; empty where it is not installed."""
    spec = importlib.util.find_spec("aptix_harness")
    return str(Path(spec.origin).parent) if spec and spec.origin else ""


def _belongs_to_this_interpreter(path: str) -> bool:
    """Whether a directory holds the standard library or the installed packages of the running interpreter."""
    places = set(sysconfig.get_paths().values()) | {str(Path(os.__file__).parent)}
    if path.endswith(".zip") and Path(path).stem.startswith("python"):
        return True
    with contextlib.suppress(ValueError):
        return any(os.path.commonpath([path, place]) == place for place in places)
    return False
