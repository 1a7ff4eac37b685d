"""Starts a server under test as a child process that cannot look into its host."""

import contextlib
import subprocess
import threading
from collections.abc import Sequence
from typing import Any

from ..contain import landlock, privileges, seccomp


def start(command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start a command; `options` are those of `subprocess.Popen`.

    Where this process is contained, the command cannot trace it, read its memory, take its descriptors or change its limits:
    they run as the same user, so nothing else would refuse that. This process can still look into the command, and limit it.

    Raises:
        OSError: it cannot be started, or the kernel refused.
    """
    if not privileges.has_no_new_privileges():
        return subprocess.Popen(command, **options)  # noqa: S603 - the server under test
    started: list[subprocess.Popen[bytes]] = []
    faults: list[OSError] = []

    def start_restricted() -> None:
        try:
            if landlock.abi_version():
                landlock.nest()
            with contextlib.suppress(
                OSError
            ):  # where no filter is known, the launcher has said that there is none
                seccomp.refuse_limits_of_others()
            started.append(subprocess.Popen(command, **options))  # noqa: S603 - the server under test
        except OSError as error:
            faults.append(error)

    # The kernel restricts one thread and what it starts, so that this process stays as it is.
    thread = threading.Thread(target=start_restricted)
    thread.start()
    thread.join()
    if faults:
        raise faults[0]
    return started[0]
