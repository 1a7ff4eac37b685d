"""The areas of rules, in the order in which a tool meets them."""

from collections.abc import Mapping
from typing import Final

from aptix_conformance.rules import Rule

AREAS: Final[Mapping[str, str]] = {
    "REG": "The class and its registration",
    "SCH": "The schema",
    "ARG": "Arguments",
    "RES": "Results",
    "CTX": "Context and identifiers",
    "EXC": "Exceptions, and what they give away",
    "CAN": "Cancellation",
    "LOG": "Logging",
    "USE": "The usage text",
    "CAT": "The mode catalog tool, agent_list_modes",
    "AMP": "Amplifier tools",
    "ART": "ART tools",
}


def area_of(rule: Rule) -> str:
    """The area of a rule: the letters of its code."""
    return rule.code[:3]
