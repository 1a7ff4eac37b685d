"""The tools of a project are found by the text of its files; what only looks like a tool is not."""

import json

import pytest

from aptix_conformance.systems.project_search import find_targets
from aptix_conformance.systems.recognition import Recogniser
from aptix_conformance.systems.registry import OURS

FASTMCP = "from mcp.server.fastmcp import FastMCP\napp = FastMCP('notes')\n"
RUN = "if __name__ == '__main__':\n    app.run()\n"
BARE = "import sys\nknown = {'tools/list': 1}\nfor line in sys.stdin: ...\n"
APTIX = "class WeatherTool:\n    TOOL_USAGE_METADATA = ''\n"
MOUNT = "async def mount(coordinator, config):\n    await coordinator.mount('tools', Notes())\n"
AI_SDK = "import { tool } from 'ai';\nexport const t = tool({ inputSchema: s, execute: async () => 1 });"
ART = "export class T { schema = { inputSchema: {} }; async execute(input, c) { return { callId: c.callId }; } }"
NODE = "import { McpServer } from '@modelcontextprotocol/sdk';\nconst s = new McpServer({});\ns.connect(t);\n"
ON_SDK = {"dependencies": {"@modelcontextprotocol/sdk": "1"}}
SCRIPT = "[project.scripts]\nnotes = 'notes.server:main'\n"
MODULE = '[project.entry-points."amplifier.modules"]\ntool-notes = "notes"\n'


def found_in(root, files):
    for name, text in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return find_targets(root, "python")


@pytest.mark.parametrize(
    ("files", "spec"),
    [
        ({"server.py": FASTMCP + RUN}, "mcp:python server.py"),
        ({"server.py": BARE}, "mcp:python server.py"),
        ({"notes/__init__.py": "", "notes/server.py": FASTMCP + RUN}, "mcp:python -m notes.server"),
        ({"__main__.py": FASTMCP + RUN}, "mcp:python __main__.py"),
        ({"my-notes/__init__.py": "", "my-notes/server.py": FASTMCP + RUN}, "mcp:python my-notes/server.py"),
        ({"src/notes/__init__.py": "", "src/notes/__main__.py": FASTMCP + RUN}, "mcp:python -m notes"),
        (
            {
                "pyproject.toml": SCRIPT,
                "src/notes/__init__.py": "",
                "src/notes/server.py": FASTMCP + RUN,
                ".venv/bin/notes": "",
            },
            "mcp:./.venv/bin/notes",
        ),
        ({"my_tools.py": APTIX}, "aptix:my_tools"),
        ({"mcp:sh evil.py": FASTMCP + RUN}, "mcp:python './mcp:sh evil.py'"),
        ({"-c.py": FASTMCP + RUN}, "mcp:python ./-c.py"),
        ({"my_tools.py": "from langchain_core.tools import tool\n@tool\ndef f(): ..."}, "langchain:my_tools"),
        ({"my_tools.py": "from agents import function_tool\n@function_tool\n"}, "openai-agents:my_tools"),
        ({"my_tools.py": "import agents\n@agents.function_tool\n"}, "openai-agents:my_tools"),
        ({"my_tools.py": "from pydantic_ai import Agent\na = Agent()\n@a.tool_plain\n"}, "pydantic-ai:my_tools"),
        ({"notes.py": MOUNT}, "amplifier:./notes.py"),
        ({"pyproject.toml": MODULE, "notes/__init__.py": MOUNT}, "amplifier:."),
        ({"notes/__init__.py": MOUNT}, "amplifier:./notes"),
        ({"tools/weather.ts": ART}, "art:./tools/weather.ts"),
        ({"lib/tools.ts": AI_SDK}, "ai-sdk:./lib/tools.ts"),
        ({"tools.ts": f"import '@modelcontextprotocol/client';\n{AI_SDK}"}, "ai-sdk:./tools.ts"),
        ({"server.mjs": NODE}, "mcp:node server.mjs"),
        (
            {"package.json": {**ON_SDK, "bin": {"notes": "dist/index.js"}}, "dist/index.js": "", "src/index.ts": NODE},
            "mcp:node ./dist/index.js",
        ),
        ({"My/My.csproj": "", "My/Weather.cs": "class Weather : IAgentTool {}"}, "aptix-cs:./My/My.csproj"),
        ({"My/Weather.cs": "class Weather : IAgentTool {}", "My/Text.cs": ""}, "aptix-cs:My"),
        ({"Weather.cs": "class Weather : IAgentTool {}"}, "aptix-cs:Weather.cs"),
    ],
)  # fmt: skip
def test_each_kind_of_project_has_one_target(tmp_path, files, spec):
    found = found_in(tmp_path, files)
    (tmp_path / ".venv/bin/notes").exists() and (tmp_path / ".venv/bin/notes").chmod(0o755)
    assert found.notes == ()
    (target,) = found.targets
    assert Recogniser(OURS, tmp_path, ()).recognise(target).specs == (spec,)


@pytest.mark.parametrize(
    "files",
    [
        {"client.py": "from mcp import ClientSession\nif __name__ == '__main__':\n    go()\n"},
        {"library.py": FASTMCP},
        {"provider.py": "async def mount(coordinator, config):\n    coordinator.mount('providers', P())\n"},
        {"uses.py": "from langchain_core.tools import BaseTool\ndef run(tool: BaseTool): ...\n"},
        {"agent.py": "from pydantic_ai import Agent\nagent = Agent('model')\n"},
        {"reader.py": "text = tool.TOOL_USAGE_METADATA\n"},
        {"vercel.ts": "export const t = tool({ inputSchema: z.object({}), execute: async () => 1 });"},
        {"asks.ts": AI_SDK.replace("execute: async () => 1", "")},
        {"route.ts": AI_SDK.replace("export ", "")},
        {"tests/server.py": FASTMCP + RUN, "test_tools.py": APTIX, "weather.test.ts": ART},
        {"env/pyvenv.cfg": "", "env/my_tools.py": APTIX, ".cache/my_tools.py": APTIX},
        {"node_modules/x/server.js": NODE},
        {
            "T/T.csproj": '<PackageReference Include="Microsoft.NET.Test.Sdk" />',
            "T/F.cs": "class F : IAgentTool {}",
        },
        {"pyproject.toml": "no TOML [", "package.json": "no JSON"},
    ],
)
def test_what_is_no_tool_of_the_project_is_passed_over(tmp_path, files):
    assert found_in(tmp_path, files).targets == ()


def test_a_server_that_is_not_built_and_a_clients_file_are_said(tmp_path):
    found = found_in(tmp_path, {"package.json": {**ON_SDK, "main": "dist/index.js"}, "mcp.json": {}})
    assert found.targets == ()
    assert ["not built" in found.notes[0], "mcp.json names servers" in found.notes[1]] == [True, True]


def test_a_script_that_is_not_installed_is_said_and_its_module_found(tmp_path):
    found = found_in(
        tmp_path, {"pyproject.toml": SCRIPT, "notes/__init__.py": "", "notes/server.py": FASTMCP + RUN}
    )
    assert found.targets == ("python -m notes.server",)
    assert found.notes == ("the script notes is not installed: pip install -e .",)
