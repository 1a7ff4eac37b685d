"""A call with a progressToken that is cancelled, or only watched: the disturbances `wire:watched-call` and `wire:cancelled-…`.

A light request is sent behind each cancellation. Its answer proves that the server has read the cancellation: what crossed it
on the way comes before. The suite judges nothing that comes within a second after that, so a silent server is waited for as
long, and as long as the call usually takes. All times are seconds in which neither the server nor this process waited
for a processor.
"""

import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from .connection import Message, excerpt, is_response
from .family import Family, Processes, still_running
from .opening import Session
from .stimuli import Observed, call_members

WATCHED: Final = "watched-call"
AFTERWARDS: Final = "watched-call-afterwards"
AT_PROGRESS: Final = "cancelled-at-progress"
_SHARES: Final = {"cancelled-at-25": 0.25, "cancelled-at-50": 0.5, "cancelled-at-75": 0.75}
"""When a call is cancelled, as a share of its usual duration."""
CANCELLED: Final = frozenset({AT_PROGRESS, *_SHARES})
"""The stimuli that cancel a call."""
NAMES: Final = CANCELLED | {WATCHED, AFTERWARDS}
"""Every stimulus of this module."""

_GRACE: Final = 1.0
"""Seconds in which a server may do what it likes about a cancellation."""
_LOOK: Final = 0.3
"""Seconds in which the work of a call is measured that should have ended."""
_IDLE_LOOK: Final = 0.1
"""Seconds in which that of an idle server is measured."""
_LONGER: Final = 0.25
"""Seconds by which a cancelled call may take longer than usual, to be seen."""
_LONGEST: Final = 5.0
"""Seconds that a silent server is waited for at most."""
_PAUSE: Final = 0.05
"""Seconds between two looks at processes and threads that may end."""
_SHORTEST: Final = 0.02
"""Seconds; a call that takes less has ended before its cancellation arrives."""
_MOST_TRIES: Final = 3
"""Calls that are made at most until one of them still runs when it is to be cancelled."""
_MOST: Final = 200
"""Progress notifications that are kept."""
_MOST_OTHERS: Final = 50
_MOST_NAMED: Final = 20


class Usual(NamedTuple):
    """Measurements of a call that is not cancelled."""

    took: float
    """Its duration in seconds."""
    idle: float
    """The share of some time in which the server's processes had work after it."""
    running: list[str]
    """The names of the processes that were started in it and ran on."""


