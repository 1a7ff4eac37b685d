"""How often the processes of this host have tried to reach another machine, by the kernel's own counters.

The host has a network of its own without a route, together with its server. So each datagram and each look-up of a name fails,
and the kernel counts it. A connection to an address that is given as digits is refused earlier, and is not counted.
"""

import socket
from typing import Final

_ROUTES: Final = ("/proc/net/route", "/proc/net/ipv6_route")
_LOOPBACK: Final = "lo"
_COUNTERS: Final = (("/proc/net/snmp", "OutNoRoutes"), ("/proc/net/snmp6", "Ip6OutNoRoutes"))


def can_count() -> bool:
    """Whether this process has a network of its own whose counters tell something.

    They do where the process may make sockets, has no route, and a look-up of this machine is not counted.
    """
    before = attempts()
    if before is None or any(map(_leads_outside, _ROUTES)):
        return False
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
        socket.getaddrinfo("localhost", 80)
    except OSError:
        return False
    return attempts() == before


def attempts() -> int | None:
    """The datagrams for which there was no route up to now; None where the kernel does not say."""
    try:
        return sum(_counted(path, name) for path, name in _COUNTERS)
    except (OSError, ValueError, IndexError):
        return None


def _counted(path: str, name: str) -> int:
    """One counter: the file has a line of names and a line of values, or a name and a value a line."""
    try:
        with open(path, encoding="ascii") as file:
            before, separator, after = file.read().partition(name)
    except FileNotFoundError:
        return 0
    if not separator:
        return 0
    column = len(before.rpartition("\n")[2].split())
    values = after.partition("\n")[2] if column else after
    return int(values.split(maxsplit=column + 1)[column])


def _leads_outside(path: str) -> bool:
    """Whether a table of routes has one by another interface than the loopback."""
    try:
        with open(path, encoding="ascii") as file:
            lines = [line.split() for line in file]
    except OSError:
        return False
    interface = -1 if path.endswith("ipv6_route") else 0
    return any(words and words[interface] not in (_LOOPBACK, "Iface") for words in lines)
