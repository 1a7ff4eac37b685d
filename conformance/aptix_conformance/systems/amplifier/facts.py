"""The facts that only Amplifier's tools declare: how their module was mounted."""

from typing import Literal

from aptix_conformance.core.model import Facts, Parameter, SchemaReading
from aptix_conformance.core.model.codec import Record


class EntryPoint(Record, frozen=True):
    """A line of a distribution's entry points."""

    group: str
    name: str
    value: str


class Registration(Record, frozen=True):
    """One call of the coordinator's `mount` by a module; `key` is None if the module gave none."""

    point: str
    key: str | None
    type_name: str
    again: bool = False
    """Whether the same object was registered there under the same key before."""
    error: str | None = None


class Cleanup(Record, frozen=True):
    """What happened when a module's cleanup functions were called."""

    faults: tuple[str, ...] = ()
    """What they raised."""
    left: tuple[str, ...] = ()
    """Tasks, threads, processes and sockets that were left half a second later, each described for people."""


class AmplifierMount(Facts, frozen=True):
    """How an Amplifier module was mounted, and one of the tools that it registered.

    `where` is the target's locator. `function` says what the module has as `mount`. `key` is the key of the tool's
    registration, None if there was none.
    """

    where: str
    function: Literal["async", "plain", "class", "other", "missing"]
    parameters: tuple[Parameter, ...]
    returned: Literal["tool", "cleanup", "mapping", "nothing", "other", "not_awaitable", "raised"]
    detail: str
    """The type of what it returned, or what it raised."""
    key: str | None
    registrations: tuple[Registration, ...]
    entry_points: tuple[EntryPoint, ...]
    """Those that name the module, of every group."""
    events: tuple[str, ...]
    """What it contributes to `observability.events`, or declares as the capability of this name."""
    events_fault: str | None
    """Why a contribution is not a list of names."""
    input_schema: SchemaReading
    get_schema: SchemaReading
    config_unread: tuple[str, ...] = ()
    """Configuration keys that the module has not read before this reading of the declaration."""
    config_changed: tuple[str, ...] = ()
    """Configuration keys that it changed, added or removed."""
    printed: str = ""
    """The beginning of what its import and its mount wrote to standard output."""
    cleanup: Cleanup | None = None
    """None where it has not been cleaned up."""
