"""A baseline: the findings of a project that are known and do not fail a run. Format `aptix-conformance-baseline/1`."""

import datetime
from typing import Annotated, Final, Literal

from msgspec import Meta

from aptix_conformance.core.model.codec import Record

FORMAT: Final = "aptix-conformance-baseline/1"

Words = Annotated[str, Meta(pattern=r"\S", max_length=2_000)]
Name = Annotated[str, Meta(min_length=1, max_length=4_000)]
Key = tuple[str, str, str, str]
"""Target spec, edition, rule and cause: what a finding is recognised by."""


class BaselineEntry(Record, frozen=True):
    """One known finding. `tool` and `message` are for readers only."""

    target: Name
    edition: str
    rule: Name
    cause: str
    """`FindingReport.cause`: another seed or a moved line does not change it."""
    reason: Words
    """Why the finding is accepted; pytest shows it."""
    expires: datetime.date | None = None
    """The last day on which the entry counts; None where it has no end."""
    tool: str = ""
    message: str = ""

    @property
    def key(self) -> Key:
        """What the entry is about."""
        return (self.target, self.edition, self.rule, self.cause)


class Baseline(Record, frozen=True):
    """The content of a baseline file."""

    format: Literal["aptix-conformance-baseline/1"]
    examples: Annotated[int, Meta(ge=0)]
    """Drawn calls for each generating probe of the most thorough report that went in. A run that draws fewer does not judge
    whether an entry is stale."""
    entries: tuple[BaselineEntry, ...]
