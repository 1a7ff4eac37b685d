"""Batches: calls that need nothing of one another, each batch made in a fresh process of its own.

A plan of such calls is cut into batches of `SIZE`, for every tool, slow or fast. A batch ends early where a call hung or
crashed, or where its results are large; its other calls are another batch. So what each process serves depends on the plan
and on the tool's answers, never on time. The results are taken in the order of the plan.

Each of these processes is opened by a call that worked in the usual one: what a tool sets up once, for all later calls, is
set up by a call of that kind, as it is there.

Batches of a slow tool that hardly computes are made at the same time, in threads that only wait, by hosts that share
nothing. Nothing is judged meanwhile: a rule that judges has the whole processor time of this process for itself. How many
batches are made at the same time depends on speed, processors and memory, and it changes nothing but how long it takes.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

import psutil

from aptix_conformance.core.errors import ConformanceError, HostError, SetupError
from aptix_conformance.core.model import INCIDENTS, Call, Stimulus
from aptix_conformance.examine.tainted_state import wants_fresh_process
from aptix_conformance.hosts.host import MIB, ToolHost

SIZE: Final = 16
"""Calls of one batch."""
MOST: Final = 16
"""Batches that are made at the same time."""
_MOST_KEPT: Final = 16 * MIB
"""Bytes of results after which a batch ends: those of all batches made at the same time are kept until they are judged."""
_MEMORY: Final = 1024 * MIB
"""Bytes of free memory for each batch that is made beside others."""
_START: Final = 1.0
"""Seconds that a further host takes to start, approximately: it must save more."""
_LEAST_SHARE: Final = 0.02
"""The share of a call's time that a tool computes, at least: the suite has work with it as well."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Calls that one process makes, one after another; `is_usual` where that is the process that has made others before."""

    plans: tuple[Stimulus, ...]
    is_usual: bool = False


@dataclass(frozen=True, slots=True)
class MadeBatch:
    """The results of the first plans of a batch: a call of each, or what the set-up lacked for it.

    `integrity` is what the sentinels showed afterwards (`ToolHost.check_sentinels`), if they were called.
    """

    calls: tuple[Call | SetupError, ...]
    is_checked: bool = False
    integrity: str | Call | None = None


def cut(plans: Sequence[Stimulus], usual: int = 0) -> Iterator[Batch]:
    """The batches of a plan. The first `usual` calls are made in the usual process, which keeps a long history."""
    if usual and plans:
        yield Batch(tuple(plans[:usual]), is_usual=True)
    for start in range(usual, len(plans), SIZE):
        yield Batch(tuple(plans[start : start + SIZE]))


