"""The tool's variants: how each is installed, started and named, and its examination with a fault."""

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aptix_conformance import Run, RunOptions
from aptix_conformance.core.model.report import Report
from corpus.environments import install
from corpus.examine import inline_toml
from corpus.same_tool.faults import HERE, Fault
from corpus.servers import Server

_EXAMPLE: Final[dict[str, Any]] = {
    "arguments": {"zone": "home", "kilograms": 2},
    "result": {"zone": "home", "price": 7.0},
}
_EXAMPLES, _TIMEOUT = 20, 5.0
_SERVER: Final = "mcp:postage"
_MADE: Final = "made_tool"
"""The module that has the tool of a framework."""
_MAKERS: Final = {
    ".py": "from {stem} import make\n\nquote_postage = make({fault})\n",
    ".mjs": "import {{ make }} from './{stem}.mjs';\n\nexport const quote_postage = make({fault});\n",
}
"""Its source, by the suffix of the file that has `make`."""


@dataclass(frozen=True)
class Variant:
    """The tool on one SDK of MCP, with a framework, or as an Aptix tool.

    `sdk` is the SDK or the framework, where it is not one of this environment.
    """

    title: str
    system: str
    program: str
    """Its file in `tools/`."""
    sdk: Server | None = None

    @property
    def name(self) -> str:
        """The name of its environment and of its reports."""
        return self.sdk.name if self.sdk else f"same-tool-{self.system}"

    def install(self, servers: Path) -> Path:
        """Install its SDK in a folder of its own below `servers`, unless that is done; gives that folder.

        Raises:
            CalledProcessError: pip or npm cannot install it.
            OSError: there is no npm.
        """
        place = install(self.sdk, servers) if self.sdk else servers / self.name
        place.mkdir(parents=True, exist_ok=True)
        return place

    def examine(
        self, fault: Fault, project: Path, examples: int = _EXAMPLES, *, with_server: bool = False
    ) -> Report:
        """Examine the tool with a fault, and its server with it where that is wanted.

        Args:
            fault: the fault, or `conforming`.
            project: a folder in the one that `install` gives, for the tool and its configuration.
            examples: drawn calls of each generating probe.
            with_server: whether the server has entries of its own, one for each revision that it speaks.

        Raises:
            ConformanceError: the suite cannot run.
        """
        tools = project / "tool"
        shutil.copytree(HERE / "tools", tools, dirs_exist_ok=True)
        if self.is_of_a_framework:
            suffix = Path(self.program).suffix
            made = _MAKERS[suffix].format(stem=self._module, fault=json.dumps(fault.name))
            (tools / f"{_MADE}{suffix}").write_text(made, encoding="utf-8")
        (project / "pyproject.toml").write_text(self._configuration(fault, project), encoding="utf-8")
        options = RunOptions(examples=examples, timeout=_TIMEOUT, sys_path=(str(tools), *sys.path))
        with Run.open(project, options) as run:
            found = run.find(_SERVER if with_server else self._target(fault))
            return run.report([*run.reports.failed_reports(found), *run.examine_each(found)])

    def _target(self, fault: Fault) -> str:
        if self.system == "mcp":
            return f"{_SERVER}#quote_postage"
        if self.is_of_a_framework:
            place = _MADE if self.program.endswith(".py") else f"./tool/{_MADE}.mjs"
            return f"{self.system}:{place}#quote_postage"
        words = "PostageTool" if fault.name == "conforming" else fault.name.title().replace("-", "")
        return f"aptix:{self._module}:{words}"

    @property
    def is_of_a_framework(self) -> bool:
        """Whether the tool is an object that `make` of its module gives."""
        return self.system not in {"aptix", "mcp"}

    @property
    def _module(self) -> str:
        return Path(self.program).stem

    def _configuration(self, fault: Fault, project: Path) -> str:
        """The `pyproject.toml` of its project. A JSON string is a TOML one."""
        examples = [_EXAMPLE, dict(fault.example)] if fault.example else [_EXAMPLE]
        tables = [
            f"[tool.aptix-conformance.tool.{json.dumps(self._target(fault))}]",
            f"examples = {inline_toml(examples)}",
        ]
        if self.system == "mcp":
            command = json.dumps(self._command(fault, project))
            tables += [f'[tool.aptix-conformance.tool."{_SERVER}"]', f"command = {command}"]
        return "\n".join([*tables, ""])

    def _command(self, fault: Fault, project: Path) -> Sequence[str]:
        python = self.program.endswith(".py")
        first = str(project.parent / "venv" / "bin" / "python") if python else "node"
        return [first, str(project / "tool" / self.program), fault.name]


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
    Variant("LangChain", "langchain", "postage_langchain.py"),
    Variant("OpenAI Agents", "openai-agents", "postage_openai_agents.py"),
    Variant("Pydantic AI", "pydantic-ai", "postage_pydantic_ai.py"),
    Variant("AI SDK", "ai-sdk", "postage_ai_sdk.mjs", Server("same-tool-ai-sdk", "npm:ai@7.0.173")),
)
