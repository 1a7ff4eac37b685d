"""The profile of custom hosts: `host:./my-host --flag`. The host itself says which contracts its tools are under."""

from typing import Final

from aptix_conformance.hosts.program_pool import ProgramHostPool
from aptix_conformance.systems.profile import Runtime, SystemProfile
from aptix_conformance.targets.spec import Spelling, read_place

PROFILE: Final = SystemProfile(
    name="host",
    runtimes=(Runtime(Spelling("host", "", "host:./my-host --flag", read_place), ProgramHostPool),),
)
