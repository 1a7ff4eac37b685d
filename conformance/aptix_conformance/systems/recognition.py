"""What a person names, such as `server.py`, `my_pkg.tools` or `mcp.json`, as target specs. Nothing is imported or started.

A file says by its text which system it is of: a server of MCP names its SDK or the protocol's methods, a module of Amplifier
defines `mount`. What is certain is written as a target spec, with a prefix.
"""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.files import is_file, read_bounded
from aptix_conformance.core.text import nearest, printable
from aptix_conformance.systems.near_names import (
    DOTNET_SUFFIXES,
    NODE_SUFFIXES,
    module_file,
    near_names,
)
from aptix_conformance.systems.registry import SystemRegistry
from aptix_conformance.targets.spec import is_dotted

_LARGEST: Final = 8 << 20
"""Bytes of a source file that are looked at; one with more is taken as if it were empty."""
_SERVER_PYTHON: Final = re.compile(
    r"""^[ \t]*(?:from|import)\s+(?:mcp\.server|fastmcp)\b|^[ \t]*from\s+mcp\s+import\b.*(?:MCP|[Ss]erver)|["']tools/list["']""",
    re.MULTILINE,
)
SERVER_NODE: Final = re.compile(
    r"""@modelcontextprotocol/(?!(?:sdk/)?client\b)|\bfastmcp\b|["'`]tools/list["'`]"""
)
"""What a server of MCP names in its source or its package.json: an import of the client alone makes none."""
_AMPLIFIER: Final = re.compile(r"^(?:async\s+)?def\s+mount\s*\(\s*coordinator\b", re.MULTILINE)
_APTIX: Final = re.compile(r"^[ \t]+TOOL_USAGE_METADATA\b", re.MULTILINE)
_IMPORT: Final = r"[ \t]+import\b(?:[^\n(#]*|[ \t]*\((?:\#[^\n]*+|[^()#])*?)\b"
"""From the `import` of a statement to the begin of an imported name, also in parentheses over several lines with comments."""


def _use_of(package: str, names: str) -> re.Pattern[str]:
    """An import of one of the names from a package or a module of it, or an import of the package and a use of the name after a dot."""
    imported = rf"^[ \t]*from\s+{package}(?:\.\w+)?{_IMPORT}(?:{names})\b"
    used = rf"\A(?=[\s\S]*?^[ \t]*import\s+{package}\b)[\s\S]*?\b{package}\.(?:\w+\.)?(?:{names})\b"
    return re.compile(f"{imported}|{used}", re.MULTILINE)


_FRAMEWORKS: Final = {
    "langchain": re.compile(r"^[ \t]*from\s+langchain(?:_core)?\.tools\b", re.MULTILINE),
    "openai-agents": _use_of("agents", "function_tool|FunctionTool"),
    "pydantic-ai": _use_of("pydantic_ai", "Agent|FunctionToolset|Tool"),
}
"""What a module imports whose objects are tools of a framework, by the name of the system."""
_AI_SDK: Final = re.compile(r"""\b(?:from\s{0,9}|require\(\s{0,9})["'](?:ai|@ai-sdk/provider-utils)["']""")
_PACKAGE_RUNNERS: Final = ("uvx", "npx")
"""Programs that need not be there: the suite starts the installed server itself."""
_PYTHON_HERE: Final = ".venv/bin/python"
_NAMES: Final = {
    "aptix": "Aptix",
    "amplifier": "Amplifier",
    "art": "ART",
    "mcp": "MCP",
    "langchain": "LangChain",
    "openai-agents": "OpenAI Agents",
    "pydantic-ai": "Pydantic AI",
    "ai-sdk": "AI SDK",
}
"""The systems as they call themselves."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """The target specs that a text stands for, and their system; `paths` are folders in which modules are looked for."""

    specs: tuple[str, ...]
    system: str
    paths: tuple[str, ...] = ()
    file: str = ""
    """The client's file that it is, as it was written; empty for anything else."""
    servers: Mapping[str, str] = field(default_factory=dict)
    """The specs of a client's file, by the names of its servers."""
    disabled: frozenset[str] = frozenset()
    """The names of the servers that the file disables."""


