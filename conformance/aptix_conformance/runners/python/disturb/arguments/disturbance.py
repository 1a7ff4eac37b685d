"""The disturbance `arguments`: nothing is done to the call, but what it takes out of its arguments is written down.

The document of such a call begins with `MARK`, white space that no other document has. Whoever parses it gets a dict
that writes down which members are asked for by name; where it is parsed straight into a class (pydantic, msgspec), the
fields of the class are what is asked for. Members are named by paths: `/filters/city`, `/items/*/sku`.

What code in C does with a dict is not seen, nor is a text that is read in another way. So nothing is concluded here;
`Reading` holds what was seen, and the names in the tool's code, which another call may ask for.
"""

from typing import Any

from ...disturbance import Disturbance, Start, finish
from .named_texts import texts_of
from .notes import Notes
from .parsers import Parsers


def make(what: str, cls: type, source: Any) -> "Watching":  # noqa: ARG001 - as all kinds have it
    """The disturbance `arguments` for a tool.

    Raises:
        ValueError: something is to be done, which this kind does not.
    """
    if what:
        raise ValueError(f"arguments are only watched, so there is no {what!r}")
    return Watching(cls)


class Watching(Disturbance):
    """One call, whose reading of its arguments is watched."""

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

    def seen(self) -> dict[str, Any]:
        """See `Disturbance`."""
        named = texts_of(self._cls) if self._notes.seen else ()
        return {"reached": self._notes.seen, "reading": self._notes.reading(named)}
