"""A fleet: a list of MCP servers by package and exact version, each installed in a folder of its own while it is examined.

The list has a line for each server, with the command that a client would start it by. Empty lines and lines that begin with `#`
do not count:

    uvx mcp-server-time==2026.10.19 --local-timezone UTC
    npx -y @modelcontextprotocol/server-memory@2026.8.31
"""

import hashlib
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import ConfigurationError, ConformanceError, TargetError
from aptix_conformance.core.files import read_text
from aptix_conformance.core.text import quoted
from aptix_conformance.hosts import scratch
from aptix_conformance.systems.mcp.installing.install import Installation
from aptix_conformance.systems.mcp.installing.package_request import Wanted, wanted_by
from aptix_conformance.systems.mcp.installing.store import FOLDER, Store
from aptix_conformance.targets.spec import SpecTable

_LARGEST: Final = 64 << 20
"""Bytes of a list beyond which it is not read."""
_MOST_FAULTS: Final = 20
_EXACT: Final = re.compile(r"==[^*,]+|\d+\.\d+\.\d+[0-9A-Za-z.+-]*")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9.@+=_-]")


@dataclass(frozen=True, slots=True)
class FleetServer:
    """One server of a list.

    Attributes:
        spec: its target spec, `mcp:COMMAND`.
        package: the package that it is installed from.
        rest: the words of its command behind the package.
        line: the number of its line, from 1.
    """

    spec: str
    package: Wanted
    rest: tuple[str, ...]
    line: int

    @property
    def command(self) -> str:
        """The command that starts it."""
        return self.spec.partition(":")[2]

    @property
    def key(self) -> str:
        """Text that two lines have in common if they name the same server."""
        return "\0".join((self.package.kind, self.package.asking, self.package.program, *self.rest))

    @property
    def folder(self) -> str:
        """The name of its folder in a store: its package, and a digest of the whole."""
        name = _UNSAFE.sub("_", self.package.requirement.replace("/", "+"))[:100]
        return f"{self.package.kind}-{name}-{hashlib.sha256(self.key.encode()).hexdigest()[:8]}"


def read_fleet(path: Path, specs: SpecTable) -> list[FleetServer]:
    """The servers of a list, in its order.

    Raises:
        ConfigurationError: the list cannot be read, names no server, or has wrong lines; the message has a line for each.
    """
    try:
        lines = read_text(path, _LARGEST).split("\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigurationError(f"the list {path} cannot be read: {why}") from None
    servers: dict[str, FleetServer] = {}
    faults: list[str] = []
    for number, line in enumerate(map(str.strip, lines), start=1):
        if not line or line.startswith("#"):
            continue
        try:
            server = _server(line, number, specs)
        except ConformanceError as error:
            faults.append(f"{path}:{number}: {error}")
            continue
        other = servers.setdefault(server.key, server)
        if other is not server:
            faults.append(f"{path}:{number}: the same server as in line {other.line}: remove one of them")
    if faults:
        more = len(faults) - _MOST_FAULTS
        raise ConfigurationError(
            "\n".join(faults[:_MOST_FAULTS]) + (f"\nand {more} more lines of {path} are wrong" * (more > 0))
        )
    if not servers:
        raise ConfigurationError(f"{path} names no server: write a line such as uvx NAME==VERSION for each")
    return list(servers.values())


def _server(line: str, number: int, specs: SpecTable) -> FleetServer:
    """The server of a line.

    Raises:
        TargetError, SpecError: it names none, or no exact version; the message says what to write.
    """
    try:
        words = tuple(shlex.split(line))
    except ValueError:
        raise TargetError("a quotation mark is open: close it") from None
    request = wanted_by(words)
    if request is None:
        raise TargetError(
            f"{quoted(line, 80)} starts neither uvx nor npx: write uvx NAME==VERSION or npx -y NAME@VERSION"
        )
    package, named = request
    if not _EXACT.fullmatch(package.spec):
        exact = "NAME==VERSION" if package.kind == "python" else "NAME@VERSION"
        raise TargetError(f"{quoted(line, 80)} names no exact version: write {exact}")
    spec = f"mcp:{shlex.join(words)}"
    if specs.parse(spec, "the list").qualname is not None:
        raise TargetError(f"{quoted(line, 80)} has a `#`, which begins the name of a tool: remove it")
    return FleetServer(spec, package, words[named:], number)


@contextmanager
def installed(server: FleetServer, root: Path, *, contained: bool) -> Iterator[None]:
    """Install a server below the root of its project, where targets start it from; at the end only its lock file is left.

    Raises:
        TargetError: it cannot be installed; says why.
        ContainmentError: its installer cannot be contained.
    """
    store = Store(root / FOLDER)
    record, _ = Installation(store, contained=contained).install(server.package)
    try:
        yield
    finally:
        scratch.remove(Path(record.place))
