"""Sets up the conditions under which a fresh interpreter reads a declaration again.

A condition is a name and a value: `hash seed` (a number), `time zone` (a name of the tz database), `locale` (`C`,
`POSIX`, or `another`: any other that is installed), `clock` (`N days` in the future), `directory`, `user`, `host name`
and `process` (`another`). One table holds both how each is set up and how a report names it. Not every machine can set
every condition, so the result states the actual ones: libfaketime moves the clock of the whole process where it is
installed; otherwise `shift_clock.py` moves it for Python code only.
"""

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

USER: Final = "restart-user"
DAY: Final = 86_400
HOST_NAME: Final = "host name"
"""The condition that the launcher sets up, where there are namespaces."""

_ZONES: Final = Path("/usr/share/zoneinfo")
_FAKETIME: Final = (
    "/usr/lib/*/faketime/libfaketimeMT.so.1",
    "/usr/lib*/faketime/libfaketimeMT.so.1",
    "/usr/local/lib/faketime/libfaketimeMT.so.1",
)
_BASE: Final = ("c", "posix", "c.utf8", "c.utf-8")


PROCESS: Final = "process"
"""The condition that holds of every restart: nothing but the process is another."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """How to start an interpreter so that some conditions hold.

    Attributes:
        env: environment variables to set.
        clock: seconds by which `shift_clock.py` moves the clock; 0 where libfaketime does it.
        actual: the actual conditions, by name.
    """

    env: Mapping[str, str]
    clock: int
    actual: Mapping[str, str]


def realise(wanted: Mapping[str, str]) -> Conditions:
    """How to make the conditions hold on this machine; without conditions, in a fresh process.

    Raises:
        KeyError: the condition is unknown.
    """
    made = {name: CONDITIONS[name].make(value) for name, value in wanted.items()}
    env = {key: text for each in made.values() for key, text in each.env.items()}
    actual = {name: each.actual.get(name, wanted[name]) for name, each in made.items()}
    return Conditions(env, sum(each.clock for each in made.values()), actual)


def in_words(conditions: Mapping[str, str]) -> str:
    """The conditions as a phrase that a sentence can end with.

    Raises:
        KeyError: the condition is unknown.
    """
    if list(conditions) == [PROCESS]:
        return "in each process"
    words = [CONDITIONS[name].words.format(value) for name, value in conditions.items()]
    return f"in a fresh process with {' and '.join(words)}" if words else "in another process"


def _set_zone(value: str) -> Conditions:
    # Where there is no tz database, a name means UTC; the POSIX form needs none.
    zone = value if (_ZONES / value).is_file() else "<+1345>-13:45"
    return Conditions({"TZ": zone}, 0, {"time zone": zone})


def _set_locale(value: str) -> Conditions:
    name = _other_locale() if value == "another" else value
    return Conditions({"LC_ALL": name, "LANG": name}, 0, {"locale": name})


def _set_user(_value: str) -> Conditions:
    return Conditions(dict.fromkeys(("USER", "LOGNAME", "USERNAME"), USER), 0, {})


def _start_only(_value: str) -> Conditions:
    """What every restart changes."""
    return Conditions({}, 0, {})


def _move_clock(value: str) -> Conditions:
    days = value.partition(" ahead")[0]  # a breach is reproduced with what was reported
    seconds = int(days.partition(" ")[0]) * DAY
    library = _faketime()
    if library is None:
        return Conditions({}, seconds, {"clock": f"{days} ahead (patched time and datetime)"})
    env = {"LD_PRELOAD": library, "FAKETIME": f"+{seconds}", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    return Conditions(env, 0, {"clock": f"{days} ahead (libfaketime)"})


@cache
def _faketime() -> str | None:
    for pattern in _FAKETIME:
        found = sorted(Path("/").glob(pattern.lstrip("/")))
        if found:
            return str(found[0])
    return None


@cache
def _other_locale() -> str:
    """An installed locale other than the base one, else `C`: a locale that is not installed would break some tools."""
    try:
        out = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False, timeout=5).stdout  # noqa: S607 - found on PATH
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return "C"
    return next((name for name in sorted(out.split()) if name.lower() not in _BASE), "C")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition: what to say of it, with `{}` for its value, and how to make it hold."""

    words: str
    make: Callable[[str], Conditions]


CONDITIONS: Final[Mapping[str, Condition]] = {
    "hash seed": Condition("hash seed {}", lambda value: Conditions({"PYTHONHASHSEED": value}, 0, {})),
    "time zone": Condition("time zone {}", _set_zone),
    "locale": Condition("locale {}", _set_locale),
    "clock": Condition("the clock {}", _move_clock),
    "directory": Condition("another directory", _start_only),
    "user": Condition("another user", _set_user),
    HOST_NAME: Condition("another host name", _start_only),
    PROCESS: Condition("another process", _start_only),
}
"""All conditions that a report can name."""
