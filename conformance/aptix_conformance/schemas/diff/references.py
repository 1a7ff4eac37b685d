"""References into a schema document: what they name, and which of them lead back to themselves."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from aptix_conformance.errors import RecordError


class References:
    """Looks up the local references of one document."""

    def __init__(self, root: Any) -> None:
        self._root = root
        address = root.get("$id") if isinstance(root, Mapping) else None
        self._own_address = address.partition("#")[0] if isinstance(address, str) else ""
        self._recursive: dict[str, bool] = {}

    def target(self, reference: str) -> Any:
        """The node that a reference names.

        Raises:
            RecordError: it leads out of the document, or to nothing.
        """
        base, _, fragment = reference.partition("#")
        if base and base != self._own_address:
            raise RecordError(
                f"the reference {reference!r} leads out of the schema; write the definition into it"
            )
        pointer = unquote(fragment)
        if pointer and not pointer.startswith("/"):
            return self._anchored(pointer, reference)
        node = self._root
        for part in pointer.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(node, Mapping) and key in node:
                node = node[key]
            elif isinstance(node, list) and key.isascii() and key.isdigit() and int(key) < len(node):
                node = node[int(key)]
            else:
                raise RecordError(f"the reference {reference!r} leads to nothing; mend it or the definition")
        return node

    def is_recursive(self, reference: str) -> bool:
        """Whether what a reference names leads back to it."""
        if reference not in self._recursive:
            reached: set[str] = set()
            waiting = [reference]
            while waiting:
                with contextlib.suppress(RecordError):  # it may be no reference, but a part of a listed value
                    fresh = set(_references(self.target(waiting.pop()))) - reached
                    reached |= fresh
                    waiting.extend(fresh)
            self._recursive[reference] = reference in reached
        return self._recursive[reference]

    def _anchored(self, name: str, reference: str) -> Any:
        for node in _mappings(self._root):
            if node.get("$anchor") == name:
                return node
        raise RecordError(f"the reference {reference!r} leads to nothing; mend it or the anchor")


def _references(node: Any) -> Iterator[str]:
    for found in _mappings(node):
        if isinstance(found.get("$ref"), str):
            yield found["$ref"]


def _mappings(node: Any) -> Iterator[Mapping[str, Any]]:
    waiting = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            yield item
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
