"""SCH030 and above: advice for schemas that every model provider accepts.

The checks and their date are in `schemas.portability`. They leave out what another rule reports.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from aptix_conformance.core.model import Declaration
from aptix_conformance.core.schemas import portability
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib import declarations
from aptix_conformance.rules.lib.kernel import Finding, Precondition, Rule, precondition, rule

# The form that REG003 demands; REG003 alone reports other names.
_ASCII_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")


@precondition(
    f"{declarations.is_function.otherwise}, or its name is out of form",
    *declarations.is_function.reported_by,
    "MCP007",
)
def _has_ascii_name(declaration: Declaration) -> bool:
    name = (declarations.document(declaration) or {}).get("name")
    return (
        declarations.is_function(declaration) and isinstance(name, str) and bool(_ASCII_NAME.fullmatch(name))
    )


def _portable(
    code: str,
    name: str,
    check: Callable[[Any], str | None],
    providers: str,
    *,
    demand: str,
    remedy: str,
    when: Precondition = declarations.has_parameters,
) -> Rule:
    """A rule on what some providers refuse in a schema."""

    def judge(declaration: Declaration) -> Finding | None:
        fault = check(declarations.document(declaration) or {})
        return (
            Finding(f"{printable(fault[0].upper() + fault[1:], 300)}: refused by {providers}.")
            if fault
            else None
        )

    judge.__name__ = name
    judge.__doc__ = demand
    return rule(code, when=when, remedy=remedy, source="suite")(judge)


name_suits_every_provider = _portable(
    "SCH030",
    "name_suits_every_provider",
    portability.name_fault,
    "Gemini, or by OpenAI and Anthropic too where it is long",
    when=_has_ascii_name,
    demand="The name begins with a letter or an underscore and has at most 64 characters.\n\n"
    "As of 2026-11-20 Gemini refuses a digit or a hyphen at the start, and Gemini, OpenAI and Anthropic refuse "
    "more than 64 characters.",
    remedy="Choose a name of at most 64 characters that begins with a letter or an underscore.",
)
parameters_are_plain_at_the_root = _portable(
    "SCH031",
    "parameters_are_plain_at_the_root",
    portability.root_fault,
    "OpenAI and Anthropic",
    demand="At their root the parameters have no anyOf, oneOf, allOf, not, enum, const or $ref.\n\n"
    "As of 2026-11-20 OpenAI and Anthropic refuse combinators there, with every other tool of the same request.",
    remedy="Write the properties at the root; say in the descriptions and in the errors which arguments depend on each other.",
)
listed_values_are_texts = _portable(
    "SCH032",
    "listed_values_are_texts",
    portability.enum_fault,
    "Gemini",
    demand="Every enum lists strings only.\n\n"
    "As of 2026-11-20 Gemini accepts an enum only with the type string.",
    remedy="List strings, and parse them as numbers in the tool; or give a minimum and a maximum instead of a list.",
)
property_names_suit_every_provider = _portable(
    "SCH033",
    "property_names_suit_every_provider",
    portability.property_fault,
    "Anthropic",
    demand="Every property's name has 1 to 64 ASCII letters, digits, underscores, dots and hyphens.\n\n"
    "As of 2026-11-20 Anthropic refuses any other.",
    remedy="Name the property with 1 to 64 ASCII letters, digits, underscores, dots and hyphens.",
)
strict_schema_keeps_to_strict_mode = _portable(
    "SCH034",
    "strict_schema_keeps_to_strict_mode",
    portability.strict_fault,
    "OpenAI",
    demand="A schema with strict: true uses only what strict mode accepts.\n\n"
    "As of 2026-11-20 OpenAI requires every property and additionalProperties: false, and accepts no allOf, "
    "oneOf, not, if or dependent keywords, and at most 5,000 properties, 10 levels and 1,000 listed values.",
    remedy="Require every property (null means no value) and set additionalProperties: false on every object; or remove strict.",
)
