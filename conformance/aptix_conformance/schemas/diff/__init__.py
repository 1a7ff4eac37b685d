"""Differences between two schemas of a tool, and whether they break existing calls."""

from aptix_conformance.schemas.diff.catalogs import compare_all
from aptix_conformance.schemas.diff.compare import PARAMETER_MEMBERS, ToolSchema, compare
from aptix_conformance.schemas.diff.normal import Node, promised
from aptix_conformance.schemas.diff.schema_changes import CODES, Change, ChangeClass, Comparison
from aptix_conformance.schemas.diff.witness import Proves

__all__ = [
    "CODES",
    "PARAMETER_MEMBERS",
    "Change",
    "ChangeClass",
    "Comparison",
    "Node",
    "Proves",
    "ToolSchema",
    "compare",
    "compare_all",
    "promised",
]