class TokenedCall:
    """One call with a progressToken, on its way; times are seconds since it was sent."""

    def __init__(self, session: Session, tool: str, arguments: str | None) -> None:
        """Send it.

        Raises:
            ValueError: the arguments are no JSON object.
        """
        self._session, self._connection = session, session.connection
        self._family = Family(session.connection.pid)
        self._token = self._connection.next_number
        members = call_members(session, tool, arguments, {"progressToken": self._token})
        self._before = self._family.members()
        self._started: Processes = {}
        self._began, self._latest = self._family.now(), 0.0
        self._number = self._connection.send_request("tools/call", members)
        self._behind: int | None = None
        self._response: Message | None = None
        self._answered: float | None = None
        self._sent: float | None = None
        self._is_closed = False
        self._read: float | None = None
        self._busy: float | None = None
        self._progress: list[str] = []
        self._times: list[float] = []
        self._in_time = 0
        self._others: list[str] = []

    @property
    def is_answered(self) -> bool:
        """Whether its response has come."""
        return self._answered is not None

    @property
    def took(self) -> float:
        """Its duration in seconds; 0 where no response has come."""
        return self._answered or 0.0

    @property
    def may_run(self) -> bool:
        """Whether it was cancelled, and may still run: no response has come, or one long before its usual end."""
        return self._sent is not None and (not self.is_answered or self._busy is not None)

    def wait_for_response(self, seconds: float | None = None, *, or_progress: bool = False) -> None:
        """Wait for the response, or for the first progress; for so many seconds at most."""
        self._wait(lambda: self.is_answered or (or_progress and bool(self._progress)), seconds)

    def confirm(self) -> None:
        """Wait for the answer to a request behind all that was sent, for as long as the suite allows."""
        self._behind = self._session.ask_lightly()
        self._wait(lambda: self._read is not None)

    def usual(self) -> Usual:
        """The measurements of an uncancelled call, after its end."""
        share = self._share(_IDLE_LOOK, lambda: False)
        return Usual(self.took, share, self._running_names())

    def cancel(self, usual: Usual) -> None:
        """Cancel it, and wait until nothing more is to be expected."""
        self._started = self._new()
        sent = self._now()
        how = self._connection.cancel(self._number)
        self._is_closed = how == "closed"
        if how == "not":
            self.wait_for_response()
            return
        self._sent = sent
        self.confirm()
        if not self.is_answered:
            self.wait_for_response(_GRACE)
        if self._response is not None:
            self._wait_for_processes()
            if "error" in self._response.value and sent + _GRACE + _LOOK < usual.took:
                self._wait(lambda: False, sent + _GRACE - self._now())
                self._busy = self._share(_LOOK, lambda: False)
            return
        self._busy = self._share(_LOOK, lambda: self.is_answered)
        self.wait_for_response(min(usual.took + _LONGER - self._now(), _LONGEST))

    def observed(self, usual: Usual) -> Observed:
        """The messages that came back, with all facts about their order."""
        tokened = {
            "token": self._token,
            "took": usual.took,
            "sent": self._sent,
            "closed": self._is_closed,
            "read": self._read,
            "answered": self._answered,
            "progress": self._progress,
            "times": self._times,
            "in_time": self._in_time if self.is_answered else len(self._progress),
            "busy": self._busy,
            "idle": usual.idle,
            "left": self._running_names() if self._sent is not None else [],
            "left_usually": usual.running,
        }
        response = self._response
        return Observed(
            (response.text or None) if response else None,
            self._others,
            response.http if response else None,
            tokened=tokened,
        )

    def _now(self) -> float:
        """Seconds since the call was sent. The kernel counts late, so that the clock alone might go back."""
        self._latest = max(self._latest, self._family.now() - self._began)
        return self._latest

    def _wait(self, until: Callable[[], bool], seconds: float | None = None) -> None:
        end = None if seconds is None else self._now() + seconds
        while not until():
            remaining = None if end is None else end - self._now()
            if remaining is not None and remaining <= 0:
                return
            for message in self._connection.take(remaining):
                self._keep(message, self._now())

    def _wait_for_processes(self) -> None:
        """Wait until the processes that the call started have ended, for `_GRACE` seconds at most."""
        end = self._now() + _GRACE
        while still_running(self._started) and self._now() < end:
            self._wait(lambda: False, _PAUSE)

    def _share(self, seconds: float, until: Callable[[], bool]) -> float:
        """The share of some time in which the server's processes had work; 0 where the wait ends early."""
        worked, began, end = 0.0, time.monotonic(), self._now() + seconds
        before = self._family.work()
        while self._now() < end:
            self._wait(until, min(_PAUSE, end - self._now()))
            if until():
                return 0.0
            after = self._family.work()
            worked += sum(total - before.get(thread, 0.0) for thread, total in after.items())
            before = after
        return worked / (time.monotonic() - began)

    def _keep(self, message: Message, now: float) -> None:
        if not self.is_answered and is_response(message, self._number, alone=False):
            if self._sent is not None and not message.text:
                return  # over HTTP the cancellation closed its answer
            self._response, self._answered, self._in_time = message, now, len(self._progress)
        elif self._behind is not None and is_response(message, self._behind, alone=False):
            self._read = now
        elif (token := _progress_token(message.value)) is not None and token <= self._token:
            # Progress of an earlier call was judged with that call.
            if token == self._token and len(self._progress) < _MOST:
                self._progress.append(excerpt(message))
                self._times.append(now)
        elif len(self._others) < _MOST_OTHERS:
            self._others.append(excerpt(message))

    def _new(self) -> Processes:
        """The processes that the server has started since the call was sent, and that run."""
        return {key: name for key, name in self._family.members().items() if key not in self._before}

    def _running_names(self) -> list[str]:
        return sorted(still_running({**self._started, **self._new()}).values())[:_MOST_NAMED]


def _progress_token(message: dict[str, Any]) -> int | None:
    """The token of a progress notification, where it is of the type that the suite gives."""
    params = message.get("params") if message.get("method") == "notifications/progress" else None
    token = params.get("progressToken") if isinstance(params, dict) else None
    return token if isinstance(token, int) and not isinstance(token, bool) else None


class Canceller:
    """Makes the stimuli of this module in one session, and remembers how its calls end when they are not cancelled."""

    def __init__(self, session: Session, tool: str) -> None:
        self.session = session
        self._tool = tool
        self._known: dict[str | None, Usual] = {}
        self._may_run = False

    def apply(self, name: str, arguments: str | None) -> Observed:
        """Make one stimulus; where its call is not known yet, it is first made without being cancelled.

        Raises:
            KeyError: there is none of that name.
            ValueError: the arguments are no JSON object.
            ServerEndedError: the server ended.
        """
        if name in (WATCHED, AFTERWARDS):
            return self._watched(arguments)
        share = None if name == AT_PROGRESS else _SHARES[name]
        if arguments not in self._known:
            self._watched(arguments)
        for _ in range(_MOST_TRIES):
            usual = self._known[arguments]
            call = TokenedCall(self.session, self._tool, arguments)
            call.wait_for_response(None if share is None else usual.took * share, or_progress=share is None)
            if not call.is_answered:
                call.cancel(usual)
                self._may_run |= call.may_run
                break
            call.confirm()
            if call.took < _SHORTEST:
                break
            # The call that was measured took longer, because it was the first or the machine stood still.
            self._known[arguments] = usual._replace(took=min(usual.took, call.took))
        return call.observed(usual)

    def needs_new_server(self, name: str) -> bool:
        """Whether a call may still run in this server when its last stimulus has been made."""
        return name == AFTERWARDS and self._may_run

    def _watched(self, arguments: str | None) -> Observed:
        call = TokenedCall(self.session, self._tool, arguments)
        call.wait_for_response()
        call.confirm()
        usual = call.usual()
        self._known.setdefault(arguments, usual)
        return call.observed(usual)
