"""Examinations on the workers of a Dask cluster: one task a tool, whose worker keeps the result in the store.

The scheduler submits a task again where its worker was lost, and gives it up after several losses; it cannot say which of
the tasks on those workers was the cause. So a task that it gave up is examined once more when nothing else is: only where
the workers are lost too, the tool is at fault. Where only the process of an examination died, its worker says so.
"""

import logging
import queue
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import Any, Final, cast

from aptix_conformance.app.engine.process import read_answer
from aptix_conformance.app.engine.store import DamagedError, Result, Store, said
from aptix_conformance.app.engine.task import Answer, Task
from aptix_conformance.app.engine.tasks import Asker, Examined
from aptix_conformance.app.engine.workers import LOOK, Workers, on_worker
from aptix_conformance.app.run.requests import NOT_EXAMINED
from aptix_conformance.core.errors import UNEXAMINED, ConfigurationError, DeadlineError, HostError
from aptix_conformance.core.model.codec import replace, to_text
from aptix_conformance.core.model.earlier import cache_report
from aptix_conformance.core.model.report import ToolReport
from aptix_conformance.core.text import printable
from aptix_conformance.examine import ToolUnderTest

PREFIX: Final = "dask://"
_CONNECT: Final = 10.0
"""Seconds that the scheduler may take to answer."""
_AHEAD: Final = 3
"""Tasks that are with the scheduler for each thread of the workers: its queue is never empty, and never long."""
_MOST_REFUSED: Final = 3
"""Workers that may refuse one task before it is given up."""
_MOST_LOSSES: Final = 3
"""Times that all workers of one task may be lost before it is examined alone, or given up there."""


@dataclass(slots=True, eq=False)
class _Work:
    """One tool that is still to be examined."""

    tool: ToolUnderTest
    task: Task
    refused: int = 0
    losses: int = 0
    is_alone: bool = False
    """Whether it is examined while nothing else is: its workers were lost before."""
    workers: tuple[str, ...] = ()
    """The workers that may examine it; empty for all."""

    @property
    def name(self) -> str:
        """The name of the tool, for people."""
        return printable(self.tool.name, 60)


