"""The config for a module's mount function. It records which keys are read."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

LONGEST_NAME: Final = 200
"""Characters that are kept of a key or of an event's name."""


class Config(dict[str, Any]):
    """A mapping that records which of its keys were read. Iterating over it reads all of them."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.read_keys: set[Any] = set()

    def changed_from(self, before: Mapping[str, Any]) -> list[str]:
        """The keys with changed values, and the keys that were removed or added."""
        now = dict(dict.items(self))
        return sorted(str(key)[:LONGEST_NAME] for key in now.keys() | before if _differs(now, before, key))

    def __getitem__(self, key: str) -> Any:
        self.read_keys.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """As `dict` does."""
        self.read_keys.add(key)
        return super().get(key, default)

    def pop(self, key: str, *default: Any) -> Any:
        """As `dict` does."""
        self.read_keys.add(key)
        return super().pop(key, *default)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """As `dict` does."""
        self.read_keys.add(key)
        return super().setdefault(key, default)

    def __contains__(self, key: object) -> bool:
        self.read_keys.add(key)
        return super().__contains__(key)

    def __iter__(self) -> Iterator[str]:
        self.read_keys.update(super().keys())
        return super().__iter__()

    def keys(self) -> Any:
        """As `dict` does."""
        self.read_keys.update(super().keys())
        return super().keys()

    def values(self) -> Any:
        """As `dict` does."""
        self.read_keys.update(super().keys())
        return super().values()

    def items(self) -> Any:
        """As `dict` does."""
        self.read_keys.update(super().keys())
        return super().items()

    def copy(self) -> dict[str, Any]:
        """As `dict` does."""
        self.read_keys.update(super().keys())
        return dict(super().items())


def _differs(now: Mapping[str, Any], before: Mapping[str, Any], key: str) -> bool:
    try:
        return key not in now or key not in before or bool(now[key] != before[key])
    except Exception:  # noqa: BLE001 - values that cannot be compared are not those of a mount plan
        return True
