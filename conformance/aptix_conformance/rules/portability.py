"""SCH030 and above: advice for schemas that every provider and client accepts.

The checks are in `schemas.portability`, and those who refuse what they find, with sources and dates, in `schemas.refusing`. The
rules leave out what another rule reports.
"""

import re
from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import Declaration
from aptix_conformance.core.schemas import portability, refusing
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib import declarations
from aptix_conformance.rules.lib.kernel import Finding, Precondition, Rule, precondition, rule

_REPORTED_BY: Final = {"type": "SCH008", "reference": "MCP005", "beside-reference": "MCP005"}
"""By what is refused: the rule that reports a property without a type, or a reference that leads nowhere, where it binds."""
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
_NAME_ON_A_SERVER: Final = re.compile(r"[A-Za-z0-9_.-]+")
"""The forms that REG003 and MCP007 demand: they report other names."""


@precondition(
    f"{declarations.is_function.otherwise}, or its name is out of form",
    *declarations.is_function.reported_by,
    "MCP007",
)
def _has_plain_name(declaration: Declaration) -> bool:
    name = (declarations.document(declaration) or {}).get("name")
    form = _NAME_ON_A_SERVER if declaration.traits.has_servers else _NAME
    return declarations.is_function(declaration) and isinstance(name, str) and bool(form.fullmatch(name))


def _portable(
    code: str,
    name: str,
    *whats: str,
    demand: str,
    remedy: str,
    when: Precondition = declarations.has_parameters,
) -> Rule:
    """A rule on what the table says of some things in a schema."""

    def judge(declaration: Declaration) -> Iterator[Finding]:
        function = declarations.document(declaration) or {}
        to_clients = declaration.traits.has_servers
        for what in whats:
            for refusal in portability.refusals(function, what, to_clients=to_clients):
                fault = printable(refusal.message[0].upper() + refusal.message[1:], 300)
                message = f"{fault}: refused by {refusing.names(refusal.lines)}."
                yield Finding(message, defers_to=_REPORTED_BY.get(what, ""), cause=what)

    judge.__name__ = name
    judge.__doc__ = f"{demand}\n\n{refusing.sources(*whats)}"
    return rule(code, when=when, remedy=remedy, source="suite", differs_by="what is refused")(judge)


name_suits_every_provider = _portable(
    "SCH030",
    "name_suits_every_provider",
    "name-of-64",
    "name-of-58",
    "name-characters",
    "name-start",
    when=_has_plain_name,
    demand="The name begins with a letter or an underscore, has at most 64 characters and no dot.\n\n"
    "A tool that is offered over MCP has at most 58.",
    remedy="Choose a name of at most 58 ASCII letters, digits, underscores and hyphens that begins with a letter or an underscore.",
)
parameters_are_plain_at_the_root = _portable(
    "SCH031",
    "parameters_are_plain_at_the_root",
    "root-alternatives",
    "root-object",
    demand="At their root the parameters have no anyOf, oneOf, allOf, not, enum or const.\n\n"
    "They are refused with every other tool of the same request.",
    remedy="Write the properties at the root; say in the descriptions and in the errors which arguments depend on each other.",
)
listed_values_are_texts = _portable(
    "SCH032",
    "listed_values_are_texts",
    "enum",
    demand="Every enum lists strings only.",
    remedy="List strings, and parse them as numbers in the tool; or give a minimum and a maximum instead of a list.",
)
property_names_suit_every_provider = _portable(
    "SCH033",
    "property_names_suit_every_provider",
    "property-name",
    demand="Every property's name has 1 to 64 ASCII letters, digits, underscores, dots and hyphens.",
    remedy="Name the property with 1 to 64 ASCII letters, digits, underscores, dots and hyphens.",
)
strict_schema_keeps_to_strict_mode = _portable(
    "SCH034",
    "strict_schema_keeps_to_strict_mode",
    "strict",
    demand="A schema with strict: true uses only what strict mode accepts.\n\n"
    "OpenAI requires every property and additionalProperties: false, and accepts no allOf, "
    "oneOf, not, if or dependent keywords, and at most 5,000 properties, 10 levels and 1,000 listed values.",
    remedy="Require every property (null means no value) and set additionalProperties: false on every object; or remove strict.",
)
arrays_say_what_they_hold = _portable(
    "SCH035",
    "arrays_say_what_they_hold",
    "items",
    demand="Every array of the parameters has items.\n\n"
    "One array without them is enough for the whole request to be refused, with every other tool in it.",
    remedy='Add "items": a schema of one element, such as {"type": "string"}.',
)
schema_is_read_alike_everywhere = _portable(
    "SCH036",
    "schema_is_read_alike_everywhere",
    "type",
    "type-list",
    "item-type-list",
    "beside-any-of",
    "beside-reference",
    "reference",
    "format",
    demand="The parameters keep to the part of JSON Schema that every provider and client reads.\n\n"
    "Each property has a type, or alternatives that have one. No list of types has array or object beside another type, "
    "nor object in that of an array's items. What describes values "
    "does not stand beside anyOf, and only description and default stand beside $ref; over MCP there is no $ref. The format of a "
    "text is date-time, time, date, duration, email, hostname, ipv4, ipv6 or uuid.",
    remedy="Give the property one type, or anyOf with one type in each branch; write what a $ref names in its place; say in the "
    "description what other format a text has.",
)
