"""Seven tools that conform to both Aptix editions, each a model to copy."""

from aptix_reference_tools.calculator import CalculatorTool
from aptix_reference_tools.delay import DelayTool
from aptix_reference_tools.failure_injection import FailureInjectionTool
from aptix_reference_tools.hello_world import HelloWorldTool
from aptix_reference_tools.hello_world_client import HelloWorldClientTool
from aptix_reference_tools.list_modes import AgentListModesTool
from aptix_reference_tools.mode_catalog import (
    AgentModeCatalogService,
    AgentModeSummary,
    InMemoryModeCatalog,
    JsonFileModeCatalog,
    ModeCatalogError,
    make_catalog,
)
from aptix_reference_tools.ping_pong import PingPongTool

__all__ = [
    "AgentListModesTool",
    "AgentModeCatalogService",
    "AgentModeSummary",
    "CalculatorTool",
    "DelayTool",
    "FailureInjectionTool",
    "HelloWorldClientTool",
    "HelloWorldTool",
    "InMemoryModeCatalog",
    "JsonFileModeCatalog",
    "ModeCatalogError",
    "PingPongTool",
    "make_catalog",
]
