"""What only Amplifier's tools declare: how their module was mounted."""

from typing import Literal

from aptix_conformance.model import Facts, Parameter, SchemaReading
from aptix_conformance.model.codec import Record


class EntryPoint(Record, frozen=True):
    """A line of a distribution's entry points."""

    group: str
    name: str
    value: str


class Registration(Record, frozen=True):
    """One call of the coordinator's `mount` by a module; `key` is None where it had none to give."""

    point: str
    key: str | None
    type_name: str
    again: bool = False
    """The same object was registered there under the same key before."""
    error: str | None = None


class AmplifierMount(Facts, frozen=True):
    """How an Amplifier module was mounted, and one of the tools that it registered.

    `where` is what the target names. `function` says what stands in the place of mount. `key` is the one that the
    tool was registered under, None where nothing was.
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
    """What it contributes to `observability.events`."""
    events_fault: str | None
    """Why a contribution is not a list of names."""
    input_schema: SchemaReading
    get_schema: SchemaReading
    config_unread: tuple[str, ...] = ()
    """Keys of the configuration at which the module has not looked by the time of this reading."""
    config_changed: tuple[str, ...] = ()
    """Keys of the configuration that it changed, added or took away."""
