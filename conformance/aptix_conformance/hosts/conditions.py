"""Sets up the conditions under which a fresh interpreter reads a declaration again.

A condition is a name and a value: `hash seed` (a number), `time zone` (a name of the tz database), `locale` (`C`,
`POSIX`, a name, or `another`: any other that is installed), `clock` (`N days` or `N minutes` in the future), `file times` (`N days` in the
past), `environment` (variables, as below), `directory`, `user`, `host name`, `PID` and `process` (`another`). One table
holds how each is set up and what a report says of it. Not every machine or host can set every condition, so the result
states the actual ones. libfaketime moves the clock of the whole process where it is installed; otherwise
`shift_clock.py` moves it for Python code only. The times of files are changed for Python code only.

The value of `environment` is a list of `NAME=VALUE`. `variables such as STAGE=VALUE` gives that value to all of
`ORDINARY`, and to those that Python code of the project looks for in vain. What the configuration sets is a part of the
tool, and keeps its value.
"""

import re
import subprocess
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

USER: Final = "restart-user"
DAY: Final = 86_400
MINUTE: Final = 60
_PATCHED: Final = " (patched time and datetime)"
CLOCK: Final = "clock"
FILE_TIMES: Final = "file times"
HOST_NAME: Final = "host name"
PID: Final = "PID"
OF_LAUNCHER: Final = frozenset({HOST_NAME, PID, CLOCK})
"""The conditions that the launcher sets up, where the machine lets it; the clock if it is moved by libfaketime."""
VARIABLES: Final = "environment"
ANY_VARIABLE: Final = "variables such as STAGE="
"""The words before the value of all variables."""
ORDINARY: Final = (
    *("STAGE", "ENV", "ENVIRONMENT", "APP_ENV", "NODE_ENV", "DOTNET_ENVIRONMENT", "ASPNETCORE_ENVIRONMENT"),
    *("HOSTNAME", "COMPUTERNAME", "REGION", "TENANT", "VERSION", "BUILD", "DEBUG", "CI"),
)
"""Environment variables that many tools read, whatever their language."""
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
_MOST_NAMES: Final = 20

_INTERPRETERS: Final = re.compile(r"(?:python|pypy)[0-9.]*|node(?:js)?[0-9]*")
_ZONES: Final = Path("/usr/share/zoneinfo")
_POSIX_ZONES: Final[Mapping[str, str]] = {
    "Pacific/Marquesas": "<-0930>9:30",
    "Asia/Tokyo": "JST-9",
}
"""Zones that two calls compare, in the form that needs no tz database; any other one is as good as the one for the rest."""
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
        patches: what the Python runner does besides: it moves the `clock` and the `files` by seconds, and gives `variables`
            that are looked for in vain a value. It moves no clock that libfaketime moves.
        actual: the actual conditions, by name, where all can be set up.
    """

    env: Mapping[str, str] = field(default_factory=dict)
    patches: Mapping[str, int | str] = field(default_factory=dict)
    actual: Mapping[str, str] = field(default_factory=dict)

    def in_effect(self, changed: Collection[str], *, patched: bool = False) -> dict[str, str]:
        """The actual conditions of a process: `changed` are those `OF_LAUNCHER` that hold; `patched`: whether the patches were made."""
        effective: dict[str, str] = {}
        for name, planned in self.actual.items():
            value = _patched(planned) if name == CLOCK and CLOCK not in changed else planned
            is_patch = name == FILE_TIMES or value.endswith(_PATCHED)
            if patched if is_patch else name in changed or name not in OF_LAUNCHER:
                effective[name] = value
        return effective


def realise(conditions: Mapping[str, str]) -> Conditions:
    """How to make the conditions hold on this machine; without conditions, in a fresh process.

    Raises:
        KeyError: the condition is unknown.
    """
    setups = {name: CONDITIONS[name].make(value) for name, value in conditions.items()}
    return Conditions(
        env={key: text for each in setups.values() for key, text in each.env.items()},
        patches={key: value for each in setups.values() for key, value in each.patches.items()},
        actual={name: each.actual.get(name, conditions[name]) for name, each in setups.items()},
    )


def obeys_moved_clock(program: str) -> bool:
    """Whether a program asks the library of C for the time, which libfaketime moves. A program in Go, say, asks the kernel.

    Known are the interpreters of Python and JavaScript, and scripts that name one of them in their first line.
    """
    path = Path(program)
    try:
        with path.open("rb") as file:
            first = file.read(256).split(b"\n")[0]
    except OSError:
        return False
    if first.startswith(b"#!"):
        words = first[2:].decode("utf-8", "replace").split()
        return any(_INTERPRETERS.fullmatch(Path(word).name) for word in words)
    return bool(_INTERPRETERS.fullmatch(path.resolve().name))


def in_words(conditions: Mapping[str, str]) -> str:
    """The conditions as a phrase that a sentence can end with.

    Raises:
        KeyError: the condition is unknown.
    """
    if list(conditions) == [PROCESS]:
        return "in each process"
    words = [CONDITIONS[name].words.format(value) for name, value in conditions.items()]
    return f"in a fresh process with {' and '.join(words)}" if words else "in another process"


def variables_in(value: str) -> dict[str, str]:
    """The values that a value of `environment` sets, by the names of the variables."""
    variables: dict[str, str] = {}
    for item in filter(None, value.split(", ")):
        name, _, text = item.partition("=")
        names = ORDINARY if item.startswith(ANY_VARIABLE) else (name,)
        variables |= dict.fromkeys(names, text)
    return variables


def naming(value: str, looked_for: Iterable[str]) -> str:
    """A value of `environment` that also names the variables which the tool's process says that its code looked for."""
    _, is_any, text = value.rpartition(ANY_VARIABLE)
    if not is_any:
        return value
    names = [name for name in looked_for if _NAME.fullmatch(name)][:_MOST_NAMES]
    return ", ".join([*(f"{name}={text}" for name in names), f"{ANY_VARIABLE}{text}"])


