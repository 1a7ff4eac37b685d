"""What must be left for an examination: open files, processes and threads.

A tool that gets none of these fails, which is no fault of its own, so a run with too few is refused before it begins.
"""

import os
import random
import resource
import threading
import time
from collections.abc import Iterator
from functools import cache
from typing import Final

from aptix_conformance.core.errors import UNEXAMINED, ShortageError
from aptix_conformance.hosts import cgroups

_LEAST: Final = 128
"""Open files of a process, and processes and threads besides those that run already."""
_TRIES: Final = 20
"""Other workers of a run try at the same time, and each uses up the limit for a moment."""
_MANY: Final = 4096
"""With a limit above this, nobody tries whether so many processes can be started."""


@cache
def check_limits() -> None:
    """Check the limits of this process, until they were enough once.

    Raises:
        ShortageError: it may have too few open files, or start too few processes and threads.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= files < _LEAST:
        raise ShortageError(
            f"{UNEXAMINED}a process of this user may have {files} open files, and {_LEAST} are needed: raise `ulimit -n`"
        )
    tasks = min(_limits_of_tasks(), default=_MANY)
    if tasks < _MANY and not any(map(_can_start, [_LEAST] * _TRIES)):
        raise ShortageError(
            f"{UNEXAMINED}{_LEAST} processes and threads cannot be started under the limit of {tasks}: raise it (`ulimit -u`, or "
            "pids.max of the container), or end other programs"
        )


def _limits_of_tasks() -> Iterator[int]:
    """The limits of processes and threads: of the user, where it is not root, and of the control groups."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if soft >= 0 and os.getuid() != 0:
        yield soft
    yield from cgroups.limits("pids", "pids.max")


def _can_start(number: int) -> bool:
    """Whether so many threads can be started: the kernel alone knows how many there are, in other containers too."""
    over, started = threading.Event(), []
    try:
        for _ in range(number):
            thread = threading.Thread(target=over.wait, daemon=True)
            thread.start()
            started.append(thread)
    except RuntimeError:
        return False
    finally:
        over.set()
        for thread in started:
            thread.join()
        if len(started) < number:
            time.sleep(random.uniform(0.02, 0.2))  # noqa: S311 - so that others do not try again at the same moment
    return True
