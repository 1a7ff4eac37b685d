"""The published JSON Schema of reports, made from their types.

It is shipped as `report.schema.json`; `python -m aptix_conformance.reports.schema` writes it. The string below a member
of a record in `model/report.py` is the member's description.
"""

import ast
import inspect
import json
from itertools import pairwise
from pathlib import Path
from typing import Final

from aptix_conformance.model import report
from aptix_conformance.model.codec import JsonSchema, Record, schemas_of

FILE: Final = Path(__file__).with_name("report.schema.json")


def document() -> JsonSchema:
    """The whole document; `$defs` has each record by its name."""
    definitions = {name: _untitled(schema) for name, schema in schemas_of(report.Report).items()}
    for name, members in descriptions().items():
        for member, text in members.items():
            definitions[name]["properties"][member]["description"] = text
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": report.FORMAT,
        "$ref": "#/$defs/Report",
        "$defs": definitions,
    }


def descriptions() -> dict[str, dict[str, str]]:
    """The strings below the members of each record of `model/report.py`, by record and member."""
    found: dict[str, dict[str, str]] = {}
    for statement in ast.parse(inspect.getsource(report)).body:
        known = getattr(report, statement.name, None) if isinstance(statement, ast.ClassDef) else None
        if isinstance(statement, ast.ClassDef) and isinstance(known, type) and issubclass(known, Record):
            found[statement.name] = _members(statement)
    return found


def _members(record: ast.ClassDef) -> dict[str, str]:
    found = {}
    for member, following in pairwise(record.body):
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            assert isinstance(following, ast.Expr), f"{record.name}.{member.target.id} has no description"
            found[member.target.id] = inspect.cleandoc(ast.literal_eval(following.value))
    return found


def _untitled(schema: JsonSchema) -> JsonSchema:
    return {key: value for key, value in schema.items() if key != "title"}


def text() -> str:
    """The content of the file `report.schema.json`."""
    return json.dumps(document(), indent=1, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="ascii")
