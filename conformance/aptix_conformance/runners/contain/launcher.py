"""Starts a command inside its containment.

The suite's own interpreter runs it as `python -I -S start.py contain.launcher CONFIG`, so that nothing of the tool's
environment (site packages, `.pth` files, start-up hooks) runs before the containment is complete. It restricts the
process, reports on the control socket which restrictions hold, and becomes the command: the tool's interpreter, or a
host.

CONFIG is a JSON object: `command` (list), `control` (file descriptor), `scratch` (directory), `contained` (whether to
contain at all), `bytes` (size of the scratch directory), `tasks` (limit of processes and threads), `home` (the working
directory, in or below the scratch directory), `files` (a directory to copy there; empty for none), `visible` (paths that
the command may read in addition to those of every machine), `hidden` (paths below these that it may not see), `least` (the
containment without which the command does not start: `full`, `partial` or `none`) and, optionally, `suite` (the PID of the
process that starts this one: its end ends the command and all that it started), `interface` (whether the loopback interface of its own network is
up), `renames` (whether its machine gets another host name), `loopback` (whether it may also use TCP there, where it has a
network namespace), `network` (hosts that it may reach, each a list of a name and a port), `answered` (whether the suite itself
answers as these hosts, so that the command reaches none) and `texts` (files that it finds with a text of ours, by their paths).

With `network`, the sockets at which the command finds these hosts go with the report, one for each, in their order.
"""

import contextlib
import importlib
import json
import os
import socket
import sys
import time
from typing import Any, Final

from . import landlock, namespaces, opened, privileges, root, seccomp
from .copying import copy_contents

_STRENGTH: Final = {"none": 0, "partial": 1, "full": 2}
_NO_PROCESS: Final = (
    "no further process can be started: raise `ulimit -u`, or the limit of the container (pids.max)"
)
_UNCONTAINED: Final[dict[str, Any]] = {"level": "none", "fault": None, "pids": False, "mounts": False}


def main(argument: str, variables: dict[str, str] | None = None) -> None:
    """Contain this process, report, and become the command, which gets the environment `variables`.

    Where none is given, a descriptor has it as a JSON object, and a variable of this process has the descriptor's number.
    """
    config: dict[str, Any] = json.loads(argument)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as stream:
        stream.write("1000")  # where memory runs out, the kernel kills the tool before the tests
    variables = _environment() if variables is None else variables
    privileges.limit(None, None)
    files = os.open(config["files"], os.O_PATH | os.O_DIRECTORY) if config["files"] else None
    listeners: list[socket.socket] = []
    try:
        state = contain(config, files, listeners) if config["contained"] else _UNCONTAINED
        if not config["contained"]:
            namespaces.continue_as_child(config.get("suite"))
            make_home(config, files)
    except BlockingIOError:
        sys.exit(_NO_PROCESS)
    facts = {"contained": config["contained"], **state, **({} if state["pids"] else {"pid": os.getpid()})}
    report = {"jsonrpc": "2.0", "method": "launched", "params": facts}
    with socket.socket(fileno=os.dup(config["control"])) as control:
        socket.send_fds(control, [json.dumps(report).encode() + b"\n"], [sock.fileno() for sock in listeners])
    for sock in listeners:
        sock.close()
    if _STRENGTH[state["level"]] < _STRENGTH[config["least"]]:
        sys.exit(1)
    os.chdir(config["home"])
    os.environ.clear()
    os.environ.update(variables)
    time.tzset()
    if not state["mounts"] and "libfaketime" in variables.get("LD_PRELOAD", ""):
        # It needs shared memory, which is refused here, or would be left behind where nothing is refused.
        del os.environ["LD_PRELOAD"]
        os.environ.pop("FAKETIME", None)
    become(config["command"])


def _environment() -> dict[str, str]:
    with open(int(os.environ["APTIX_ENVIRONMENT_FD"]), "rb") as stream:
        variables: dict[str, str] = json.load(stream)
    return variables


def become(command: list[str]) -> None:
    """Become the command. A runner of this folder for this interpreter needs no new one."""
    if command[:-2] == [sys.executable, "-I", "-S", sys.argv[0]]:
        module, argument = command[-2:]
        importlib.import_module(f"..{module}", __package__).main(argument)
    else:
        os.execve(command[0], command, os.environ)  # noqa: S606 - no shell is wanted


def make_home(config: dict[str, Any], files: int | None) -> None:
    """Make the working directory, with a copy of the files of the tool's author."""
    if config["home"] != config["scratch"]:
        os.mkdir(config["home"], 0o700)
    if files is not None:
        copy_contents(f"/proc/self/fd/{files}", config["home"])
        os.close(files)


