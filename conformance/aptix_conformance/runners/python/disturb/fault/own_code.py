"""Decides which code belongs to the tool."""

import os
import sys
from types import CodeType, FrameType

from ...foreign import is_a, module_of, names_in, safe_str
from ...frames import FOLDER


class OwnCode:
    """The tool's own code: its top-level package, and all code below the folder of that package.

    Installed packages, the standard library and the suite are not own code. For an installed tool, only its own package
    is own code.
    """

    def __init__(self, cls: type) -> None:
        harness = sys.modules.get("aptix_harness")
        self._not_own = (
            FOLDER,
            _folder(os.__file__),
            _folder(getattr(harness, "__file__", None) or FOLDER),
        )
        self._homes = tuple({home for base in type.mro(cls) for home in self._homes_of(base)})
        self._known: dict[str, bool] = {}

    def holds(self, code: CodeType) -> bool:
        """Whether a code object belongs to the tool."""
        file = code.co_filename
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = self._is_own(file)
        return known

    def is_beside(self, path: str) -> bool:
        """Whether an absolute path lies in a folder of the tool's code: a file there is part of the tool."""
        return path.startswith(self._homes)

    def caller(self, frame: FrameType | None) -> str:
        """`file.py:line` of the nearest frame of the tool, from this one upwards; empty where there is none."""
        while frame is not None:
            if self.holds(frame.f_code):
                return place_of(frame)
            frame = frame.f_back
        return ""

    def _is_own(self, file: str) -> bool:
        return any(
            file.startswith(home) and not is_installed(file[len(home) :]) for home in self._homes
        ) and not file.startswith(self._not_own)

    def _homes_of(self, cls: type) -> list[str]:
        top = str(module_of(cls)).partition(".")[0]
        module = sys.modules.get(top)
        if module is None or top == "aptix_harness":
            return []
        names = names_in(module)
        packages = [os.path.join(safe_str(path), "") for path in names.get("__path__") or ()]
        file = names.get("__file__")
        locations = packages or ([file] if is_a(file, str) else [])
        return [
            path if is_installed(path) else _folder(path.rstrip(os.sep))
            for path in locations
            if not path.startswith(self._not_own)
        ]


def place_of(frame: FrameType) -> str:
    """`file.py:line` of the current line of a frame."""
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


def _folder(path: str) -> str:
    return os.path.join(os.path.dirname(path), "")


def is_installed(path: str) -> bool:
    """Whether a path lies in a folder of installed packages."""
    return f"{os.sep}site-packages{os.sep}" in f"{os.sep}{path}" or f"{os.sep}dist-packages{os.sep}" in path
