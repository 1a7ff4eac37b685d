"""References into a schema document: their targets, and which of them are recursive."""

import contextlib
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.schemas.nodes import at_fragment, leads_back


class References:
    """Looks up the local references of one document."""

    def __init__(self, root: Any) -> None:
        self._root = root
        address = root.get("$id") if isinstance(root, Mapping) else None
        self._own_address = address.partition("#")[0] if isinstance(address, str) else ""
        # Whether what a reference names leads back to it.
        self.is_recursive = cache(partial(leads_back, target=self._target_or_none, keywords=("$ref",)))

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
        node = at_fragment(self._root, fragment, ("$anchor",))
        if node is None:
            raise RecordError(f"the reference {reference!r} leads to nothing; fix it or the definition")
        return node

    def _target_or_none(self, reference: str) -> Any:
        """The node; None where what looks like a reference is a part of a listed value."""
        with contextlib.suppress(RecordError):
            return self.target(reference)
        return None
