"""A tool under test: what was found out about it before it is examined."""

from dataclasses import dataclass

from aptix_conformance.examination.applicable import Suite
from aptix_conformance.model import Declaration
from aptix_conformance.targets.settings import Target, ToolSettings


@dataclass(frozen=True, slots=True)
class ToolUnderTest:
    """One tool that a run found.

    `name` is what reports call it: its declared name, or `NAME@SPEC` where two tools of the run have that name.
    `settings` holds what the project's configuration says about it, `suite` the rules and the edition that judge it.
    """

    name: str
    target: Target
    settings: ToolSettings
    declaration: Declaration
    suite: Suite
