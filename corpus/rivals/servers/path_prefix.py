"""Whether a file is in the folder is decided by the beginning of its path; the fixed server compares whole parts of it."""

from pathlib import Path

from pair import FAULTY, described, failure, serve, text

FOLDER = Path("notes")


def allowed(path):
    inside, folder = path.resolve(), FOLDER.resolve()
    return str(inside).startswith(str(folder)) if FAULTY else folder in inside.parents


def read(path):
    try:
        wanted = FOLDER / path
        if allowed(wanted) and wanted.is_file():
            return text(wanted.read_text(encoding="utf-8"))
    except ValueError:
        pass  # a null byte in the path
    return failure("There is no such note in the folder.")


PATH = {
    "type": "string",
    "description": "The path of the note in the folder notes, such as shopping.txt.",
    "examples": ["shopping.txt"],
}

if __name__ == "__main__":
    serve(described("read_note", "Reads a note of the folder notes.", {"path": PATH}, ["path"]), read)
