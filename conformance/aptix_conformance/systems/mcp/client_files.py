"""The file in which a client names its servers (`mcp.json`): `@PATH:NAME` as a place is the server NAME of it.

`${NAME}` stands for an environment variable, as in the configuration. VS Code has the servers under `servers`, writes
`${env:NAME}`, and allows comments and a comma behind the last member.
"""

import difflib
import json
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar
from urllib.parse import urlsplit

import msgspec

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.files import read_bounded
from aptix_conformance.core.text import printable, unfit_character
from aptix_conformance.systems.profile import ClientFiles
from aptix_conformance.targets.endpoints import expanded, fault_of, is_header, variables, variables_named
from aptix_conformance.targets.settings import ToolSettings

T = TypeVar("T")

MARK: Final = "@"
_LARGEST: Final = 1 << 20
_READ: Final = ("command", "args", "env", "cwd", "url", "headers")
_PASSED_OVER: Final = frozenset(
    {"type", "disabled", "description", "timeout", "autoApprove", "alwaysAllow", "trust", "tools", "gallery"}
)
"""Keys that are for the client alone."""
_SERVERS: Final = ("mcpServers", "servers")
_MOST_COMPARED: Final = 20
"""Characters of a key that are compared with these."""
_MISSPELT: Final = 0.85
"""How alike a key and one of these are, from 0 to 1, for the one to be the other misspelt."""
_TYPES: Final = (None, "stdio", "http", "streamable-http", "streamableHttp")
_MOST_SHOWN: Final = 10
_COMMENT_OR_COMMA: Final = re.compile(
    r'"(?:\\.|[^"\\])*(?:"|\Z)|(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<comma>,)(?=\s*[}\]])', re.DOTALL
)
"""A string, which stays, or what JSON does not have. Each piece is read to its end, so that no text takes long."""
_ENVIRONMENT: Final = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_OF_THE_CLIENT: Final = re.compile(
    r"\$\{(?:[A-Za-z]+:[^}-][^}]*|workspaceFolder|userHome|workspaceFolderBasename|pathSeparator)\}"
)


