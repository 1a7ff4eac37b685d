"""Entry points: how third parties add systems, rules, probes and renderers."""

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from packaging.utils import canonicalize_name

from aptix_conformance.core.errors import ConfigurationError, ContractDataError
from aptix_conformance.core.text import nearest, printable

GROUPS: Final = "aptix_conformance."
"""How the groups of the suite's entry points begin."""
_NO_HYPOTHESIS_PLUGINS: Final = "HYPOTHESIS_NO_PLUGINS"
_NAMED: Final[ContextVar[frozenset[str] | None]] = ContextVar("distributions that extend", default=None)
"""The canonical names of the distributions whose entry points count; None for all."""


@contextmanager
def extended_by(names: Collection[str]) -> Iterator[None]:
    """Load, inside, the entry points of these distributions only. Without it, those of all that are installed are loaded.

    Raises:
        ConfigurationError: a distribution is not installed, or has no entry point of the suite's.
    """
    offered = {canonicalize_name(point.dist.name) for point in _installed() if point.dist}
    for name in names:
        if canonicalize_name(name) not in offered:
            raise ConfigurationError(
                f"no distribution {printable(name, 80)}{nearest(name, offered)} is installed that extends the suite: install it, "
                "or leave its name out"
            )
    token = _NAMED.set(frozenset(map(canonicalize_name, names)))
    try:
        yield
    finally:
        _NAMED.reset(token)


def named_extensions() -> tuple[str, ...] | None:
    """The canonical names of the distributions whose entry points count, sorted; None for all that are installed."""
    named = _NAMED.get()
    return None if named is None else tuple(sorted(named))


def extensions() -> tuple[EntryPoint, ...]:
    """The entry points of the suite's groups that count, sorted."""
    named = _NAMED.get()
    return tuple(
        point
        for point in _installed()
        if named is None or (point.dist is not None and canonicalize_name(point.dist.name) in named)
    )


def loaded(group: str, others: Iterable[EntryPoint] | None = None) -> Iterator[tuple[str, Any]]:
    """The objects that the entry points of a group name, each after a description for messages, in the order of their names.

    Args:
        group: the group, such as `aptix_conformance.rules`.
        others: the entry points to load; None for those installed, as far as `extended_by` lets them count.

    Raises:
        ContractDataError: one cannot be loaded.
    """
    counted = [point for point in extensions() if point.group == group] if others is None else others
    for entry in sorted(counted):
        owner = f" of {entry.dist.name}" if entry.dist else ""
        described = f"The entry point {entry.name!r} ({entry.value}){owner} in the group {group}"
        try:
            value = entry.load()
        except Exception as error:  # what a third party's module raises at import is its own choice
            raise ContractDataError(
                f"{described} cannot be loaded: {type(error).__name__}: {error}. Fix or uninstall it."
            ) from error
        yield described, value


def _installed() -> list[EntryPoint]:
    points = entry_points()
    return sorted(
        point for group in points.groups if group.startswith(GROUPS) for point in points.select(group=group)
    )


@contextmanager
def without_plugins(names: Collection[str]) -> Iterator[None]:
    """Run without third parties' code in this process: `extended_by`, and no plugin of Hypothesis.

    Raises:
        ConfigurationError: as `extended_by`.
    """
    before = os.environ.get(_NO_HYPOTHESIS_PLUGINS)
    os.environ[_NO_HYPOTHESIS_PLUGINS] = "1"
    try:
        import hypothesis  # noqa: F401, PLC0415 - it loads its plugins when it is first imported
    finally:
        if before is None:
            del os.environ[_NO_HYPOTHESIS_PLUGINS]
        else:
            os.environ[_NO_HYPOTHESIS_PLUGINS] = before
    with extended_by(names):
        yield
