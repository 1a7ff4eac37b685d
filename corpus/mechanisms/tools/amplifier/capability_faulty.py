"""Keeps short memories, and offers its store to other modules by a method that the coordinator does not have."""

from amplifier_core import ToolResult


class MemoryTool:
    name = "count_memories"
    description = "Counts the memories that are kept. Takes no arguments."
    input_schema = {"type": "object", "properties": {}}

    def __init__(self, store):
        self.store = store

    async def execute(self, input):
        return ToolResult(success=True, output={"count": len(self.store)})


async def mount(coordinator, config):
    store = ["The user prefers tea."]
    tool = MemoryTool(store)
    await coordinator.mount("tools", tool, name=tool.name)
    coordinator.register_contributor("observability.events", "tool-memory", lambda: ["memory:counted"])
    coordinator.set_capability("memory.store", store)
    return tool
