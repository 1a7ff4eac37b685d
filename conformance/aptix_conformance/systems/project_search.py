"""Finds the tools of a project by the text of its files, as targets that `Recogniser.recognise` takes.

Nothing is imported or started. A text has to show more here than for a file that a person names: that it makes and starts a
server, or defines a tool. Tests, documentation, and what is installed or built are passed over.
"""

import json
import os
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from aptix_conformance.core.files import is_file
from aptix_conformance.core.text import printable
from aptix_conformance.systems.near_names import NODE_SUFFIXES
from aptix_conformance.systems.recognition import (
    SERVER_NODE,
    as_path,
    makes_ai_sdk_tools,
    source_text,
    system_of_python,
)
from aptix_conformance.targets.spec import is_dotted

_MOST_FILES: Final = 5_000
_PASSED_OVER: Final = frozenset(
    {
        "__pycache__",
        "node_modules",
        "site-packages",
        "venv",
        "build",
        "dist",
        "bin",
        "obj",
        "test",
        "tests",
        "docs",
    }
)
_TEST: Final = re.compile(r"(?:^|[._-])(?:test|tests|spec|conftest)\.|^test_|\.d\.[cm]?ts$")
_MAKES_SERVER: Final = re.compile(r"\b(?:FastMCP|MCPServer|McpServer|Server)\s*\(")
_STARTS: Final = re.compile(r"""__name__\s*==\s*["']__main__|\.run\w*\s*\(|\.(?:connect|start|listen)\s*\(""")
_BARE_SERVER: Final = re.compile(r"""["'`]tools/list["'`]""")
_AMPLIFIER_TOOLS: Final = re.compile(r"""["']tools["']""")
_FRAMEWORK_TOOL: Final = {
    "langchain": re.compile(
        r"^[ \t]*@tool\b|\btool\(|\b(?:Structured)?Tool(?:\.from_function)?\(|\([ \t]*BaseTool\b",
        re.MULTILINE,
    ),
    "openai-agents": re.compile(r"@(?:agents\.)?function_tool\b|\b(?:function_tool|FunctionTool)\("),
    "pydantic-ai": re.compile(
        r"@\w+\.tool(?:_plain)?\b|\b(?:Tool(?:\.from_schema)?|FunctionToolset)\(|\btools[ \t]*=[ \t]*\["
    ),
}
"""What makes a tool of a framework in a module, by the name of the system."""
_ART: Final = (re.compile(r"\binputSchema\b"), re.compile(r"\bexecute\s*\("), re.compile(r"\bcallId\b"))
_EXPORT: Final = re.compile(r"^[ \t]*export\b|\bmodule\.exports\b|\bexports\.\w", re.MULTILINE)
_EXECUTE: Final = re.compile(r"\bexecute\b\s*[:(]")
"""What a module of tools of the AI SDK has, besides an inputSchema: exports, and a function that the suite can call."""
_DOTNET_TOOL: Final = re.compile(r"\bIAgentTool\b")
_DOTNET_TESTS: Final = "Microsoft.NET.Test.Sdk"
_CLIENT_FILES: Final = ("mcp.json", ".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json")


@dataclass(frozen=True, slots=True)
class ProjectTargets:
    """The targets in a project, in a stable order, and sentences on what a person has to do before more can be found."""

    targets: tuple[str, ...]
    notes: tuple[str, ...] = ()


def find_targets(root: Path, python: str) -> ProjectTargets:
    """The targets in a project; `python` is the interpreter that starts servers in Python, as a command has it."""
    search = _Search(root, python)
    targets = tuple(dict.fromkeys(search.targets()))
    notes = list(search.notes)
    if not targets:
        notes += [
            f"{name} names servers: to examine them, name it"
            for name in _CLIENT_FILES
            if is_file(root / name)
        ]
    return ProjectTargets(targets, tuple(notes))


