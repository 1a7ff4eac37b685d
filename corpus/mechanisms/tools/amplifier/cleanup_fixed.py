"""Keeps short memories; its store can be closed, and cleaning up closes it."""

from amplifier_core import ToolResult


class Store:
    """Its connections live for one operation each."""

    def read(self):
        return ["The user prefers tea."]

    def close(self):
        """Nothing is open."""


class MemoryTool:
    name = "list_memories"
    description = "Lists the memories that are kept. Takes no arguments."
    input_schema = {"type": "object", "properties": {}}

    def __init__(self, store):
        self.store = store

    async def execute(self, input):
        return ToolResult(success=True, output={"memories": self.store.read()})


async def mount(coordinator, config):
    store = Store()
    tool = MemoryTool(store)
    await coordinator.mount("tools", tool, name=tool.name)
    coordinator.register_contributor("observability.events", "tool-memory", lambda: ["memory:listed"])

    async def cleanup():
        store.close()

    return cleanup
