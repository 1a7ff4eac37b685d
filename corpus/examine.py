"""The examination of one server, over stdio, or of one package with tools, with the suite's default thoroughness."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from aptix_conformance import FoundTools, Run, RunOptions
from corpus.servers import HERE, Server

_DEADLINE = 1_500.0
"""Seconds for all tools of one server."""
_NEWEST = ("2026-07-28", "2025-11-25")


def examine(server: Server, place: Path, report: Path) -> None:
    """Examine an installed server, and write its report.

    Raises:
        ConformanceError: the suite cannot run.
    """
    write_files(server, place / "files")
    if server.target:
        module = Path(server.target.partition(":")[2]).with_suffix(".py" if server.is_python else ".mjs")
        shutil.copy(HERE / "framework_tools" / module, place / module)
    (place / "pyproject.toml").write_text(_configuration(server, place), encoding="utf-8")
    with Run.open(place, RunOptions(memory=server.memory, deadline=_DEADLINE)) as run:
        found = run.list_tools()
        if server.tools and not server.target:
            found = _with_server(run, server, found)
        made = [*run.reports.failed_reports(found), *run.examine_each(found)]
        run.write_report(str(report), run.report(made))


def _with_server(run: Run, server: Server, chosen: FoundTools) -> FoundTools:
    """Add the server itself, in the revisions to examine it in: a list of tools names only tools."""
    newest = max((tool.declaration.edition for tool in chosen.tools), default="")
    revisions = revisions_to_examine(newest.removeprefix("mcp-"))
    entries = run.find(*(f"mcp:{server.name}#@{revision}" for revision in revisions))
    # A server on 2026-07-28 need not speak the older revision.
    return FoundTools((*entries.tools, *chosen.tools), chosen.failures, chosen.notes)


def revisions_to_examine(newest: str) -> list[str]:
    """The revisions to examine a server in whose newest one is known: the two newest that there are, or its own older one."""
    return [revision for revision in _NEWEST if revision <= newest] or [newest] * bool(newest)


def _configuration(server: Server, place: Path) -> str:
    """The `pyproject.toml` of its project. A JSON string is a TOML one."""
    target = server.target or f"mcp:{server.name}"
    targets = [f"{target}#{tool}" for tool in server.tools] or [target]
    tables = [
        f"[tool.aptix-conformance]\ntools = {json.dumps(targets)}\n",
        f"[tool.aptix-conformance.tool.{json.dumps(target)}]\n",
        _program(server, place),
        f"env = {inline_toml(dict(server.env))}\n" if server.env else "",
        'files = "files"\n' if server.files else "",
        f"confined_to = {json.dumps(server.confined_to)}\n" if server.confined_to else "",
        f"timeout = {server.timeout}\n" if server.timeout else "",
    ]
    for tool, calls in sorted(server.examples.items()):
        tables += [
            f"[tool.aptix-conformance.tool.{json.dumps(f'{target}#{tool}')}]\n",
            f"examples = {inline_toml(list(map(dict, calls)))}\n",
        ]
    return "".join(tables)


def _program(server: Server, place: Path) -> str:
    """The line that says what runs it; tools in JavaScript need none."""
    if not server.target:
        return f"command = {json.dumps(_command(server, place))}\n"
    return f"python = {json.dumps(str(place / 'venv' / 'bin' / 'python'))}\n" if server.is_python else ""


def _command(server: Server, place: Path) -> list[str]:
    name, _ = server.requirement
    if server.is_python:
        return [str(place / "venv" / "bin" / (server.program or name)), *server.arguments]
    return ["npx", "-y", name, *server.arguments]


def inline_toml(value: Any) -> str:
    """A JSON value without null as TOML, on one line."""
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{json.dumps(key)} = {inline_toml(each)}" for key, each in value.items()) + " }"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(inline_toml, value)) + "]"
    return json.dumps(value)


def write_files(server: Server, folder: Path) -> None:
    """Write the files that a server, or a package, finds in its working directory into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in server.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if repository := server.repository:
        who = ["-c", "user.name=corpus", "-c", "user.email=corpus@example.invalid"]
        for words in (["init", "-q", "-b", "main"], ["add", "."], [*who, "commit", "-q", "-m", "first"]):
            subprocess.run(["git", *words], cwd=folder / repository, check=True)
