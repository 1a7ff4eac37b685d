"""The hosts of a run for MCP servers: the runner `mcp` is the process, and a server is its child or is somewhere else."""

import dataclasses
import json
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from aptix_conformance.core.errors import HostError, SlowTargetError, TargetError, UnlistedError
from aptix_conformance.core.model import (
    Declaration,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.hosts import readable_paths
from aptix_conformance.hosts.configured_secrets import SecretRedactor, secrets_of
from aptix_conformance.hosts.confined_files import check_confined
from aptix_conformance.hosts.effects import given_in
from aptix_conformance.hosts.host import Environment, Limits, Listing, Surroundings
from aptix_conformance.hosts.kept_readings import following
from aptix_conformance.hosts.launch import Held
from aptix_conformance.hosts.places import Place, is_of, named
from aptix_conformance.hosts.process_host import ProcessToolHost, allowing_calls
from aptix_conformance.hosts.program_pool import ProgramHostPool, Reach
from aptix_conformance.hosts.tool_process import ToolProcess
from aptix_conformance.runners.paths import START
from aptix_conformance.systems.mcp.client_files import with_file
from aptix_conformance.systems.mcp.commands import is_url, resolve
from aptix_conformance.systems.mcp.facts import McpTool
from aptix_conformance.systems.mcp.installing.store import FOLDER
from aptix_conformance.systems.mcp.sdks import used
from aptix_conformance.systems.mcp.served_tools import ServedToolHost, ServerHost, WatchedToolHost
from aptix_conformance.targets.endpoints import expanded, fault_of, is_loopback, is_secret, variables
from aptix_conformance.targets.settings import Target, ToolSettings

_REVISION: Final = "revision:"
"""How the host says, among its capabilities, in which revision it opened the server."""


_ANSWERS_LINES: Final = "start it in a terminal with the same command: it has to answer each line of JSON-RPC by one on its standard output"
_ANSWERS_POSTS: Final = (
    "send the URL an `initialize` request by POST: it has to answer by JSON or by a stream of events"
)
"""What to do about a server that does not answer, by its transport."""


_OLDER: Final = "@"
"""The beginning of the name of a server in an older revision (`runners/mcp/declaring.py`)."""


_DESTRUCTIVE: Final = (
    "it declares destructiveHint, and `network` lets it reach other machines: if it may be called, a table of its own has to say "
    'side_effects = "contained"'
)
_OF_SERVER: Final = (
    "it declares destructiveHint, and what is allowed for its whole server does not count for it: if it may be called, a table of "
    'its own has to say side_effects = "none"'
)
"""Why a tool is not called whose calls nothing contains. In the containment it is called: what it destroys there is a copy."""


class McpPool(ProgramHostPool):
    """Hosts for MCP servers (`host.HostPool`); a context manager that closes itself.

    A place is the server's command, its URL, `@FILE:NAME` for a server of a client's file (`client_files.py`), or the name of a
    table of the configuration that has the key `command` or `url`.
    A server with a URL and no command is not started here; its tools are called only where `side_effects` is "none".
    """

    system = "mcp"
    has_interface = True
    starts_tool = True
    opens_network = True

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._revisions: dict[tuple[str, tuple[str, ...]], str] = {}
        self._listed: dict[str, tuple[str, ...]] = {}
        """The tools that each server listed at first: a process that does not list one of them says so of it."""

    def command_for(self, module: str, settings: ToolSettings) -> tuple[str, ...]:  # noqa: ARG002 - one command for all
        """The command of the host. The server's is in the member `module` of `initialize`."""
        return (sys.executable, "-I", "-S", str(START), "mcp.server_host", "-")

    def server_for(self, module: str, settings: ToolSettings) -> tuple[str, ...]:
        """The command of the server, with what is installed in place of `uvx` and `npx`; empty where it is not started here.

        Raises:
            TargetError: it cannot be found, or is not a command.
        """
        if settings.command:
            self.secrets_for(module, settings)  # raises where a variable is missing
            words = tuple(expanded(word, os.environ) for word in settings.command)
        elif _url_of(module, settings):
            return ()
        else:
            try:
                words = tuple(shlex.split(module))
            except ValueError as error:
                raise TargetError(f"mcp:{module} is not a valid command: {error}") from error
        root = self.environment.rootdir
        return resolve(words, f"mcp:{module}", root, self.environment.server_store or root / FOLDER)

    def module_for(self, module: str, settings: ToolSettings) -> str:
        """The server as JSON: its command and directory, its URL and headers, and its revision where that is known.

        Without a directory it starts in the tool's working directory, which has a copy of the author's files.

        Raises:
            TargetError: as `server_for`, or the directory or a variable does not exist, or the URL is none.
        """
        words = self.server_for(module, settings)
        directory = None
        if settings.directory or not settings.files:
            directory = self.environment.rootdir / settings.directory
            if not directory.is_dir():
                raise TargetError(f"mcp:{module}: there is no directory {directory}")
        url, headers = self._endpoint(module, settings)
        return json.dumps(
            {
                "name": f"mcp:{module}",
                "command": words,
                "directory": None if directory is None else str(directory),
                "url": url,
                "headers": headers,
                "revision": self._revisions.get((module, words)),
                "sdks": used(words, directory or self.environment.rootdir),
                "timeout": settings.timeout or self.environment.limits.timeout,
                "contained": self.reach_for(module, settings) != "outside"
                and settings.side_effects != "none",
            }
        )

    def reach_for(self, module: str, settings: ToolSettings) -> Reach:
        """See `ProgramHostPool`."""
        if not _url_of(module, settings):
            return "nothing"
        return "loopback" if settings.command else "outside"

    def tool_words(self, module: str, settings: ToolSettings) -> tuple[str, ...]:
        """See `ProgramHostPool`."""
        return self.server_for(module, settings)

    def secrets_for(self, module: str, settings: ToolSettings) -> Mapping[str, str]:
        """The values that the URL and the headers take from the environment, and those that are named like a secret.

        Names of headers count, and names of variables that `env` and the command take.
        """
        named = {
            f"header {name}": word
            for name, text in settings.headers.items()
            for word in text.split()
            if is_secret(name)
        }
        name = f"mcp:{module}"
        named_values = dict(variables(_texts_at_start(settings), os.environ, name))
        hidden = {variable: secret for secret, variable in secrets_of(named_values).items()}
        return {**hidden, **named, **dict(variables(_texts(module, settings), os.environ, name))}

    def _endpoint(self, module: str, settings: ToolSettings) -> tuple[str, dict[str, str]]:
        """The URL, empty where there is none, and the headers, with the values of variables."""
        self.secrets_for(module, settings)  # raises where a variable is missing
        url = expanded(_url_of(module, settings), os.environ)
        headers = {name: expanded(text, os.environ) for name, text in settings.headers.items()}
        name, fault = f"mcp:{module}", fault_of(url) if url else None
        if fault:
            raise TargetError(f"{name}: what the key `url` stands for {fault}")
        if any(re.search(r"[^\x20-\x7e]", value) for value in headers.values()):
            raise TargetError(f"{name}: a header's value is not printable ASCII")
        if headers and not url.startswith("https://") and not is_loopback(url):
            raise TargetError(f"{name}: headers are sent by https alone, or on this machine: change the URL")
        if url and settings.command and not (url.startswith("http://") and is_loopback(url)):
            raise TargetError(f"{name}: a server that the suite starts answers at http://127.0.0.1:PORT/PATH")
        if url and not settings.command and settings.network:
            raise TargetError(
                f"{name}: the suite does not start this server, so `network` opens nothing: remove it"
            )
        if url and settings.command and settings.side_effects == "none":
            raise TargetError(
                f"{name}: a server over HTTP is started in the containment only, where its port is its own: remove "
                'side_effects = "none"'
            )
        return url, headers

    def visible_for(self, module: str, settings: ToolSettings) -> Sequence[Place]:
        """The server's program and what its words name, and the suite's runners."""
        words, root = self.server_for(module, settings), self.environment.rootdir
        is_strangers = "command" in settings.strangers
        places = [*readable_paths.interpreter(sys.executable)]
        places += self._needed(words, is_strangers=is_strangers) if words else []
        for word in words[1:]:
            places += self._beside(word, is_strangers=is_strangers)
        if settings.directory:
            by = "`cwd`" if "directory" in settings.strangers else named(settings.directory, root).by
            places += readable_paths.directory(settings.directory, by)
        return [*places, *readable_paths.node(str(root.absolute()))]

    def _beside(self, word: str, *, is_strangers: bool) -> list[Place]:
        """The packages around a script in JavaScript, which it reads."""
        path, root = os.path.realpath(word), self.environment.rootdir
        if not (word.startswith("/") and os.path.isfile(path)):  # noqa: PTH113 - a word may be too long for a path
            return []
        own = is_of(root, path) or is_of(self.environment.server_store or root, path)
        return readable_paths.node(str(Path(path).parent), "an argument" if is_strangers and not own else "")

    def list_tools(self, module: str, settings: ToolSettings) -> Listing:
        """See `host.HostPool`."""
        settings = with_file(settings, module, self.environment.rootdir, self.environment.variables)
        with self._named(module, settings):
            listing = super().list_tools(module, self._with_values(module, settings))
        self._listed[module] = listing.tools
        return listing

    def surroundings(self, target: Target, settings: ToolSettings) -> Surroundings | None:
        """See `host.HostPool`."""
        whole, _ = self._whole(target, settings)
        if whole.directory or whole.headers:
            raise TargetError("its client's file gives it a folder of yours or headers")
        return super().surroundings(target, whole)

    def given_for(self, module: str, settings: ToolSettings) -> Mapping[str, Any]:
        """See `ProgramHostPool`: with the values of variables, and with what a client's file says."""
        url, _ = self._endpoint(module, settings)
        server = {"server": self.server_for(module, settings), "url": url}
        return {**super().given_for(module, settings), **server}

    def open(self, target: Target, settings: ToolSettings) -> ProcessToolHost:
        """See `host.HostPool`. What is long gets more time; a tool's calls are compared with its files."""
        settings, secrets = self._whole(target, settings)
        host: ProcessToolHost
        if not target.qualname or target.qualname.startswith(_OLDER):
            host = ServerHost(self, target, settings, secrets)
        elif (copy := self._files.copy_of(settings)) is not None:
            host = WatchedToolHost(self, target, settings, secrets, given_in(copy))
        else:
            host = ServedToolHost(self, target, settings, secrets)
        self._hosts.append(host)
        return host

    def read(self, target: Target, settings: ToolSettings) -> tuple[Declaration, Containment | None]:
        """See `host.Hosts`. One process reads what several tools declare."""
        settings, secrets = self._whole(target, settings)
        check_confined(settings)
        declaration, held = self._read(target, settings, {})
        return SecretRedactor(settings.env, secrets).redact(declaration), held.containment

    def others_of(self, target: Target, settings: ToolSettings, declaration: Declaration) -> Iterable[str]:
        """See `ProgramHostPool`. None where calls may change what the server's next process finds."""
        names = declaration.facts.names if isinstance(declaration.facts, McpTool) else ()
        if settings.side_effects == "none" or self.opens(settings) or target.qualname.startswith(_OLDER):
            return ()
        known = {*self._listed.get(target.module, ()), *names}
        return (name for name in following(target.qualname, known) if name and name[0] != _OLDER)

    def describe_again(
        self,
        target: Target,
        settings: ToolSettings,
        conditions: Mapping[str, str],
        then: Sequence[Mapping[str, str]] = (),
    ) -> Declaration:
        """See `starter.Starter`.

        Raises:
            HostError: also where the server is not started here.
        """
        if self.reach_for(target.module, settings) == "outside":
            raise HostError(
                "the suite does not start this server, so it is not started under other conditions"
            )
        return super().describe_again(target, settings, conditions, then)

    def _read(
        self, target: Target, settings: ToolSettings, conditions: Mapping[str, str]
    ) -> tuple[Declaration, Held]:
        try:
            return super()._read(target, settings, conditions)
        except UnlistedError:
            with self._named(target.module, settings):
                raise

    def start_small(self, target: Target, settings: ToolSettings, disk: int) -> ToolProcess:
        """A new process for a tool with a small disk of so many bytes, besides its author's files, which is soon full.

        Raises:
            TargetError, HostError: as `starter.Starter.start`.
        """
        limits = self.environment.limits
        size = disk + (limits.files if settings.files else 0)
        limits = dataclasses.replace(limits, scratch=min(size, limits.scratch))
        return self._start(target, settings, settings.env, limits)[0]

    def _start(
        self,
        target: Target,
        settings: ToolSettings,
        env: Mapping[str, str],
        limits: Limits | None = None,
        *,
        renames: bool = False,
    ) -> tuple[ToolProcess, Held]:
        with self._named(target.module, settings):
            process, held = super()._start(target, settings, env, limits, renames=renames)
        if not target.qualname.startswith(_OLDER):
            self.learn(target.module, settings, process.capabilities)
        is_destructive = "destructive" in process.capabilities
        if self.reach_for(target.module, settings) == "outside":
            held = Held(
                held.containment, forbidden=_why_not_called(target, settings, is_destructive=is_destructive)
            )
        elif is_destructive and settings.side_effects == "none" and _is_of_server(target, settings):
            held = replace(held, forbidden=_OF_SERVER)
        elif is_destructive and self.opens(settings) and not _allows_calls(target, settings):
            held = replace(held, forbidden=_DESTRUCTIVE)
        return process, held

    def opens(self, settings: ToolSettings) -> bool:
        """Whether a server reaches other machines: it has hosts to reach, and no recording answers for them."""
        return bool(settings.network) and (not settings.recording or self.environment.capture is not None)

    def learn(self, module: str, settings: ToolSettings, capabilities: frozenset[str]) -> None:
        """See `ProgramHostPool`. The revision that a server speaks takes a process to find out."""
        for claim in capabilities:
            if claim.startswith(_REVISION):
                self._revisions[module, self.server_for(module, settings)] = claim.removeprefix(_REVISION)

    def _whole(self, target: Target, settings: ToolSettings) -> tuple[ToolSettings, Mapping[str, str]]:
        """The settings with what a client's file says and with the values of variables, and the secrets among these."""
        settings = with_file(settings, target.module, self.environment.rootdir, self.environment.variables)
        secrets = self.secrets_for(target.module, settings)
        return self._with_values(target.module, settings), secrets

    def _with_values(self, module: str, settings: ToolSettings) -> ToolSettings:
        """The settings with values in place of the variables that `env` names."""
        self.secrets_for(module, settings)  # raises where a variable is missing
        env = {key: expanded(text, os.environ) for key, text in settings.env.items()}
        return dataclasses.replace(settings, env=env)

    @contextmanager
    def _named(self, module: str, settings: ToolSettings) -> Iterator[None]:
        """Put the server's name before an error that does not begin with it, and canaries in place of secrets."""
        try:
            yield
        except TargetError as error:
            name = f"mcp:{module}"
            text = SecretRedactor(
                self._with_values(module, settings).env, self.secrets_for(module, settings)
            ).redact(str(error))
            if isinstance(error, SlowTargetError):
                text += f"; {_ANSWERS_POSTS if _url_of(module, settings) else _ANSWERS_LINES}"
            raise type(error)(text if text.startswith(name) else f"{name}: {text}") from None


def _url_of(module: str, settings: ToolSettings) -> str:
    return settings.url or (module if is_url(module) else "")


def _texts_at_start(settings: ToolSettings) -> dict[str, str]:
    """The texts that a server is started with and that may name variables, each by its place in the settings."""
    words = {f"word {number} of `command`": word for number, word in enumerate(settings.command)}
    return {**words, **{f"`env.{key}`": text for key, text in settings.env.items()}}


def _texts(module: str, settings: ToolSettings) -> dict[str, str]:
    """The texts that a client sends and that may name variables, each by its place in the settings."""
    return {
        "the URL": _url_of(module, settings),
        **{f"the header {k}": v for k, v in settings.headers.items()},
    }


def _why_not_called(target: Target, settings: ToolSettings, *, is_destructive: bool) -> str | None:
    """Why the tool of a server that is not started here is not called; None where its author allows it."""
    if settings.side_effects != "none":
        return f"the suite does not start its server, so nothing shows what its calls change there. {allowing_calls(target)}"
    return _OF_SERVER if is_destructive and _is_of_server(target, settings) else None


def _allows_calls(target: Target, settings: ToolSettings) -> bool:
    """Whether the author says `side_effects` for this very tool."""
    return "side_effects" in settings.given and not _is_of_server(target, settings)


def _is_of_server(target: Target, settings: ToolSettings) -> bool:
    """Whether `side_effects` stands in the table of the tool's server."""
    server = target.spec.removesuffix(f"#{target.qualname}")
    return settings.places.get("side_effects", "").endswith(f"{server!r}.side_effects")
