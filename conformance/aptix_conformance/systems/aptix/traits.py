"""The traits of Aptix."""

from typing import Final

from aptix_conformance.model import SystemTraits
from aptix_conformance.systems.aptix.contexts import CONTEXTS

TRAITS: Final = SystemTraits(
    name="aptix",
    given=frozenset({"unchecked", "text", "context", "token"}),
    contexts=CONTEXTS,
    schema_source="get_schema",
    no_instance="no instance could be made: ",
    null_is_absent=True,  # AGN-005.3.3
)
