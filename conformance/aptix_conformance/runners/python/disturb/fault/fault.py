"""One fault: which use of what a call depends on is to fail, and what became of it."""

import asyncio
import sys
from collections.abc import Callable

from .kinds import EXCEPTIONS, INSTEAD, Unexpected


class Fault:
    """What is to break, and what became of it.

    Attributes:
        armed: whether uses are counted now.
        reached: whether the use that was to fail was made.
        place: that use in words, `catalog.get_all_modes() at list_modes.py:41`.
        injected: the kind, once it was done; what needs no awaiting cannot hang.
        retried: whether the same was used again afterwards; None where that cannot be seen.
        hung: called when a service was asked that never answers.
    """

    def __init__(self, number: int, kind: str) -> None:
        self.armed = False
        self.reached = False
        self.place = ""
        self.injected = ""
        self.retried: bool | None = False
        self.hung: Callable[[], None] = lambda: None
        self._number = number
        self._kind = kind
        self._count = 0
        self._target = ""

    def is_due(self, target: str, caller: Callable[[], str]) -> bool:
        """Count one use of `target`; whether it is the one that is to fail."""
        if not self.armed or sys.exc_info()[0] is not None:
            return False
        if self.reached:
            self.retried = self.retried or target == self._target
            return False
        self._count += 1
        if self._count != self._number:
            return False
        self.reached, self._target = True, target
        where = caller()
        self.place = f"{target} at {where}" if where else target
        return True

    def exception(self, own: Callable[[], Exception] | None = None) -> Exception:
        """The exception to be raised; `own` makes what a library itself raises.

        Raises:
            LookupError: the kind is no exception, or `own` is needed and not there.
        """
        make = own if self._kind == "own" else EXCEPTIONS.get(self._kind)
        if make is None:
            raise LookupError(self._kind)
        self.injected = self._kind
        return make()

    def instead(self) -> object:
        """What a use that is to fail gives; the exception that it raises is raised here."""
        if self._kind in EXCEPTIONS:
            raise self.exception()
        self.injected = self._kind
        return None if self._kind == "gives_none" else Unexpected()

    @property
    def raises(self) -> bool:
        """Whether what fails raises, as against giving something else than it should."""
        return self._kind not in INSTEAD

    @property
    def hangs(self) -> bool:
        """Whether what fails never answers."""
        return self._kind == "never_answers"

    async def instead_of_awaiting(self) -> object:
        """As `instead`, for what is awaited: only that can wait without end."""
        if not self.hangs:
            return self.instead()
        self.injected = self._kind
        self.hung()
        return await asyncio.get_running_loop().create_future()
