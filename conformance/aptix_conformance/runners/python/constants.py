"""Reads the constants of a class: value and kind of declaration."""

from types import MemberDescriptorType
from typing import Any

from .class_members import annotations_of, is_in_protocol
from .foreign import attempt, is_a, mro_of, namespace_of, qualname_of, stored, type_name


def read_constant(cls: type, instance: object, name: str) -> dict[str, Any]:
    """The members of a `Constant`."""
    stored_value, holder = stored(cls, name)
    accessed, fault = attempt(lambda: getattr(cls, name))
    if _is_of_metaclass(cls, name) or (fault is None and holder is None and not is_in_protocol(cls, name)):
        kind, value = "metaclass", accessed
    elif holder is None:
        kind, value = _outside_of_class(cls, instance, name)
    else:
        kind, value = _in_class(stored_value, accessed)
    return {
        "name": name,
        "kind": kind,
        "value": str.__getitem__(value, slice(None)) if is_a(value, str) else None,
        "type_name": "" if kind in ("missing", "annotation") else type_name(value),
        "inherited_from": None if holder is None or holder is cls else qualname_of(holder),
    }


def _is_of_metaclass(cls: type, name: str) -> bool:
    return any(
        name in namespace_of(base) for base in mro_of(type(cls)) if base is not type and base is not object
    )


def _outside_of_class(cls: type, instance: object, name: str) -> tuple[str, Any]:
    """Kind and value of a constant that no class stores."""
    instance_value, _ = attempt(lambda: object.__getattribute__(instance, name))
    if instance_value is not None:
        return "instance", instance_value
    is_annotated = any(name in annotations_of(base) for base in mro_of(cls))
    return ("annotation" if is_annotated else "missing"), None


def _in_class(value: Any, accessed: Any) -> tuple[str, Any]:
    """Kind and value of a constant where a class stores `value` and access on the class gives `accessed`."""
    if is_a(value, MemberDescriptorType):
        return "instance", None
    if is_a(value, property):
        return "property", None
    if any("__get__" in namespace_of(base) for base in mro_of(type(value))):
        return "descriptor", None
    return ("plain", value) if accessed is value else ("metaclass", accessed)
