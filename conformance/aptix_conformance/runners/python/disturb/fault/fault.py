"""One fault: which use of a dependency fails, and what happened."""

import asyncio
import sys
from collections.abc import Callable, Iterable

from .kinds import EXCEPTIONS, INSTEAD, LASTING, Unexpected
from .sites import Site


class Fault:
    """One planned fault and its effect.

    Attributes:
        armed: whether uses are counted now.
        reached: whether the call came to the use that should fail.
        place: that use as text, `catalog.get_all_modes() at list_modes.py:41`.
        injected: the kind, after the fault was made. Only an awaited use can hang.
        undocumented: whether the function that failed is not documented to raise such an exception.
        retried: whether the same target was used again afterwards; None where unknown.
        hung: called when a service begins to hang.
    """

    def __init__(self, number: int, kind: str) -> None:
        self.armed = False
        self.reached = False
        self.place = ""
        self.injected = ""
        self.undocumented = False
        self.retried: bool | None = False
        self.hung: Callable[[], None] = lambda: None
        self._number = number
        self._lasts = kind.startswith(LASTING)
        self._kind = kind.removeprefix(LASTING)
        self._count = 0
        self._target = ""
        self.token: object = None
        self.token_passed = False

    def is_due(self, target: str, caller: Callable[[], str]) -> bool:
        """Count one use of `target`. Returns whether this use must fail."""
        is_again = self.reached and target == self._target
        if self.armed and self._lasts and is_again:
            self.retried = True
            return True
        if not self.armed or sys.exc_info()[0] is not None:
            return False
        if self.reached:
            self.retried = self.retried or is_again
            return False
        self._count += 1
        if self._count != self._number:
            return False
        self.reached, self._target = True, target
        where = caller()
        self.place = f"{target} at {where}" if where else target
        return True

    def note_arguments(self, values: Iterable[object]) -> None:
        """Look for the token of the call among the arguments of the use that fails."""
        self.token_passed = self.token_passed or any(value is self.token for value in values)

    def exception(self, own: Callable[[], Exception] | None = None) -> Exception:
        """The exception to raise; `own` creates the exception that the library itself raises.

        That one is also raised in place of an OSError, and then called `library_error`.

        Raises:
            LookupError: the kind is not an exception, or needs `own`.
        """
        self.injected = "library_error" if self._kind == "os_error" and own is not None else self._kind
        make = own if self.injected in ("own", "library_error") else EXCEPTIONS.get(self._kind)
        if make is None:
            raise LookupError(self._kind)
        return make()

    def exception_of(self, site: Site) -> Exception:
        """The exception to raise at a call into a library."""
        self.undocumented = site.documented is not None and self._kind not in site.documented
        return self.exception(site.own)

    def instead(self) -> object:
        """The value of a failing use, or its exception, raised here."""
        if self._kind in EXCEPTIONS:
            raise self.exception()
        self.injected = self._kind
        return None if self._kind == "gives_none" else Unexpected()

    @property
    def raises(self) -> bool:
        """Whether the fault is an exception and not a wrong value."""
        return self._kind not in INSTEAD

    @property
    def hangs(self) -> bool:
        """Whether the failing use never answers."""
        return self._kind == "never_answers"

    async def instead_of_awaiting(self) -> object:
        """As `instead`, for an awaited use, which alone can hang."""
        if not self.hangs:
            return self.instead()
        self.injected = self._kind
        self.hung()
        return await asyncio.get_running_loop().create_future()