@dataclass(frozen=True, slots=True)
class Recogniser:
    """Recognises targets for a project in `root`; `sys_path` is where modules are looked for."""

    systems: SystemRegistry
    root: Path
    sys_path: tuple[str, ...]

    def recognise(self, text: str) -> Recognised:
        """The target specs of a text.

        Raises:
            SpecError: it has a prefix, and does not follow that system's grammar.
            TargetError: nothing has that name; the message says which name is close. Or a client's file is wrong.
        """
        if not text.strip():
            raise TargetError("a target is empty: name a file, a module or a server")
        if self._prefix(text):
            spec = self.systems.specs.parse(text, "the command line")
            return Recognised((text,), _name(spec.spelling.system))
        if text.startswith(("http://", "https://")):
            return Recognised((f"mcp:{text}",), "MCP")
        path, mark, tool = text.rpartition("#")
        file = text if is_file(self.root / text) or not mark else path
        if is_file(self.root / file):
            return self._of_file(file, f"#{tool}" if file == path and mark else "")
        try:
            words = shlex.split(text)
        except ValueError:
            raise TargetError(f"a quotation mark is open in {printable(text, 200)}: close it") from None
        return self._of_command(text, words[0]) if len(words) > 1 else self._of_module(text)

    def _prefix(self, text: str) -> str:
        head, colon, rest = text.partition(":")
        known = {spelling.prefix for spelling in self.systems.specs.spellings}
        is_path_of_place = rest.startswith((":", "//"))
        return head if colon and head in known and not is_path_of_place else ""

    # ---- files

    def _of_file(self, file: str, tool: str) -> Recognised:
        if "#" in file:
            raise TargetError(
                f"{printable(file, 200)} has a `#` in its name, which begins a tool's name: rename it"
            )
        suffix = Path(file).suffix.lower()
        if suffix in {".json", ".jsonc"}:
            return self._of_client_file(file)
        if suffix == ".py":
            return self._of_python_file(file, tool)
        if suffix in NODE_SUFFIXES:
            return self._of_node_file(file, tool)
        if suffix in DOTNET_SUFFIXES:
            return Recognised((f"aptix-cs:{as_path(file)}{tool}",), "Aptix in C#")
        if os.access(self.root / file, os.X_OK):
            return Recognised((f"mcp:{_word(as_path(file))}{tool}",), "MCP")
        raise TargetError(
            f"{printable(file, 200)} is no tool that the suite knows: name a .py, .js, .ts, .dll or .csproj file, a "
            "client's mcp.json, or the command that starts a server"
        )

    def _of_node_file(self, file: str, tool: str) -> Recognised:
        text = source_text(self.root / file)
        if SERVER_NODE.search(text):
            return Recognised((f"mcp:node {_word(file)}{tool}",), "MCP")
        if makes_ai_sdk_tools(text):
            return Recognised((f"ai-sdk:{as_path(file)}{tool}",), _name("ai-sdk"))
        is_server = self._depends_on_mcp(file)
        return Recognised((f"mcp:node {_word(file)}{tool}",), "MCP") if is_server else _art(file, tool)

    def _of_client_file(self, file: str) -> Recognised:
        (files,) = (known.client_files for known in self.systems.profiles if known.client_files)
        servers = files.specs(file, self.root)
        disabled = frozenset(files.disabled(file, self.root))
        return Recognised(tuple(servers.values()), "MCP", file=file, servers=servers, disabled=disabled)

    def _of_python_file(self, file: str, tool: str) -> Recognised:
        system = system_of_python(source_text(self.root / file))
        if system == "mcp":
            return Recognised((f"mcp:{self.python()} {_word(file)}{tool}",), "MCP")
        if system == "amplifier":
            return Recognised((f"amplifier:{as_path(file)}{tool}",), "Amplifier")
        path = (self.root / file).absolute()
        names, folder = [path.stem], path.parent
        while is_file(folder / "__init__.py"):
            names, folder = [folder.name, *names], folder.parent
        module = ".".join(names).removesuffix(".__init__")
        if not all(name.isidentifier() for name in names):
            raise TargetError(
                f"{printable(file, 200)} has a name that no module of Python can have: rename it"
            )
        is_found = self._is_found(path, module, folder)
        return _of_objects(system, module, tool, () if is_found else (str(folder),))

    def _is_found(self, path: Path, module: str, folder: Path) -> bool:
        """Whether the file is what the project imports by the name of its module.

        Raises:
            TargetError: another file is: its verdict would stand under the name of this one.
        """
        places = dict.fromkeys((str(self.root), *self.sys_path))
        first = next((file for place in places if (file := module_file(Path(place), module))), None)
        if first is not None and os.path.realpath(first) == os.path.realpath(path):
            return True
        if first is not None or module.partition(".")[0] in sys.stdlib_module_names:
            is_standard = module.partition(".")[0] in sys.stdlib_module_names
            other = "one of the standard library" if is_standard else f"{printable(str(first), 200)} here"
            fix = "" if is_standard else f"run the command in {printable(str(folder), 200)}, or "
            raise TargetError(
                f"{printable(str(path), 200)} cannot be examined: its module, {printable(module, 100)}, is {other}; {fix}rename it"
            )
        return False

    def python(self) -> str:
        """The interpreter of the project, where it has an environment of its own; that of the suite is found by its name."""
        own = self.root / _PYTHON_HERE
        is_ours = os.path.realpath(own.parent.parent) == os.path.realpath(sys.prefix)
        return f"./{_PYTHON_HERE}" if own.exists() and not is_ours else "python"

    def _depends_on_mcp(self, file: str) -> bool:
        """Whether the package of a file depends on an SDK of MCP."""
        for folder in (self.root / file).absolute().parents:
            if is_file(folder / "package.json"):
                return bool(SERVER_NODE.search(source_text(folder / "package.json")))
        return False

    # ---- commands and modules

    def _of_command(self, text: str, program: str) -> Recognised:
        is_there = shutil.which(program) or shutil.which(program, path=str(Path(sys.executable).parent))
        if not (is_there or program in _PACKAGE_RUNNERS or is_file(self.root / program)):
            raise TargetError(f"there is no program {printable(program, 80)}: install it, or write its path")
        return Recognised((f"mcp:{text}",), "MCP")

    def _of_module(self, text: str) -> Recognised:
        name, colon, tool = text.partition(":")
        places = (str(self.root), str(self.root / "src"), *self.sys_path)
        for folder in dict.fromkeys(places) if is_dotted(name) else ():
            if (file := module_file(Path(folder), name)) is not None:
                return self._of_found_module(name, f":{tool}" if colon else "", folder, file)
        if not colon and shutil.which(text):
            return Recognised((f"mcp:{text}",), "MCP")
        if os.path.isdir(self.root / text):  # noqa: PTH112 - the name may be too long for a path
            raise TargetError(
                f"{printable(text, 200)} is a folder: name a file or a module in it, or run the command in it if it has a "
                "pyproject.toml with [tool.aptix-conformance]"
            )
        raise TargetError(f"there is no {printable(text, 200)}{nearest(name, near_names(self.root, name))}")

    def _of_found_module(self, name: str, tool: str, folder: str, file: Path) -> Recognised:
        system = system_of_python(source_text(file))
        if system == "mcp" and not tool:
            return Recognised((f"mcp:{self.python()} -m {name}",), "MCP")
        paths = () if folder in {str(self.root), *self.sys_path} else (folder,)
        if system == "amplifier" and not tool:
            return Recognised((f"amplifier:{name}",), "Amplifier", paths)
        return _of_objects(system, name, tool.replace(":", "#"), paths)


