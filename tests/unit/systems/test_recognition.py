"""What a person names becomes target specs, and a name that is close is said where nothing has that name."""

import json

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.systems.recognition import Recogniser
from aptix_conformance.systems.registry import OURS

FILES = {
    "server.py": "from mcp.server.fastmcp import FastMCP\n",
    "bare server.py": 'if method == "tools/list":\n',
    "my_tools.py": "class WeatherTool:\n    TOOL_NAME = 'weather'\n",
    "notes.py": "async def mount(coordinator, config):\n    pass\n",
    "uses_servers.py": "from mcp import ClientSession\nasync def mount(coordinator):\n    pass\n",
    "asks_servers.py": "from mcp import ClientSession\nclass T:\n    TOOL_USAGE_METADATA = None\n",
    "other/my_tools.py": "",
    "other/queue.py": "",
    "a#b.py": "",
    "my_pkg/search.py": "from langchain_core.tools import tool\n",
    "my_pkg/orders.py": "from agents import Agent, function_tool\n",
    "my_pkg/bills.py": "from agents import (\n    Agent,  # (ours)\n    function_tool,\n)\n",
    "my_pkg/rates.py": "from pydantic_ai import FunctionToolset\n",
    "my_pkg/taxes.py": "from pydantic_ai import (  # Agent\n    RunContext,\n    Tool,\n)\n",
    "my_pkg/shops.py": "import agents\n\n\n@agents.function_tool\ndef order() -> str: ...\n",
    "my_pkg/crews.py": "import agents\n\ncrew = agents.Team()  # no function_tool\n",
    "my_pkg/others.py": "from agents import (\n    Team,  # a function_tool\n)\nTool = function_tool = Team()\n",
    "my_pkg/__init__.py": "",
    "my_pkg/tools.py": "",
    "my_pkg/serving.py": "import fastmcp\n",
    "src/inner/__init__.py": "",
    "dist/server.js": 'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";',
    "weather.mjs": "export class WeatherTool {}",
    "route/tools.ts": "import {\n  tool,\n} from 'ai';\nexport const t = tool({ inputSchema: s });",
    "route/agent.ts": "import { generateText } from 'ai';\n",
    "route/serving.ts": "import { tool } from 'ai';\ninputSchema\nimport x from '@modelcontextprotocol/sdk/server';",
    "route/asking.ts": "import { tool } from 'ai';\ninputSchema\nimport { Client } from '@modelcontextprotocol/sdk/client/index.js';",
    "route/shared.ts": "import { tool } from '@ai-sdk/provider-utils';\nexport const t = tool({ inputSchema: s });",
    "app/package.json": '{"dependencies": {"@modelcontextprotocol/sdk": "1"}}',
    "app/main.js": 'import "./server.js";',
    "Tools.dll": "",
    "mcp.json": json.dumps({"mcpServers": {"a": {"command": "a"}, "b": {"command": "b", "disabled": True}}}),
}


