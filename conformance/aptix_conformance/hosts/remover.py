"""Removes temporary folders when this process ends in whatever way, also by SIGKILL.

A shell waits for the end of a pipe of which this process, and those that it forks, hold the other end. Where the shell
is killed too, or this machine has none, the next run removes the folders (`scratch.remove_abandoned`).
"""

import contextlib
import os
import subprocess
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_SHELL: Final = "/bin/sh"
_WAIT_AND_REMOVE: Final = """
read -r _
for _ in 1 2 3 4 5 6 7 8 9 10; do
    rm -rf "$@" && exit
    sleep 0.5
    chmod -R u+rwX "$@"
done
"""
"""Removes more than once: tools may live for some seconds longer than the suite, and write meanwhile."""


def started(folders: Iterable[Path]) -> "subprocess.Popen[bytes] | None":
    """The shell that waits in order to remove some folders; None where it cannot be started."""
    try:
        return subprocess.Popen(  # noqa: S603 - our own text, and a path that we made
            [_SHELL, "-c", _WAIT_AND_REMOVE, _SHELL, *map(str, folders)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"PATH": os.defpath},
            start_new_session=True,  # a signal to the group of this process is not for it
        )
    except OSError:
        return None


class Remover:
    """Waits for the end of this process in order to remove some folders. `close` ends it.

    It is made before they are, so that none stays where this process ends at once.
    """

    def __init__(self, *folders: Path) -> None:
        shell = started(folders)
        self._end = weakref.finalize(self, _end, shell) if shell else None
        if self._end is not None:
            self._end.atexit = False  # then the shell removes what is left

    def close(self) -> None:
        """End it: the folders were removed. Harmless when repeated."""
        if self._end is not None:
            self._end()


def _end(shell: "subprocess.Popen[bytes]") -> None:
    shell.kill()  # a process that was forked later may hold the other end of its pipe
    with contextlib.suppress(OSError):
        shell.communicate()
