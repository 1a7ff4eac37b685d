"""The cache of a run: what was examined already, and would give the same results, is not examined again.

A result is taken only where nothing that it depends on differs (`cache_key`). A run examines some of the tools again that it
could take, and compares: each tool on one day in a hundred, which its key and the date decide. A difference is a fault: of the tool, whose behaviour is
not reproducible, or of the suite.
"""

import contextlib
import datetime
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from aptix_conformance.app.run.cache_key import conditions_of, files_of_settings, files_of_suite, key_of
from aptix_conformance.app.run.cache_store import FORMAT, CacheEntry, CacheStore
from aptix_conformance.app.run.requests import ExamineTool, ToolExamined
from aptix_conformance.app.run.setup import RunSetup
from aptix_conformance.app.run.visible_files import UnknownFilesError, VisibleFiles
from aptix_conformance.core.errors import ConformanceError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.earlier import cache_report, differences, unfinished
from aptix_conformance.core.model.report import CacheReport, ToolReport
from aptix_conformance.hosts.host import Surroundings
from aptix_conformance.targets import Target, ToolSettings

_MOST_WAITING: Final = 20
"""Results that wait for a look at whether the files have changed meanwhile."""


@dataclass(slots=True)
class Cache:
    """The cache of one run. `surroundings` says what a tool's processes can read."""

    setup: RunSetup
    store: CacheStore
    surroundings: Callable[[Target, ToolSettings], Surroundings | None]
    _files: VisibleFiles = field(init=False)
    _conditions: str = field(init=False)
    _suite: tuple[str, ...] = field(init=False)
    """The suite's own files."""
    _keys: dict[tuple[object, ...], tuple[str, str]] = field(default_factory=dict)
    """By request: its key, or why it has none."""
    _waiting: list[CacheEntry] = field(default_factory=list)
    _changed: str = ""
    _dropped: int = 0
    """Results that were not kept because files had changed."""
    _has_begun: bool = False
    _digests: dict[tuple[object, ...], list[tuple[str, str]]] = field(default_factory=dict)
    """By what is visible, hidden and given: the digests. Most tools of a run see the same files."""
    takes: bool = True
    """Whether results are taken at all, so that tools are not examined."""

    def __post_init__(self) -> None:
        self._files = VisibleFiles(self.store)
        self._conditions = conditions_of(self.setup)
        self._suite = files_of_suite()

    @property
    def problems(self) -> list[str]:
        """A sentence for each fault of the store, and one on the results that are not kept because files have changed."""
        if not self._dropped:
            return self.store.problems
        dropped = "1 result is" if self._dropped == 1 else f"{self._dropped:,} results are"
        return [
            *self.store.problems,
            f"{dropped} not kept in the cache, since files have changed during the run: {self._changed}",
        ]

    def begin(self) -> None:
        """Read the files of the project before anything is imported, so that a later edit keeps results out of the store.

        Of what only some tools read, there are the paths that their tables name. What leads to a fault here does so again
        where a tool's key is made, which says it.
        """
        if self._has_begun:
            return
        self._has_begun = True
        target = Target("", "aptix", "", "")
        for table in (ToolSettings(), *self.setup.settings.tool.values()):
            given = ToolSettings(python=table.python, reads=table.reads, files=table.files)
            with contextlib.suppress(ConformanceError):
                seen = self.surroundings(target, given)
                if seen is not None:
                    self._files_read(seen, replace(given, recording=table.recording))

    def can_take(self, request: ExamineTool) -> bool:
        """Whether the results of a request are taken from the store."""
        return self.takes and not self._is_sample(request) and self._entry(request) is not None

    def take(self, request: ExamineTool) -> ToolExamined | None:
        """The results of an earlier examination; None where the tool is to be examined."""
        entry = self._entry(request) if self.takes and not self._is_sample(request) else None
        if entry is None:
            return None
        report = replace(entry.report, cache=cache_report("taken", entry.examined))
        return ToolExamined(report, entry.result_shape, entry.worked)

    def keep(self, request: ExamineTool, examined: ToolExamined) -> ToolExamined:
        """Keep the results of an examination, or say why not; compare them with earlier ones, where there are any."""
        key, reason = self._key(request)
        reason = reason or _unfit(examined.report)
        if reason:
            return _with(examined, CacheReport("not_kept", reasons=(reason,)))
        earlier = self._entry(request)
        if earlier is not None and (found := differences(earlier.report, examined.report)):
            self.store.remove(key)
            return _with(examined, cache_report("differs", earlier.examined, found))
        shape, now = examined.result_shape, datetime.datetime.now(datetime.UTC)
        self._waiting.append(CacheEntry(FORMAT, key, now, examined.report, shape, examined.worked))
        if len(self._waiting) >= _MOST_WAITING:
            self.flush()
        cache = CacheReport("new") if earlier is None else cache_report("confirmed", earlier.examined)
        return _with(examined, cache)

    def sample(self, requests: Iterable[ExamineTool]) -> list[ExamineTool]:
        """One in `options.one_in` of the requests that could be taken, at least one where there is any."""
        known = [each for each in requests if self._entry(each)]
        known.sort(key=lambda each: self._rank(self._key(each)[0]))
        return known[: -(-len(known) // self.setup.options.one_in)]

    def flush(self) -> None:
        """Write what was examined, unless files that tools can read have changed meanwhile. Harmless when repeated."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        try:
            self._changed = self._changed or self._files.changed()
        except UnknownFilesError as error:
            self._changed = str(error)
        if self._changed:
            self._dropped += len(waiting)
            return
        for entry in waiting:
            self.store.write(entry)
        self.store.prune()

    def _entry(self, request: ExamineTool) -> CacheEntry | None:
        key, reason = self._key(request)
        entry = None if reason else self.store.read(key)
        return entry if entry is not None and _is_of(request, entry.report) else None

    def _is_sample(self, request: ExamineTool) -> bool:
        key, _ = self._key(request)
        return bool(key) and self._rank(key) % self.setup.options.one_in == 0

    def _rank(self, key: str) -> int:
        """A number by which a key is chosen, another one each day."""
        day = self.store.now.date().isoformat()
        return int.from_bytes(hashlib.sha256(f"{day} {key}".encode()).digest()[:8], "big")

    def _key(self, request: ExamineTool) -> tuple[str, str]:
        asked = (request.name, request.target.spec, request.probes, request.deselected, request.restarts)
        if asked not in self._keys:
            reason = self._refusal(request)
            try:
                self._keys[asked] = ("", reason) if reason else (self._digest(request), "")
            except (ConformanceError, TypeError) as error:
                self._keys[asked] = ("", str(error))
        return self._keys[asked]

    def _digest(self, request: ExamineTool) -> str:
        seen = self.surroundings(request.target, request.settings)
        if seen is None:
            raise UnknownFilesError("it is not known which files its host reads")
        files = self._files_read(seen, request.settings)
        return key_of(request, self._conditions, files, self.setup.thoroughness.today, seen)

    def _files_read(self, seen: Surroundings, settings: ToolSettings) -> list[tuple[str, str]]:
        """The digests of what a tool's processes read, and the suite with them. For a tool's `files` the suite sees all."""
        visible, hidden = (*seen.visible, *self._suite), tuple(seen.hidden)
        asked = (visible, hidden, files_of_settings(settings))
        if asked not in self._digests:
            self._digests[asked] = self._files.digests(*asked)
        return self._digests[asked]

    def _refusal(self, request: ExamineTool) -> str:
        """Why the results of a request depend on more than the key covers; empty where they do not."""
        settings, held, options = request.settings, request.containment, self.setup.options
        is_open = held is not None and held.level != "none" and held.opens_network
        reasons = (
            (options.inline, "it runs in the test process, which is not isolated"),
            (options.coverage is not None, "its coverage is measured, for which it must run"),
            (is_open, "a network is open to it"),
            (
                held is None or held.level != "full",
                f"it can see more than its own files: containment {held or 'unknown'}",
            ),
            (settings.directory, "it works in a folder of yours, which its calls can change"),
            (
                settings.variables or options.variables or settings.headers,
                "it is given variables of your environment",
            ),
        )
        return next((reason for applies, reason in reasons if applies), "")


def _unfit(report: ToolReport) -> str:
    """Why the results of an examination are not complete, not reproduced or not contained; empty where they are."""
    held = report.containment_reached
    if not unfinished(report) and (held is None or held.level != "full"):
        return f"it was not fully contained: {held or 'unknown'}"
    return unfinished(report)


def _is_of(request: ExamineTool, report: ToolReport) -> bool:
    """Whether a report that somebody else may have written is about the tool of a request, and without a baseline."""
    return (report.tool, report.target, report.error, report.cache, report.stale) == (
        *(request.name, request.target.spec),
        *(None, None, ()),
    )


def _with(examined: ToolExamined, cache: CacheReport) -> ToolExamined:
    return replace(examined, report=replace(examined.report, cache=cache))
