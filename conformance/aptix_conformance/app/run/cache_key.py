"""What the results of an examination depend on, as one digest: all that a tool can see, and all of the suite that judges it.

Where in doubt something counts. A key that differs for nothing costs an examination; one that stays equal for something
costs a wrong verdict.
"""

import dataclasses
import datetime
import hashlib
import json
import os
import platform
import resource
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Final

import msgspec

from aptix_conformance import __version__
from aptix_conformance.app.run.cache_store import FORMAT
from aptix_conformance.app.run.requests import ExamineTool
from aptix_conformance.app.run.setup import RunSetup
from aptix_conformance.app.run.visible_files import user_and_groups
from aptix_conformance.core.model import SystemTraits
from aptix_conformance.hosts import readable_paths
from aptix_conformance.hosts.host import Surroundings
from aptix_conformance.hosts.own_time import is_measured
from aptix_conformance.runners.paths import RUNNERS
from aptix_conformance.targets import ToolSettings

_BESIDE_THE_RUN: Final = frozenset(
    {
        "tools",
        "deadline",
        "jobs",
        "baseline",
        "baselines",
        "shard",
        "storage",
        "cache",
        "one_in",
        "hidden",
        "sys_path",
    }
)
"""Options that change which tools are examined, when, and what is made of the results; or that the surroundings show."""

_LIMITS: Final = sorted({value for name, value in vars(resource).items() if name.startswith("RLIMIT_")})


def conditions_of(setup: RunSetup) -> str:
    """The digest of what all examinations of a run depend on, without the contents of files."""
    options = {
        each.name: getattr(setup.options, each.name)
        for each in dataclasses.fields(setup.options)
        if each.name not in _BESIDE_THE_RUN
    }
    suites = {
        system: (suite.edition.name, [rule.code for rule in suite.rules])
        for system, suite in setup.suites.items()
    }
    machine = platform.uname()
    conditions = {
        "format": FORMAT,
        "suite": __version__,
        "options": options,
        "suites": suites,
        "configuration": _text_of(setup.pyproject),
        "python": sys.version,
        "platform": (machine.system, machine.release, machine.version, machine.machine),
        "processors": len(os.sched_getaffinity(0)),
        "own time": is_measured(),
        "PATH": os.environ.get("PATH", ""),
        "user": user_and_groups(),
        "umask": _umask(),
        "limits": [resource.getrlimit(limit) for limit in _LIMITS],
    }
    return _digest(conditions)


def files_of_suite() -> tuple[str, ...]:
    """The suite's own code, rules of third parties among it, with its interpreter and all from which this imports."""
    paths = [str(Path(path).absolute()) for path in sys.path]
    places = readable_paths.python(sys.executable, [*paths, sysconfig.get_path("stdlib")])
    return tuple(dict.fromkeys([str(RUNNERS.parent), *(place.path for place in places)]))


def files_of_settings(settings: ToolSettings) -> tuple[str, ...]:
    """The files that a tool is given besides those that it can read where they are."""
    return tuple(path for path in (settings.files, settings.recording) if path)


def key_of(
    request: ExamineTool,
    conditions: str,
    files: Sequence[tuple[str, str]],
    today: datetime.date,
    seen: Surroundings,
) -> str:
    """The key of an examination: a SHA-256.

    Args:
        request: what is asked for.
        conditions: those of `conditions_of`.
        files: each place that the tool or the suite reads, and the digest of its content.
        today: it counts where there are waivers, which have a last day.
        seen: what the tool's processes can read; of it count where modules are looked for, and what it is given.

    Raises:
        TypeError: a third party's declaration holds something that has no canonical form.
    """
    day = today if request.settings.waivers else None
    return _digest([conditions, request, list(files), day, seen.search, seen.given])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(_plain(value)).encode("ascii")).hexdigest()


def _plain(value: Any) -> Any:
    """A value as JSON that is equal for equal values only; sets are sorted, mappings keep their order."""
    plain = value
    if isinstance(value, SystemTraits):
        plain = ["system", value.name]
    elif isinstance(value, msgspec.Struct) or dataclasses.is_dataclass(value):
        names = value.__struct_fields__ if isinstance(value, msgspec.Struct) else _fields(value)
        plain = [type(value).__qualname__, [[name, _plain(getattr(value, name))] for name in names]]
    elif isinstance(value, Mapping):
        plain = {"items": [[_plain(name), _plain(each)] for name, each in value.items()]}
    elif isinstance(value, AbstractSet):
        plain = {"set": sorted((_plain(each) for each in value), key=json.dumps)}
    elif isinstance(value, list | tuple):
        plain = [_plain(each) for each in value]
    elif isinstance(value, datetime.date | datetime.time | Path):
        plain = [type(value).__name__, str(value)]
    elif value is not None and not isinstance(value, bool | int | float | str):
        raise TypeError(f"{type(value).__qualname__} has no canonical form")
    return plain


def _fields(record: Any) -> list[str]:
    return [each.name for each in dataclasses.fields(record)]


def _umask() -> str:
    """The umask of this process, read without a change of it."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.startswith("Umask:")), "")


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("latin-1")
    except OSError:
        return ""
