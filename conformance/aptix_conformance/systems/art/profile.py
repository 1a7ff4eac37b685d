"""The profile of ART: tools in JavaScript and TypeScript."""

from typing import Final

from aptix_conformance.systems.art.author_test import write_test
from aptix_conformance.systems.art.remedies import REMEDIES
from aptix_conformance.systems.art.rules import definition, outputs, results, schemas
from aptix_conformance.systems.art.traits import TRAITS
from aptix_conformance.systems.node import node_version
from aptix_conformance.systems.node_pool import NodeHostPool
from aptix_conformance.systems.profile import Runtime, SystemProfile
from aptix_conformance.targets.spec import Spelling, read_place


class ArtHostPool(NodeHostPool):
    """Hosts for ART tools (`host.HostPool`); a context manager that closes itself."""

    system = TRAITS.name


PROFILE: Final = SystemProfile(
    name=TRAITS.name,
    runtimes=(
        Runtime(
            Spelling("art", TRAITS.name, "art:./tools/weather.mjs#WeatherTool", read_place),
            ArtHostPool,
            write_test=write_test,
            version=node_version,
        ),
    ),
    traits=TRAITS,
    rules=(definition, outputs, results, schemas),
    areas=(("ART", "ART tools"),),
    remedies=REMEDIES,
)
