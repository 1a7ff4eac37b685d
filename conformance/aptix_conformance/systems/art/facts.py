"""The facts that only ART's tools declare, and that only their results contain."""

import json
from typing import Literal

from aptix_conformance.core.model import DeclaredExample, Facts, SchemaReading
from aptix_conformance.core.model.codec import Record


class Oddity(Record, frozen=True):
    """A JavaScript value that JSON cannot represent, or changes: what it is, and where.

    `place` is a path such as `output.rows[3].total`, empty for the whole. `what` is a word: `undefined`, `NaN`,
    `-Infinity`, `-0`, `BigInt`, `function`, `symbol`, `cycle`, `hole`, `getter`, `toJSON`, `proxy`, `lone surrogate`,
    `too deep`, `too many`, or `class NAME` for an instance of a class.
    """

    place: str
    what: str


class Compilation(Record, frozen=True):
    """What the validator of the tool's own project made of one of its schemas: `fault` is why it took it for none."""

    validator: str
    """Name and version, as `ajv 8.17.1`."""
    fault: str | None = None


class ArtTool(Facts, frozen=True):
    """What only an ART tool declares, as its host read it.

    `schema` is the JSON text of the whole schema, as `JSON.stringify` gives it.
    """

    exported: Literal["class", "instance", "factory"]
    schema: SchemaReading
    oddities: tuple[Oddity, ...] = ()
    """Those in the schema."""
    neighbours: tuple[str, ...] = ()
    """The names of the other tools that its module exports, as they stand in their schemas."""
    input_compiled: Compilation | None = None
    """None where its project has no validator, or where there is no schema to compile."""
    output_compiled: Compilation | None = None
    members: tuple[str, ...] = ()
    """The names of what the tool has, its own and its classes'; those of functions end with `()`."""

    def examples(self) -> tuple[DeclaredExample, ...]:
        """Those in the schema whose input is an object; none where the schema cannot be read."""
        try:
            schema = json.loads(self.schema.text) if self.schema.text is not None else None
        except (ValueError, RecursionError):
            return ()
        listed = schema.get("examples") if isinstance(schema, dict) else None
        return tuple(
            DeclaredExample(number, each["input"], each.get("output"), "output" in each)
            for number, each in enumerate(listed if isinstance(listed, list) else (), start=1)
            if isinstance(each, dict) and isinstance(each.get("input"), dict)
        )


class ArtResult(Facts, frozen=True):
    """What an ART tool's `execute` resolved to, audited before it was serialised.

    `kind` is what it is at all: `object` for a plain object or an instance of a class, else the name of a type.
    `text` is its JSON text, as `JSON.stringify` gives it. Where that throws, for `fault`, `text` is what can be written of an
    object, with null at the places `unwritten`; None where nothing can.
    """

    kind: str
    text: str | None = None
    fault: str | None = None
    oddities: tuple[Oddity, ...] = ()
    unwritten: tuple[str, ...] = ()
    """Paths such as `output.count`, of the first 50 values that cannot be written."""

    def texts(self) -> tuple[str, ...]:
        """The JSON text."""
        return (self.text,) if self.text else ()
