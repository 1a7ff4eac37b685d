"""Extracts the JSON Schema of a tool's arguments from its declaration, or says why there is none.

A schema is hostile data. References out of the document are not followed. A schema that is too large, too deep or
invalid is refused here, once, with a message for people.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

import jsonschema_rs

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model import Declaration, Draft
from aptix_conformance.core.schemas.dialects import as_2020_12
from aptix_conformance.stimuli.generate.expansion_size import overgrown

MAX_TEXT: Final = 1_000_000
"""The maximum length of a schema text, in characters; nothing is generated from a longer one."""


def usable_schema(declaration: Declaration) -> tuple[Mapping[str, Any] | None, str | None]:
    """The parameters schema of a tool, parsed, and None; or None and why arguments cannot be made from it.

    Both shapes of function schema are read: `parameters` at the top, or inside `function`. A schema of an older draft,
    declared or, by its system, undeclared, is given as 2020-12 would write it.
    """
    reading = declaration.schema
    if reading.outcome != "returned" or reading.text is None:
        said = reading.error or reading.outcome
        return (
            None,
            "there is no schema" if said == "there is no schema" else f"the tool gave no schema: {said}",
        )
    if len(reading.text) > MAX_TEXT:
        return None, f"the schema has {len(reading.text)} characters; at most {MAX_TEXT} are read"
    try:
        emitted = json.loads(reading.text)
    except (ValueError, RecursionError) as error:
        return None, f"the schema's text is no JSON that can be read: {error}"
    if not isinstance(emitted, dict):
        return None, "the schema is not a JSON object"
    inner = emitted.get("function")
    parameters = emitted.get("parameters", inner.get("parameters") if isinstance(inner, dict) else None)
    if not isinstance(parameters, dict):
        return None, "the schema has no object named parameters"
    return _as_read(parameters, declaration.undeclared_draft(parameters))


def description_of(declaration: Declaration) -> str:
    """What the schema's text says that the tool does; empty where it says nothing that can be read."""
    text = declaration.schema.text
    try:
        emitted = json.loads(text) if text is not None and len(text) <= MAX_TEXT else None
    except (ValueError, RecursionError):
        return ""
    inner = emitted.get("function", emitted) if isinstance(emitted, dict) else None
    said = inner.get("description") if isinstance(inner, dict) else None
    return said if isinstance(said, str) else ""


def _as_read(
    written: Mapping[str, Any], undeclared: Draft | None
) -> tuple[Mapping[str, Any] | None, str | None]:
    try:
        schema: Mapping[str, Any] = as_2020_12(written, undeclared)
    except RecordError as error:
        return None, str(error)
    reason = fault(schema)
    return (None, reason) if reason else (schema, None)


def fault(schema: Mapping[str, Any]) -> str | None:
    """Why a JSON Schema cannot be used to make and judge arguments; None where it can."""
    reason = overgrown(schema)
    if reason:
        return reason
    try:
        jsonschema_rs.Draft202012Validator(dict(schema), offline=True)
    except ValueError as error:  # jsonschema-rs's own errors are all of this kind
        what, *_ = str(error).splitlines()  # the further lines name no place in the schema, or a long one
        return f"parameters are no usable JSON Schema: {what[:300]}"
    return None
