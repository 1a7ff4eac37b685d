"""What a probe wants done to a tool: one call, with everything that it takes to make it again."""

from collections.abc import Mapping
from typing import Any, Literal

from aptix_conformance.model.codec import Record


class CallPlan(Record, frozen=True):
    """One call as a probe wants it made: everything that replaying it needs.

    `label` says what was done, by kind: `example:1`, `generated`, `minimal`, `corpus:truncated-object`,
    `mutation`, `missing:name`, `type:count:string`, `null:left`, `context:none`. `demand` is what the
    contract asks of the result whatever the tool does: `refused` (a failed result), `accepted` (a
    successful one), or `either`. `disturbance` is `nothing`, or `KIND:WHAT` as the host's disturbance of that
    kind reads it.
    """

    probe: str
    label: str
    arguments: str | None
    context: Mapping[str, Any] | None
    demand: Literal["refused", "accepted", "either"] = "either"
    disturbance: str = "nothing"
    expected: str | None = None
    """What the author says that the payload holds, as JSON; None where nothing was said."""

    @property
    def kind(self) -> str:
        """The label's first part: what sort of thing was done."""
        return self.label.partition(":")[0]
