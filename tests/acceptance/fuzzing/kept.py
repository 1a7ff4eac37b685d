"""Results that the suite keeps where strangers may write: entries of a cache, results in a store, files of costs."""

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.acceptance.fuzzing.documents import examined

from aptix_conformance.app.engine.store import RESULT_FORMAT, DamagedError, Result, Store
from aptix_conformance.app.engine.task import TASK_FORMAT, Facts, Task, TaskOptions
from aptix_conformance.app.run.cache_store import FORMAT, CacheEntry, CacheStore
from aptix_conformance.app.run.shards import costs_text, read_costs
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.model.codec import to_text
from aptix_conformance.core.model.report import Report, ToolReport
from aptix_conformance.present.reports import json_report

_NOW: Final = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)
_KEY: Final = "a" * 64
_DIGEST: Final = f"sha256:{_KEY}"


def _report() -> Report:
    return json_report.report_of(json.loads(examined()[0]), "$")


def _task() -> Task:
    tool = _report().tools[0]
    options = TaskOptions(None, 0, "standard", None, 1.0, 1.0, 1, None, True, (), None)
    facts = Facts("0.1.0", _DIGEST, "3.11.7", _DIGEST, _DIGEST)
    return Task(TASK_FORMAT, "/project", tool.target, tool.edition, tool.tool, (), options, None, facts)


def entries() -> tuple[bytes, ...]:
    """An entry of a cache."""
    return (to_text(CacheEntry(FORMAT, _KEY, _NOW, _report().tools[0], None, None)).encode(),)


def read_entry(data: bytes, scratch: Path) -> tuple[ToolReport | None, list[str]]:
    """Read an entry; returns its report and the lines on what is wrong with it."""
    store = CacheStore(scratch, _NOW)
    _write(scratch / _KEY[:2] / f"{_KEY}.json", data)
    entry = store.read(_KEY)
    return entry and entry.report, store.problems


def results() -> tuple[bytes, ...]:
    """A result in a store."""
    return (to_text(Result(RESULT_FORMAT, _task(), _report().tools[0], dt.datetime.now(dt.UTC))).encode(),)


def read_result(data: bytes, scratch: Path) -> tuple[ToolReport | None, list[str]]:
    """As `read_entry`, for a result."""
    task = _task()
    _write(scratch / "results" / task.address[:2] / f"{task.address}.json", data)
    try:
        result = Store.open(str(scratch)).read(task)
    except DamagedError as error:
        return None, [str(error)]
    return result and result.report, []


def costs() -> tuple[bytes, ...]:
    """A file of costs."""
    return (costs_text(_report()).encode(),)


def read_file_of_costs(data: bytes, scratch: Path) -> tuple[ToolReport | None, list[str]]:
    """As `read_entry`, for a file of costs, which has no report: that of another file stands for it."""
    _write(scratch / "costs.json", data)
    try:
        read_costs(scratch / "costs.json")
    except ConfigurationError as error:
        return None, [str(error)]
    return _report().tools[0], []


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(data)


READERS: Final[
    dict[
        str,
        tuple[Callable[[], tuple[bytes, ...]], Callable[[bytes, Path], tuple[ToolReport | None, list[str]]]],
    ]
] = {
    "cache-entry": (entries, read_entry),
    "stored-result": (results, read_result),
    "costs": (costs, read_file_of_costs),
}
"""By the name of the kind, its valid documents and its reader."""
