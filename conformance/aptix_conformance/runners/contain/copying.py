"""Copies a directory that the suite or an import filled into the working directory of a tool. Standard library only.

A fork runs this after a tool's modules were imported, and these may have replaced functions of `os`. So this module
keeps the functions that it needs.
"""

import os
import stat
from os import close, fchmod, lstat, mkdir, open, readlink, scandir, sendfile, symlink, utime  # noqa: A004
from typing import Final

_CHUNK: Final = 1 << 20
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def copy_contents(source: str, destination: str) -> None:
    """Copy the files, directories and links in `source` to `destination`, an existing directory.

    Links are copied as links. The copies keep their times, and their owner may write to them. Anything else than
    files, directories and links is left out.

    Raises:
        OSError: something cannot be read, or does not fit.
    """
    waiting = [(source, destination)]
    while waiting:
        origin, copy = waiting.pop()
        with scandir(origin) as entries:
            names = [entry.name for entry in entries]
        for name in names:
            old, new = f"{origin}/{name}", f"{copy}/{name}"
            status = lstat(old)
            if stat.S_ISDIR(status.st_mode):
                mkdir(new, stat.S_IMODE(status.st_mode) | 0o700)
                waiting.append((old, new))
            elif stat.S_ISLNK(status.st_mode):
                symlink(readlink(old), new)
            elif stat.S_ISREG(status.st_mode):
                _copy_file(old, new, status)


def _copy_file(old: str, new: str, status: os.stat_result) -> None:
    reader = open(old, _READ)
    try:
        writer = open(new, _CREATE, 0o600)
        try:
            place = 0
            while sent := sendfile(writer, reader, place, _CHUNK):
                place += sent
            fchmod(writer, stat.S_IMODE(status.st_mode) & 0o777 | 0o600)
            utime(writer, ns=(status.st_atime_ns, status.st_mtime_ns))
        finally:
            close(writer)
    finally:
        close(reader)
