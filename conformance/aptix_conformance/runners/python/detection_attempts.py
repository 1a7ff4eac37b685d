"""Notices where a tool looks at what tells an examination from production: the suite's frames and code, other processes.

An audit hook sees it, whatever library makes it. A tool that follows `f_back` by itself is not seen, nor is one that runs
another program. It is a hint for people and decides no verdict, because there may be a good reason to look.
"""

import linecache
import os
import re
import sys
from collections.abc import Iterator, Sequence
from types import CodeType, FrameType
from typing import Any, Final

from .frames import FOLDER, is_runner_code

_FRAMES: Final = "stack frames of the suite"
_CODE: Final = "the suite's own files"
_MODULES: Final = "the suite's modules"
_COMMAND: Final = "the command line of another process"
_COMMAND_LINE: Final = re.compile(r"/proc/(\d+)/(?:task/\d+/)?cmdline")
_SUITE: Final = frozenset({"_aptix_runners", "aptix_conformance"})
_SUITE_FILES: Final = os.path.join(os.path.dirname(os.path.dirname(FOLDER)), "")
_STANDARD: Final = f"{os.path.dirname(os.__file__)}{os.sep}"
_ADDED: Final = (f"{_STANDARD}site-packages{os.sep}", f"{_STANDARD}dist-packages{os.sep}")
_PRINTS: Final = frozenset(
    f"{_STANDARD}{name}" for name in ("traceback.py", "warnings.py", f"logging{os.sep}__init__.py")
)
"""Modules that read files only to show them to people."""
_WALKS: Final = f"{_STANDARD}inspect.py"
_getpid: Final = os.getpid
_lines: Final = linecache.cache

_looks: dict[str, None] = {}
_hooked: list[bool] = []


def watch_looks() -> None:
    """Start to notice looks in this process and its forks. Harmless when repeated; a hook cannot be removed."""
    if not _hooked:
        _hooked.append(True)
        sys.addaudithook(_hook)


def looks() -> list[str]:
    """The things that this process looked at up to now, each once."""
    for name in list(_lines):
        if type(name) is str and name.startswith(FOLDER):
            _lines.pop(name, None)  # so that it has to be read again, which shows
    return list(_looks)


def _hook(event: str, arguments: Sequence[Any]) -> None:
    if event == "open":
        look = _look_at_file(arguments[0])
    elif event == "sys._getframe":
        look = _FRAMES if _reaches_tool(arguments[0]) else None
    elif event == "import":
        look = _MODULES if _is_ours(arguments[0]) and not is_runner_code(_looking_code()[0]) else None
    else:
        return
    if look:
        _looks[look] = None


def _look_at_file(path: object) -> str | None:
    if type(path) is not str:
        return None
    if path.startswith(_SUITE_FILES):
        code, through = _looking_code()
        if is_runner_code(code) or _PRINTS & through:
            return None
        return _FRAMES if _WALKS in through else _CODE
    command = _COMMAND_LINE.fullmatch(path) if path.startswith("/proc/") else None
    if command is None or command[1] == str(_getpid()):
        return None
    return (
        None if is_runner_code(_looking_code()[0]) else _COMMAND
    )  # the runner names the processes that a call leaves


def _reaches_tool(frame: object) -> bool:
    """Whether a frame of the suite goes to code of the tool: the standard library asks for frames for itself."""
    if type(frame) is not FrameType or not is_runner_code(frame.f_code):
        return False
    code, through = _looking_code()
    return not is_runner_code(code) and through <= {_WALKS}


def _is_ours(name: object) -> bool:
    return type(name) is str and name.partition(".")[0] in _SUITE


def _looking_code() -> tuple[CodeType, set[str]]:
    """The code that caused an event, and the files of the standard library through which it did."""
    through: set[str] = set()
    for frame in _outwards():
        name = frame.f_code.co_filename
        if name == __file__ or name.startswith("<frozen "):
            continue
        if not name.startswith(_STANDARD) or name.startswith(_ADDED):
            return frame.f_code, through
        through.add(name)
    return _looking_code.__code__, through  # code of the suite


def _outwards() -> Iterator[FrameType]:
    """The frames from here outwards. `sys._getframe` would cause an event itself; an exception knows its frame too."""
    frame: FrameType | None = None
    try:
        raise LookupError  # noqa: TRY301 - see above
    except LookupError as error:
        frame = error.__traceback__.tb_frame if error.__traceback__ else None
    while frame is not None:
        yield frame
        frame = frame.f_back
