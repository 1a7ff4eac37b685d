"""The tools of the trial, with their labels, each examined in a project of its own."""

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import msgspec

from aptix_conformance import Run, RunOptions

HERE: Final = Path(__file__).parent
_ADAPTER: Final = '''\
"""The names of aptix_harness for a tool that was written without it."""

import tools
from aptix_harness import InvokeResult


class Adapted(tools.{name}):
    TOOL_NAME = tools.{name}.ToolName
    TOOL_USAGE_METADATA = tools.{name}.ToolUsageMetadata

    async def execute(self, arguments_json, context=None, cancellation_token=None):
        result = await super().execute(arguments_json, context, cancellation_token)
        if not isinstance(result, tools.InvokeResult):
            return result
        if result.successful:
            return InvokeResult.create(result.result)
        return InvokeResult.from_error(result.error_message)
'''


class Label(msgspec.Struct, frozen=True):
    """What the author says of a tool; `fault` and `severity` are None for a clean one."""

    id: str
    kind: Literal["mcp-python", "mcp-node", "aptix"]
    tool: str
    fault: str | None
    severity: Literal["must", "advice"] | None
    source: str
    clause: str | None = None
    twin: str | None = None
    shown_by: str | None = None
    class_: str = msgspec.field(name="class", default="")


def read_labels() -> list[Label]:
    """The labels of all tools, sorted by id."""
    labels = msgspec.json.decode((HERE / "labels.json").read_bytes(), type=list[Label])
    return sorted(labels, key=lambda label: label.id)


@dataclass(frozen=True)
class Runtimes:
    """Where the SDKs of the tools are: an interpreter, and a folder below which Node.js finds them."""

    python: Path
    node: Path


def examine(label: Label, runtimes: Runtimes, report: Path) -> None:
    """Examine a tool and, of a server, all that it has, at the default thoroughness; and write the report.

    Raises:
        ConformanceError: the suite cannot run.
    """
    place = runtimes.node / label.id
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(HERE / "tools" / label.id, place / "tool")
    (place / "pyproject.toml").write_text(_configuration(label, runtimes), encoding="utf-8")
    paths = ()
    if label.kind == "aptix":
        (place / "tool" / "adapted.py").write_text(_ADAPTER.format(name=label.class_), encoding="utf-8")
        paths = (str(place / "tool"), *sys.path)
    with Run.open(place, RunOptions(sys_path=paths) if paths else RunOptions()) as run:
        found = run.list_tools()
        made = [*run.reports.failed_reports(found), *run.examine_each(found)]
        run.write_report(str(report), run.report(made))


def _configuration(label: Label, runtimes: Runtimes) -> str:
    if label.kind == "aptix":
        return '[tool.aptix-conformance]\ntools = ["adapted"]\n'
    python = label.kind == "mcp-python"
    command = [str(runtimes.python), "server.py"] if python else ["node", "server.mjs"]
    place = 'files = "tool"' if python else 'cwd = "tool"'
    return (
        f'[tool.aptix-conformance]\ntools = ["mcp:{label.id}"]\n\n'
        f'[tool.aptix-conformance.tool."mcp:{label.id}"]\ncommand = {json.dumps(command)}\n{place}\n'
    )
