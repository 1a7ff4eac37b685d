"""The systems that have commands of their own: data that `--help` reads without importing a system."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SYSTEMS_WITH_COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {"mcp": "install MCP servers, to examine them"}
)
"""The line that `--help` shows of the commands of a system, by the system's name."""
