"""Changes of objects: arguments added, removed, renamed or made required, and undeclared arguments."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from aptix_conformance.core.schemas.diff.change_paths import Path
from aptix_conformance.core.schemas.diff.normal_form import Node
from aptix_conformance.core.schemas.diff.schema_changes import Change, argument_change
from aptix_conformance.core.schemas.nodes import same

Compare = Callable[[Node, Node, Path], Iterator[Change]]
Equal = Callable[[Any, Any], bool]
Members = Mapping[str, Node]

_LIKE: Final = 0.75
"""Similarity of two names, from 0 to 1, from which on they count as renamed."""


def compare_members(
    compare: Compare, equal: Equal, old: Mapping[str, Any], new: Mapping[str, Any], path: Path
) -> Iterator[Change]:
    """The changes of an object's members; `compare` is for the schemas below, `equal` says which of them mean the same."""
    yield from _Objects(compare, old, new, path).changes()
    patterns = (old.get("patternProperties", {}), new.get("patternProperties", {}))
    if not equal(*patterns):
        here = (*path, "patternProperties")
        yield argument_change("condition-changed", here, "has other members declared by a pattern")
    pair = (old.get("propertyNames", True), new.get("propertyNames", True))
    yield from compare(*pair, (*path, "propertyNames"))
    yield from _dependencies(old.get("dependentRequired", {}), new.get("dependentRequired", {}), path)


class _Objects:
    """An object's schema before and after."""

    def __init__(self, compare: Compare, old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> None:
        self._compare, self._old, self._new, self._path = compare, old, new, path
        self._before, self._after = old.get("properties", {}), new.get("properties", {})
        self._rest = (old.get("additionalProperties", True), new.get("additionalProperties", True))
        self._patterns = (old.get("patternProperties", {}), new.get("patternProperties", {}))
        self._lost = [
            name
            for name in self._before
            if name not in self._after and self._rest[1] is False and not _matched(name, self._patterns[1])
        ]
        self._renamed = _renamed(self._lost, self._before, self._after)

    def changes(self) -> Iterator[Change]:
        """The changes of its declared members, of what it requires, and of what may stand beside them."""
        for name in dict.fromkeys([*self._before, *self._after]):
            yield from self._member(name, (*self._path, "properties", name))
        required = dict.fromkeys([*self._old.get("required", ()), *self._new.get("required", ())])
        for name in required:
            if name not in self._before and name not in self._after:
                yield from _required(name, self._old, self._new, (*self._path, "properties", name))
        yield from _undeclared(self._compare, self._rest, self._path)

    def _member(self, name: str, here: Path) -> Iterator[Change]:
        if name not in self._before:
            yield from self._new_member(name, here)
        elif name in self._lost:
            yield _removed(here, self._renamed.get(name))
        else:
            # Undeclared members are welcome: it may still be sent, and must meet the schema for them.
            beside = True if _matched(name, self._patterns[1]) else self._rest[1]
            yield from self._compare(self._before[name], self._after.get(name, beside), here)
            yield from _required(name, self._old, self._new, here)

    def _new_member(self, name: str, here: Path) -> Iterator[Change]:
        is_demanded = name in self._new.get("required", ()) and name not in self._old.get("required", ())
        if is_demanded:
            yield argument_change("argument-added-required", here, "is new, and every call must have it")
        elif name not in self._renamed.values():
            yield argument_change("argument-added", here, "is new and may be left out")
        matched = _matched(name, self._patterns[0])
        if not is_demanded and (self._rest[0] is not False or matched):
            yield from self._compare(True if matched else self._rest[0], self._after[name], here)


def _required(name: str, old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
    was_required, is_required = name in old.get("required", ()), name in new.get("required", ())
    if is_required and not was_required:
        yield argument_change("argument-made-required", path, "must be there now, and could be left out")
    elif was_required and not is_required:
        yield argument_change("argument-made-optional", path, "may be left out now")


def _removed(path: Path, like: str | None) -> Change:
    if like is None:
        return argument_change("argument-removed", path, "is gone: calls that send it are not understood")
    how = f"is gone, and `{like}` is new and like it: was it renamed? Calls that send the old name are not understood"
    return argument_change("argument-renamed", path, how)


def _undeclared(compare: Compare, rest: tuple[Node, Node], path: Path) -> Iterator[Change]:
    here = (*path, "additionalProperties")
    if rest[0] is False:
        if rest[1] is not False:
            yield argument_change("additional-properties-opened", here, "may have undeclared members")
    elif rest[1] is False:
        how = "may not have undeclared members any more"
        yield argument_change("additional-properties-closed", here, how)
    else:
        yield from compare(rest[0], rest[1], here)


def _dependencies(old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
    for name in sorted({*old, *new}):
        before, after = set(old.get(name, ())), set(new.get(name, ()))
        here = (*path, "dependentRequired", name)
        if after - before:
            how = f"demands {', '.join(sorted(after - before))} beside `{name}`"
            yield argument_change("dependency-added", here, how)
        elif before - after:
            how = f"no longer demands {', '.join(sorted(before - after))} beside `{name}`"
            yield argument_change("dependency-dropped", here, how)


def _matched(name: str, patterns: Members) -> bool:
    """Whether a name is, or could be, one of those that a pattern declares."""
    for pattern in patterns:
        try:
            if re.search(pattern, name):
                return True
        except re.error:
            return True
    return False


def _renamed(removed: list[str], before: Members, after: Members) -> dict[str, str]:
    """Removed members, each mapped to a new member with a similar name or an equal schema."""
    added = [name for name in after if name not in before]
    renamed: dict[str, str] = {}
    for name in removed:
        free = [candidate for candidate in added if candidate not in renamed.values()]
        near = difflib.get_close_matches(_plain(name), [_plain(candidate) for candidate in free], 1, _LIKE)
        alike = [candidate for candidate in free if near and _plain(candidate) == near[0]]
        if not alike and len(removed) == len(added) == 1 and same(before[name], after[added[0]]):
            alike = added
        if alike:
            renamed[name] = alike[0]
    return renamed


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold()) or name
