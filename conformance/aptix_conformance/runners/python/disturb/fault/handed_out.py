"""Decides which objects from a service can fail too, and which are data."""

import inspect
import itertools
from typing import Any, Final

from ...foreign import is_a, module_of, mro_of, namespace_of

DATA: Final = (
    str, bytes, bytearray, memoryview, int, float, complex, list, tuple, dict, set, frozenset, range, slice, type,
    type(None), BaseException,
)  # fmt: skip
_DATA_MODULES: Final = frozenset(
    (
        "datetime",
        "decimal",
        "uuid",
        "fractions",
        "enum",
        "collections",
        "ipaddress",
        "pathlib",
        "re",
        "zoneinfo",
    )
)
_RECORDS: Final = (
    "__dataclass_fields__",
    "__attrs_attrs__",
    "__struct_fields__",
    "__pydantic_fields__",
    "model_fields",
)
_BEHAVIOUR: Final = ("__aenter__", "__enter__", "__anext__", "__next__", "__aiter__", "__await__")


def can_fail(value: Any) -> bool:
    """Whether an object from a service is more than data: a context, an iterator, or an object with methods."""
    kind = type(value)
    if is_a(value, *DATA):
        return False
    members = dict(
        itertools.chain.from_iterable(namespace_of(base).items() for base in reversed(mro_of(kind)[:-1]))
    )
    if any(name in members for name in _BEHAVIOUR) or any(map(inspect.iscoroutinefunction, members.values())):
        return True
    if module_of(kind).partition(".")[0] in _DATA_MODULES or any(name in members for name in _RECORDS):
        return False
    return any(callable(v) or is_a(v, property) for name, v in members.items() if not name.startswith("_"))
