"""Describes a picture; answers with a ToolResult, as the protocol asks."""

from amplifier_core import ToolResult

KINDS = {"png": "lossless", "jpg": "lossy"}


class PictureTool:
    name = "describe_picture"
    description = "Says how a picture is stored, by the ending of its name. Give it a file name that ends in png or jpg."
    input_schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "pattern": r"\.(png|jpg)$", "description": "Such as a.png."}
        },
        "required": ["name"],
    }

    async def execute(self, input):
        name = input.get("name")
        ending = name.rpartition(".")[2] if isinstance(name, str) and "." in name else ""
        if ending not in KINDS:
            return ToolResult(success=False, error={"message": "name is required, and ends in .png or .jpg."})
        return ToolResult(success=True, output={"stored": KINDS[ending]})


async def mount(coordinator, config):
    tool = PictureTool()
    await coordinator.mount("tools", tool, name=tool.name)
    coordinator.register_contributor("observability.events", "tool-picture", lambda: ["picture:described"])
    return tool
