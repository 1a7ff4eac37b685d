"""The sources of tools: the grammar of target specs, the configuration, and discovery."""

from aptix_conformance.targets.config import load_settings, settings_from
from aptix_conformance.targets.discovery import Place, TargetFailure, discover, taken
from aptix_conformance.targets.names import file_stem, item_name, short_specs
from aptix_conformance.targets.per_tool import granted_by_name, near_place, settings_for, unmatched
from aptix_conformance.targets.provenance import Origin
from aptix_conformance.targets.scope import is_covered, pytest_paths
from aptix_conformance.targets.settings import Example, Settings, Target, ToolSettings, Waiver
from aptix_conformance.targets.sources import (
    SourcedSpec,
    distributions_with_tools,
    entry_point_specs,
    nothing_found,
)

__all__ = [
    "Example",
    "Origin",
    "Place",
    "Settings",
    "SourcedSpec",
    "Target",
    "TargetFailure",
    "ToolSettings",
    "Waiver",
    "discover",
    "distributions_with_tools",
    "entry_point_specs",
    "file_stem",
    "granted_by_name",
    "is_covered",
    "item_name",
    "load_settings",
    "near_place",
    "nothing_found",
    "pytest_paths",
    "settings_for",
    "settings_from",
    "short_specs",
    "taken",
    "unmatched",
]
