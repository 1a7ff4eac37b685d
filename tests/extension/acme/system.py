"""The system `toy`: a tool is a JSON file with a schema and canned answers."""

from acme import contract, hosts
from aptix_conformance.systems.profile import Runtime, SystemProfile
from aptix_conformance.targets.spec import Spelling, read_place

PROFILE = SystemProfile(
    name="toy",
    runtimes=(Runtime(Spelling("toy", "toy", "toy:./tools#greet", read_place), hosts.ToyPool),),
    traits=hosts.TRAITS,
    rules=(contract,),
    contracts=contract.CLAUSES,
)
