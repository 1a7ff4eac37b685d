"""Moves the clock for Python code: patches `time` and `datetime` before the tool's modules are imported.

`datetime.datetime.now` is C code that does not use the module `time`, so the classes are replaced too. Where libfaketime
moves the clock, nothing is patched. Monotonic clocks do not change.
"""

import datetime
import select
import time
from typing import Any

_Date = datetime.date
_Datetime = datetime.datetime


class _Replacement(type):
    """The metaclass of replaced classes: objects of the original class are instances too."""

    def __instancecheck__(cls, instance: object) -> bool:
        real = _real(cls)
        return isinstance(instance, real) if real else super().__instancecheck__(instance)

    def __subclasscheck__(cls, other: type) -> bool:
        real = _real(cls)
        return issubclass(other, real) if real else super().__subclasscheck__(other)


def _real(cls: type) -> type | None:
    """The class that `cls` replaces; None for a subclass of the replacement."""
    return next((base for base in cls.__bases__ if base in (_Date, _Datetime)), None)


def shift(seconds: int) -> None:
    """Move the clock of this process into the future. With 0, only make `time.sleep` work."""
    if seconds:
        _shift_time(seconds)
        _shift_datetime(seconds)
    else:
        _fix_sleep()


def _fix_sleep() -> None:
    """Replace `time.sleep` where it fails: libfaketime 0.9.10 also moves the monotonic deadline."""
    try:
        time.sleep(1e-6)
    except OSError:

        def sleep(seconds: Any, /) -> None:
            if seconds < 0:
                raise ValueError("sleep length must be non-negative")
            select.select([], [], [], seconds)

        time.sleep = sleep


def _shift_time(seconds: int) -> None:
    real_time, real_time_ns, real_clock = time.time, time.time_ns, time.clock_gettime
    real_clock_ns, real_strftime = time.clock_gettime_ns, time.strftime

    def moved(function: Any) -> Any:
        def read(moment: Any = None) -> Any:
            return function(real_time() + seconds if moment is None else moment)

        return read

    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, moved(getattr(time, name)))
    local, real_asctime = time.localtime, time.asctime
    time.time = lambda: real_time() + seconds
    time.time_ns = lambda: real_time_ns() + seconds * 10**9
    time.clock_gettime = lambda clock: real_clock(clock) + (seconds if clock == time.CLOCK_REALTIME else 0)
    time.clock_gettime_ns = lambda clock: (
        real_clock_ns(clock) + (seconds * 10**9 if clock == time.CLOCK_REALTIME else 0)
    )
    time.asctime = lambda moment=None: real_asctime(local() if moment is None else moment)
    time.strftime = lambda form, moment=None: real_strftime(form, local() if moment is None else moment)


def _shift_datetime(seconds: int) -> None:
    ahead = datetime.timedelta(seconds=seconds)

    class Date(_Date, metaclass=_Replacement):
        """`datetime.date` of the moved clock."""

        def __repr__(self) -> str:
            return f"datetime.{super().__repr__()}" if type(self) is Date else super().__repr__()

        @classmethod
        def today(cls) -> Any:
            day = _Datetime.now() + ahead
            return cls(day.year, day.month, day.day)

    class Datetime(_Datetime, metaclass=_Replacement):
        """`datetime.datetime` of the moved clock."""

        def __repr__(self) -> str:
            return f"datetime.{super().__repr__()}" if type(self) is Datetime else super().__repr__()

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return super().now(tz) + ahead

        @classmethod
        def utcnow(cls) -> Any:
            """The current time of the moved clock in UTC, without a time zone."""
            return super().now(datetime.timezone.utc).replace(tzinfo=None) + ahead  # noqa: UP017 - the tool's interpreter may be older

        @classmethod
        def today(cls) -> Any:
            return super().now() + ahead

    for mine, theirs in ((Date, _Date), (Datetime, _Datetime)):
        mine.__name__ = mine.__qualname__ = theirs.__name__
        mine.__module__ = "datetime"
    datetime.date, datetime.datetime = Date, Datetime  # type: ignore[misc]
