"""Starts a tool's interpreter inside its containment.

Run as `python -I -S launcher.py CONFIG` by the suite's own interpreter, so that nothing of the tool's environment
(site packages, `.pth` files, start-up hooks) runs before the containment holds. It takes each measure, says on the
control socket which of them hold, and becomes `python_host.py` under the tool's interpreter.

CONFIG is a JSON object: `containment` (path of containment.py), `command` (list), `control` (file descriptor),
`scratch` (directory), `contained` (whether to contain at all), `bytes` (how many the scratch directory may hold) and
`tasks` (processes and threads) and, optionally, `adopt` (whether orphans go to the command where no PID namespace has
a process for them).
"""

import contextlib
import importlib.util
import json
import os
import sys
from types import ModuleType
from typing import Any, Final

SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - a private one by the time it is used


def main(config: dict[str, Any]) -> None:
    """Contain this process, report, and exec the tool's interpreter."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as stream:  # noqa: PTH123
        stream.write("1000")  # where the machine runs out of memory, the tool goes before the tests do
    means = _load(config["containment"])
    means.limit(None, None)
    held: dict[str, Any] = {"fault": None, "pids": False, "mounts": False}
    if config["contained"]:
        held = contain(means, config["scratch"], config["bytes"], config["tasks"])
    if config.get("adopt") and not held["pids"]:
        with contextlib.suppress(OSError):
            means.adopt_orphans()
    report = {"jsonrpc": "2.0", "method": "launched", "params": {"contained": config["contained"], **held}}
    os.write(config["control"], json.dumps(report).encode() + b"\n")
    os.chdir(config["scratch"])
    os.execve(config["command"][0], config["command"], os.environ)  # noqa: S606 - no shell is wanted


def contain(means: ModuleType, scratch: str, size: int, tasks: int) -> dict[str, Any]:
    """Take every measure there is.

    Gives `fault`, why writes or the network are open still, None where neither is; `pids`, whether there is a PID
    namespace; and `mounts`, whether the scratch directory is one of the process's own.
    """
    faults = []
    writable = [scratch]
    pids = mounts = False
    try:
        pids = means.separate()
        means.isolate(scratch, size)
        mounts = True
        # They are counted within the namespace; outside it the user's own would count as well.
        means.limit(None, tasks)
        writable += [SHARED_MEMORY] if os.path.isdir(SHARED_MEMORY) else []  # noqa: PTH112 - no pathlib here
    except OSError as refused:
        try:
            means.limit(size, None)
            means.refuse_sockets()
        except OSError as error:
            faults.append(f"the network cannot be shut off ({refused.strerror}; {error.strerror})")
    try:
        means.confine(writable)
        with open(os.path.join(scratch, ".written"), "x"):  # noqa: PTH118, PTH123 - as above
            pass
    except OSError as error:
        faults.append(f"writes cannot be confined ({error.strerror})")
    return {"fault": " and ".join(faults) or None, "pids": pids, "mounts": mounts}


def _load(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("aptix_containment", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
