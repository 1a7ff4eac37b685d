"""One tool's examination: run the probes, judge every observation, shrink what broke a rule, give verdicts."""

from aptix_conformance.examination.examine import (
    Examination,
    Options,
    Suite,
    bearing,
    check_waivers,
    examine,
    read_target,
    tool_name,
    unexamined,
)
from aptix_conformance.examination.narrowing import check_narrowings, narrow
from aptix_conformance.examination.under_test import ToolUnderTest

__all__ = [
    "Examination",
    "Options",
    "Suite",
    "ToolUnderTest",
    "bearing",
    "check_narrowings",
    "check_waivers",
    "examine",
    "narrow",
    "read_target",
    "tool_name",
    "unexamined",
]
