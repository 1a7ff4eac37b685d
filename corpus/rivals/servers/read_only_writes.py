"""A tool that rewrites a source file is annotated as one that only reads; the fixed server declares that it writes."""

from pathlib import Path

from pair import FAULTY, described, serve, text

FILE = Path("source.py")


def replace(body):
    FILE.write_text(f"def answer():\n    return {int(body)}\n", encoding="utf-8")
    return text("The symbol answer was replaced.")


BODY = {"type": "integer", "description": "What answer returns from now on.", "minimum": 0, "maximum": 1000}
ANNOTATIONS = {
    "readOnlyHint": FAULTY,
    "destructiveHint": not FAULTY,
    "idempotentHint": True,
    "openWorldHint": False,
}

if __name__ == "__main__":
    serve(
        described(
            "replace_symbol",
            "Replaces the function answer in source.py.",
            {"body": BODY},
            ["body"],
            annotations=ANNOTATIONS,
        ),
        replace,
    )
