"""Comparing a tool with its lock inside of a pytest session.

syrupy keeps the files: `--snapshot-update` writes them and its summary counts them. This module does what syrupy does not
look at: whether the place is fit for a lock, what its exceptions mean, and a diff for a person.
"""

import contextlib
import difflib
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from aptix_conformance.core.errors import ConfigurationError, RecordError
from aptix_conformance.core.files import link_out_of, read_text
from aptix_conformance.core.schemas.lock import LARGEST, read_lock
from aptix_conformance.core.schemas.shapes import Shape
from aptix_conformance.core.text import printable

if TYPE_CHECKING:
    import pytest

# Past this many lines a diff takes longer than anyone would read in it.
_LINES_COMPARED = 5_000
_LINES_SHOWN = 200

_UPDATING: Final = ("--snapshot-update", "--snapshot-update-new-only")


@dataclass(frozen=True, slots=True)
class LockResult:
    """How a tool differs from its lock. `diff_text` goes from the lock to the tool, empty unless it `differs`."""

    status: Literal["matches", "written", "missing", "differs"]
    path: Path
    diff_text: str = ""


def check_lock(item: "pytest.Item", record_text: str, directory: Path, stem: str) -> LockResult:
    """Compare a record with the file `<stem>.json`; under `--snapshot-update` write it where it differs.

    Any item of a session in which syrupy's plugin is active is enough; the code here needs only its name.

    Raises:
        ConfigurationError: syrupy is switched off, the lock's place is unfit, or it cannot be read or written.
    """
    # Not at the top: syrupy imports pytest, which the command line does not need.
    from syrupy.assertion import SnapshotAssertion  # noqa: PLC0415

    from aptix_conformance.core.schemas.syrupy_extension import LockExtension, LockLocation  # noqa: PLC0415

    path = directory / f"{stem}.json"
    # syrupy gives its session to nobody but the fixture `snapshot`, which an item that is no function cannot have.
    session = getattr(item.config, "_syrupy", None)
    if session is None:
        raise ConfigurationError("syrupy keeps the locks and is switched off: take `-p no:syrupy` away")
    _check_place(path, item.config)
    update, update_new = (item.config.getoption(name) for name in _UPDATING)
    if not (update or update_new) and not path.exists():
        return LockResult("missing", path)  # syrupy would count it as a failure, which it is not everywhere
    assertion = SnapshotAssertion(
        session=session,
        extension_class=LockExtension,
        test_location=LockLocation(item, path),
        update_snapshots=update,
        update_new_snapshots_only=update_new,
    )
    matches = assertion == record_text
    result = assertion.executions[0]
    if isinstance(result.exception, OSError):
        raise ConfigurationError(
            f"the lock {path} cannot be read or written ({result.exception.strerror}); fix its permissions, "
            "or name another folder with `snapshots` in [tool.aptix-conformance]"
        )
    if result.exception is not None:
        raise result.exception
    if result.created or result.updated:
        return LockResult("written", path)
    if matches:
        return LockResult("matches", path)
    if result.recalled_data is None:
        return LockResult("missing", path)
    locked = str(result.recalled_data)
    return LockResult(
        "differs", path, _diff(locked, record_text, path.name) + left_behind(locked, record_text)
    )


def shape_to_lock(shape: Shape | None, directory: Path, stem: str, *, update: bool) -> Shape | None:
    """The shape of results that a record is to have, so that it can be compared with the lock.

    Where no call could be made now, the locked shape stays; an old lock, which has none, gets none unasked.
    """
    path = directory / f"{stem}.json"
    try:
        locked = read_lock(read_text(path, LARGEST), str(path))
    except (OSError, ValueError, RecordError):
        return shape  # there is no lock, or one that the comparison will show to be unfit
    return locked.result_shape if shape is None or (locked.result_shape is None and not update) else shape


def unused_locks(directory: Path, stems: set[str]) -> tuple[Path, ...]:
    """The lock files of no tool in `stems`, which are those of every tool configured, not only the selected."""
    return tuple(path for path in sorted(directory.glob("*.json")) if path.stem not in stems)


def _check_place(path: Path, config: "pytest.Config") -> None:
    # Plain syrupy deletes every file that it does not know from the folders of its own snapshots.
    own = Path(str(config.getoption("--snapshot-dirname"))).name
    inside = path.parent.relative_to(config.rootpath) if path.is_relative_to(config.rootpath) else path.parent
    if own in inside.parts:
        raise ConfigurationError(
            f"{path.parent} is a folder of syrupy's own snapshots, which `--snapshot-update` cleans up; name "
            "another with `snapshots` in [tool.aptix-conformance]"
        )
    _check_folder(path.parent, config.rootpath)
    with contextlib.suppress(FileNotFoundError):
        mode = _mode(path)
        if stat.S_ISLNK(mode):
            raise ConfigurationError(f"the lock {path} is a symbolic link; put a file of its own there")
        if not stat.S_ISREG(mode):
            raise ConfigurationError(f"the lock {path} is not a file; move it elsewhere")


def _check_folder(folder: Path, root: Path) -> None:
    """Refuse a folder below the project's root from which a link leads out of the project.

    A folder that the configuration itself places elsewhere, such as `../locks`, is what its author wrote there.
    """
    link = link_out_of(folder, root)
    if link is None:
        return
    raise ConfigurationError(
        f"the folder of the locks, {folder}, lies outside of the project, because {link} is a symbolic link; put a "
        "folder of its own there, or name the other folder with `snapshots` in [tool.aptix-conformance]"
    )


def _mode(path: Path) -> int:
    try:
        return path.lstat().st_mode
    except NotADirectoryError:
        raise ConfigurationError(
            f"the folder of the locks, {path.parent}, is no folder; move it away"
        ) from None
    except PermissionError:
        raise ConfigurationError(f"the folder of the locks, {path.parent}, cannot be read") from None


def left_behind(lock: str, tool: str) -> str:
    """A line that points out a changed schema under an unchanged usage text (AGN-005.11.2), or nothing."""
    try:
        old, new = read_lock(lock, "the lock"), read_lock(tool, "the tool")
    except RecordError:
        return ""  # a file that is no lock says nothing
    if old.fingerprint == new.fingerprint or old.usage_text != new.usage_text:
        return ""
    return "\nnote: the schema changed and the usage text did not; does it still tell the model all that it must know?"


def _diff(lock: str, tool: str, name: str) -> str:
    return "\n".join(_diff_lines(lock.splitlines(), tool.splitlines(), name))


def _diff_lines(lock: list[str], tool: list[str], name: str) -> Iterator[str]:
    if max(len(lock), len(tool)) > _LINES_COMPARED:
        yield f"{len(lock):,} lines are locked, and {len(tool):,} were found: too many to compare"
        return
    lines = list(difflib.unified_diff(lock, tool, f"{name} (locked)", f"{name} (now)", lineterm="", n=2))
    yield from (printable(line, 300) for line in lines[:_LINES_SHOWN])
    if len(lines) > _LINES_SHOWN:
        yield f"… and {len(lines) - _LINES_SHOWN:,} lines more"
