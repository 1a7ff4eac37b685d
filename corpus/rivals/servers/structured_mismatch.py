"""The structured content lacks a required member of the output schema, and has another one; the fixed server conforms."""

from pair import FAULTY, described, serve, structured

NOTES = {"garden": ["tomatoes", "beans"], "books": ["Middlemarch"], "empty": []}


def listed(folder):
    found = {"folder": folder, "notes": NOTES[folder]}
    return structured(
        found | {"count": len(NOTES[folder])} if FAULTY else found | {"total": len(NOTES[folder])}
    )


FOLDER = {"type": "string", "description": "The folder.", "enum": list(NOTES)}
OUTPUT = {
    "type": "object",
    "properties": {
        "folder": {"type": "string"},
        "notes": {"type": "array", "items": {"type": "string"}},
        "total": {"type": "integer"},
    },
    "required": ["folder", "notes", "total"],
    "additionalProperties": False,
}

if __name__ == "__main__":
    serve(
        described(
            "list_notes", "Lists the notes of a folder.", {"folder": FOLDER}, ["folder"], outputSchema=OUTPUT
        ),
        listed,
    )
