"""Starts a command inside its containment.

The suite's own interpreter runs it as `python -I -S start.py contain.launcher CONFIG`, so that nothing of the tool's
environment (site packages, `.pth` files, start-up hooks) runs before the containment is complete. It restricts the
process, reports on the control socket which restrictions hold, and becomes the command: the tool's interpreter, or a
host.

CONFIG is a JSON object: `command` (list), `control` (file descriptor), `scratch` (directory), `contained` (whether to
contain at all), `bytes` (size of the scratch directory), `tasks` (limit of processes and threads), `home` (the working
directory, in or below the scratch directory), `files` (a directory to copy there; empty for none) and, optionally, `adopt`
(whether the command becomes the parent of orphans where there is no PID namespace).
"""

import contextlib
import json
import os
from typing import Any

from . import landlock, namespaces, privileges, seccomp
from .copying import copy_contents


def main(argument: str) -> None:
    """Contain this process, report, and become the command."""
    config: dict[str, Any] = json.loads(argument)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as stream:
        stream.write("1000")  # where memory runs out, the kernel kills the tool before the tests
    privileges.limit(None, None)
    held: dict[str, Any] = {"fault": None, "pids": False, "mounts": False, "private": []}
    if config["contained"]:
        held = contain(config["scratch"], config["bytes"], config["tasks"])
    if config.get("adopt") and not held["pids"]:
        with contextlib.suppress(OSError):
            privileges.adopt_orphans()
    report = {"jsonrpc": "2.0", "method": "launched", "params": {"contained": config["contained"], **held}}
    home = config["home"]
    if home != config["scratch"]:
        os.mkdir(home, 0o700)
    if config["files"]:
        copy_contents(config["files"], home)
    os.write(config["control"], json.dumps(report).encode() + b"\n")
    os.chdir(home)
    os.execve(config["command"][0], config["command"], os.environ)  # noqa: S606 - no shell is wanted


def contain(scratch: str, size: int, tasks: int) -> dict[str, Any]:
    """Apply every restriction that the machine allows.

    Returns `fault`: why writes or the network are still possible, or None; `pids`: whether there is a PID namespace;
    `mounts`: whether the scratch directory is a file system of its own; and `private`: other places that are.
    """
    faults = []
    private: list[str] = []
    pids = mounts = False
    unseparated: OSError | None = None
    try:
        pids = namespaces.separate()
        own = namespaces.isolate(scratch, size)
        mounts = True
        # Only inside the namespace: outside it, the limit would count the user's other processes too.
        privileges.limit(None, tasks)
        private = own
    except OSError as refused:
        unseparated = refused
        privileges.limit(size, None)
    if fault := restrict(unseparated):
        faults.append(fault)
    try:
        landlock.confine([scratch, *private])
        written = os.path.join(scratch, ".written")
        with open(written, "x"):
            pass
        os.unlink(written)  # a tool must find nothing in its working directory but what its author put there
    except OSError as error:
        faults.append(f"writes cannot be confined ({error.strerror})")
    return {"fault": " and ".join(faults) or None, "pids": pids, "mounts": mounts, "private": private}


def restrict(unseparated: OSError | None) -> str | None:
    """Give up keys, capabilities and system calls. `unseparated` says why there are no namespaces, if there are none.

    Returns what is still possible, or None.
    """
    with contextlib.suppress(OSError):  # the filter below refuses the use of any keyring
        privileges.leave_session_keyring()
    try:
        privileges.drop_capabilities()
    except OSError as error:
        return f"capabilities cannot be dropped ({error.strerror})"
    try:
        seccomp.refuse_system_calls(own_network=unseparated is None)
    except OSError as error:
        if unseparated is None:
            return None  # the network is shut off all the same
        return f"the network cannot be shut off ({unseparated.strerror}; {error.strerror})"
    return None
