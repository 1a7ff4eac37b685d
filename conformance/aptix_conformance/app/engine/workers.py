"""The workers of a Dask scheduler: which there are, and which of them may examine the tools of a run."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final

from aptix_conformance.app.engine.store import said
from aptix_conformance.app.engine.tasks import Asker
from aptix_conformance.core.errors import ConfigurationError, ConformanceError
from aptix_conformance.core.model.codec import to_text
from aptix_conformance.core.text import printable

LOOK: Final = 1.0
"""Seconds from one look at the workers to the next."""
_ANSWER: Final = 10.0
"""Seconds that the scheduler may take to name its workers."""
_PATIENCE: Final = 60.0
"""Seconds without a worker that fits after which the run ends: a lost one is started again in less."""


class ClusterError(ConformanceError):
    """The cluster cannot go on; what was examined is known and in the store."""


@dataclass(slots=True)
class Workers:
    """Looks at the workers of a scheduler. Each is asked what it has, beside its tasks: a busy one answers, too."""

    client: Any
    """The client of Dask, which has no types."""
    address: str
    """That of the scheduler."""
    store: str
    asker: Asker
    say: Callable[[str], None]
    present: dict[str, int] = field(default_factory=dict)
    """How many tasks each worker that is there does at the same time, by its address."""
    asked: dict[str, tuple[Future[dict[str, str]], float]] = field(default_factory=dict)
    """For those that are to answer, the future, and when they were asked."""
    _unfit: dict[str, str] = field(default_factory=dict)
    """For each that has answered: why it must not examine; empty where it may. It holds until it answers again."""
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
        return not self.asked.keys() <= self._unfit.keys() or any(self._unfit.values())

    @property
    def threads(self) -> int:
        """How many tasks those that may examine do at the same time."""
        return sum(self.present[address] for address in self.fit)

    def require(self, seconds: float) -> None:
        """Wait until each worker has answered, or until one that may examine has and the time is over.

        Raises:
            ConfigurationError: there is no worker, or none that may examine.
            ClusterError: as `look`.
        """
        until = time.monotonic() + seconds
        self.look()
        while self.asked and time.monotonic() < until:
            time.sleep(0.05)
            self._hear()
        if not self.present:
            raise ConfigurationError(
                f"the scheduler {self.address} has no workers: start one with `dask worker {self.address}`"
            )
        if not self.fit:
            silent = f"; {len(self.asked)} did not answer within {seconds:.0f} s" if self.asked else ""
            raise ConfigurationError(
                f"none of the {len(self.present)} workers of {self.address} can examine these tools: see the lines above{silent}"
            )

    def look(self) -> None:
        """Learn which workers came and went, at most once in `LOOK` seconds.

        Raises:
            ClusterError: the scheduler is gone, or there was no worker that may examine for `_PATIENCE` seconds.
        """
        now = time.monotonic()
        if now - self._looked < LOOK:
            return
        self._looked = now
        try:
            self.present = dict(
                self.client.sync(self.client.scheduler.ncores, workers=None, callback_timeout=_ANSWER)
            )
        except (OSError, TimeoutError) as error:
            raise self.gone() from error
        if self.client.status != "running":
            raise self.gone()
        for address in sorted({*self._unfit, *self.asked} - self.present.keys()):
            self.asked.pop(address, None)
            if self._unfit.pop(address, None) == "":
                self.say(f"the worker {address} is gone; others examine its tools")
        for address in self.present.keys() - {*self._unfit, *self.asked}:
            self._ask(address)
        self._hear()
        if self.fit:
            self._had_fit = now
        elif now - self._had_fit > _PATIENCE:
            raise ClusterError(f"no worker of {self.address} can examine any more; {self._next}")

    def ask_again(self) -> None:
        """Ask every worker again. What each has said holds until it answers."""
        for address in self.present.keys() - self.asked.keys():
            self._ask(address)

    def gone(self) -> ClusterError:
        """The error that the scheduler is gone."""
        return ClusterError(f"the scheduler {self.address} is gone; {self._next}")

    @property
    def _next(self) -> str:
        return (
            f"the results so far are in {printable(self.store, 200)}, and the same command examines the rest"
        )

    def _ask(self, address: str) -> None:
        words = (self.store, to_text(self.asker.facts), str(self.asker.run.directory), self.asker.left_out)
        # `Client.run` waits for the answer, and a task would wait for a free thread of the worker.
        asking = self.client._run(_beside("describe"), *words, workers=[address])  # noqa: SLF001
        future = asyncio.run_coroutine_threadsafe(asking, self.client.loop.asyncio_loop)
        self.asked[address] = future, time.monotonic()

    def _hear(self) -> None:
        """Take the answers that have come."""
        for address, (future, when) in list(self.asked.items()):
            if not future.done() and time.monotonic() - when <= _PATIENCE:
                continue
            del self.asked[address]
            why = _answer(future, address)
            if why is None:  # lost on its way: what it said before holds, and else it is asked again
                continue
            if why and self._unfit.get(address) != why:
                self.say(f"the worker {address} is not used: {printable(why, 400)}")
            self._unfit[address] = why


def on_worker(name: str) -> Callable[..., Any]:
    """A function that calls the one of `working` with a name. Dask sends its code, as no module has it.

    Of a function that a module has, Dask sends the name, and a worker without the suite loses its connection over that.
    """

    def call(*words: Any) -> Any:
        return getattr(import_module("aptix_conformance.app.engine.working"), name)(*words)

    return call


def _beside(name: str) -> Callable[..., Any]:
    """As `on_worker`, in a thread beside those of the worker's tasks."""
    call = on_worker(name)

    async def run(*words: Any) -> Any:
        return await asyncio.to_thread(call, *words)

    return run


def _answer(future: Future[dict[str, str]], address: str) -> str | None:
    """What a worker says to `describe`, or why it cannot; None where the answer was lost."""
    try:
        error = future.exception(timeout=0)
    except (TimeoutError, CancelledError):
        future.cancel()
        return "it does not answer"
    if error is None:
        return future.result(timeout=0).get(address)
    if isinstance(error, ModuleNotFoundError):
        return f"aptix-conformance[distributed] is not installed there ({said(error)})"
    return None if isinstance(error, OSError | CancelledError) else f"it cannot be asked: {said(error)}"
