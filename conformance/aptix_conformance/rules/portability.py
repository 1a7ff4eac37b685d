"""SCH030 and above: advice for schemas that every model provider accepts.

The checks and their date are in `schemas.portability`. They leave out what another rule reports.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from aptix_conformance.model import Declaration
from aptix_conformance.rules.lib import declarations
from aptix_conformance.rules.lib.kernel import Finding, precondition, rule
from aptix_conformance.schemas import portability
from aptix_conformance.text import printable

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


def _finding(declaration: Declaration, check: Callable[[Any], str | None], providers: str) -> Finding | None:
    fault = check(declarations.document(declaration) or {})
    return (
        Finding(f"{printable(fault[0].upper() + fault[1:], 300)}: refused by {providers}.") if fault else None
    )


@rule(
    "SCH030",
    when=_has_ascii_name,
    remedy="Choose a name of at most 64 characters that begins with a letter or an underscore.",
    source="suite",
)
def name_suits_every_provider(declaration: Declaration) -> Finding | None:
    """The name begins with a letter or an underscore and has at most 64 characters.

    As of 2026-11-20 Gemini refuses a digit or a hyphen at the start, and Gemini, OpenAI and Anthropic refuse more
    than 64 characters.
    """
    return _finding(
        declaration, portability.name_fault, "Gemini, or by OpenAI and Anthropic too where it is long"
    )


@rule(
    "SCH031",
    when=declarations.has_parameters,
    remedy="Write the properties at the root; say in the descriptions and in the errors which arguments depend on each other.",
    source="suite",
)
def parameters_are_plain_at_the_root(declaration: Declaration) -> Finding | None:
    """At their root the parameters have no anyOf, oneOf, allOf, not, enum, const or $ref.

    As of 2026-11-20 OpenAI and Anthropic refuse combinators there, with every other tool of the same request.
    """
    return _finding(declaration, portability.root_fault, "OpenAI and Anthropic")


@rule(
    "SCH032",
    when=declarations.has_parameters,
    remedy="List strings, and parse them as numbers in the tool; or give a minimum and a maximum instead of a list.",
    source="suite",
)
def listed_values_are_texts(declaration: Declaration) -> Finding | None:
    """Every enum lists strings only.

    As of 2026-11-20 Gemini accepts an enum only with the type string.
    """
    return _finding(declaration, portability.enum_fault, "Gemini")


@rule(
    "SCH033",
    when=declarations.has_parameters,
    remedy="Name the property with 1 to 64 ASCII letters, digits, underscores, dots and hyphens.",
    source="suite",
)
def property_names_suit_every_provider(declaration: Declaration) -> Finding | None:
    """Every property's name has 1 to 64 ASCII letters, digits, underscores, dots and hyphens.

    As of 2026-11-20 Anthropic refuses any other.
    """
    return _finding(declaration, portability.property_fault, "Anthropic")


@rule(
    "SCH034",
    when=declarations.has_parameters,
    remedy="Require every property (null means no value) and set additionalProperties: false on every object; or remove strict.",
    source="suite",
)
def strict_schema_keeps_to_strict_mode(declaration: Declaration) -> Finding | None:
    """A schema with strict: true uses only what strict mode accepts.

    As of 2026-11-20 OpenAI requires every property and additionalProperties: false, and accepts no allOf, oneOf, not, if or
    dependent keywords, and at most 5,000 properties, 10 levels and 1,000 listed values.
    """
    return _finding(declaration, portability.strict_fault, "OpenAI")
