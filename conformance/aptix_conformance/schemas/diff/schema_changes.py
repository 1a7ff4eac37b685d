"""A change of a schema: its class, its stable code, its path in the schema, and a message for people."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Any, Final


class ChangeClass(IntEnum):
    """From harmless to harmful; the class of a comparison is the greatest of its changes'."""

    IDENTICAL = 0
    """The same calls and the same texts, possibly written differently."""
    DOCUMENTATION = 1
    """Only what a model reads: descriptions, titles, examples, the usage text."""
    COMPATIBLE = 2
    """Every call that was allowed still is."""
    UNKNOWN = 3
    """The class is not known; a gate treats it as breaking."""
    BREAKING = 4
    """Some call that was allowed is refused, or a promised result is gone."""

    @property
    def label(self) -> str:
        """The name in reports, in lower case."""
        return self.name.lower()


CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "additional-properties-closed": "undeclared arguments were welcome and are not any more",
        "additional-properties-false-added": "an explicit `additionalProperties: false` was written down",
        "additional-properties-false-dropped": "an explicit `additionalProperties: false` was taken out",
        "additional-properties-opened": "undeclared arguments are welcome now",
        "alternative-added": "a branch of anyOf or oneOf is new",
        "alternative-removed": "a branch of anyOf or oneOf is gone",
        "alternatives-added": "anyOf or oneOf where there was none",
        "alternatives-changed": "several branches of anyOf or oneOf changed at once",
        "alternatives-dropped": "anyOf or oneOf is gone, and what it demanded with it",
        "annotation-changed": "a remark such as `deprecated` changed",
        "argument-added": "a new optional argument",
        "argument-added-required": "a new argument that every call must have",
        "argument-made-optional": "an argument may be left out now",
        "argument-made-required": "an argument may not be left out any more",
        "argument-removed": "an argument is gone",
        "argument-renamed": "an argument is gone and one like it is new: renamed, it seems",
        "bound-loosened": "a number's minimum, maximum or multipleOf allows more",
        "bound-tightened": "a number's minimum, maximum or multipleOf allows less",
        "calls-added": "more calls are allowed, by what no single change tells",
        "calls-refused": "a call is refused that was allowed, by what no single change tells",
        "calls-unclear": "whether a call is refused cannot be told",
        "condition-changed": "not, if, dependentSchemas, contains or an unevaluated keyword changed",
        "condition-dropped": "not, if, dependentSchemas, contains or an unevaluated keyword is gone",
        "count-loosened": "an array or object may have more or fewer members than before",
        "count-tightened": "an array or object may not have as many or as few members as before",
        "default-changed": "a default is new, gone or another",
        "dependency-added": "an argument now demands another",
        "dependency-dropped": "an argument no longer demands another",
        "description-changed": "a description is new, gone or another",
        "enum-added": "any value was allowed, and now only some are",
        "enum-dropped": "only some values were allowed, and now any is",
        "enum-value-added": "a value more is allowed",
        "enum-value-removed": "a value less is allowed",
        "examples-changed": "examples are new, gone or others",
        "format-added": "a text must have a format now",
        "format-changed": "a text must have another format",
        "format-dropped": "a text need not have its format any more",
        "format-remark-changed": "a format that no validator knows changed",
        "function-member-changed": "a member beside name, description and parameters changed",
        "length-loosened": "a text may be longer or shorter than before",
        "length-tightened": "a text may not be as long or as short as before",
        "pattern-added": "a text must match a pattern now",
        "pattern-changed": "a text must match another pattern",
        "pattern-dropped": "a text need not match its pattern any more",
        "reference-changed": "a recursive definition changed",
        "result-elements-unseen": "an array of the results that had elements has none in any answer",
        "result-key-added": "the results have a new key",
        "result-key-always": "a key that was sometimes there always is",
        "result-key-removed": "a key of the results is gone",
        "result-key-sometimes": "a key that was always there is not any more",
        "result-shape-missing": "the shape of the results is not known any more",
        "result-type-changed": "a key of the results has a type that it did not have",
        "result-type-narrowed": "a key of the results has fewer types",
        "schema-invalid": "one of the two is no JSON Schema, or has half of a character",
        "schema-unreadable": "one of the two schemas is beyond what can be compared",
        "strict-changed": "whether the provider holds the model to the schema changed",
        "title-changed": "a title is new, gone or another",
        "tool-added": "the tool is new",
        "tool-removed": "the tool is gone",
        "tool-renamed": "the tool has another name",
        "type-changed": "a value must have another type",
        "type-narrowed": "a value may have fewer types",
        "type-widened": "a value may have more types",
        "unique-items-added": "an array's items must differ now",
        "unique-items-dropped": "an array's items need not differ any more",
        "usage-text-changed": "the usage text is another",
        "value-allowed": "a value is allowed where none was",
        "value-forbidden": "no value is allowed any more",
    }
)
"""Every code with its meaning. A code never gets another meaning."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two schemas."""

    code: str
    path: str
    change_class: ChangeClass
    message: str

    def data(self) -> dict[str, str]:
        """The change as JSON."""
        return {
            "code": self.code,
            "path": self.path,
            "class": self.change_class.label,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """One tool's old schema against its new one.

    `witness` is a smallest call that the old schema allows and the new one refuses; None where the arguments do not
    break anything.
    """

    tool: str
    changes: tuple[Change, ...]
    witness: Mapping[str, Any] | None = None

    @property
    def change_class(self) -> ChangeClass:
        """The class of the whole."""
        return worst(self.changes)

    def data(self) -> dict[str, Any]:
        """The comparison as JSON; the tool's name is added where there are several."""
        return {
            "class": self.change_class.label,
            "changes": [change.data() for change in self.changes],
            "witness": self.witness,
        }


def worst(changes: Iterable[Change]) -> ChangeClass:
    """The greatest class of some changes; identical where there are none."""
    return max((change.change_class for change in changes), default=ChangeClass.IDENTICAL)