def system_of_python(text: str) -> str:
    """The system of a source file in Python: `amplifier`, `aptix`, `mcp` for a server, a framework; empty where it does not say.

    A server may serve the tools of a framework.
    """
    systems = {"amplifier": _AMPLIFIER, "aptix": _APTIX, "mcp": _SERVER_PYTHON, **_FRAMEWORKS}
    return next((system for system, pattern in systems.items() if pattern.search(text)), "")


def makes_ai_sdk_tools(text: str) -> bool:
    """Whether a source file in JavaScript or TypeScript imports the AI SDK and gives something an inputSchema."""
    return bool(_AI_SDK.search(text)) and "inputSchema" in text


def _of_objects(system: str, module: str, tool: str, paths: tuple[str, ...]) -> Recognised:
    """A module with tools of a framework, or with Aptix tools; `tool` is empty or has a # in front."""
    if system in _FRAMEWORKS:
        return Recognised((f"{system}:{module}{tool}",), _name(system), paths)
    return Recognised((f"aptix:{module}{tool.replace('#', ':')}",), "Aptix", paths)


def _name(system: str) -> str:
    return _NAMES.get(system, system or "a host of your own")


def _art(file: str, tool: str) -> Recognised:
    return Recognised((f"art:{as_path(file)}{tool}",), "ART")


def as_path(file: str) -> str:
    """A path that is seen to be one."""
    return file if file.startswith(("/", ".")) else f"./{file}"


def _word(text: str) -> str:
    """A path as one word of a command."""
    return text if re.fullmatch(r"[\w./+-]+", text) else "'" + text.replace("'", "'\\''") + "'"


def source_text(path: Path) -> str:
    """The text of a source file; empty where it cannot be read or is larger than any source file."""
    try:
        return read_bounded(path, _LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""
