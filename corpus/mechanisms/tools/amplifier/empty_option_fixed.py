"""Searches notes, of one kind where the model asks for one; an empty text is no kind, as models send it."""

from amplifier_core import ToolResult

NOTES = {"md": ["Bread and butter"], "txt": ["Milk"]}


class NotesTool:
    name = "search_notes"
    description = "Finds notes that hold a text. type says of which kind they have to be, md or txt; other kinds are refused."
    input_schema = {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What a note has to hold."},
            "type": {"type": "string", "description": "md or txt; left out or empty, both."},
        },
        "required": ["text"],
    }

    async def execute(self, input):
        text, kind = input.get("text"), input.get("type", "md")
        if not isinstance(text, str) or not isinstance(kind, str):
            return ToolResult(
                success=False, error={"message": "text is required; text and type have to be texts."}
            )
        kinds = [input["type"]] if input.get("type") else list(NOTES)
        if set(kinds) - set(NOTES):
            return ToolResult(success=False, error={"message": "The type is not known. Known are: md, txt."})
        return ToolResult(
            success=True, output={"notes": [note for each in kinds for note in NOTES[each] if text in note]}
        )


async def mount(coordinator, config):
    tool = NotesTool()
    await coordinator.mount("tools", tool, name=tool.name)
    coordinator.register_contributor("observability.events", "tool-notes", lambda: ["notes:searched"])
    return tool
