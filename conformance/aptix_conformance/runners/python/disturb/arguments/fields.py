"""Reads the fields of classes for arguments, and the member names that fill them.

Supported are pydantic models and dataclasses, dataclasses, msgspec structs, attrs classes, named tuples and typed dicts.
No library is imported: attributes of the class identify each kind. The classes belong to the tool, so a class that
cannot be read counts as a class without fields.
"""

import contextlib
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from ...foreign import inherits, is_a, mro_of, namespace_of

MOST_FIELDS: Final = 100
_DEEPEST: Final = 6


class Field(NamedTuple):
    """One field: its possible names in a document, its default (None where it has none), its annotation."""

    names: tuple[str, ...]
    default: Any
    annotation: Any


def fields_of(cls: Any) -> list[Field] | None:
    """The fields of a class; None where it is not a class for arguments."""
    if not is_a(cls, type):
        return None
    for read in (_pydantic, _struct, _dataclass, _attrs, _tuple, _typed_dict):
        fields = None
        with contextlib.suppress(Exception):  # the attributes of a tool's class may be anything
            fields = read(cls)
        if fields is not None:
            return fields[:MOST_FIELDS]
    return None


def takes_any(cls: type) -> bool:
    """Whether a class keeps members without a field, or passes the whole document to the tool's code first."""
    if "__pydantic_fields__" not in _names_in(cls):
        return False
    config: Any = getattr(cls, "model_config", {})
    decorators: Any = getattr(cls, "__pydantic_decorators__", None)
    validators = getattr(decorators, "model_validators", {}).values()
    early = any(getattr(validator.info, "mode", "before") != "after" for validator in validators)
    return early or config.get("extra") == "allow" or bool(getattr(cls, "__pydantic_root_model__", False))


def members(cls: Any, path: str, step: Callable[[str, str], str]) -> Iterator[tuple[str, Field | None]]:
    """Every field that a class takes from a document, with the path of its object.

    The field is None for an object from which any member may be taken. `step(path, name)` is the path of a member.
    """
    yield from _members(cls, path, step, _DEEPEST)


def _members(
    cls: Any, path: str, step: Callable[[str, str], str], depth: int
) -> Iterator[tuple[str, Field | None]]:
    fields = fields_of(cls)
    if fields is None or takes_any(cls) or depth == 0:
        yield path, None
        return
    for field in fields:
        yield path, field
        for name in field.names:
            for inner, suffix in _classes_in(field.annotation):
                below = step(path, name) + suffix
                yield from _members(inner, below, step, depth - 1)


def _classes_in(annotation: Any, suffix: str = "") -> Iterator[tuple[Any, str]]:
    """The classes that an annotation uses for objects, each with its path below the value."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        yield from _classes_in(typing.get_args(annotation)[0], suffix)
    elif origin in (typing.Union, types.UnionType):
        for option in typing.get_args(annotation):
            yield from _classes_in(option, suffix)
    elif origin in (list, tuple, set, frozenset):
        for item in typing.get_args(annotation)[:1]:
            yield from _classes_in(item, f"{suffix}/*")
    elif annotation not in (str, int, float, bool, type(None)) and origin is not typing.Literal:
        yield annotation, suffix


def _names_in(cls: type) -> set[str]:
    return {name for base in mro_of(cls) for name in namespace_of(base)}


def _plain(default: Any) -> Any:
    return default if is_a(default, str, int, float, bool) else None


def _pydantic(cls: Any) -> list[Field] | None:
    if "__pydantic_fields__" not in _names_in(cls) or "__dataclass_fields__" in _names_in(cls):
        return None
    config = getattr(cls, "model_config", {})
    by_name = any(config.get(key) for key in ("populate_by_name", "validate_by_name"))
    fields = []
    for name, field in cls.__pydantic_fields__.items():
        alias = field.validation_alias or field.alias
        choices = getattr(alias, "choices", None) or ([] if alias is None else [alias])
        names = [
            choice if is_a(choice, str) else str(getattr(choice, "path", [name])[0]) for choice in choices
        ]
        if by_name or not names:
            names.append(name)
        fields.append(Field(tuple(dict.fromkeys(names)), _plain(field.default), field.annotation))
    return fields


def _struct(cls: Any) -> list[Field] | None:
    if "__struct_fields__" not in _names_in(cls):
        return None
    hints = _hints(cls)
    pairs = list(zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True))
    defaults = cls.__struct_defaults__
    first = len(pairs) - len(defaults)
    return [
        Field(
            (known,), _plain(defaults[place - first]) if place >= first else None, hints.get(name, typing.Any)
        )
        for place, (name, known) in enumerate(pairs)
    ]


def _dataclass(cls: Any) -> list[Field] | None:
    if "__dataclass_fields__" not in _names_in(cls):
        return None
    hints = _hints(cls)
    return [
        Field((field.name,), _plain(field.default), hints.get(field.name, field.type))
        for field in cls.__dataclass_fields__.values()
        if field.init and getattr(field._field_type, "name", "_FIELD") == "_FIELD"  # noqa: SLF001 - no ClassVar
    ]


def _attrs(cls: Any) -> list[Field] | None:
    if "__attrs_attrs__" not in _names_in(cls):
        return None
    hints = _hints(cls)
    return [
        Field((field.alias or field.name,), _plain(field.default), hints.get(field.name, typing.Any))
        for field in cls.__attrs_attrs__
        if field.init
    ]


def _tuple(cls: Any) -> list[Field] | None:
    if not inherits(cls, tuple) or "_fields" not in _names_in(cls):
        return None
    hints = _hints(cls)
    return [
        Field((name,), _plain(cls._field_defaults.get(name)), hints.get(name, typing.Any))
        for name in cls._fields
    ]


def _typed_dict(cls: Any) -> list[Field] | None:
    if not typing.is_typeddict(cls):
        return None
    return [Field((name,), None, annotation) for name, annotation in _hints(cls).items()]


def _hints(cls: Any) -> Mapping[str, Any]:
    with contextlib.suppress(Exception):  # a name that only a type checker can resolve
        return typing.get_type_hints(cls, include_extras=True)
    return dict.fromkeys(getattr(cls, "__annotations__", {}), typing.Any)
