"""The tool's five variants: how each is installed, started and named, and its examination with a fault."""

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aptix_conformance import Run, RunOptions
from corpus.environments import install
from corpus.examine import inline_toml
from corpus.same_tool.faults import HERE, Fault
from corpus.servers import Server

_EXAMPLE: Final[dict[str, Any]] = {
    "arguments": {"zone": "home", "kilograms": 2},
    "result": {"zone": "home", "price": 7.0},
}
_EXAMPLES, _BUDGET, _TIMEOUT = 20, 20.0, 5.0


@dataclass(frozen=True)
class Variant:
    """The tool on one SDK, or without one as an Aptix tool."""

    title: str
    system: str
    """`mcp` or `aptix`."""
    program: str
    """Its file in `tools/`."""
    sdk: Server | None = None

    @property
    def name(self) -> str:
        """The name of its environment and of its reports."""
        return self.sdk.name if self.sdk else "same-tool-aptix"

    def examine(self, fault: Fault, cache: Path, report: Path) -> None:
        """Examine the tool with a fault, and write its report.

        Raises:
            ConformanceError: the suite cannot run.
            CalledProcessError: its SDK cannot be installed.
        """
        servers = cache / "servers"
        place = install(self.sdk, servers) if self.sdk else servers / self.name
        shutil.copytree(HERE / "tools", place / "tool", dirs_exist_ok=True)
        project = place / fault.name
        project.mkdir(exist_ok=True)
        (project / "pyproject.toml").write_text(self._configuration(fault, place), encoding="utf-8")
        options = RunOptions(
            examples=_EXAMPLES,
            budget=_BUDGET,
            timeout=_TIMEOUT,
            sys_path=(str(place / "tool"), *sys.path),
        )
        with Run.open(project, options) as run:
            found = run.find(self._target(fault))
            made = [*run.reports.failed_reports(found), *run.examine_each(found)]
            run.write_report(str(report), run.report(made))

    def _target(self, fault: Fault) -> str:
        if self.sdk:
            return "mcp:postage#quote_postage"
        words = "PostageTool" if fault.name == "conforming" else fault.name.title().replace("-", "")
        return f"aptix:{Path(self.program).stem}:{words}"

    def _configuration(self, fault: Fault, place: Path) -> str:
        """The `pyproject.toml` of its project. A JSON string is a TOML one."""
        examples = [_EXAMPLE, dict(fault.example)] if fault.example else [_EXAMPLE]
        tables = [
            f"[tool.aptix-conformance.tool.{json.dumps(self._target(fault))}]",
            f"examples = {inline_toml(examples)}",
        ]
        if self.sdk:
            command = json.dumps(self._command(fault, place))
            tables += ['[tool.aptix-conformance.tool."mcp:postage"]', f"command = {command}"]
        return "\n".join([*tables, ""])

    def _command(self, fault: Fault, place: Path) -> Sequence[str]:
        python = self.program.endswith(".py")
        first = str(place / "venv" / "bin" / "python") if python else "node"
        return [first, str(place / "tool" / self.program), fault.name]


VARIANTS: Final = (
    Variant("`mcp` 1.30.0", "mcp", "mcp_server.py", Server("same-tool-mcp-1", "pypi:mcp==1.30.0")),
    Variant("`mcp` 2.3.0", "mcp", "mcp_server.py", Server("same-tool-mcp-2", "pypi:mcp==2.3.0")),
    Variant(
        "`@modelcontextprotocol/sdk` 1.32.2",
        "mcp",
        "npm_1.mjs",
        Server("same-tool-npm-1", "npm:@modelcontextprotocol/sdk@1.32.2"),
    ),
    Variant(
        "`@modelcontextprotocol/server` 2.4.0",
        "mcp",
        "npm_2.mjs",
        Server("same-tool-npm-2", "npm:@modelcontextprotocol/server@2.4.0"),
    ),
    Variant("an Aptix tool", "aptix", "postage_aptix.py"),
)
