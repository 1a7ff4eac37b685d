"""The lock record: what a tool shows to a model, kept in one readable file, so that a change is seen.

The text is made for review in a diff: keys in canonical order, the usage text line by line, and nothing in it that
does not print, so that a bidirectional mark in a description cannot hide in a reviewer's editor.
"""

import contextlib
import json
import re
from collections.abc import Iterable
from typing import Any, Final

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model import Call, Declaration, Kind
from aptix_conformance.core.model.codec import MOST_VALUES, Json, Record, from_json, most_values, to_json
from aptix_conformance.core.schemas.canonical import canonical, fingerprint, parse_schema
from aptix_conformance.core.schemas.shapes import Shape, infer
from aptix_conformance.core.text import printable

LARGEST: Final = 50_000_000
"""Bytes of a file of schemas beyond which it is not read."""

_SHORT_TEXT = 65_536
_FIXED = (Kind.EXAMPLE, Kind.MINIMAL, Kind.FULL)

HOW_TO_FIX = (
    "restore it from version control, or write it again: pytest --aptix-conformance --snapshot-update"
)


class LockRecord(Record, frozen=True):
    """One tool's lock. `usage_text` is split at line feeds only, so that joining gives it back exactly.

    `result_shape` is what the successful results of fixed calls look like (`shapes.py`); None in a lock that was made
    without calls, and in old locks.
    """

    tool: str
    schema: Any
    usage_text: tuple[str, ...]
    fingerprint: str
    result_shape: Shape | None = None

    def text(self) -> str:
        """The text of the lock file: JSON, indented by two, ending in a line feed."""
        members = to_json(self)
        if self.result_shape is None and isinstance(members, dict):
            del members["result_shape"]
        text = json.dumps(members, indent=2, ensure_ascii=False)
        # Outside of strings JSON is printable ASCII and line feeds, so whatever is escaped here is in a string.
        return re.sub(r"[^\x20-\x7e\n]", lambda match: _escaped(match[0]), text) + "\n"


def lock_text(tool: str, declaration: Declaration, result_shape: Shape | None = None) -> str:
    """The text of the lock of a tool as it is declared now; a usage text that is missing counts as empty.

    Raises:
        RecordError: there is no schema to lock, or it has no canonical form.
    """
    text = declaration.schema.text
    if text is None:
        reason = printable(declaration.schema.error or declaration.schema.outcome, 300)
        raise RecordError(
            f"{printable(tool)} has no schema to lock ({reason}); fix {declaration.traits.schema_source} first"
        )
    return lock_record(tool, parse_schema(text), declaration.usage_text.value or "", result_shape).text()


def result_shape(calls: Iterable[Call]) -> Shape | None:
    """The shape of a tool's results, from the calls that every run makes alike; None where none of them succeeded.

    What is drawn depends on the seed and the budget, and a lock must not.
    """
    values = []
    for call in calls:
        text = call.result.payload if call.result else None
        fixed = call.plan.probe == "valid" and call.plan.change.original.kind in _FIXED
        if fixed and call.succeeded and text is not None and _is_of_some_size(text):
            with contextlib.suppress(ValueError, RecursionError):  # RES003 reports it
                values.append(json.loads(text))
    return infer(values) or None


def _is_of_some_size(payload: str) -> bool:
    """Whether the suite can hold the values of a payload beside those of others."""
    return len(payload) <= _SHORT_TEXT or most_values(payload.encode("utf-8", "surrogatepass")) <= MOST_VALUES


def lock_record(tool: str, schema: Json, usage_text: str, result_shape: Shape | None = None) -> LockRecord:
    """The lock of a tool, from its schema as parsed.

    Raises:
        RecordError: the schema has no canonical form.
    """
    # Parsed back from the canonical form: one order of keys and one form for each number.
    ordered = json.loads(canonical(schema))
    return LockRecord(tool, ordered, tuple(usage_text.split("\n")), fingerprint(schema), result_shape)


def read_lock(text: str, where: str) -> LockRecord:
    """Read the text of a lock file; `where` names the file.

    Raises:
        RecordError: it is truncated, no JSON, of another form, has more values than any tool can declare, or its schema
            is not the one of its fingerprint.
    """
    if len(text) > _SHORT_TEXT and most_values(text.encode("utf-8", "surrogatepass")) > MOST_VALUES:
        raise RecordError(f"{where} has more than {MOST_VALUES:,} JSON values; {HOW_TO_FIX}")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{where} is not the JSON of a lock ({error}); {HOW_TO_FIX}") from None
    try:
        record = from_json(LockRecord, data, "lock")
        value = fingerprint(record.schema)
    except RecordError as error:
        raise RecordError(f"{where} is not a lock ({error}); {HOW_TO_FIX}") from None
    if value != record.fingerprint:
        raise RecordError(f"{where} was edited by hand: its schema has the fingerprint {value}; {HOW_TO_FIX}")
    return record


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
