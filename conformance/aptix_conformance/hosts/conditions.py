"""Sets up the conditions under which a fresh interpreter reads a declaration again.

A condition is a name and a value: `hash seed` (a number), `time zone` (a name of the tz database), `locale` (`C`,
`POSIX`, or `another`: any other that is installed), `clock` (`N days` in the future), `directory` and `user`
(`another`). Not every machine can set every condition, so the result states the actual ones: libfaketime moves the
clock of the whole process where it is installed; otherwise `shift_clock.py` moves it for Python code only.
"""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

USER: Final = "restart-user"
DAY: Final = 86_400

_ZONES: Final = Path("/usr/share/zoneinfo")
_FAKETIME: Final = (
    "/usr/lib/*/faketime/libfaketimeMT.so.1",
    "/usr/lib*/faketime/libfaketimeMT.so.1",
    "/usr/local/lib/faketime/libfaketimeMT.so.1",
)
_BASE: Final = ("c", "posix", "c.utf8", "c.utf-8")


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
    """How to make the conditions hold on this machine.

    Raises:
        KeyError: the condition is unknown.
    """
    env: dict[str, str] = {}
    actual = dict(wanted)
    clock = 0
    for name, value in wanted.items():
        match name:
            case "hash seed":
                env["PYTHONHASHSEED"] = value
            case "time zone":
                # Where there is no tz database, a name means UTC; the POSIX form needs none.
                env["TZ"] = actual[name] = value if (_ZONES / value).is_file() else "<+1345>-13:45"
            case "locale":
                env["LC_ALL"] = env["LANG"] = actual[name] = _other_locale() if value == "another" else value
            case "user":
                env.update(dict.fromkeys(("USER", "LOGNAME", "USERNAME"), USER))
            case "clock":
                moved = _move_clock(value)
                env.update(moved.env)
                clock, actual[name] = moved.clock, moved.actual[name]
            case "directory":
                pass  # every restart has another
            case _:
                raise KeyError(name)
    return Conditions(env, clock, actual)


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
