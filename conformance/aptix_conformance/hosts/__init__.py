"""Hosts: the processes in which tools under test run, and the protocol that they speak."""

from aptix_conformance.hosts.inline import InlineHostPool
from aptix_conformance.hosts.interface import (
    MIB,
    CoverageSettings,
    Environment,
    HostPool,
    Hosts,
    Limits,
    Listing,
    ToolHost,
)
from aptix_conformance.hosts.node_pool import NodeHostPool
from aptix_conformance.hosts.pool import PythonHostPool
from aptix_conformance.hosts.program_pool import ProgramHostPool
from aptix_conformance.hosts.systems import Systems

__all__ = [
    "MIB",
    "CoverageSettings",
    "Environment",
    "HostPool",
    "Hosts",
    "InlineHostPool",
    "Limits",
    "Listing",
    "NodeHostPool",
    "ProgramHostPool",
    "PythonHostPool",
    "Systems",
    "ToolHost",
]
