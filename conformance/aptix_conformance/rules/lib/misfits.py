"""How a tool's data breaks a JSON Schema. The data are the tool's, so the validator may be unable to show them."""

from collections.abc import Iterator
from typing import Any, Final, Protocol

import jsonschema_rs

from aptix_conformance.core.text import printable

_LONGEST: Final = 160
Misfit = tuple[tuple[str | int, ...], str]
"""The place in the schema, as a path, and what is said of the value there."""
_UNSHOWN: Final[Misfit] = ((), "it holds half of a character, or nests too deeply to show where")


class Validator(Protocol):
    """A validator of `jsonschema_rs`, of any draft."""

    def is_valid(self, instance: Any) -> bool:
        """Whether the schema allows a value."""

    def iter_errors(self, instance: Any) -> Iterator[jsonschema_rs.ValidationError]:
        """The errors of a value that the schema forbids."""


def misfits(validator: Validator, value: Any) -> Iterator[Misfit]:
    """Each way in which a value breaks a schema; nothing where the validator cannot read the value.

    The validator tells that a value with a lone surrogate, or of more than 255 levels, is not valid, and raises ValueError where
    it should say why.
    """
    try:
        if validator.is_valid(value):
            return
    except ValueError:
        return
    try:
        for error in validator.iter_errors(value):
            place = "".join(f"/{part}" for part in error.instance_path)
            message = printable(f"{error.message}{f' at {place}' if place else ''}", _LONGEST)
            yield tuple(error.schema_path), message
    except ValueError:
        yield _UNSHOWN
