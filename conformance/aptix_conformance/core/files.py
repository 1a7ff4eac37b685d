"""Files at places where a stranger may have put something else: a pipe, a device, a link, a hundred gigabytes.

Reading waits for nobody and has a bound. Writing follows no link, and a reader sees the old file or the new one.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

LARGEST_SETTINGS: Final = 4 * 1024 * 1024
"""Bytes of a file of settings, such as pyproject.toml, beyond which it is not read."""


def is_taken(path: Path) -> bool:
    """Whether a path exists; a link that leads nowhere counts. No file can have too long a name."""
    return os.path.lexists(path)  # `Path.exists` raises for such a name


def is_file(path: Path) -> bool:
    """Whether a path is a regular file; links are followed. No file can have too long a name, or a NUL in it."""
    return os.path.isfile(path)  # noqa: PTH113 - `Path.is_file` raises for such a name


def link_out_of(folder: Path, root: Path) -> Path | None:
    """The symbolic link below `root` through which a folder below it lies outside of it; None where there is none."""
    normalised = Path(os.path.normpath(folder))
    real = Path(os.path.realpath(root))
    if not normalised.is_relative_to(root) or Path(os.path.realpath(folder)).is_relative_to(real):
        return None
    steps = (
        step for step in (*reversed(folder.parents), folder) if step != root and step.is_relative_to(root)
    )
    return next((step for step in steps if step.is_symlink()), folder)


def require_file_path(path: Path) -> None:
    """Check that a path can be that of a file.

    Raises:
        OSError: it is a root or ends in `.` or `..`, or has a character that no path has; `strerror` says what to do.
    """
    if path.name in {"", ".."}:
        raise IsADirectoryError(errno.EISDIR, "no file can have this path; add the name of a file", str(path))
    try:
        known = os.fsencode(path)
    except UnicodeEncodeError:
        known = b"\0"
    if b"\0" in known:
        reason = "no path has a NUL or a lone surrogate; name another file"
        raise OSError(errno.EINVAL, reason, str(path))


def path_beside(path: Path, *, before: str = "", after: str = "") -> Path:
    """The path in the same folder whose name has a text before or after that of `path`.

    Raises:
        OSError: as `require_file_path`.
    """
    require_file_path(path)
    return path.with_name(f"{before}{path.name}{after}")


@contextlib.contextmanager
def open_regular(path: Path, *, follow: bool = True) -> Iterator[BinaryIO]:
    """Open a regular file for reading; a link is followed only with `follow`.

    Raises:
        OSError: it cannot be opened, or is not a regular file; `strerror` says which.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except ValueError:  # a NUL in the path
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path)) from None
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        yield stream


def read_bounded(path: Path, most: int) -> bytes:
    """The bytes of a regular file of at most `most` bytes; links are followed.

    Raises:
        OSError: it cannot be read, is not a regular file, or is larger; `strerror` says which.
    """
    with open_regular(path) as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return content


def read_text(path: Path, most: int) -> str:
    """The text of a regular file of at most `most` bytes; line ends become line feeds.

    Raises:
        OSError: as `read_bounded`.
        UnicodeDecodeError: it is not UTF-8.
    """
    return read_bounded(path, most).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def write_beside(path: Path, text: str | Iterable[str], mode: int | None = None) -> Path:
    """Write a text, or its parts, to a new file beside `path`, to be moved there; returns its path. None is the usual mode of a new file.

    Raises:
        OSError: it cannot be written.
    """
    draft = path_beside(path, before=".", after=f".{os.getpid()}")
    with contextlib.suppress(FileNotFoundError):
        draft.unlink()  # of a run that was killed, or a link that somebody else put there
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(
        os.open(draft, flags, 0o666 if mode is None else 0o600), "w", encoding="utf-8", newline=""
    ) as stream:
        try:
            if mode is not None:
                os.fchmod(stream.fileno(), mode)
            stream.writelines([text] if isinstance(text, str) else text)
            stream.flush()
        except BaseException:
            draft.unlink(missing_ok=True)  # a part of it, as where the disk is full
            raise
    return draft


def write_atomically(path: Path, text: str | Iterable[str], *, mode: int | None = None) -> None:
    """Replace a file by one with this text, or these parts of it; what was there is moved out of the way, links too. `mode` is as in `write_beside`.

    Raises:
        OSError: it cannot be written.
    """
    draft = write_beside(path, text, mode)
    try:
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
