"""`aptix-conformance mcp install`: servers that `uvx` and `npx` name, each in an environment of its own."""

import argparse
import os
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import ConfigurationError, ContainmentError, HostError, TargetError
from aptix_conformance.core.model import canaries
from aptix_conformance.core.text import printable
from aptix_conformance.hosts.host import Environment
from aptix_conformance.systems.command_options import add_repeatable, add_variable
from aptix_conformance.systems.mcp.client_files import client_specs, with_file
from aptix_conformance.systems.mcp.commands import is_url
from aptix_conformance.systems.mcp.installing.install import Installation
from aptix_conformance.systems.mcp.installing.package_request import Wanted, need, wanted_by
from aptix_conformance.systems.mcp.installing.store import FOLDER, Store
from aptix_conformance.systems.mcp.pool import McpPool
from aptix_conformance.systems.profile import Say, SystemCommand
from aptix_conformance.targets.endpoints import expanded, network
from aptix_conformance.targets.settings import Settings, ToolSettings
from aptix_conformance.targets.spec import Spec
from aptix_conformance.targets.values import Place

_NOT_A_PACKAGE: Final = (
    'neither uvx nor npx starts it; write the command of a client, such as "uvx mcp-server-time"'
)
_SYSTEM: Final = "mcp:"
_INSTALL: Final = """\
Install servers that `uvx` and `npx` name: each in an environment of its own, from a lock file, contained. Targets then start
what is in the store.

  aptix-conformance mcp install "uvx mcp-server-time" "npx -y @scope/server@1.2.3"
  aptix-conformance mcp install --from mcp.json --server notes

Without names and without --from, the servers that the pyproject.toml in this directory names are installed. Python packages come as
wheels only, and no script of an npm package runs. uv and npm reach the index that pip and npm are configured for, and write to
the store. A server with a lock file in the store is installed again from that file. Each server is started once, contained.
Exit status: 0 when every server is installed and starts; 1 when one does not; 2 on bad usage.
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "servers",
        metavar="NAME",
        nargs="*",
        help="the command of a server, or its target spec, such as mcp:notes",
    )
    parser.add_argument(
        "--from", dest="file", metavar="FILE", help="all servers of a client's file, such as mcp.json"
    )
    add_repeatable(parser, "--server", "NAME", "of that file, only this server")
    add_variable(parser)
    parser.add_argument(
        "--store",
        metavar="DIR",
        help=f"where to (default: the key `server_store`, or {FOLDER} in this directory)",
    )
    parser.add_argument(
        "--with",
        dest="needs",
        metavar="REQUIREMENT",
        action="append",
        default=[],
        help="what each server of Python is installed with, such as 'mcp<2' (repeatable), as uvx takes it",
    )
    parser.add_argument("--upgrade", action="store_true", help="resolve servers again that have a lock file")
    add_repeatable(parser, "--open", "HOST:PORT", "a further host of the index, such as one of its files")
    parser.add_argument(
        "--containment",
        choices=["partial", "none"],
        default="partial",
        help="`none` installs without containment, for machines that have none (default partial)",
    )


def _run(options: argparse.Namespace, settings: Settings, say: Say) -> bool:
    root = Path.cwd()
    if options.server and not options.file:
        raise ConfigurationError("--server chooses from a client's file: name it by --from")
    work = Installation(
        Store(root / (options.store or settings.server_store or FOLDER)),
        upgrade=options.upgrade,
        contained=options.containment != "none",
        opened=network(options.open, Place("the command line", "--open", root)),
    )
    typed = {word for word in options.servers if not word.startswith(_SYSTEM)}
    servers = [
        _Server.of(spec, settings, root, options.variable, typed=spec.module in typed)
        for spec in _specs(options, settings, root)
    ]
    needs = tuple(map(need, options.needs))
    servers = [each.with_needs(needs) for each in servers]
    _check_versions(servers)
    environment = Environment(
        root, (), canaries.environment(0), server_store=work.store.folder, variables=tuple(options.variable)
    )
    pool = McpPool(environment)
    try:
        shown = [
            _install(each, work, f"[{place}/{len(servers)}]", say) and _starts(each, pool, settings, say)
            for place, each in enumerate(servers, 1)
        ]
    finally:
        pool.close()
    return all(shown)


@dataclass(frozen=True, slots=True)
class _Server:
    """A server that is named: what is to be installed for it, or why that is nothing.

    `fault` says what is wrong with it; without a fault and without `package`, there is nothing to install for it.
    """

    name: str
    spec: Spec
    package: Wanted | None = None
    fault: str = ""

    def with_needs(self, needs: tuple[str, ...]) -> "_Server":
        """This server with further requirements, where it is one of Python."""
        if self.package is None or self.package.kind != "python":
            return self
        return replace(self, package=replace(self.package, needs=(*self.package.needs, *needs)))

    @classmethod
    def of(
        cls, spec: Spec, settings: Settings, root: Path, variables: Sequence[str], *, typed: bool
    ) -> "_Server":
        """The server of a target spec. Where the user typed its command (`typed`), nothing to install is a fault."""
        name = printable(spec.canonical, 150)
        try:
            table = settings.tool.get(spec.canonical, ToolSettings())
            server = with_file(table, spec.module, root, variables)
            if server.command:
                words = tuple(expanded(word, os.environ) for word in server.command)
            elif server.url or is_url(spec.module):
                return cls(name, spec)
            else:
                words = tuple(shlex.split(spec.module))
            request = wanted_by(words)
            if request is None and typed:
                return cls(name, spec, fault=_NOT_A_PACKAGE)
            return cls(name, spec, request[0] if request else None)
        except (TargetError, ValueError) as error:
            return cls(name, spec, fault=printable(str(error), 300))


def _specs(options: argparse.Namespace, settings: Settings, root: Path) -> list[Spec]:
    """The target specs of the servers, without tools.

    Raises:
        ConfigurationError: there is none, one is not a server, or a name is not in the file.
        TargetError: the file is wrong.
    """
    named = [word if word.startswith(_SYSTEM) else f"{_SYSTEM}{word}" for word in options.servers]
    if options.file:
        known = client_specs(options.file, root)
        for name in options.server:
            if name not in known:
                raise ConfigurationError(
                    f"{printable(options.file, 200)} names no server {printable(name, 60)}"
                )
        named += [spec for name, spec in known.items() if not options.server or name in options.server]
    named = named or [spec for spec in settings.tools if spec.startswith(_SYSTEM)]
    if not named:
        raise ConfigurationError(
            'no server is named: write its command, such as "uvx mcp-server-time", or --from mcp.json'
        )
    read = [settings.specs.parse(text, "mcp install") for text in named]
    return list(
        {spec.module: settings.specs.spec(spec.spelling, spec.module, None) for spec in read}.values()
    )


def _check_versions(servers: Sequence[_Server]) -> None:
    """Check that no two servers ask for different versions of one package, since a store has one.

    Raises:
        ConfigurationError: two do.
    """
    servers_by_package: dict[tuple[str, str], _Server] = {}
    for each in servers:
        if each.package is not None:
            other = servers_by_package.setdefault((each.package.kind, each.package.name), each)
            if other.package is not None and other.package.asking != each.package.asking:
                raise ConfigurationError(
                    f"{other.name} and {each.name} ask for {other.package.asking} and {each.package.asking}; a store "
                    "has one of them: install one with --store"
                )


def _install(server: _Server, work: Installation, number: str, say: Say) -> bool:
    """Install one server and show how that went; returns whether it is there."""
    package, fault = server.package, server.fault
    if package is None and not fault:
        say(f"{number} nothing to install  {server.name}: neither uvx nor npx starts it")
        return True
    start = time.monotonic()
    if package is not None:
        _show(f"{number} installing {package.requirement} for {server.name}")
        try:
            record, is_new = work.install(package)
        except (TargetError, ContainmentError, HostError) as error:
            fault = printable(str(error), 400)
        else:
            seconds = f"{time.monotonic() - start:.0f} s"
            many = f"{record.packages} {'package' if record.packages == 1 else 'packages'}"
            done = (
                f"installed ({seconds}, {many}, containment {record.containment.level})"
                if is_new
                else "was installed"
            )
            say(f"{number} {record.name} {record.version} {done}: {server.name}")
            return True
    say(f"{number} not installed  {server.name}: {fault}")
    return False


def _starts(server: _Server, pool: McpPool, settings: Settings, say: Say) -> bool:
    """Start an installed server once, as an examination does, and show it where it does not list its tools."""
    if server.package is None:
        return True
    try:
        pool.list_tools(server.spec.module, settings.tool.get(server.spec.canonical, ToolSettings()))
    except (TargetError, ContainmentError, HostError) as error:
        say(f"      does not start  {server.name}: {printable(str(error), 400)}")
        return False
    return True


def _show(line: str) -> None:
    """Show a line of progress, on the standard error: the result is on the standard output."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is a command


INSTALL: Final = SystemCommand(
    "install", "install servers of uvx and npx, contained", _INSTALL, _add_arguments, _run
)
