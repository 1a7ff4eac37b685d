"""JSON Schemas of every message of the host protocol, built from the records that the parent reads.

The wheel holds them as `host-protocol-1.schema.json`: one document, with a definition for each message.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from aptix_conformance.core.model import (
    Declaration,
    Disturbed,
    Facts,
    LogRecord,
    Raised,
    Result,
    SystemTraits,
)
from aptix_conformance.core.model.codec import schemas_of
from aptix_conformance.hosts.host import Listing
from aptix_conformance.hosts.protocol import VERSION

LARGEST_ID: Final = 2**53

Schema = dict[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_ID: Final[Schema] = {"type": "integer", "minimum": 0, "exclusiveMaximum": LARGEST_ID}
_ANY_OBJECT: Final[Schema] = {"type": "object"}
_OBJECT_OR_NULL: Final[Schema] = {"type": ["object", "null"]}


def document(systems: Iterable[SystemTraits]) -> Schema:
    """The whole document, for the tools of some systems.

    `$defs` maps names such as `tools/execute.request` and `log.notification` to the schemas of messages. The schemas check the shape of a message. They do not check that each request has exactly one answer with its id.
    """
    definitions = _records(tuple(systems)) | _calls()
    for method, params, result in _requests():
        definitions[f"{method}.request"] = _message(id=_ID, method={"const": method}, params=params)
        definitions[f"{method}.response"] = _message(id=_ID, result=result)
    definitions["error.response"] = _message(
        id=_ID, error=_object({"code": {"type": "integer"}, "message": _TEXT}, open_=True)
    )
    for method, params in _notifications():
        definitions[f"{method}.notification"] = _message(method={"const": method}, params=params)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Messages of the host protocol, version {VERSION}",
        "anyOf": [_ref(name) for name in definitions if name.rpartition(".")[2] in _SORTS],
        "$defs": definitions,
    }


_SORTS: Final = ("request", "response", "notification")


def schema_of(name: str, whole: Schema) -> Schema:
    """The schema of one message or record of the document, as a document of its own."""
    return {"$schema": whole["$schema"], "$ref": f"#/$defs/{_escaped(name)}", "$defs": whole["$defs"]}


def _requests() -> list[tuple[str, Schema, Schema]]:
    call = _ref("Call.params")
    initialize = _object(
        {"protocol": {"const": VERSION}, "root": _TEXT, "module": _TEXT},
        qualname=_TEXT,
        services={"type": "object", "additionalProperties": _TEXT},
        handles={
            "type": "object",
            "propertyNames": {"pattern": "^[0-9]+$"},
            "additionalProperties": {
                "enum": ["tool", "returns", "refuses", "raises", "hangs", "prints", "waits"]
            },
        },
    )
    describe = _object({}, threads={"const": 2}, cleanup={"const": True}, tool=_TEXT)
    words = {"type": "array", "items": _TEXT}
    initialized = _object({"protocol": {"const": VERSION}, "host": _TEXT, "capabilities": words}, open_=True)
    calls = _object({"calls": {"type": "array", "items": call, "minItems": 1}})
    answers = _object({"answers": {"type": "array", "items": _ref("Call.result")}}, open_=True)
    return [
        ("initialize", initialize, initialized),
        ("tools/list", _object({}), _ref("Listing")),
        ("tools/describe", describe, _ref("Declaration")),
        ("tools/execute", call, _ref("Call.result")),
        ("tools/execute_together", calls, answers),
        ("shutdown", _object({}), _ANY_OBJECT),
    ]


def _notifications() -> list[tuple[str, Schema]]:
    log = _object({"call": _ID, "record": _ref("LogRecord")}, place={"type": "integer", "minimum": 0})
    return [
        ("$/cancel", _object({"id": _ID})),
        ("log", log),
        ("incident", _object({"words": _TEXT}, open_=True)),
    ]


def _calls() -> dict[str, Schema]:
    """The params of a call, and its three kinds of result."""
    params = _object(
        {"arguments": {"type": ["string", "null"]}, "context": _OBJECT_OR_NULL},
        disturbance=_TEXT,
        handle=_ID,
    )
    counted: Schema = {"token_consultations": {"type": "integer"}, "incident": {"type": ["string", "null"]}}
    counted["network"] = counted["looks"] = counted["left_changed"] = {"type": "array", "items": _TEXT}
    counted["descriptors"] = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
    counted["held"] = {"type": "object", "additionalProperties": counted["descriptors"]}
    counted["disturbed"] = {"anyOf": [_ref("Disturbed"), {"type": "null"}]}
    outcomes = [
        _object({"outcome": {"const": "returned"}, "result": _ref("Result")}, open_=True, **counted),
        _object({"outcome": {"const": "raised"}, "raised": _ref("Raised")}, open_=True, **counted),
        _object({"outcome": {"const": "not_constructed"}}, open_=True, raised=_nullable("Raised"), **counted),
    ]
    return {"Call.params": params, "Call.result": {"oneOf": outcomes}}


def _nullable(name: str) -> Schema:
    return {"anyOf": [_ref(name), {"type": "null"}]}


def _message(**members: Schema) -> Schema:
    return _object({"jsonrpc": {"const": "2.0"}, **members})


def _object(required: Mapping[str, Schema], *, open_: bool = False, **optional: Schema) -> Schema:
    """An object with these members. With `open_`, others are allowed too."""
    schema: Schema = {"type": "object", "properties": {**required, **optional}, "required": list(required)}
    return schema if open_ else {**schema, "additionalProperties": False}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{_escaped(name)}"}


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1").replace("$", "%24")


def _bare(schema: Any) -> Any:
    """The schema of a record without titles, descriptions and defaults, which are not part of the shape."""
    if isinstance(schema, list):
        return [_bare(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _bare(part) for name, part in value.items()} if key == "properties" else _bare(value)
        for key, value in schema.items()
        if key not in ("title", "description", "default")
    }


def _records(systems: tuple[SystemTraits, ...]) -> dict[str, Schema]:
    """The records of the protocol. On the wire, facts of one system are in a member with the name of that system."""
    kinds = [kind for system in systems for kind in (system.facts, system.result_facts) if kind]
    documented = schemas_of(Declaration, Disturbed, Listing, LogRecord, Raised, Result, *kinds)
    shapes = {name: _bare(schema) for name, schema in documented.items() if name != Facts.__name__}
    declared, returned = shapes["Declaration"]["properties"], shapes["Result"]["properties"]
    for name in ("facts", "traits"):
        declared.pop(name)
    returned.pop("facts")
    declared["system"] = {"enum": [system.name for system in systems]}
    for system in systems:
        for kind, properties in ((system.facts, declared), (system.result_facts, returned)):
            if kind is not None:
                properties[system.name] = _nullable(kind.__name__)
    return shapes
