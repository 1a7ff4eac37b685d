"""Modes of the class that the tool's own catalog uses, filled with other content."""

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final

_OPTIONAL: Final = ("systempromptsummary", "isdefault", "humanrolehints", "exampleutterances")


class CannotBuildError(Exception):
    """No modes of the author's class can be made; the message says why."""


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()


def is_catalog(answer: Any) -> bool:
    """Whether an answer is a sequence of things with an id and a key; an empty one may be."""
    if not isinstance(answer, Sequence) or isinstance(answer, (str, bytes, bytearray)):
        return False
    return not answer or {"id", "key"} <= {_plain(name) for name in fields_of(answer[0])}


def fields_of(mode: Any) -> list[str]:
    """The names of a mode's fields, whatever kind of object it is."""
    if isinstance(mode, Mapping):
        return [name for name in mode if isinstance(name, str)]
    if dataclasses.is_dataclass(mode):
        return [field.name for field in dataclasses.fields(mode)]
    cls = type(mode)
    named = (
        getattr(cls, "_fields", None) or getattr(cls, "model_fields", None) or getattr(mode, "__dict__", None)
    )
    slots = [slot for base in cls.__mro__ for slot in _as_names(base.__dict__.get("__slots__", ()))]
    return [name for name in (*(named or ()), *slots) if isinstance(name, str) and not name.startswith("__")]


def _as_names(slots: Any) -> list[str]:
    return [slots] if isinstance(slots, str) else list(slots)


def value_of(mode: Any, field: str) -> Any:
    """The value of a mode's field; None where it has no such field."""
    return mode.get(field) if isinstance(mode, Mapping) else getattr(mode, field, None)


def build(samples: Sequence[Any], drafts: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Modes of the class of `samples`, one for each of `drafts`.

    Raises:
        CannotBuildError: there is no sample, or its class cannot be filled.
    """
    if not samples and drafts:
        raise CannotBuildError("the configured catalog has no mode after which others could be made")
    fields: dict[str, tuple[str, Any]] = {}
    for field in fields_of(samples[0]) if samples else ():
        values = (value_of(mode, field) for mode in samples)
        sample = next((value for value in values if value is not None), None)
        fields.setdefault(_plain(field.lstrip("_")), (field, sample))
    for name in drafts[0] if drafts else ():
        if _plain(name) not in _OPTIONAL and _plain(name) not in fields:
            raise CannotBuildError(f"the modes of the configured catalog have no field for {name}")
    known = {name: fields[_plain(name)] for name in (drafts[0] if drafts else ()) if _plain(name) in fields}
    try:
        return [
            _filled(
                samples[0], {field: _as_kind(mode[name], sample) for name, (field, sample) in known.items()}
            )
            for mode in drafts
        ]
    except CannotBuildError:
        raise
    except Exception as error:  # the author's class may refuse with anything
        raise CannotBuildError(f"a mode of another content cannot be made: {type(error).__name__}") from error


def _as_kind(value: Any, sample: Any) -> Any:
    """A value as the author's class holds it: texts in a tuple, say, or an id as a UUID."""
    if value is None or sample is None or isinstance(value, type(sample)):
        return list(value) if isinstance(value, list) else value
    try:
        return type(sample)(value)
    except Exception as error:  # as above
        raise CannotBuildError(f"a {type(sample).__name__} cannot be made of {str(value)[:40]!r}") from error


def _filled(template: Any, changes: Mapping[str, Any]) -> Any:
    if isinstance(template, Mapping):
        return {**template, **changes}
    if hasattr(template, "model_copy"):
        return template.model_copy(update=dict(changes))
    if isinstance(template, tuple):
        return template._replace(**changes)  # type: ignore[attr-defined]
    if dataclasses.is_dataclass(template) and all(field.init for field in dataclasses.fields(template)):
        return dataclasses.replace(template, **changes)  # type: ignore[type-var]
    mode = copy.copy(template)
    for field, value in changes.items():
        object.__setattr__(mode, field, value)
    return mode
