"""Differences between two schemas of a tool, and whether they break existing calls."""

from aptix_conformance.core.schemas.diff.catalogs import Judge, compare_all
from aptix_conformance.core.schemas.diff.compare import PARAMETER_MEMBERS, ToolSchema, compare
from aptix_conformance.core.schemas.diff.normal_form import Node, promised
from aptix_conformance.core.schemas.diff.schema_changes import CODES, Change, ChangeClass, Comparison
from aptix_conformance.core.schemas.diff.witness import Proves

__all__ = [
    "CODES",
    "PARAMETER_MEMBERS",
    "Change",
    "ChangeClass",
    "Comparison",
    "Judge",
    "Node",
    "Proves",
    "ToolSchema",
    "compare",
    "compare_all",
    "promised",
]
