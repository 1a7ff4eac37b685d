"""Notices which hosts a call tries to reach: in its confinement no attempt can succeed, and the tool may not say why it failed.

An audit hook sees every look-up and connection of Python code, whatever library makes it; connections that C code makes
by itself are not seen. It is a hint for people and decides no verdict, because a tool may raise such events itself.
"""

import sys
from collections.abc import Sequence
from typing import Any, Final

_LOOKUP: Final = "socket.getaddrinfo"
_ADDRESS: Final = frozenset({"socket.connect", "socket.sendto"})
_HERE: Final = ("localhost", "127.", "::1", "0.0.0.0")  # noqa: S104 - nothing is bound
_MOST: Final = 20
_LONGEST: Final = 200

_attempts: list[str] = []
_hooked: list[bool] = []


def watch_network() -> None:
    """Start to notice attempts in this process and its forks. Harmless when repeated; a hook cannot be removed."""
    if not _hooked:
        _hooked.append(True)
        sys.addaudithook(_hook)


def take_attempts() -> list[str]:
    """The attempts since the last time, each once, at most 20: `host:port`, or the path of a UNIX socket.

    Hosts that are this machine are left out.
    """
    attempts = list(dict.fromkeys(_attempts))[:_MOST]
    _attempts.clear()
    return attempts


def _hook(event: str, arguments: Sequence[Any]) -> None:
    if not event.startswith("socket.") or len(_attempts) >= _MOST:
        return
    if event == _LOOKUP:
        host, port = arguments[0], arguments[1]
    elif event in _ADDRESS and isinstance(arguments[1], str) and arguments[1].startswith("/"):
        _attempts.append(arguments[1][:_LONGEST])
        return
    elif event in _ADDRESS and isinstance(arguments[1], tuple):
        host, port = arguments[1][:2]
    else:
        return
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if isinstance(name, str) and name and not name.startswith(_HERE):
        _attempts.append(f"{name[:_LONGEST]}:{port}" if port else name[:_LONGEST])
