"""The limits that the control groups of this process set."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_GROUPS: Final = Path("/sys/fs/cgroup")
_UNLIMITED: Final = 1 << 60
"""Version 1 writes no limit as a number above this, version 2 as a word."""


def limits(controller: str, *files: str) -> Iterator[int]:
    """The limits in `files` of the group of this process, and of those that it is in, for a controller such as `pids`.

    The same limit has one name in each version of control groups. What cannot be read is no limit.
    """
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/cgroup").read_text("utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if not controllers or controller in controllers.split(","):
                group = _GROUPS / controllers / path.lstrip("/")
                yield from _limits_of_groups(group, files)


def _limits_of_groups(group: Path, files: tuple[str, ...]) -> Iterator[int]:
    for each in (group, *group.parents):
        for file in files:
            with contextlib.suppress(OSError, ValueError):  # "max" is no limit
                limit = int((each / file).read_text("ascii"))
                if limit < _UNLIMITED:
                    yield limit
