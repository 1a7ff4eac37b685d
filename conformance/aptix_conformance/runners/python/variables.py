"""Gives each environment variable that code of the project looks for in vain a value, as another machine may have it.

A variable that only a library looks for gets no value. `os.environ` calls `encodekey` before it looks for a name.
"""

import os
import re
import sys
from collections.abc import Container
from types import FrameType
from typing import Any, Final

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_ENVIRON: Final = os.environ.__class__.__getitem__.__code__
_THROUGH: Final = (
    "<frozen os>",
    "<frozen _collections_abc>",
    os.__file__,
    sys.modules["_collections_abc"].__file__,
)
_INSTALLED: Final = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


def supply(value: str, root: str, examined: Container[str]) -> dict[str, str]:
    """Give such variables a value from now on. Returns a dictionary that will hold their names, each with the value.

    `root` is the root directory of the project; `examined` are the names of packages whose tools are examined here.
    """
    environ: Any = os.environ
    supplied: dict[str, str] = {}
    encode = environ.encodekey
    below = os.path.join(os.path.abspath(root), "")

    def encode_name(name: Any) -> Any:
        key = encode(name)
        frame = sys._getframe(1)  # noqa: SLF001 - there is no other way
        missing = frame.f_code is _ENVIRON and key not in environ._data  # noqa: SLF001 - `in` would ask here again
        if missing and _NAME.fullmatch(name) and is_own(frame):
            supplied[name] = environ[name] = value
        return key

    def is_own(frame: FrameType | None) -> bool:
        while frame is not None and frame.f_code.co_filename in _THROUGH:
            frame = frame.f_back
        if frame is None:
            return False
        file, module = os.path.abspath(frame.f_code.co_filename), frame.f_globals.get("__name__")
        if type(module) is str and module.partition(".")[0] in examined:
            return True
        return file.startswith(below) and not any(part in file for part in _INSTALLED)

    environ.encodekey = encode_name
    return supplied
