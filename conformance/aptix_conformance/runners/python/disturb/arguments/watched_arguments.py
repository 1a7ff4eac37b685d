"""The disturbance `arguments`: does not change the call, but records which arguments it reads.

The document of such a call begins with `MARK`, white space that no other document has. A parser of this document returns
a dict that records which members are read by name. Where a parser fills a class directly (pydantic, msgspec), the fields
of the class count as read. Paths name the members: `/filters/city`, `/items/*/sku`.

Reads of a dict by C code are not visible, and neither are other ways to read the text. So the runner draws no
conclusions. `Reading` has the reads, and the names in the tool's code, which another call may read.
"""

from typing import Any

from ...disturbance import Disturbance, Start, finish
from .named_texts import texts_of
from .notes import Notes
from .parsers import Parsers


def make(what: str, cls: type, source: Any) -> "Watching":  # noqa: ARG001 - as all kinds have it
    """The disturbance `arguments` for a tool.

    Raises:
        ValueError: `what` is not empty; this kind has no variants.
    """
    if what:
        raise ValueError(f"the disturbance arguments has no variant {what!r}")
    return Watching(cls)


class Watching(Disturbance):
    """One call, with its reads of arguments recorded."""

    def __init__(self, cls: type) -> None:
        self._cls = cls
        self._notes = Notes()

    async def run(self, start: Start) -> tuple[Any, bool]:
        """See `Disturbance`."""
        parsers = Parsers(self._cls, self._notes)
        try:
            parsers.watch()
            return await finish(start)
        finally:
            parsers.restore()

    def disturbed(self) -> dict[str, Any]:
        """See `Disturbance`."""
        named = texts_of(self._cls) if self._notes.parsed else ()
        return {"reached": self._notes.parsed, "reading": self._notes.reading(named)}