class _File:
    """A client's file; `path` is as it was written, for messages."""

    def __init__(self, path: str, root: Path) -> None:
        self.name = printable(path, 200)
        self.keys: dict[str, str] = {}
        """The key of the file that each server stands under, by the server's name."""
        self._place = root / path

    def refuse(self, fault: str) -> NoReturn:
        """Raise the error that says what is wrong."""
        raise TargetError(f"{self.name}: {fault}")

    def servers(self) -> Mapping[str, Any]:
        """Its servers by their names.

        Raises:
            TargetError: it cannot be read, or has another form.
        """
        try:
            text = str(read_bounded(self._place, _LARGEST), "utf-8-sig")
            data = json.loads(_translated(text), object_pairs_hook=self._members)
        except OSError as error:
            self.refuse(f"cannot be read: {error.strerror or error}")
        except (ValueError, RecursionError) as error:
            why = "too deep" if isinstance(error, RecursionError) else printable(str(error), 150)
            self.refuse(f"is not readable JSON: {why}")
        objects = data if isinstance(data, dict) else {}
        for key in objects:
            near = difflib.get_close_matches(key[:_MOST_COMPARED], _SERVERS, n=1, cutoff=_MISSPELT)
            if near and key not in _SERVERS:
                self.refuse(f"unknown key {printable(repr(key), 80)}; did you mean `{near[0]}`?")
        present = [key for key in _SERVERS if key in objects]
        if not present or not all(isinstance(objects[key], dict) for key in present):
            self.refuse(f"has no object `{'`, `'.join(present) or 'mcpServers'}` (`servers` in VS Code)")
        by_name: dict[str, Any] = {}
        for key in present:
            twice = next((name for name in objects[key] if name in by_name), None)
            if twice is not None:
                self.refuse(
                    f"has the server {printable(repr(twice), 80)} under `mcpServers` and under `servers`"
                )
            by_name |= objects[key]
            self.keys |= dict.fromkeys(objects[key], key)
        return by_name

    def _members(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            self.refuse(f"has the name {printable(repr(twice), 80)} twice")
        return members


def _translated(text: str) -> str:
    """The text in strict JSON, without comments and commas behind the last member, and with `${NAME}` for `${env:NAME}`."""
    without = _COMMENT_OR_COMMA.sub(lambda match: " " if match["comment"] else match[0], text)
    strict = _COMMENT_OR_COMMA.sub(lambda match: "" if match["comma"] else match[0], without)
    return _ENVIRONMENT.sub(r"${\1}", strict)


def client_specs(path: str, root: Path) -> Mapping[str, str]:
    """The target specs of all servers of a file, by their names and in its order.

    Raises:
        TargetError: the file cannot be read, has another form, or names no server.
    """
    file = _File(path, root)
    names = file.servers()
    if not names:
        file.refuse("names no server")
    return {name: f"mcp:{MARK}{path}:{name}" for name in names}


def disabled_servers(path: str, root: Path) -> frozenset[str]:
    """The names of the servers of a file that it disables. Several clients do not look at that key, and start them.

    Raises:
        TargetError: as `client_specs`.
    """
    servers = _File(path, root).servers()
    return frozenset(name for name, server in servers.items() if _is_disabled(server))


def _is_disabled(server: Any) -> bool:
    return isinstance(server, dict) and server.get("disabled") is True


def with_file(
    settings: ToolSettings, place: str, root: Path, variables: Collection[str] = ()
) -> ToolSettings:
    """The settings of a place; those of a server in a file are what the file says, and over it what the settings say.

    Of the environment, the file may name what the settings allow (`ToolSettings.variables`), and `variables` besides: another
    person may have written it, and its servers get what it names.

    Raises:
        TargetError: the file, or what it says of the server, is wrong, or names a variable that is held back.
    """
    if not place.startswith(MARK):
        return settings
    path, _, name = place.removeprefix(MARK).partition(":")
    file = _File(path, root)
    servers = file.servers()
    if not name and len(servers) == 1:
        (name,) = servers
        if _is_disabled(servers[name]):
            shown = printable(name, 60)
            file.refuse(
                f"{shown} is disabled there: not examined; to examine it, write mcp:{MARK}{path}:{shown}"
            )
    if name not in servers and (
        parted := next((each for each in servers if each.startswith(f"{name}#")), "")
    ):
        file.refuse(
            f"has a `#` in the name {printable(repr(parted), 80)}, and a tool's name follows a `#`: rename the server"
        )
    if name not in servers:
        names = ", ".join(f"mcp:{MARK}{path}:{printable(each, 60)}" for each in sorted(servers)[:_MOST_SHOWN])
        fault = f"has no server {printable(repr(name), 80)}" if name else f"names {len(servers)} servers"
        file.refuse(f"{fault}; write one of {names}" if names else f"{fault}")
    server = _Server(file, name, servers[name], {*settings.variables, *variables})
    env = server.texts("env")
    from_file = {key for key in ("command", "directory") if not getattr(settings, key)}
    return replace(
        settings,
        command=settings.command or server.command(),
        directory=settings.directory or server.directory(root, Path(path).parent),
        env={**env, **settings.env},
        strangers=frozenset(from_file | {f"env.{key}" for key in env.keys() - settings.env.keys()}),
        url=settings.url or server.url(),
        headers=settings.headers or server.texts("headers"),
    )


class _Server:
    """The entry of one server in a client's file."""

    def __init__(self, file: _File, name: str, table: Any, variables: Collection[str]) -> None:
        self._file = file
        self._variables = variables
        self._name = f"{file.keys[name]}.{printable(name, 80)}"
        if not isinstance(table, dict):
            file.refuse(f"{self._name} is not an object")
        self._table = table
        if "envFile" in table:
            file.refuse(
                f"{self._name}: `envFile` is not read; write its variables under `env`, as `${{NAME}}` where they are secrets"
            )
        for key in sorted(table.keys() - {*_READ, *_PASSED_OVER}):
            near = difflib.get_close_matches(key, _READ, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"the keys are {', '.join(_READ)}"
            file.refuse(f"{self._name}: unknown key {printable(repr(key), 80)}; {hint}")
        self._read("disabled", bool, "true or false")
        if table.get("type") not in _TYPES:
            spoken = ", ".join(each for each in _TYPES if each)
            file.refuse(
                f"{self._name}: the suite speaks no transport {printable(repr(table['type']), 80)}; it speaks {spoken}"
            )
        if bool(table.get("command")) == bool(table.get("url")):
            file.refuse(f"{self._name} needs either `command` or `url`")
        if table.get("command") and table.get("headers"):
            file.refuse(f"{self._name}: `headers` are sent to a `url`, and a `command` has none: remove them")

    def command(self) -> tuple[str, ...]:
        """The program and its arguments, which may name variables; empty where there is a URL."""
        if not self._table.get("command"):
            return ()
        arguments: list[str] = self._read("args", list[str], "an array of strings")
        words = {"command": self._text("command")} | {
            f"args[{number}]": word for number, word in enumerate(arguments)
        }
        for key, word in words.items():
            self._expanded(word, key)  # raises where a variable is missing
        return tuple(words.values())

    def directory(self, root: Path, folder: Path) -> str:
        """The folder that it starts in, as an absolute path; empty where the file names none."""
        if "cwd" not in self._table:
            return ""
        cwd = root / folder / self._expanded(self._text("cwd"), "cwd")
        if not cwd.is_dir():
            self._file.refuse(f"{self._name}.cwd: there is no folder {printable(str(cwd), 200)}")
        return str(cwd)

    def url(self) -> str:
        """The URL; it may name variables."""
        if not self._table.get("url"):
            return ""
        text = self._text("url")
        fault = fault_of(self._expanded(text, "url"))
        if fault:
            self._file.refuse(f"{self._name}.url {fault}")
        return text

    def texts(self, key: str) -> dict[str, str]:
        """An object of texts; they may name variables."""
        by_name: dict[str, str] = self._read(key, dict[str, str], "an object of strings")
        for name, text in by_name.items():
            is_name = is_header(name) if key == "headers" else name and "=" not in name
            if not is_name or unfit_character(name):
                what = "header" if key == "headers" else "environment variable"
                self._file.refuse(
                    f"{self._name}.{key}: no {what} can have the name {printable(repr(name), 80)}; rename it or leave it out"
                )
            self._check(text, f"{key}.{printable(name, 80)}")
        return by_name

    def _text(self, key: str) -> str:
        return str(self._read(key, str, "a string"))

    def _read(self, key: str, form: type[T], words: str) -> T:
        """A value of the file, of its type; the type's empty value where there is none."""
        try:
            return msgspec.convert(self._table.get(key, form()), form)
        except msgspec.ValidationError:
            self._file.refuse(f"{self._name}.{key} is not {words}")

    def _expanded(self, text: str, key: str) -> str:
        self._check(text, key)
        dict(
            variables({f"{self._name}.{key}": text}, os.environ, self._file.name)
        )  # raises where one is missing
        return expanded(text, os.environ)

    def _check(self, text: str, key: str) -> None:
        """Refuse what the server cannot be given, or may not be. An unfit text is not quoted, since it may be a secret."""
        if fault := unfit_character(text):
            self._file.refuse(f"{self._name}.{key} has {fault}, which no program can be given: remove it")
        if match := _OF_THE_CLIENT.search(text):
            shown = printable(match[0], 80)
            self._file.refuse(
                f"{self._name}.{key}: only the client knows {shown}; name an environment variable: ${{NAME}}"
            )
        for name in variables_named(text):
            if name in os.environ and name not in self._variables:
                receiver = self._table.get("url") or self._table.get("command")
                to = urlsplit(receiver).netloc if self._table.get("url") else receiver
                self._file.refuse(
                    f"{self._name}.{key}: your variable {name} is held back from {printable(repr(to), 120)}; if that may have it, "
                    f'add --variable {name}, or `variables = ["{name}"]` to the server\'s table in pyproject.toml'
                )


CLIENT_FILES: Final = ClientFiles(client_specs, disabled_servers)
