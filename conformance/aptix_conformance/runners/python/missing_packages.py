"""Notices packages that import statements look for in vain: the set-up of a tool that lacks one is at fault, and not the tool.

Only the import system knows that a package is not there. A tool that raises such an error itself, or imports what an
argument names, answers for it; so does one that looks in this way for a module of its own.
"""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from types import FrameType
from typing import Any, Final

_ERROR: Final = "ModuleNotFoundError"
_MOST: Final = 100
_exists: Final = os.path.lexists
_getframe: Final = sys._getframe  # noqa: SLF001 - who imports is known in no other way

_noticed: dict[str, None] = {}
_logged: dict[tuple[int, int], list[str]] = {}


class _LastFinder:
    """The finder after all others, for packages that none of them finds. It finds nothing."""

    def __init__(self, root: str) -> None:
        self._root = os.path.join(os.path.abspath(root), "")

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:  # noqa: ARG002 - the protocol
        """Note a package, which is no part of another, where a statement of the importing code names it."""
        frame: FrameType | None = _getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
            frame = frame.f_back
        if path is not None or frame is None or len(_noticed) >= _MOST:
            return
        names = frame.f_code.co_names
        if any(used.partition(".")[0] == name for used in names) and not self._is_own(name, frame):
            _noticed[name] = None

    def _is_own(self, name: str, frame: FrameType) -> bool:
        """Whether a folder with the importing code, or one above it in the project, has a module of that name."""
        folder = os.path.dirname(os.path.abspath(frame.f_code.co_filename))
        while True:
            place = os.path.join(folder, name)
            if _exists(place) or _exists(f"{place}.py"):
                return True
            above = os.path.dirname(folder)
            if not os.path.join(above, "").startswith(self._root) or above == folder:
                return False
            folder = above


def watch_imports(root: str) -> None:
    """Start to notice packages that are not there; `root` is the root directory of the project."""
    sys.meta_path.append(_LastFinder(root))


def note_logged(call: tuple[int, int], entry: Mapping[str, Any]) -> None:
    """Take the members of a `LogRecord` of a call, by its request and its place there: a tool may catch the error, and log it."""
    if _noticed and entry.get("exception_type") == _ERROR:
        _logged.setdefault(call, []).append(entry["message"])


def fault_of_calls(number: int, answers: Sequence[Mapping[str, Any]]) -> str | None:
    """Why one of the calls of a request could not work, as `fault_of`: its own error says so, its result, or what it logged."""
    for place, answer in enumerate(answers):
        messages = _logged.pop((number, place), [])
        raised, result = answer.get("raised") or {}, answer.get("result") or {}
        if raised:  # another exception is the tool's to answer, whatever it logged before
            messages = [raised["message"]] if raised["type_name"] == _ERROR else []
        texts = [result.get("error_message"), *(error.get("message") for error in result.get("errors", ()))]
        works = not raised and result.get("successful") is True
        if not works and (fault := fault_of([*messages, *filter(None, texts)])):
            return fault
    return None


def fault_of(texts: Iterable[str]) -> str | None:
    """A sentence for the author about a package that is missing, if one of the texts of errors says so."""
    text = "\n".join(texts)
    missing = next((name for name in _noticed if f"No module named {name!r}" in text), None)
    if missing is None:
        return None
    return (
        f"install the package that provides {missing!r} for {sys.executable}, or correct that name: its code imports it, "
        "and it is not there"
    )
