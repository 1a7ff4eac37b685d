"""The traits of Amplifier."""

from typing import Final

from aptix_conformance.core.model import SystemTraits
from aptix_conformance.systems.amplifier.facts import AmplifierMount
from aptix_conformance.systems.frameworks import FrameworkResult

TRAITS: Final = SystemTraits(
    name="amplifier",
    given=frozenset({"unchecked"}),
    facts=AmplifierMount,
    result_facts=FrameworkResult,
    schema_source="input_schema",
    copies_exceptions=True,
    unsent_surrogates="an orchestrator's hooks raise for half of a character in the arguments, before the tool is called",
)