@dataclass(slots=True)
class Batches:
    """Makes the batches of one tool. `last` is the last call of the usual process, `size` the bytes that a call takes."""

    host: ToolHost
    size: Callable[[Call], int]
    recorded: Sequence[Call]
    """The calls that were recorded up to now: the time that they took decides how many batches are made at the same time."""
    opening: Stimulus | None = None
    """The call with which each process begins; it is not recorded."""
    apart_count: int = 0
    """The number of batches that were made apart and taken."""
    waited: float = 0.0
    """Seconds in which the processes apart waited for a processor, at the same time counted once."""
    _others: list[ToolHost | None] = field(default_factory=list)
    _ahead: list[tuple[Batch, MadeBatch | ConformanceError]] = field(default_factory=list)
    _is_stopped: bool = False

    def make(self, batch: Batch, later: Iterable[Batch], last: Call | None, *, tainted: bool) -> MadeBatch:
        """Make a batch, or take it where it was made ahead; `later` batches may be made beside it.

        Args:
            batch: what to make now.
            later: what is likely to be made next. Where another batch is wanted in place of one, that one was made in vain.
            last: the last call of the usual process.
            tainted: whether the tool's refusals spoil later calls (`tainted_state.py`).

        Raises:
            HostError: no process could be started.
        """
        result = self._take_ahead(batch)
        if result is None:
            known = [each for each, _ in self._ahead]
            wave = [batch, *(each for each in later if each not in known)]
            wave = wave[: self._width(wave)]
            results = self._made_together(wave, last, tainted=tainted)
            result, *others = results
            self._ahead += zip(wave[1:], others, strict=True)
        if isinstance(result, ConformanceError):
            raise result
        self.apart_count += not batch.is_usual
        return result

    def forget(self) -> None:
        """Forget what was made ahead: it belongs to a plan that has ended."""
        self._ahead.clear()

    def close(self) -> None:
        """End the processes apart."""
        for other in self._others:
            if other is not None:
                other.close()
        self._others.clear()

    def _take_ahead(self, batch: Batch) -> MadeBatch | ConformanceError | None:
        for place, (known, result) in enumerate(self._ahead):
            if known == batch:
                del self._ahead[place]
                return result
        return None

    def _width(self, batches: Sequence[Batch]) -> int:
        """How many batches are made at the same time: not more than save time, and not so many that they wait for each other."""
        elapsed = sum(call.elapsed for call in self.recorded)
        if not elapsed:
            return 1
        seconds = sum(len(batch.plans) for batch in batches) * elapsed / len(self.recorded)
        computed = self.host.computed + sum(other.computed for other in self._others if other)
        share = max(_LEAST_SHARE, computed / max(elapsed, computed))
        processors = len(os.sched_getaffinity(0))
        memory = psutil.virtual_memory().available / _MEMORY
        return max(1, int(min(MOST, len(batches), seconds / (2 * _START), processors / share, memory)))

    def _made_together(
        self, wave: Sequence[Batch], last: Call | None, *, tainted: bool
    ) -> list[MadeBatch | ConformanceError]:
        lanes = len([batch for batch in wave if not batch.is_usual])
        self._others += [None] * (lanes - len(self._others))
        numbers = iter(range(lanes))
        before = [other.waited if other else 0.0 for other in self._others]
        pairs = [(batch, -1 if batch.is_usual else next(numbers)) for batch in wave]
        try:
            if len(pairs) == 1:
                return [self._attempt(*pairs[0], last, tainted=tainted)]
            with ThreadPoolExecutor(len(pairs)) as threads:
                try:
                    futures = [threads.submit(self._attempt, *each, last, tainted=tainted) for each in pairs]
                    return [each.result() for each in futures]
                except BaseException:
                    self._is_stopped = True  # the threads end after the calls that they wait for
                    raise
        finally:
            now = [other.waited if other else 0.0 for other in self._others]
            self.waited += max(
                (later - earlier for later, earlier in zip(now, before, strict=True)), default=0.0
            )

    def _attempt(
        self, batch: Batch, lane: int, last: Call | None, *, tainted: bool
    ) -> MadeBatch | ConformanceError:
        try:
            if batch.is_usual:
                calls = tuple(self._calls_of(batch, self.host, last, tainted=tainted))
                return MadeBatch(calls)
            return self._made_apart(batch, lane, tainted=tainted)
        except ConformanceError as error:
            return error

    def _made_apart(self, batch: Batch, lane: int, *, tainted: bool) -> MadeBatch:
        host = self._others[lane]
        if host is None:
            host = self._others[lane] = self.host.another(lane + 1)
        try:
            last = self._opened(host)
            calls = tuple(self._calls_of(batch, host, last, tainted=tainted))
            ended = isinstance(calls[-1], Call) and calls[-1].outcome in INCIDENTS
            return (
                MadeBatch(calls)
                if ended
                else MadeBatch(calls, is_checked=True, integrity=host.check_sentinels())
            )
        finally:
            host.reset()

    def _opened(self, host: ToolHost) -> Call | None:
        """The call that opens a process, if there is one."""
        if self.opening is None:
            return None
        try:
            return host.execute(self.opening)
        except SetupError:  # so is the next call's
            return None

    def _calls_of(
        self, batch: Batch, host: ToolHost, last: Call | None, *, tainted: bool
    ) -> Iterator[Call | SetupError]:
        size = 0
        for plan in batch.plans:
            if self._is_stopped:
                raise HostError("the examination was stopped")
            host.restore_files()
            if last is not None and wants_fresh_process(last, tainted=tainted):
                host.reset()
            try:
                last = host.execute(plan)
            except SetupError as error:
                yield error
                continue
            yield last
            size += self.size(last)
            if last.outcome in INCIDENTS or size > _MOST_KEPT:
                return
