"""Moves the coverage data of hosts to where the parent's measurement combines them.

A tool can write into the folder of its process's data. So only plain files of the form that coverage writes are taken,
and they are copied: a link or a directory never reaches the project.
"""

import contextlib
import os
import stat
from pathlib import Path
from typing import Final

_LARGEST: Final = 64 * 1024 * 1024
"""Bytes of one data file. A large project has a few MiB."""
_MOST: Final = 1_000
_MAGIC: Final = b"SQLite format 3\0"
_AS_A_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def collect(directory: Path, data_file: str) -> None:
    """Move the data files of `directory` beside `data_file`, under names that coverage's `combine` picks up."""
    for path in sorted(directory.glob(".coverage.*"))[:_MOST]:
        with contextlib.suppress(OSError):  # a failure to measure must not count against the tool
            data = _read(path)
            if data is not None:
                with open(data_file + path.name.removeprefix(".coverage"), "xb") as copy:  # noqa: PTH123 - exclusive
                    copy.write(data)
            path.unlink()


def _read(path: Path) -> bytes | None:
    """The content of a data file; None for anything else.

    Raises:
        OSError: it cannot be read, or is a link.
    """
    with os.fdopen(os.open(path, _AS_A_FILE), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return None
        data = file.read(_LARGEST)
    return data if data.startswith(_MAGIC) else None
