"""Hosts: the processes in which tools under test run, and the protocol that they speak."""

from aptix_conformance.hosts.inline import InlineHostPool
from aptix_conformance.hosts.interface import (
    MIB,
    CoverageSettings,
    Environment,
    HostPool,
    Limits,
    Listing,
    ToolHost,
)
from aptix_conformance.hosts.pool import PythonHostPool

__all__ = [
    "MIB",
    "CoverageSettings",
    "Environment",
    "HostPool",
    "InlineHostPool",
    "Limits",
    "Listing",
    "PythonHostPool",
    "ToolHost",
]
