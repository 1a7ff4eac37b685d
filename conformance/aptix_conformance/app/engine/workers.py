"""The workers of a Dask scheduler: which there are, and which of them may examine the tools of a run."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final

from aptix_conformance.app.engine.tasks import Asker
from aptix_conformance.core.errors import ConfigurationError, ConformanceError
from aptix_conformance.core.model.codec import to_text
from aptix_conformance.core.text import printable

_LOOK: Final = 1.0
"""Seconds from one look at the workers to the next."""
_ANSWER: Final = 10.0
"""Seconds that the scheduler may take to name its workers."""
_PATIENCE: Final = 60.0
"""Seconds without a worker that fits after which the run ends: a lost one is started again in less."""


class ClusterError(ConformanceError):
    """The cluster cannot go on; what was examined is known and in the store."""


@dataclass(slots=True)
class Workers:
    """Looks at the workers of a scheduler. Each is asked once what it has, by a task that only it may answer."""

    client: Any
    """The client of Dask, which has no types."""
    address: str
    """That of the scheduler."""
    store: str
    asker: Asker
    say: Callable[[str], None]
    _threads: dict[str, int] = field(default_factory=dict)
    """How many tasks each worker that is there does at the same time, by its address."""
    _asked: dict[str, Any] = field(default_factory=dict)
    """The futures of those that have not answered yet."""
    _unfit: dict[str, str] = field(default_factory=dict)
    """For each that has answered: why it must not examine; empty where it may."""
    _looked: float = 0.0
    _had_fit: float = field(default_factory=time.monotonic)
    """When there was one that may, at last."""

    @property
    def fit(self) -> tuple[str, ...]:
        """The addresses of those that may examine."""
        return tuple(address for address, why in self._unfit.items() if not why)

    @property
    def has_unfit(self) -> bool:
        """Whether a task must name its workers: one must not examine, or has not answered yet."""
        return bool(self._asked) or any(self._unfit.values())

    @property
    def threads(self) -> int:
        """How many tasks those that may examine do at the same time."""
        return sum(self._threads[address] for address in self.fit)

    def require(self, seconds: float) -> None:
        """Wait until each worker has answered, or until one that may examine has and the time is over.

        Raises:
            ConfigurationError: there is no worker, or none that may examine.
            ClusterError: as `look`.
        """
        until = time.monotonic() + seconds
        self.look()
        while self._asked and time.monotonic() < until:
            time.sleep(0.05)
            self._hear()
        if not self._threads:
            raise ConfigurationError(
                f"the scheduler {self.address} has no workers: start one with `dask worker {self.address}`"
            )
        if not self.fit:
            silent = f"; {len(self._asked)} did not answer within {seconds:.0f} s" if self._asked else ""
            raise ConfigurationError(
                f"none of the {len(self._threads)} workers of {self.address} can examine these tools: see the lines above{silent}"
            )

    def look(self) -> None:
        """Learn which workers came and went, at most once in `_LOOK` seconds.

        Raises:
            ClusterError: the scheduler is gone, or there was no worker that may examine for `_PATIENCE` seconds.
        """
        now = time.monotonic()
        if now - self._looked < _LOOK:
            return
        self._looked = now
        try:
            self._threads = dict(
                self.client.sync(self.client.scheduler.ncores, workers=None, callback_timeout=_ANSWER)
            )
        except (OSError, TimeoutError) as error:
            raise self.gone() from error
        if self.client.status != "running":
            raise self.gone()
        for address in sorted({*self._unfit, *self._asked} - self._threads.keys()):
            self._asked.pop(address, None)
            if not self._unfit.pop(address, ""):
                self.say(f"the worker {address} is gone; others examine its tools")
        for address in self._threads.keys() - {*self._unfit, *self._asked}:
            self._asked[address] = self._ask(address)
        self._hear()
        if self.fit:
            self._had_fit = now
        elif now - self._had_fit > _PATIENCE:
            raise ClusterError(f"no worker of {self.address} can examine any more; {self._next}")

    def forget(self) -> None:
        """Ask every worker anew at the next look."""
        self._unfit.clear()
        self._looked = 0.0

    def gone(self) -> ClusterError:
        """The error that the scheduler is gone."""
        return ClusterError(f"the scheduler {self.address} is gone; {self._next}")

    @property
    def _next(self) -> str:
        return (
            f"the results so far are in {printable(self.store, 200)}, and the same command examines the rest"
        )

    def _ask(self, address: str) -> Any:
        run = self.asker.run
        words = (self.store, to_text(self.asker.facts), str(run.directory), self.asker.left_out)
        return self.client.submit(on_worker("describe"), *words, pure=False, workers=[address])

    def _hear(self) -> None:
        """Take the answers that have come."""
        for address, future in list(self._asked.items()):
            if not future.done():
                continue
            del self._asked[address]
            why = future.result() if future.status == "finished" else _unable(future)
            self._unfit[address] = why
            if why:
                self.say(f"the worker {address} is not used: {printable(why, 400)}")


def on_worker(name: str) -> Callable[..., Any]:
    """A function that calls the one of `working` with a name. Dask sends its code, as no module has it.

    Of a function that a module has, Dask sends the name, and a worker without the suite loses its connection over that.
    """

    def call(*words: Any) -> Any:
        return getattr(import_module("aptix_conformance.app.engine.working"), name)(*words)

    return call


def said(error: BaseException) -> str:
    """The text of a stranger's exception, in one line."""
    return printable(" ".join(str(error).split()) or type(error).__name__, 300)


def _unable(future: Any) -> str:
    if future.status != "error":
        return "it was lost before it answered"
    error = future.exception()
    if isinstance(error, ModuleNotFoundError):
        return f"aptix-conformance[distributed] is not installed there ({said(error)})"
    return f"it cannot be asked: {said(error)}"
