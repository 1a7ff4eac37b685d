"""A change of a schema: its class, its stable code, its path in the schema, and a message for people."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Any, Final

from aptix_conformance.core.schemas.diff.change_paths import Path, label, shown_path


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


_DOCUMENTATION: Final = ChangeClass.DOCUMENTATION
_COMPATIBLE: Final = ChangeClass.COMPATIBLE
_UNKNOWN: Final = ChangeClass.UNKNOWN
_BREAKING: Final = ChangeClass.BREAKING

CODES: Final[Mapping[str, tuple[ChangeClass, str]]] = MappingProxyType(
    {
        "additional-properties-closed": (_BREAKING, "undeclared arguments were welcome and are not any more"),
        "additional-properties-false-added": (
            _COMPATIBLE,
            "an explicit `additionalProperties: false` was written down",
        ),
        "additional-properties-false-dropped": (
            _COMPATIBLE,
            "an explicit `additionalProperties: false` was taken out",
        ),
        "additional-properties-opened": (_COMPATIBLE, "undeclared arguments are welcome now"),
        "alternative-added": (_COMPATIBLE, "a branch of anyOf or oneOf is new"),
        "alternative-removed": (_BREAKING, "a branch of anyOf or oneOf is gone"),
        "alternatives-added": (_UNKNOWN, "anyOf or oneOf where there was none"),
        "alternatives-changed": (_UNKNOWN, "several branches of anyOf or oneOf changed at once"),
        "alternatives-dropped": (_COMPATIBLE, "anyOf or oneOf is gone, and what it demanded with it"),
        "annotation-changed": (_DOCUMENTATION, "a remark such as `deprecated` changed"),
        "argument-added": (_COMPATIBLE, "a new optional argument"),
        "argument-added-required": (_BREAKING, "a new argument that every call must have"),
        "argument-made-optional": (_COMPATIBLE, "an argument may be left out now"),
        "argument-made-required": (_BREAKING, "an argument may not be left out any more"),
        "argument-removed": (_BREAKING, "an argument is gone"),
        "argument-renamed": (_BREAKING, "an argument is gone and one like it is new: renamed, it seems"),
        "bound-loosened": (_COMPATIBLE, "a number's minimum, maximum or multipleOf allows more"),
        "bound-tightened": (_BREAKING, "a number's minimum, maximum or multipleOf allows less"),
        "calls-added": (_COMPATIBLE, "more calls are allowed, by what no single change tells"),
        "calls-refused": (_BREAKING, "a call is refused that was allowed, by what no single change tells"),
        "calls-unclear": (_UNKNOWN, "whether a call is refused cannot be told"),
        "condition-changed": (
            _UNKNOWN,
            "not, if, dependentSchemas, contains or an unevaluated keyword changed",
        ),
        "condition-dropped": (
            _COMPATIBLE,
            "not, if, dependentSchemas, contains or an unevaluated keyword is gone",
        ),
        "count-loosened": (_COMPATIBLE, "an array or object may have more or fewer members than before"),
        "count-tightened": (_BREAKING, "an array or object may not have as many or as few members as before"),
        "default-changed": (_COMPATIBLE, "a default is new, gone or another"),
        "dependency-added": (_BREAKING, "an argument now demands another"),
        "dependency-dropped": (_COMPATIBLE, "an argument no longer demands another"),
        "description-changed": (_DOCUMENTATION, "a description is new, gone or another"),
        "enum-added": (_BREAKING, "any value was allowed, and now only some are"),
        "enum-dropped": (_COMPATIBLE, "only some values were allowed, and now any is"),
        "enum-value-added": (_COMPATIBLE, "a value more is allowed"),
        "enum-value-removed": (_BREAKING, "a value less is allowed"),
        "examples-changed": (_DOCUMENTATION, "examples are new, gone or others"),
        "format-added": (_BREAKING, "a text must have a format now"),
        "format-changed": (_UNKNOWN, "a text must have another format"),
        "format-dropped": (_COMPATIBLE, "a text need not have its format any more"),
        "format-remark-changed": (_DOCUMENTATION, "a format that no validator knows changed"),
        "function-member-changed": (
            _DOCUMENTATION,
            "a member beside name, description and parameters changed",
        ),
        "length-loosened": (_COMPATIBLE, "a text may be longer or shorter than before"),
        "length-tightened": (_BREAKING, "a text may not be as long or as short as before"),
        "pattern-added": (_UNKNOWN, "a text must match a pattern now"),
        "pattern-changed": (_UNKNOWN, "a text must match another pattern"),
        "pattern-dropped": (_COMPATIBLE, "a text need not match its pattern any more"),
        "reference-changed": (_UNKNOWN, "a recursive definition changed"),
        "result-elements-unseen": (
            _UNKNOWN,
            "an array of the results that had elements has none in any answer",
        ),
        "result-key-added": (_COMPATIBLE, "the results have a new key"),
        "result-key-always": (_COMPATIBLE, "a key that was sometimes there always is"),
        "result-key-removed": (_BREAKING, "a key of the results is gone"),
        "result-key-sometimes": (_BREAKING, "a key that was always there is not any more"),
        "result-shape-missing": (_UNKNOWN, "the shape of the results is not known any more"),
        "result-type-changed": (_BREAKING, "a key of the results has a type that it did not have"),
        "result-type-narrowed": (_COMPATIBLE, "a key of the results has fewer types"),
        "schema-invalid": (_UNKNOWN, "one of the two is no JSON Schema, or has half of a character"),
        "schema-unreadable": (_UNKNOWN, "one of the two schemas is beyond what can be compared"),
        "strict-changed": (_COMPATIBLE, "whether the provider holds the model to the schema changed"),
        "title-changed": (_DOCUMENTATION, "a title is new, gone or another"),
        "tool-added": (_COMPATIBLE, "the tool is new"),
        "tool-removed": (_BREAKING, "the tool is gone"),
        "tool-renamed": (_BREAKING, "the tool has another name"),
        "type-changed": (_BREAKING, "a value must have another type"),
        "type-narrowed": (_BREAKING, "a value may have fewer types"),
        "type-widened": (_COMPATIBLE, "a value may have more types"),
        "unique-items-added": (_BREAKING, "an array's items must differ now"),
        "unique-items-dropped": (_COMPATIBLE, "an array's items need not differ any more"),
        "usage-text-changed": (_DOCUMENTATION, "the usage text is another"),
        "value-allowed": (_COMPATIBLE, "a value is allowed where none was"),
        "value-forbidden": (_BREAKING, "no value is allowed any more"),
    }
)
"""Every code with the class that it has where nothing more is proved, and its meaning, which never changes."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two schemas."""

    code: str
    path: str
    change_class: ChangeClass
    message: str

    @classmethod
    def of(cls, code: str, path: str, message: str) -> "Change":
        """A change of the class that its code has."""
        return cls(code, path, CODES[code][0], message)

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


def argument_change(code: str, path: Path, how: str) -> Change:
    """A change at a path below the parameters; `how` is what follows the argument's name in the sentence."""
    return Change.of(code, shown_path(path), f"{label(path)} {how}")


def worst(changes: Iterable[Change]) -> ChangeClass:
    """The greatest class of some changes; identical where there are none."""
    return max((change.change_class for change in changes), default=ChangeClass.IDENTICAL)
