"""The traits of Aptix."""

from typing import Final

from aptix_conformance.core.model import OwnRules, SystemTraits
from aptix_conformance.systems.aptix.contexts import CONTEXTS

HELLO_WORLD: Final = "agent_hello_world"
LIST_MODES: Final = "agent_list_modes"
"""The names of the two tools that have their own contract."""

TRAITS: Final = SystemTraits(
    name="aptix",
    given=frozenset({"unchecked", "text", "context", "token"}),
    contexts=CONTEXTS,
    schema_source="get_schema",
    no_instance="no instance could be made: ",
    null_is_absent=True,  # AGN-005.3.3
    own_rules={
        HELLO_WORLD: OwnRules(constraint="USE022", identifiers="USE023"),
        LIST_MODES: OwnRules(
            required="CAT002", failure_payload="CAT009", equal_answers="CAT012", silent_service="CAT018"
        ),
    },
)
