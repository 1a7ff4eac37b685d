"""Files of strangers: keys, certificates, lists and policies, read within bounds; files of ours, never overwritten."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from aptix_conformance.core.errors import CertificateError, RecordError
from aptix_conformance.core.files import open_regular, path_beside, require_file_path
from aptix_conformance.core.model.codec import MOST_VALUES, from_json, most_values, read_json
from aptix_conformance.core.text import printable

T = TypeVar("T")

LARGEST: Final = 16 * 1024 * 1024
"""Bytes of a file or a payload beyond which it is not read."""
_CHUNK: Final = 1 << 20


def read_bytes(path: Path, kind: str) -> bytes:
    """The bytes of a regular file of at most `LARGEST` bytes; `kind` names it in messages.

    Raises:
        CertificateError: it cannot be read, is not a regular file, or is too large.
    """
    with _opened(path, kind) as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise CertificateError(f"the {kind} {path} is larger than {LARGEST // 2**20} MiB: it is not read")
    return content


def beginning(path: Path, kind: str, count: int) -> bytes:
    """The first bytes of a regular file of any size; `kind` names it in messages.

    Raises:
        CertificateError: it cannot be read, or is not a regular file.
    """
    with _opened(path, kind) as stream:
        return stream.read(count)


def sha256_of(path: Path, kind: str) -> str:
    """The SHA-256 of a regular file of any size, in hexadecimal digits; `kind` names it in messages.

    Raises:
        CertificateError: it cannot be read, or is not a regular file.
    """
    digest = hashlib.sha256()
    with _opened(path, kind) as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def _opened(path: Path, kind: str) -> Iterator[BinaryIO]:
    try:
        with open_regular(path) as stream:
            yield stream
    except OSError as error:
        raise CertificateError(f"the {kind} {path} cannot be read: {error.strerror}") from None


def parse_json(text: bytes, where: str) -> Any:
    """The value of a JSON text that has one reading: no key twice, no NaN, valid UTF-8, bounded in values and depth.

    Raises:
        CertificateError: it is no such text; `where` is the first part of the message.
    """
    if most_values(text) > MOST_VALUES:
        raise CertificateError(f"{where} has more than {MOST_VALUES} JSON values")
    try:
        return read_json(text.decode("utf-8"), object_pairs_hook=_unique)
    except RecursionError:
        raise CertificateError(f"{where} is nested too deep") from None
    except ValueError as error:
        raise CertificateError(f"{where} is not JSON: {printable(str(error), 200)}") from None


def read_record(form: type[T], data: Any, where: str, message: str) -> T:
    """A value of a JSON text as a record.

    Raises:
        CertificateError: it has another form; its message is `message` and the place, of which `where` is the first part.
    """
    try:
        return from_json(form, data, where)
    except RecordError as error:
        raise CertificateError(f"{message}: {error}") from None


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has a key twice")
    return members


def new_beside(path: Path, *, before: str = "", after: str = "") -> Path:
    """The path of a file to write beside `path`, as `path_beside`.

    Raises:
        CertificateError: no file can have the path.
    """
    try:
        return path_beside(path, before=before, after=after)
    except OSError as error:
        raise CertificateError(f"{path} cannot be written: {error.strerror}") from None


def write_new(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Write a file that does not exist yet, with these permissions whatever the umask.

    Raises:
        CertificateError: the path exists, or cannot be written.
    """
    try:
        require_file_path(path)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            os.fchmod(descriptor, mode)
    except FileExistsError:
        raise CertificateError(
            f"{path} exists and is not overwritten: move it away, or name another file"
        ) from None
    except OSError as error:
        raise CertificateError(f"{path} cannot be written: {error.strerror}") from None


def replace_file(path: Path, data: bytes) -> None:
    """Write a file atomically: a reader sees the old one or the new one.

    Raises:
        CertificateError: it cannot be written.
    """
    temporary = new_beside(path, before=".", after=f".{os.getpid()}")
    write_new(temporary, data)
    try:
        temporary.replace(path)
    except OSError as error:
        temporary.unlink()
        raise CertificateError(f"{path} cannot be written: {error.strerror}") from None
