"""The traits of ART."""

from typing import Final

from aptix_conformance.core.model import SystemTraits
from aptix_conformance.systems.art.contexts import CONTEXTS
from aptix_conformance.systems.art.facts import ArtResult, ArtTool

TRAITS: Final = SystemTraits(
    name="art",
    given=frozenset({"context"}),
    contexts=CONTEXTS,
    undisturbed={
        "cancel": "ART gives a tool no cancellation signal",
        # No clause of ART's says what is due when a service fails.
        "fault": "this host cannot make services and libraries fail",
    },
    undeclared_draft="draft-07",
    facts=ArtTool,
    result_facts=ArtResult,
    schema_source="inputSchema",
    no_instance="no instance could be made: ",
)
