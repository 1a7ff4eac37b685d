"""What a probe wants done to a tool: one call, with everything that it takes to make it again."""

from collections.abc import Mapping
from typing import Any, Literal

from aptix_conformance.model.codec import Record
from aptix_conformance.model.disturbance import (
    CancellationPoint,
    Disturbance,
    InjectedFault,
    ReplacedCatalog,
)


class CallPlan(Record, frozen=True):
    """One call as a probe wants it made: everything that replaying it needs.

    `label` says what was done, by kind: `example:1`, `generated`, `minimal`, `corpus:truncated-object`,
    `mutation`, `missing:name`, `type:count:string`, `null:left`, `context:none`. `demand` is what the
    contract asks of the result whatever the tool does: `refused` (a failed result), `accepted` (a
    successful one), or `either`. `disturbance` is what the host does to the call while it runs, None for nothing.
    """

    probe: str
    label: str
    arguments: str | None
    context: Mapping[str, Any] | None
    demand: Literal["refused", "accepted", "either"] = "either"
    disturbance: Disturbance | None = None
    expected: str | None = None
    """What the author says that the payload holds, as JSON; None where nothing was said."""

    @property
    def kind(self) -> str:
        """The label's first part: what sort of thing was done."""
        return self.label.partition(":")[0]

    @property
    def cancellation(self) -> CancellationPoint | None:
        """Where the call is cancelled or watched; None where it is disturbed otherwise, or not at all."""
        return self.disturbance if isinstance(self.disturbance, CancellationPoint) else None

    @property
    def fault(self) -> InjectedFault | None:
        """What is made to fail; None where nothing is."""
        return self.disturbance if isinstance(self.disturbance, InjectedFault) else None

    @property
    def catalog(self) -> str:
        """The name of the mode catalog that replaces the configured one; empty where none does."""
        return self.disturbance.name if isinstance(self.disturbance, ReplacedCatalog) else ""
