"""The lists of what is examined: `servers.toml`, `deployed.toml` and `frameworks.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
LISTS: Final = (HERE / "servers.toml", HERE / "deployed.toml", HERE / "frameworks.toml")
"""Servers of today, older ones with the SDK of their time, and packages with tools of frameworks."""


@dataclass(frozen=True)
class KnownFault:
    """A fault that is known of a version. `tool` and `cause` are patterns, as a shell has them, of the tool's name and a finding's cause."""

    rule: str
    """The rule that has to find it."""
    what: str
    """One line."""
    tool: str = "*"
    cause: str = "*"
    fixed_in: str = ""
    """The server of the list that has the fix; empty where none has."""
    cve: str = ""


@dataclass(frozen=True)
class Server:
    """One pinned server, or package with tools. `package` is `pypi:NAME==VERSION` or `npm:NAME@VERSION`."""

    name: str
    package: str
    target: str = ""
    """`SYSTEM:MODULE` of a package with tools of a framework: a module of `framework_tools/` that makes its tools; empty for a server."""
    program: str = ""
    """The installed script of a Python server, where it has another name than the package."""
    arguments: Sequence[str] = ()
    constraints: Sequence[str] = ()
    """Further requirements of a Python server, such as the SDK's line that its author had."""
    overrides: Mapping[str, str] = field(default_factory=dict)
    """npm packages that are pinned in place of what the server asks for."""
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """Path to text: what the server finds in its working directory."""
    repository: str = ""
    """The folder of `files` that is committed to a git repository; empty for none."""
    confined_to: str = ""
    """The folder of `files` to which its arguments confine it."""
    tools: Sequence[str] = ()
    """The tools that are examined; empty is all of them."""
    examples: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """Tool name to calls that must succeed."""
    timeout: float = 0
    """Seconds for each call, where the suite's limit is too short; 0 is the suite's."""
    memory: int = 1024
    """MiB of resident memory for the processes of one tool."""
    needs: str = ""
    """What the server's calls need and do not have here, such as a network."""
    known: Sequence[KnownFault] = ()

    @property
    def is_python(self) -> bool:
        """Whether it comes from PyPI, and not from npm."""
        return self.package.startswith("pypi:")

    @property
    def requirement(self) -> tuple[str, str]:
        """The package's name and its exact version."""
        kind, _, rest = self.package.partition(":")
        name, _, version = rest.rpartition("==" if kind == "pypi" else "@")
        return name, version

    @property
    def lock(self) -> Path:
        """Its lock file."""
        return HERE / "locks" / f"{self.name}.{'txt' if self.is_python else 'json'}"


def read_servers(path: Path = LISTS[0]) -> list[Server]:
    """The entries of a list, in its order; the list is the file's only key.

    Raises:
        ValueError: two servers have one name, a package is neither `pypi:NAME==VERSION` nor `npm:NAME@VERSION`, or a known fault is
            said to be fixed in a server that there is not.
        TypeError: a server or a known fault has a key that there is not.
    """
    [entries] = tomllib.loads(path.read_text(encoding="utf-8")).values()
    found = [_server(entry) for entry in entries]
    for server in found:
        if not server.package.startswith(("pypi:", "npm:")) or not all(server.requirement):
            raise ValueError(
                f"{server.name}: write the package as pypi:NAME==VERSION or npm:NAME@VERSION, not {server.package!r}"
            )
    names = [server.name for server in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two servers have the name {twice[0]!r}")
    for server in found:
        for fault in server.known:
            if fault.fixed_in and fault.fixed_in not in names:
                raise ValueError(
                    f"{server.name}: there is no server {fault.fixed_in!r}, which is said to have fixed {fault.rule}"
                )
    return found


def _server(entry: Mapping[str, Any]) -> Server:
    return Server(**{**entry, "known": [KnownFault(**fault) for fault in entry.get("known", ())]})
