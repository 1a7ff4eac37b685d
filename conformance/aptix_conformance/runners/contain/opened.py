"""The hosts that a contained process may reach: each has an address of its own loopback network, where the suite listens."""

import os
import re
import socket
from collections.abc import Iterable, Sequence
from typing import Final

_HOSTS: Final = "/etc/hosts"
_OWN: Final = re.compile(r"127(\.[0-9]+){3}")
_LOOPBACK: Final = {"localhost": "127.0.0.1"}
_ADDRESS: Final = "127.0.1.{}"
_BACKLOG: Final = 64


def listen(hosts: Iterable[tuple[str, int]]) -> list[socket.socket]:
    """Sockets that listen in the network of this process, one for each host and port, in their order.

    The process that accepts a connection decides where it leads. Needs the loopback interface and, for low ports,
    capabilities in the network namespace.

    Raises:
        OSError: the kernel refused one.
    """
    hosts = list(hosts)
    addresses = _addresses([name for name, _ in hosts])
    listeners: list[socket.socket] = []
    try:
        for name, port in hosts:
            listeners.append(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            listeners[-1].bind((addresses[name], port))
            listeners[-1].listen(_BACKLOG)
    except OSError:
        for listener in listeners:
            listener.close()
        raise
    return listeners


def hosts_text(names: Sequence[str]) -> dict[str, str]:
    """/etc/hosts with its text, where there are names; else nothing."""
    return {_HOSTS: hosts_file(names)} if names else {}


def hosts_file(names: Sequence[str]) -> str:
    """The text of /etc/hosts by which the names lead to the sockets of `listen`: the machine's, with other lines for them."""
    named = {name: address for name, address in _addresses(names).items() if not _is_own(name)}
    own = [f"{address} {name}" for name, address in named.items()]
    rest = [line for line in _lines() if named.keys().isdisjoint(line.partition("#")[0].lower().split()[1:])]
    return "\n".join([*own, *rest, ""])


def _addresses(names: Sequence[str]) -> dict[str, str]:
    """An address for each name. `localhost` and the addresses of this machine stay what they are."""
    own = {name: _LOOPBACK.get(name, name) for name in names if _is_own(name)}
    others = dict.fromkeys(name for name in names if not _is_own(name))
    return own | {name: _ADDRESS.format(number) for number, name in enumerate(others, 1)}


def _is_own(name: str) -> bool:
    return name in _LOOPBACK or _OWN.fullmatch(name) is not None


def _lines() -> list[str]:
    if not os.path.exists(_HOSTS):
        return ["127.0.0.1 localhost"]
    with open(_HOSTS, encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()
