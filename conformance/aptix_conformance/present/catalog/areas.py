"""The areas of rules, in the order of the pages. Third parties have areas of their own."""

from collections.abc import Mapping
from typing import Final

from aptix_conformance.rules import Rule
from aptix_conformance.rules.lib.kernel import CODE
from aptix_conformance.systems.registry import BUILT_IN

AREAS: Final[Mapping[str, str]] = {area: title for profile in BUILT_IN for area, title in profile.areas}
"""Title by area, for the rules of this distribution."""


def area_of(rule: Rule) -> str:
    """The area of a rule: the part of its code before the digits, as `ARG` or `ACME-NET`."""
    return area_of_code(rule.code)


def area_of_code(code: str) -> str:
    """The area of the rule with that code; the whole code where it has another form."""
    match = CODE.fullmatch(code)
    return f"{match['owner'] or ''}{match['area']}" if match else code
