"""Tools in JavaScript as source text, and a pool that runs them."""

import json
import shutil
from pathlib import Path

from tests.stimuli import stimulus

from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.pools import Systems
from aptix_conformance.targets import Target, ToolSettings

JITI = Path(__file__).parents[4] / "reference_tools" / "art" / "node_modules" / "jiti"
AI_SDK = Path(__file__).parents[4] / "reference_tools" / "ai-sdk-toolbox" / "node_modules" / "ai"
CONTEXT = {"callId": "c-1", "traceId": "t-1", "threadId": "h-1"}
TOOL = """
export class Tool {
  schema = { name: 'tool', description: 'Does it.', inputSchema: { type: 'object', properties: {} } };
  async execute(input, context) {
    const answer = { callId: context.callId, toolName: this.schema.name, status: 'success' };
    %s
  }
}
"""


class Bench:
    def __init__(self, place):
        self.place = place
        limits = Limits(timeout=5.0, start=20.0)
        self.systems = Systems(Environment(rootdir=place, sys_path=(), limits=limits))
        self.number = 0

    def write(self, name, text):
        file = self.place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def with_jiti(self, project):
        """Let a project have the jiti of the reference tools."""
        (self.place / project / "node_modules").mkdir()
        (self.place / project / "node_modules" / "jiti").symlink_to(JITI)

    def open(self, locator, export="Tool", **settings):
        target = Target(f"art:{locator}#{export}", "art", locator, export)
        return self.systems.open(target, ToolSettings(**settings))

    def tool(self, body, **settings):
        """A tool whose execute is `body`, in a process of its own."""
        self.number += 1
        self.write(f"tool{self.number}.mjs", TOOL % body)
        return self.open(f"./tool{self.number}.mjs", **settings)

    def call(self, body, arguments="{}", **settings):
        return self.tool(body, **settings).execute(stimulus("test", "generated", arguments, CONTEXT))

    def output(self, expression):
        """What becomes of an output."""
        return self.call(f"return {{ ...answer, output: {expression} }};").result

    def tools(self, locator):
        return self.systems.list_tools("art", locator, ToolSettings()).tools


class AISDKBench(Bench):
    """A project with the AI SDK, whose tools are in `tools.mjs`; a context manager that closes their hosts."""

    def __init__(self, place, module):
        super().__init__(place)
        shutil.copytree(AI_SDK.parent, place / "node_modules", symlinks=True)
        self.write("package.json", '{"type": "module"}')
        self.write("tools.mjs", module)
        self.hosts = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.systems.close()

    def opened(self, name, place="./tools.mjs", **services):
        """The host of a tool, one for all that ask for it."""
        key = (name, *services.items())
        if key not in self.hosts:
            target = Target(f"ai-sdk:{place}#{name}", "ai-sdk", place, name)
            self.hosts[key] = self.systems.open(target, ToolSettings(services=services))
        return self.hosts[key]

    def listed(self, place="./tools.mjs"):
        """The names of a module's tools, and why others are passed over, by what they are."""
        listing = self.systems.list_tools("ai-sdk", place, ToolSettings())
        return listing.tools, dict(note.split(" ", 1) for note in listing.passed_over)


def called(host, arguments="{}", point=None):
    return host.execute(stimulus("test", "generated", arguments, None, disturbance=point))


def result(host, **arguments):
    return called(host, json.dumps(arguments)).result
