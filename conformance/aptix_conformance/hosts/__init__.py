"""Hosts: the processes in which tools under test run, and the protocol that they speak."""

from aptix_conformance.hosts.host import (
    MIB,
    CoverageSettings,
    Environment,
    HostPool,
    Hosts,
    Limits,
    Listing,
    ToolHost,
)
from aptix_conformance.hosts.inline import InlineHostPool
from aptix_conformance.hosts.program_pool import ProgramHostPool
from aptix_conformance.hosts.python_pool import PythonHostPool

__all__ = [
    "MIB",
    "CoverageSettings",
    "Environment",
    "HostPool",
    "Hosts",
    "InlineHostPool",
    "Limits",
    "Listing",
    "ProgramHostPool",
    "PythonHostPool",
    "ToolHost",
]
