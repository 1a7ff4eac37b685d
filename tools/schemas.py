"""The published JSON Schemas, made from the types. The build hook puts them into the wheel.

  python -m tools.schemas report     # print one: report or host-protocol
  python -m tools.schemas --digests  # write the digests of formats.json anew

`formats.json` has the digest of the schema of each format. Once a release has written a format, its digest stays: a change of its
schema needs another version.
"""

import argparse
import ast
import hashlib
import inspect
import json
from itertools import pairwise
from pathlib import Path
from typing import Final

from aptix_conformance.core.model import report
from aptix_conformance.core.model.codec import JsonSchema, Record, schemas_of
from aptix_conformance.hosts import message_schemas, protocol
from aptix_conformance.systems.registry import OURS

DIGESTS: Final = Path(__file__).with_name("formats.json")


def report_schema() -> JsonSchema:
    """The whole document; `$defs` has each record by its name.

    The string below a member of a record in `core/model/report.py` is the member's description.
    """
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
    """The strings below the members of each record of `core/model/report.py`, by record and member."""
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


def schemas() -> dict[str, JsonSchema]:
    """Each published schema, by its path in the wheel."""
    messages = f"aptix_conformance/hosts/host-protocol-{protocol.VERSION}.schema.json"
    return {
        "aptix_conformance/present/reports/report.schema.json": report_schema(),
        messages: message_schemas.document(OURS.traits),
    }


def text_of(schema: JsonSchema) -> str:
    """The content of the file of a schema."""
    return json.dumps(schema, indent=1, ensure_ascii=True) + "\n"


def digests() -> dict[str, str]:
    """The digest of the schema of each format, as it is now."""
    formats = (report.FORMAT, f"host-protocol/{protocol.VERSION}")
    return {
        form: "sha256:" + hashlib.sha256(text_of(schema).encode()).hexdigest()
        for form, schema in zip(formats, schemas().values(), strict=True)
    }


def _main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.schemas", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("name", nargs="?", choices=("report", "host-protocol"))
    what.add_argument("--digests", action="store_true")
    options = parser.parse_args()
    if options.digests:
        DIGESTS.write_text(json.dumps(digests(), indent=2) + "\n", encoding="ascii")
    else:
        print(text_of(next(schema for path, schema in schemas().items() if options.name in path)), end="")


if __name__ == "__main__":
    _main()
