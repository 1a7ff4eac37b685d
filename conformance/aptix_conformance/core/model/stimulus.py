"""What a probe wants done to a tool: one call, with everything that it takes to make it again."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from aptix_conformance.core.model import confinement
from aptix_conformance.core.model.allowance import Allowance
from aptix_conformance.core.model.change import Change, Kind
from aptix_conformance.core.model.codec import Record
from aptix_conformance.core.model.disturbance import (
    CancellationPoint,
    Disturbance,
    InjectedFault,
    ReplacedCatalog,
)
from aptix_conformance.core.model.labels import write_label

Files = Literal["author", "planted", "emptied"]
"""The files that a tool works in: its author's, those with a canary planted (`confinement.py`), or with the folder emptied."""
_UNDISTURBED: Final = Allowance()


class Stimulus(Record, frozen=True):
    """One planned call: everything that is needed to replay it.

    `change` is what was done to the arguments or the context, `disturbance` what the host does to the call while it
    runs, None for nothing. `demand` is what the contract asks of the result whatever the tool does: `refused` (a
    failed result), `accepted` (a successful one), or `either`.
    """

    probe: str
    change: Change
    arguments: str | None
    context: Mapping[str, Any] | None
    demand: Literal["refused", "accepted", "either"] = "either"
    disturbance: Disturbance | None = None
    expected: str | None = None
    """The payload that the author expects, as JSON; None if the author named none."""

    @property
    def allowance(self) -> Allowance:
        """The time and the disk that the call may take because of what is done to it."""
        return _UNDISTURBED if self.disturbance is None else self.disturbance.allowance

    @property
    def files(self) -> Files:
        """The files that the tool works in, where its configuration names a folder to which it is confined."""
        if self.probe != confinement.KIND:
            return "author"
        return "emptied" if self.change.detail == confinement.EMPTIED else "planted"

    @property
    def kind(self) -> Kind:
        """The kind of the change."""
        return self.change.kind

    @property
    def label(self) -> str:
        """What was done, for people: `example:1`, `type:count:string`, `context:none`, `cancelled:token-3`."""
        return write_label(self.change, self.disturbance)

    @property
    def cancellation(self) -> CancellationPoint | None:
        """Where the call is cancelled or watched; None if it has another disturbance or none."""
        return self.disturbance if isinstance(self.disturbance, CancellationPoint) else None

    @property
    def fault(self) -> InjectedFault | None:
        """The injected fault; None if there is none."""
        return self.disturbance if isinstance(self.disturbance, InjectedFault) else None

    @property
    def catalog(self) -> str:
        """The name of the mode catalog that replaces the configured one; empty if none does."""
        return self.disturbance.name if isinstance(self.disturbance, ReplacedCatalog) else ""