def _set_variables(value: str) -> Conditions:
    _, is_any, text = value.rpartition(ANY_VARIABLE)
    return Conditions(variables_in(value), {"variables": text} if is_any else {})


def _set_zone(value: str) -> Conditions:
    # Where there is no tz database, a name means UTC; the POSIX form needs none.
    zone = value if (_ZONES / value).is_file() else _POSIX_ZONES.get(value, "<+1345>-13:45")
    return Conditions({"TZ": zone}, actual={"time zone": zone})


def _set_locale(value: str) -> Conditions:
    name = _other_locale() if value == "another" else value
    return Conditions({"LC_ALL": name, "LANG": name}, actual={"locale": name})


def _set_user(_value: str) -> Conditions:
    return Conditions(dict.fromkeys(("USER", "LOGNAME", "USERNAME"), USER))


def _start_only(_value: str) -> Conditions:
    """No setup: every restart, or the launcher, makes these conditions hold."""
    return Conditions()


def _move_clock(value: str) -> Conditions:
    ahead = value.partition(" ahead")[0]  # a breach is reproduced with what was reported
    patches, library = {"clock": _seconds(ahead)}, _faketime()
    if library is None:
        return Conditions(patches=patches, actual={CLOCK: _patched(ahead)})
    env = {"LD_PRELOAD": library, "FAKETIME": f"+{_seconds(ahead)}", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    return Conditions(env, patches, {CLOCK: f"{ahead} ahead (libfaketime)"})


def _patched(ahead: str) -> str:
    return f"{ahead.partition(' ahead')[0]} ahead{_PATCHED}"


def _age_files(value: str) -> Conditions:
    return Conditions(patches={"files": _seconds(value)})


def _seconds(span: str) -> int:
    number, _, unit = span.partition(" ")
    return int(number) * (MINUTE if unit.startswith("minute") else DAY)


@cache
def _faketime() -> str | None:
    for pattern in _FAKETIME:
        libraries = sorted(Path("/").glob(pattern.lstrip("/")))
        if libraries:
            return str(libraries[0])
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
    """A condition: what to say of it, with `{}` for its value, how to make it hold, and what to say where it never held."""

    words: str
    make: Callable[[str], Conditions]
    unmade: str = "this condition could not be set up"


CONDITIONS: Final[Mapping[str, Condition]] = {
    "hash seed": Condition("hash seed {}", lambda value: Conditions({"PYTHONHASHSEED": value})),
    "time zone": Condition("time zone {}", _set_zone),
    "locale": Condition("locale {}", _set_locale),
    CLOCK: Condition("the clock {}", _move_clock, "the clock could not be moved: that takes libfaketime"),
    FILE_TIMES: Condition(
        "file times {} earlier",
        _age_files,
        "the times of files could not be changed: only the host of Python tools does that",
    ),
    VARIABLES: Condition(
        "{} in its environment", _set_variables, "environment variables could not be changed"
    ),
    "directory": Condition("another directory", _start_only),
    "user": Condition("another user", _set_user),
    HOST_NAME: Condition(
        "another host name", _start_only, "the host name could not be changed: that takes namespaces"
    ),
    PID: Condition(
        "another PID",
        _start_only,
        "the PID could not be chosen: that takes a /proc/sys that can be written to",
    ),
    PROCESS: Condition("another process", _start_only),
}
"""All conditions that a report can name."""