@dataclass(slots=True)
class Cluster:
    """The workers of one scheduler; make one with `connect`, and close it."""

    client: Any
    """The client of Dask, which has no types."""
    workers: Workers
    asker: Asker
    store: Store
    say: Callable[[str], None]
    """Takes a line on what the user should know of the cluster."""
    _waiting: deque[_Work] = field(default_factory=deque)
    _refused_works: list[_Work] = field(default_factory=list)
    """Those that wait until each worker has said again what it has."""
    _alone: deque[_Work] = field(default_factory=deque)
    """Those that are examined last, one at a time."""
    _running: dict[str, tuple[Any, _Work]] = field(default_factory=dict)
    """By the key of its future."""
    _ended: "queue.SimpleQueue[Any]" = field(default_factory=queue.SimpleQueue)
    """Futures that ended; a callback of Dask adds them."""

    @classmethod
    def connect(cls, url: str, asker: Asker, store: Store, say: Callable[[str], None]) -> "Cluster":
        """Connect with a scheduler, and look at its workers.

        Raises:
            ConfigurationError: the URL is wrong, Dask is not installed, the scheduler does not answer, or no worker fits.
            ClusterError: the scheduler went away.
        """
        address = scheduler_address(url)
        try:
            from distributed import Client  # noqa: PLC0415 - of an extra
        except ImportError as error:
            raise ConfigurationError(
                f"--engine {url} needs Dask ({error}): install aptix-conformance[distributed]"
            ) from error
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what it would say, the lines here say
        try:
            client: Any = cast("Any", Client)(address, timeout=_CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f"the scheduler {address} does not answer within {_CONNECT:.0f} s: start one with `dask scheduler`, "
                "and name its address"
            ) from error
        try:
            workers = Workers(client, address, store.url, asker, say)
            workers.require(_CONNECT)
        except BaseException:
            client.close(timeout=_CONNECT)
            raise
        return cls(client, workers, asker, store, say)

    def close(self) -> None:
        """Give up what is not examined yet, and leave the cluster. What a worker examines now goes to the store."""
        self.client.close(timeout=_CONNECT)

    def examine_each(self, tools: Sequence[ToolUnderTest]) -> Iterator[Examined]:
        """Give the report of each tool when it is there; those that the store has come first.

        Raises:
            ClusterError: the scheduler is gone, or no worker that fits is left.
            BaselineError: as `Run.read_baseline`.
        """
        addresses = self.store.addresses()
        works = [_Work(tool, self.asker.task(tool)) for tool in tools]
        known = 0
        for work in works:
            kept = self._kept(work) if work.task.address in addresses else None
            if kept is None:
                self._waiting.append(work)
                continue
            known += 1
            report = replace(kept.report, cache=cache_report("taken", kept.examined))
            yield work.tool, self.asker.judged(report)
        if known:
            self.say(f"{known} of {len(works)} results are from {printable(self.store.url, 200)}")
        while self._waiting or self._refused_works or self._alone or self._running:
            until = self.asker.run.until
            if until is not None and time.monotonic() >= until:
                yield from self._leave()
                return
            self.workers.look()
            yield from self._recall()
            self._submit()
            yield from self._take()

    def _submit(self) -> None:
        """Put as many tasks to the scheduler as keep its workers busy; those that are examined alone come last."""
        if not self.workers.asked:
            self._waiting.extend(self._refused_works)
            self._refused_works.clear()
        while self._waiting and len(self._running) < _AHEAD * self.workers.threads:
            self._begin(self._waiting.popleft())
        if self._alone and not (self._running or self._refused_works) and self.workers.threads:
            self._begin(self._alone.popleft())

    def _begin(self, work: _Work) -> None:
        # Workers are named only where another one must not be asked: a named one that is lost has no substitute.
        work.workers = self.workers.fit if self.workers.has_unfit else ()
        future = self.client.submit(
            on_worker("examine_and_keep"),
            to_text(work.task),
            self.store.url,
            pure=False,
            workers=list(work.workers) or None,
        )
        self._running[future.key] = future, work
        future.add_done_callback(self._ended.put)

    def _recall(self) -> Iterator[Examined]:
        """Put back the tasks whose named workers are all gone: nobody would begin them. Those that end workers are lost."""
        for key, (future, work) in list(self._running.items()):
            if not (work.workers and self.workers.present.keys().isdisjoint(work.workers)):
                continue
            del self._running[key]
            future.cancel()
            work.losses += 1
            if work.losses < _MOST_LOSSES:
                (self._alone if work.is_alone else self._waiting).append(work)
            elif (report := self._lost(work, work.losses)) is not None:
                yield work.tool, report

    def _take(self) -> Iterator[Examined]:
        """The tools whose tasks have ended, with their reports. Tasks that need another try are put back."""
        try:
            ended = [self._ended.get(timeout=LOOK)]
        except queue.Empty:
            return
        while not self._ended.empty():
            ended.append(self._ended.get())
        for future in ended:
            if future.key not in self._running:
                continue
            _, work = self._running.pop(future.key)
            report = self._report(future, work)
            future.release()
            if report is not None:
                yield work.tool, report

    def _report(self, future: Any, work: _Work) -> ToolReport | None:
        """The report that a task gave; None where it is put back."""
        if future.status == "finished":
            try:
                answer = read_answer(future.result(timeout=_CONNECT))
            except (OSError, TimeoutError, CancelledError) as lost:
                return self._refused(work, f"its answer was lost ({said(lost)})")
            if answer is not None and answer.refused:
                return self._refused(work, answer.refused)
            if answer is not None and answer.died.startswith("SIGKILL") and not work.is_alone:
                self._again_alone(work, f"the process of {work.name} was killed")
                return None
            return self._read(work, answer)
        if future.status != "error":
            raise self.workers.gone()
        error = future.exception()
        if type(error).__name__ == "KilledWorker":
            return self._lost(work, error.allowed_failures + 1)
        return self._refused(work, said(error))

    def _refused(self, work: _Work, why: str) -> ToolReport | None:
        """Let another worker try, a few times: this one has another version or other files by now."""
        if work.refused >= _MOST_REFUSED:
            return self.asker.failed(
                work.tool, HostError(f"{UNEXAMINED}no worker could: {printable(why, 500)}")
            )
        self.say(f"a worker could not examine {work.name}: {printable(why, 300)}; another try follows")
        work.refused += 1
        self.workers.ask_again()
        self._refused_works.append(work)
        return None

    def _lost(self, work: _Work, losses: int) -> ToolReport | None:
        """Examine it once more when nothing else is; where that was so, it is at fault."""
        if work.is_alone:
            text = f"{losses} workers were lost while they examined this tool and nothing else"
            return self.asker.failed(work.tool, HostError(text))
        self._again_alone(work, f"{work.name} was on {losses} workers that were lost")
        return None

    def _again_alone(self, work: _Work, why: str) -> None:
        self.say(f"{why}: it is examined once more, after all others")
        work.is_alone, work.losses = True, 0
        self._alone.append(work)

    def _read(self, work: _Work, answer: Answer | None) -> ToolReport:
        if answer is not None and answer.unkept:
            self.say(f"the result of {work.name} is not in the store: {printable(answer.unkept, 300)}")
        if answer is None or not answer.kept:
            return self.asker.report(work.tool, answer)
        kept = self._kept(work)
        if kept is not None:
            return self.asker.judged(kept.report)
        text = (
            f"{UNEXAMINED}its worker kept the result in {printable(self.store.url, 200)}, where this machine does not find it: "
            "name a store that all machines share"
        )
        return self.asker.failed(work.tool, HostError(text))

    def _kept(self, work: _Work) -> Result | None:
        try:
            kept = self.store.read(work.task)
        except DamagedError as error:
            self.say(str(error))
            return None
        rules = {applicable.rule.code for applicable in work.tool.applicable_rules()}
        if kept is not None and {verdict.rule for verdict in kept.report.verdicts} != rules:
            self.say(f"the result of {work.name} in {printable(self.store.url, 200)} has other rules")
            return None
        return kept

    def _leave(self) -> Iterator[Examined]:
        """The reports of what the deadline leaves out."""
        works = [work for _, work in self._running.values()]
        for future, _ in self._running.values():
            future.cancel()
        self._running.clear()
        for work in (*works, *self._waiting, *self._refused_works, *self._alone):
            yield work.tool, self.asker.failed(work.tool, DeadlineError(NOT_EXAMINED))


def scheduler_address(url: str) -> str:
    """The address of the scheduler that `--engine` names.

    Raises:
        ConfigurationError: it names none.
    """
    place = url.removeprefix(PREFIX)
    host, _, port = place.rpartition(":")
    if not url.startswith(PREFIX) or not host or not port.isdecimal():
        raise ConfigurationError(
            f"--engine {printable(url, 200)} is no engine: write the address of a Dask scheduler, such as dask://127.0.0.1:8786"
        )
    return f"tcp://{place}"
