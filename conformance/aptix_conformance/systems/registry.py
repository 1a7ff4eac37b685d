"""The systems that there are."""

from typing import Final

from aptix_conformance.model import SystemTraits
from aptix_conformance.systems.amplifier.traits import TRAITS as AMPLIFIER
from aptix_conformance.systems.aptix.traits import TRAITS as APTIX
from aptix_conformance.systems.art.traits import TRAITS as ART

TRAITS: Final[tuple[SystemTraits, ...]] = (APTIX, AMPLIFIER, ART)
"""Those of the systems of this distribution."""
