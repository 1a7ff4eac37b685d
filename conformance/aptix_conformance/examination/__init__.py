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

__all__ = [
    "Examination",
    "Options",
    "Suite",
    "bearing",
    "check_waivers",
    "examine",
    "read_target",
    "tool_name",
    "unexamined",
]
