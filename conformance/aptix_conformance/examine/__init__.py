"""One tool's examination: run the probes, judge every observation, shrink what broke a rule, give verdicts."""

from aptix_conformance.examine.applicable import ApplicableRule, Suite, applicable_rules
from aptix_conformance.examine.case import Examination, Options
from aptix_conformance.examine.declare import check_length, exemptions
from aptix_conformance.examine.examine import examine
from aptix_conformance.examine.judge import check_waivers, unexamined
from aptix_conformance.examine.narrowing import check_narrowings, narrow
from aptix_conformance.examine.needed_probes import needed_probes, needs_restarts
from aptix_conformance.examine.tools_under_test import FoundTools, ReadTool, ToolUnderTest, tell_apart
from aptix_conformance.examine.verdicts import split_waivers
from aptix_conformance.examine.watch import Watch

__all__ = [
    "ApplicableRule",
    "Examination",
    "FoundTools",
    "Options",
    "ReadTool",
    "Suite",
    "ToolUnderTest",
    "Watch",
    "applicable_rules",
    "check_length",
    "check_narrowings",
    "check_waivers",
    "examine",
    "exemptions",
    "narrow",
    "needed_probes",
    "needs_restarts",
    "split_waivers",
    "tell_apart",
    "unexamined",
]
