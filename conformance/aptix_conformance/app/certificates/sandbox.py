"""What holds the process of the suite itself, and so the whole examination: a second sandbox, which the issuer runs it in.

A name proves nothing, so the suite also looks at what the kernel says of its own process. A virtual machine shows nothing
of itself there, and the issuer of a false certificate can falsify these words too: they find a wrong command line, not a lie.
"""

import contextlib
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from aptix_conformance.app.certificates.statement import SandboxPart
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.text import printable
from aptix_conformance.hosts import cgroups

_LONGEST_NAME: Final = 100
_FIRST_USER_NAMESPACE: Final = "user:[4026531837]"
_FIRST_PROCESS_NAMESPACE: Final = "pid:[4026531836]"
"""The names that the kernel gives to its first namespaces (PROC_USER_INIT_INO, PROC_PID_INIT_INO)."""
_NO_CAPABILITIES: Final = ("CapEff:\t0000000000000000", "CapPrm:\t0000000000000000")


def around(declared: str) -> SandboxPart:
    """The sandbox of this process, with the issuer's name for it, or an empty text.

    Raises:
        CertificateError: the name is too long, or has other characters than printable ones.
    """
    if len(declared) > _LONGEST_NAME or not declared.isprintable():
        raise CertificateError(f"--sandbox takes a name of at most {_LONGEST_NAME} printable characters")
    return SandboxPart(declared, protections(Path("/proc/self")))


def describe(sandbox: SandboxPart) -> str:
    """A line on a sandbox: its declared name, and what was found in force."""
    name = printable(sandbox.declared, _LONGEST_NAME) if sandbox.declared else "not declared"
    found = ", ".join(printable(each, 60) for each in sandbox.protections) or "nothing"
    return f"sandbox of the whole examination: {name}; found in force: {found}"


def protections(process: Path) -> tuple[str, ...]:
    """The protections in force for a process, by its folder in /proc, sorted; what cannot be read is none."""
    found = []
    for name, holds in PROTECTIONS.items():
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if holds(process):
                found.append(name)
    return tuple(sorted(found))


def _has_status(*lines: str) -> Callable[[Path], bool]:
    def holds(process: Path) -> bool:
        status = (process / "status").read_text("utf-8").splitlines()
        return all(line in status for line in lines)

    return holds


def _has_no_network(process: Path) -> bool:
    """Whether the loopback device is the only one."""
    devices = re.findall(r"^\s*([^:\s]+):", (process / "net" / "dev").read_text("utf-8"), re.MULTILINE)
    return set(devices) <= {"lo"}


def _has_read_only_root(process: Path) -> bool:
    return bool(os.statvfs(process / "root").f_flag & os.ST_RDONLY)


PROTECTIONS: Final[Mapping[str, Callable[[Path], bool]]] = {
    "memory-limit": lambda _: any(cgroups.limits("memory", "memory.max", "memory.limit_in_bytes")),
    "no-capabilities": _has_status(*_NO_CAPABILITIES),
    "no-network": _has_no_network,
    "no-new-privileges": _has_status("NoNewPrivs:\t1"),
    "process-namespace": lambda process: str((process / "ns" / "pid").readlink()) != _FIRST_PROCESS_NAMESPACE,
    "read-only-root": _has_read_only_root,
    "system-call-filter": _has_status("Seccomp:\t2"),
    "user-namespace": lambda process: str((process / "ns" / "user").readlink()) != _FIRST_USER_NAMESPACE,
}
"""Each protection that can be looked for, and whether it holds for a process, by its folder in /proc.

- `memory-limit`: a control group limits the memory of the run;
- `no-capabilities`: it has none of root's privileges;
- `no-network`: it has the loopback device only;
- `no-new-privileges`: no program can give it more privileges;
- `process-namespace`, `user-namespace`: it is in another namespace than the kernel's first one;
- `read-only-root`: the root of its file system is mounted for reading;
- `system-call-filter`: seccomp filters its system calls.
"""
