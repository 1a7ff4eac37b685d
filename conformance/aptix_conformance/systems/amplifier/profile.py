"""The profile of Amplifier: what its modules mount."""

from typing import Final

from aptix_conformance.systems.amplifier.author_test import write_test
from aptix_conformance.systems.amplifier.pool import SPELLING, AmplifierHostPool
from aptix_conformance.systems.amplifier.remedies import REMEDIES
from aptix_conformance.systems.amplifier.rules import calls, module, session, tool
from aptix_conformance.systems.amplifier.traits import TRAITS
from aptix_conformance.systems.profile import Runtime, SystemProfile

PROFILE: Final = SystemProfile(
    name=TRAITS.name,
    runtimes=(Runtime(SPELLING, AmplifierHostPool, write_test=write_test),),
    traits=TRAITS,
    rules=(calls, module, session, tool),
    areas=(("AMP", "Amplifier tools"),),
    remedies=REMEDIES,
)
