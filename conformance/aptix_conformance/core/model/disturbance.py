"""What a host does to a call while it runs, as typed data.

Each kind has its own record type; an undisturbed call has None. As JSON a record is an object whose member `disturbance`
names its kind; members with default values are left out. `notation.py` makes the text that a host reads.
"""

from typing import ClassVar, Final, Literal

from aptix_conformance.core.model.allowance import Allowance
from aptix_conformance.core.model.codec import Record

SECOND: Final = 1.0
DISTURBED: Final = Allowance(extra=2.0)
"""The host delays answers, and then searches for background work."""
_LASTING: Final = Allowance(extra=10.0)
_SMALL_DISK: Final = 32 * 1024 * 1024
"""Bytes of a disk that is to be filled: a full disk is memory."""

Cancelling = Literal["watch", "before", "token", "delay", "task"]
FaultArea = Literal["service", "library", "parser"]
BrokenForm = Literal["not-utf-8", "empty", "folder", "link"]
Scarcity = Literal["full-disk", "read-only-folder", "no-descriptors"]
Failure = Literal["500", "429", "refused", "cut", "not-json", "encoding", "certificate"]


class CancellationPoint(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="cancel"):
    """Where one call is cancelled, and what is then allowed of it.

    `watch` cancels nothing, `before` cancels the token before the call begins. `at` is the number of the suspension,
    from 1, for `token` and `task`, and seconds for `delay`. `within` is the number of seconds that a cancelled call may
    take to end, including its background work; `block` is the number of seconds that it may block the event loop.
    `hold` is the number of seconds from the suspension to the cancellation, so that what the call has started gets going.
    `long` says that the author calls the tool long-running.

    The limits are part of the record, so that the stimulus alone is enough to judge a call and its replay.
    """

    kind: Cancelling
    at: float = 0.0
    within: float = SECOND
    block: float = SECOND
    long: bool = False
    hold: float = 0.0
    allowance: ClassVar[Allowance] = DISTURBED

    @property
    def is_watched_only(self) -> bool:
        """Whether nothing is cancelled."""
        return self.kind == "watch"

    @property
    def is_of_token(self) -> bool:
        """Whether the token is cancelled, not the task."""
        return self.kind in ("before", "token", "delay")


class InjectedFault(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="fault"):
    """One use of a dependency of the call, which the host makes to fail.

    `number` counts the uses in that area within the call, from 1. `fault` is the name of the exception, or of what
    replaces the answer. `modules` are further libraries to watch, chosen by the author. `lasts` says that each later use of the
    same thing fails too, until the call ends.
    """

    area: FaultArea
    number: int
    fault: str
    modules: tuple[str, ...] = ()
    lasts: bool = False

    @property
    def allowance(self) -> Allowance:
        """Where it lasts, a tool may try again a few times, and wait in between."""
        return _LASTING if self.lasts else DISTURBED


class ReplacedCatalog(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="catalog"):
    """A mode catalog, by name, that replaces the configured one."""

    name: str
    allowance: ClassVar[Allowance] = DISTURBED


class WatchedArguments(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="arguments"):
    """Changes nothing: the host records what the call reads from its arguments."""

    allowance: ClassVar[Allowance] = DISTURBED


class OtherHashSeed(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="hash-seed"):
    """The call is the first of a process whose texts have other hashes, so that its sets have another order."""

    seed: str
    allowance: ClassVar[Allowance] = Allowance()


class OtherConditions(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="conditions"):
    """The call is the first of a process with another time zone, locale or clock.

    Each member that is not empty is a value of the condition of that name, as `hosts.conditions` reads it.
    """

    zone: str = ""
    locale: str = ""
    clock: str = ""
    allowance: ClassVar[Allowance] = Allowance()

    @property
    def by_name(self) -> dict[str, str]:
        """The conditions that are other ones, by the names that `hosts.conditions` gives them."""
        all_ = {"time zone": self.zone, "locale": self.locale, "clock": self.clock}
        return {name: value for name, value in all_.items() if value}


class BrokenFiles(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="files"):
    """The call is the first of a process in whose copy of its author's files each one is broken in one form.

    `not-utf-8` puts bytes into it that are no UTF-8; `empty` leaves none; `folder` and `link` put a folder, or a link that leads to
    itself, in its place.
    """

    form: BrokenForm
    allowance: ClassVar[Allowance] = Allowance()


class ScarceResource(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="resource"):
    """The call is the first of a process that lacks something: `full-disk`, `read-only-folder` or `no-descriptors`.

    The host takes it away when the process has started, and gives it back after the call.
    """

    name: Scarcity
    allowance: ClassVar[Allowance] = Allowance(factor=3.0, disk=_SMALL_DISK)
    """The call is made again afterwards."""


class Outage(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="outage"):
    """Each recorded service fails in one way for as long as the call lasts.

    It answers with the status 500 or 429, resets connections (`refused`), ends in the middle of a body (`cut`), answers a page in
    place of JSON (`not-json`), or bytes that are no UTF-8 (`encoding`), or has the `certificate` of another host.
    """

    name: Failure
    allowance: ClassVar[Allowance] = Allowance(extra=25.0)
    """A tool may try again a few times, and wait in between."""


class ProtocolStimulus(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="wire"):
    """What a client sends other than a plain call, by its name for the host.

    `said` tells it to people, as "sent a ping"; the host does not read it.
    """

    name: str
    said: str = ""
    allowance: ClassVar[Allowance] = DISTURBED
    """Without what its name adds: the host that knows the name knows that."""


class OtherDisturbance(Record, frozen=True, omit_defaults=True, tag_field="disturbance", tag="other"):
    """A disturbance of a third party's probe and host: `KIND:WHAT`, as that host reads it."""

    text: str
    allowance: ClassVar[Allowance] = DISTURBED


Disturbance = (
    CancellationPoint
    | InjectedFault
    | ReplacedCatalog
    | WatchedArguments
    | OtherHashSeed
    | OtherConditions
    | BrokenFiles
    | ScarceResource
    | Outage
    | ProtocolStimulus
    | OtherDisturbance
)


def lasts(disturbance: Disturbance | None) -> bool:
    """Whether what a call depends on fails until the call ends: the tool may try again, and wait in between."""
    return isinstance(disturbance, Outage) or (isinstance(disturbance, InjectedFault) and disturbance.lasts)