def contain(config: dict[str, Any], files: int | None, listeners: list[socket.socket]) -> dict[str, Any]:
    """Apply every restriction that the machine allows, and make the working directory.

    Adds to `listeners` the sockets for `network`, with which the level is `partial` at most.

    Returns `level`: `full`, `partial` or `none`; `fault`: why writes or the network are still possible, or None;
    `weaker`: what a better machine would add, each with what the tool can do without it; `pids`: whether there is a PID
    namespace; `mounts`: whether the root is almost empty, with the scratch directory a file system of its own;
    `private`: other places that can be written to; `host name`: whether the machine has another one; `PID`: whether each
    process has one of its own; and `clock`: whether libfaketime can move the clock.
    """
    scratch, visible = config["scratch"], config["visible"]
    weaker: list[str] = []
    private: list[str] = []
    mounts = False
    pids, unseparated = separate(config, weaker)
    if not pids:
        namespaces.continue_as_child(config.get("suite"))
    renamed = bool(config.get("renames")) and unseparated is None and namespaces.rename_host()
    network = [(name, port) for name, port in config.get("network", ())]
    texts = {**config.get("texts", {}), **opened.hosts_text([name for name, _ in network])}
    if unseparated is None:
        try:
            private = root.change_root(scratch, config["bytes"], visible, config["hidden"], texts)
            mounts = True
        except OSError as error:
            weaker.append(
                f"no root of its own ({error.strerror or error}), so the tool sees that files exist"
            )
    if not mounts and (missing := landlock.lacks()):
        weaker.append(missing)
    # Outside of a namespace, a number of processes would count the user's other ones too.
    privileges.limit(None if mounts else config["bytes"], config["tasks"] if unseparated is None else None)
    make_home(config, files)
    listed = ["/"] if mounts else root.directories_of_files(visible)
    tcp = bool(config.get("loopback")) and unseparated is None
    faults = [
        *open_hosts(network, listeners, alone=mounts),
        *restrict(unseparated, weaker, limits_of_others=bool(config.get("starts_tool"))),
        *confine([scratch, *private], [*visible, *texts], listed, tcp=tcp),
    ]
    is_weaker = weaker or (network and not config.get("answered"))
    return {
        "level": "none" if faults else "partial" if is_weaker else "full",
        "fault": " and ".join(faults) or None,
        "weaker": weaker,
        "pids": pids,
        "mounts": mounts,
        "private": private,
        "host name": renamed,
        "PID": not pids or namespaces.has_drawn_pid(),
        "clock": mounts,
    }


def separate(config: dict[str, Any], weaker: list[str]) -> tuple[bool, OSError | None]:
    """Enter namespaces of its own; what the tool can still do is added to `weaker`.

    Returns whether there is a PID namespace, and why there are no namespaces, if there are none.
    """
    try:
        pids = namespaces.separate(
            suite=config.get("suite"), loopback=bool(config.get("loopback") or config.get("interface"))
        )
    except BlockingIOError:
        raise  # there are too many processes, which says nothing about namespaces
    except OSError as error:
        weaker.append(
            f"no namespaces ({error.strerror}), so the tool sees processes, UNIX sockets and that files exist, "
            "and can change the modes and times of files"
        )
        return False, error
    if not pids:
        weaker.append("no /proc of its own can be mounted, so the tool sees other processes")
    return pids, None


def open_hosts(network: list[tuple[str, int]], listeners: list[socket.socket], *, alone: bool) -> list[str]:
    """Add the sockets for some hosts. `alone` says whether the process has a network and a root of its own.

    Returns why that did not work, if so.
    """
    if network and not alone:
        return [
            "the hosts of `network` can be opened only where a process has a network and a root of its own"
        ]
    try:
        listeners += opened.listen(network)
    except OSError as error:
        return [f"the hosts of `network` cannot be opened ({error.strerror})"]
    return []


def restrict(unseparated: OSError | None, weaker: list[str], *, limits_of_others: bool) -> list[str]:
    """Give up keys, capabilities and system calls. `unseparated` says why there are no namespaces, if there are none.

    With `limits_of_others`, it keeps the call that changes them: a runner that starts its tool takes it from that child.

    Returns what is still possible and must not be; adds to `weaker` what is still possible besides.
    """
    with contextlib.suppress(OSError):  # the filter below refuses the use of any keyring
        privileges.leave_session_keyring()
    faults = []
    try:
        privileges.drop_capabilities()
    except OSError as error:
        faults.append(f"capabilities cannot be dropped ({error.strerror})")
    try:
        seccomp.refuse_system_calls(own_network=unseparated is None, limits_of_others=limits_of_others)
    except OSError as error:
        if unseparated is None:
            weaker.append(f"system calls are not filtered ({error.strerror})")
        else:
            faults.append(f"the network cannot be shut off ({unseparated.strerror}; {error.strerror})")
    return faults


def confine(writable: list[str], visible: list[str], listed: list[str], *, tcp: bool) -> list[str]:
    """Restrict writing and reading to some places; the scratch directory is the first. Returns why that did not work, if so.

    With `tcp`, TCP is left to the network namespace.
    """
    scratch = writable[0]
    try:
        landlock.confine(writable, root.readable(visible), listed, tcp=tcp)
        written = os.path.join(scratch, ".written")
        with open(written, "x"):
            pass
        os.unlink(written)  # a tool must find nothing in its working directory but what its author put there
    except OSError as error:
        return [f"writes cannot be confined ({error.strerror})"]
    return []