@pytest.fixture
def recognise(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    return Recogniser(OURS, tmp_path, ()).recognise


@pytest.mark.parametrize(
    ("text", "specs", "system"),
    [
        ("server.py", ["mcp:python server.py"], "MCP"),
        ("./server.py#add", ["mcp:python ./server.py#add"], "MCP"),
        ("bare server.py", ["mcp:python 'bare server.py'"], "MCP"),
        ("sh server.sh --fast", ["mcp:sh server.sh --fast"], "MCP"),
        ("uvx some-server", ["mcp:uvx some-server"], "MCP"),
        ("my_tools.py", ["aptix:my_tools"], "Aptix"),
        ("my_pkg/tools.py", ["aptix:my_pkg.tools"], "Aptix"),
        ("my_pkg.tools", ["aptix:my_pkg.tools"], "Aptix"),
        ("my_pkg.tools:Weather", ["aptix:my_pkg.tools:Weather"], "Aptix"),
        ("my_pkg.serving", ["mcp:python -m my_pkg.serving"], "MCP"),
        ("inner", ["aptix:inner"], "Aptix"),
        ("notes.py", ["amplifier:./notes.py"], "Amplifier"),
        ("uses_servers.py", ["amplifier:./uses_servers.py"], "Amplifier"),
        ("asks_servers.py", ["aptix:asks_servers"], "Aptix"),
        ("sh 'my server.sh'", ["mcp:sh 'my server.sh'"], "MCP"),
        ("my_pkg/search.py#web", ["langchain:my_pkg.search#web"], "LangChain"),
        ("my_pkg.search", ["langchain:my_pkg.search"], "LangChain"),
        ("my_pkg.rates", ["pydantic-ai:my_pkg.rates"], "Pydantic AI"),
        ("route/tools.ts#t", ["ai-sdk:./route/tools.ts#t"], "AI SDK"),
        ("route/asking.ts", ["ai-sdk:./route/asking.ts"], "AI SDK"),
        ("route/shared.ts", ["ai-sdk:./route/shared.ts"], "AI SDK"),
        ("route/agent.ts", ["art:./route/agent.ts"], "ART"),
        ("route/serving.ts", ["mcp:node route/serving.ts"], "MCP"),
        ("my_pkg.orders", ["openai-agents:my_pkg.orders"], "OpenAI Agents"),
        ("my_pkg.bills", ["openai-agents:my_pkg.bills"], "OpenAI Agents"),
        ("my_pkg.shops", ["openai-agents:my_pkg.shops"], "OpenAI Agents"),
        ("my_pkg.crews", ["aptix:my_pkg.crews"], "Aptix"),
        ("my_pkg.taxes", ["pydantic-ai:my_pkg.taxes"], "Pydantic AI"),
        ("my_pkg.others", ["aptix:my_pkg.others"], "Aptix"),
        ("./dist/server.js", ["mcp:node ./dist/server.js"], "MCP"),
        ("app/main.js", ["mcp:node app/main.js"], "MCP"),
        ("weather.mjs", ["art:./weather.mjs"], "ART"),
        ("Tools.dll#My.Tool", ["aptix-cs:./Tools.dll#My.Tool"], "Aptix in C#"),
        ("http://127.0.0.1:8/mcp", ["mcp:http://127.0.0.1:8/mcp"], "MCP"),
        ("mcp:http://127.0.0.1:8/mcp", ["mcp:http://127.0.0.1:8/mcp"], "MCP"),
        ("art:./weather.mjs", ["art:./weather.mjs"], "ART"),
        ("mcp.json", ["mcp:@mcp.json:a", "mcp:@mcp.json:b"], "MCP"),
    ],
)
def test_a_name_becomes_the_specs_of_its_system(recognise, text, specs, system):
    found = recognise(text)
    assert (list(found.specs), found.system) == (specs, system)
    assert all(OURS.specs.parse(spec) for spec in found.specs)


def test_a_server_that_a_file_disables_is_told_apart(recognise):
    assert recognise("mcp.json").disabled == {"b"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("my_tol", "there is no my_tol (did you mean my_tools?)"),
        ("my_pkg.toolz", "there is no my_pkg.toolz (did you mean my_pkg.tools?)"),
        ("sever.py", "there is no sever.py (did you mean server.py?)"),
        ("./dist/srever.js", "there is no ./dist/srever.js (did you mean ./dist/server.js?)"),
        ("no-such-program-here server.py", "there is no program no-such-program-here: install it"),
        ("dist", "dist is a folder: name a file or a module in it"),
        ("other/my_tools.py", "its module, my_tools, is "),
        ("other/queue.py", "its module, queue, is one of the standard library; rename it"),
        ("a#b.py", "a#b.py has a `#` in its name, which begins a tool's name: rename it"),
        ("'my program' x", "there is no program my program"),
        ("sh 'x", "a quotation mark is open in sh 'x: close it"),
        ("a" * 5_000, "(5,000 characters)"),
        ("", "a target is empty: name a file, a module or a server"),
        ("\x1b[31m\n", r"there is no \x1b[31m"),
    ],
)
def test_a_name_that_nothing_has_is_one_line_with_the_nearest(recognise, text, said):
    with pytest.raises(TargetError) as raised:
        recognise(text)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