@dataclass
class _Search:
    root: Path
    python: str
    notes: list[str] = field(default_factory=list)

    @cached_property
    def files(self) -> Sequence[str]:
        """The paths of the project's source files from its folder, sorted by folder."""
        found: list[str] = []
        for folder, folders, names in os.walk(self.root):
            inside = Path(folder)
            folders[:] = sorted(
                name
                for name in folders
                if not _is_passed_over(name) and not is_file(inside / name / "pyvenv.cfg")
            )
            relative = inside.relative_to(self.root)
            found += [(relative / name).as_posix() for name in sorted(names) if not _TEST.search(name)]
            if len(found) > _MOST_FILES:
                self.notes.append(f"only the first {_MOST_FILES:,} files were looked at: name the others")
                break
        return found[:_MOST_FILES]

    def targets(self) -> Iterator[str]:
        packages = list(self._node_packages())
        yield from (target for _, target in packages)
        started = list(self._python_scripts())
        yield from (target for _, target in started)
        roots = {folder for folder, _ in packages}
        with_script = {folder for folder, _ in started}
        for file in self.files:
            path, suffix = Path(file), Path(file).suffix.lower()
            if suffix == ".py":
                yield from self._of_python_file(
                    file, has_script=any(path.is_relative_to(each) for each in with_script)
                )
            elif suffix in NODE_SUFFIXES:
                yield from self._of_node_file(file, has_bin=any(path.is_relative_to(each) for each in roots))
            elif suffix == ".cs" and _DOTNET_TOOL.search(source_text(self.root / file)):
                yield from self._of_dotnet_file(path)

    # ---- Python

    def _of_python_file(self, file: str, *, has_script: bool) -> Iterator[str]:
        text = source_text(self.root / file)
        system = system_of_python(text)
        if system == "mcp":
            is_bare = _BARE_SERVER.search(text) and "stdin" in text
            if not has_script and (is_bare or (_MAKES_SERVER.search(text) and _STARTS.search(text))):
                yield self._start_of(file)
        elif system == "amplifier":
            if _AMPLIFIER_TOOLS.search(text):
                yield self._amplifier(file)
        elif system == "aptix" or (system in _FRAMEWORK_TOOL and _FRAMEWORK_TOOL[system].search(text)):
            yield _as_target(file)

    def _start_of(self, file: str) -> str:
        """The command for a server's file: by its module where it is in a package, so that it can import its neighbours."""
        path = Path(file)
        names = [*path.parent.parts, *([] if path.stem == "__main__" else [path.stem])]
        module = ".".join(names[1:] if names[:1] == ["src"] else names)
        is_in_package = is_file(self.root / path.with_name("__init__.py"))
        return f"{self.python} -m {module}" if is_in_package and is_dotted(module) else _as_target(file)

    def _python_scripts(self) -> Iterator[tuple[str, str]]:
        """The folders of packages whose script is a server, and the script."""
        scripts = _table(_toml(self.root / "pyproject.toml"), "project", "scripts")
        for name, entry in sorted(scripts.items()):
            module = str(entry).partition(":")[0]
            places = [
                f"{base}{module.replace('.', '/')}{end}"
                for base in ("", "src/")
                for end in (".py", "/__init__.py")
            ]
            file = next((place for place in places if is_file(self.root / place)), None)
            if file is None or not any(
                system_of_python(source_text(self.root / each)) == "mcp" for each in self._around(file)
            ):
                continue
            own = f".venv/bin/{name}"
            if is_file(self.root / own):
                yield Path(file).parent.as_posix(), f"./{own}"
            elif shutil.which(name):
                yield Path(file).parent.as_posix(), f"mcp:{name}"
            else:
                self.notes.append(f"the script {printable(name, 60)} is not installed: pip install -e .")

    def _around(self, file: str) -> list[str]:
        """A file and its neighbours in its folder, where that is a package."""
        folder = Path(file).parent
        is_package = is_file(self.root / folder / "__init__.py")
        return [each for each in self.files if Path(each).parent == folder] if is_package else [file]

    def _amplifier(self, file: str) -> str:
        """The folder whose pyproject.toml has the entry point of a module, else its package or file."""
        for folder in Path(file).parents:
            project = _toml(self.root / folder / "pyproject.toml")
            if _table(project, "project", "entry-points", "amplifier.modules"):
                return f"amplifier:{'.' if folder == Path() else as_path(folder.as_posix())}"
        path = Path(file)
        place = path.parent if path.name == "__init__.py" else path
        return f"amplifier:{as_path(place.as_posix())}"

    # ---- Node.js

    def _node_packages(self) -> Iterator[tuple[str, str]]:
        """The folders of packages that depend on an SDK of MCP, and the file that each runs."""
        for file in self.files:
            if Path(file).name != "package.json":
                continue
            package, folder = _json(self.root / file), Path(file).parent
            needs = {**_table(package, "dependencies"), **_table(package, "peerDependencies")}
            if not any(SERVER_NODE.search(name) for name in needs):
                continue
            named = package.get("bin") or package.get("main")
            program = next(iter(named.values()), None) if isinstance(named, dict) else named
            if not isinstance(program, str) or not (started := (folder / program).as_posix()):
                continue
            if is_file(self.root / started):
                yield folder.as_posix(), as_path(started)
            else:
                self.notes.append(
                    f"{printable(file, 200)} names {printable(started, 200)}, which is not built: npm install && npm run build"
                )

    def _of_node_file(self, file: str, *, has_bin: bool) -> Iterator[str]:
        text = source_text(self.root / file)
        if SERVER_NODE.search(text):
            is_bare = _BARE_SERVER.search(text) and "stdin" in text
            if not has_bin and (is_bare or (_MAKES_SERVER.search(text) and _STARTS.search(text))):
                yield _as_target(file)
        elif all(part.search(text) for part in _ART) or (
            makes_ai_sdk_tools(text) and _EXPORT.search(text) and _EXECUTE.search(text)
        ):
            yield _as_target(file)

    # ---- C#

    def _of_dotnet_file(self, file: Path) -> Iterator[str]:
        """The project file around a tool; else its folder, whose sources are compiled together."""
        projects = (
            each for each in self.files if each.endswith(".csproj") and file.is_relative_to(Path(each).parent)
        )
        project = max(projects, key=lambda each: len(Path(each).parts), default=None)
        if project is None:
            yield f"aptix-cs:{file.as_posix() if file.parent == Path() else file.parent.as_posix()}"
        elif _DOTNET_TESTS not in source_text(self.root / project):
            yield _as_target(project)


def _as_target(file: str) -> str:
    """A file's path so that nothing takes it for a target spec or an option, whatever its name."""
    return as_path(file) if ":" in file or file.startswith("-") else file


def _is_passed_over(name: str) -> bool:
    return name.startswith(".") or name in _PASSED_OVER or name.endswith(".egg-info")


def _table(document: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    for key in keys:
        value = document.get(key)
        document = value if isinstance(value, dict) else {}
    return document


def _toml(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(source_text(path))
    except (ValueError, RecursionError):
        return {}


def _json(path: Path) -> Mapping[str, Any]:
    try:
        value = json.loads(source_text(path))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
