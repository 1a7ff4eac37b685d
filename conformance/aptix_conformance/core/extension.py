"""Entry points: how third parties add systems, rules, probes and renderers."""

from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from aptix_conformance.core.errors import ContractDataError


def loaded(group: str, others: Iterable[EntryPoint] | None = None) -> Iterator[tuple[str, Any]]:
    """The objects that the entry points of a group name, each after a description for messages, in the order of their names.

    Args:
        group: the group, such as `aptix_conformance.rules`.
        others: the entry points to load; None for those installed.

    Raises:
        ContractDataError: one cannot be loaded.
    """
    for entry in sorted(entry_points(group=group) if others is None else others):
        owner = f" of {entry.dist.name}" if entry.dist else ""
        described = f"The entry point {entry.name!r} ({entry.value}){owner} in the group {group}"
        try:
            value = entry.load()
        except Exception as error:  # what a third party's module raises at import is its own choice
            raise ContractDataError(
                f"{described} cannot be loaded: {type(error).__name__}: {error}. Fix or uninstall it."
            ) from error
        yield described, value
