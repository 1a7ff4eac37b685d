"""USE: the usage text that the model reads with the schema.

Rules on prose are advice, unless the text is clearly absent or clearly wrong.
"""

import json
from collections.abc import Callable, Iterator
from typing import Final

from aptix_conformance.core.model import Declaration
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib import declarations, prose, secrecy
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, Precondition, Rule, rule
from aptix_conformance.rules.schema_texts import description_says_what_the_tool_does
from aptix_conformance.stimuli.generate import Judge, usable_schema
from aptix_conformance.stimuli.probes.usage_examples import good_examples

_ENOUGH_CONTENTS: Final = 4
_ENOUGH_SECTIONS: Final = 2


@rule(
    "USE001",
    "TUL-011.2.4",
    "AGN-005.7.5",
    when=Precondition(
        lambda declaration: (
            declaration.usage_text.kind == "plain" and declaration.usage_text.value is not None
        ),
        "TOOL_USAGE_METADATA is no constant",
        ("REG013",),
    ),
    remedy="Write into TOOL_USAGE_METADATA what the tool is for, when to call it and how.",
)
def usage_text_is_not_blank(declaration: Declaration) -> Finding | None:
    """TOOL_USAGE_METADATA holds more than white space."""
    if declarations.has_usage_text(declaration):
        return None
    return Finding(
        f"TOOL_USAGE_METADATA is blank: {printable(repr(declarations.usage_text(declaration)), 40)}."
    )


@rule(
    "USE002",
    "AGN-005.7.19",
    when=declarations.has_usage_text,
    remedy="Put each point on its own line, under headings.",
    source="advice",
)
def usage_text_has_several_lines(declaration: Declaration) -> Finding | None:
    """The usage text has more than one line."""
    text = declarations.usage_text(declaration).strip()
    if len(text.splitlines()) > 1:
        return None
    return Finding(f"The usage text is one line: {quoted(text, 80)}.")


def _content(
    code: str,
    name: str,
    content: str,
    *clauses: str,
    demand: str,
    remedy: str,
    applies: Callable[[Declaration], str | None] = lambda _: None,
) -> Rule:
    """A rule on one topic that a usage text should have."""

    def check(declaration: Declaration) -> Finding | None:
        text = declarations.usage_text(declaration)
        if prose.says(text, content, declarations.properties(declaration)):
            return None
        return Finding(
            f"Nothing in the usage text seems to say it; the text begins {quoted(text.strip(), 60)}."
        )

    check.__name__ = name
    check.__doc__ = demand
    return rule(
        code,
        *clauses,
        when=declarations.has_usage_text,
        remedy=remedy,
        applies=applies,
        source="advice",
    )(check)


usage_text_tells_the_purpose = _content(
    "USE003",
    "usage_text_tells_the_purpose",
    "purpose",
    "AGN-005.7.6",
    demand="The usage text says what the tool is for.",
    remedy="Begin with a section Primary purpose.",
)
usage_text_tells_when_to_call = _content(
    "USE004",
    "usage_text_tells_when_to_call",
    "when",
    "AGN-005.7.7",
    "TUL-011.4.4",
    demand="The usage text says when the model should call the tool.",
    remedy="Say: call this tool when …",
)
usage_text_tells_when_not_to_call = _content(
    "USE005",
    "usage_text_tells_when_not_to_call",
    "when not",
    "AGN-005.7.7",
    demand="The usage text says when the model should not call the tool.",
    remedy="Say: do not call this tool when …",
)
usage_text_tells_how_to_make_arguments = _content(
    "USE006",
    "usage_text_tells_how_to_make_arguments",
    "arguments",
    "AGN-005.7.8",
    demand="The usage text says how to construct the arguments.",
    remedy="Add a section Arguments with a line for each: - name: where its value comes from.",
    applies=lambda declaration: (
        None if declarations.properties(declaration) else "its schema has no argument"
    ),
)
usage_text_tells_the_behaviour = _content(
    "USE007",
    "usage_text_tells_the_behaviour",
    "behaviour",
    "AGN-005.7.9",
    demand="The usage text says what a caller must know about the tool's behaviour: precedence, idempotency, limits, cost.",
    remedy="Say whether calls can be repeated, what limits there are, and whether to call sparingly.",
)
usage_text_tells_the_errors = _content(
    "USE008",
    "usage_text_tells_the_errors",
    "errors",
    "AGN-005.7.10",
    demand="The usage text says which errors the tool returns, and in what form.",
    remedy="Add a section Error codes; even: none; invalid arguments give a failed result with a message.",
)
usage_text_gives_examples = _content(
    "USE009",
    "usage_text_gives_examples",
    "examples",
    "AGN-005.7.11",
    demand="The usage text shows good and bad usage.",
    remedy="Add the sections Good usage and Bad usage, with a call or a request each.",
)


@rule(
    "USE010",
    "AGN-005.7.13",
    when=declarations.has_usage_text.also(
        declarations.has_parameters, "there is no usage text, or no schema to compare it with"
    ),
    differs_by="that the name of an argument is unknown, or that a call is not allowed",
    remedy="Use the names and values of the schema in the text, or correct the schema.",
    source="advice",
)
def usage_text_names_existing_arguments(declaration: Declaration) -> Iterator[Finding]:
    """The usage text names no argument that the schema does not have, and calls no call good that the schema forbids."""
    declared = frozenset(declarations.property_names(declarations.parameters(declaration)))
    for name in prose.argument_names(declarations.usage_text(declaration)):
        if name not in declared and prose.UNDECODED not in name:  # USE016
            yield Finding(
                f"The usage text names the argument {quoted(name, 60)}, which the schema does not have.",
                cause="name",
            )
            return
    schema = usable_schema(declaration)[0]
    if schema is None or not declared.issuperset(declarations.required(declaration)):  # SCH011
        return
    judge = Judge(schema)
    for shown in good_examples(declarations.usage_text(declaration)):
        if shown.keys() <= declared and judge.forbids(shown):
            example = quoted(json.dumps(shown, ensure_ascii=False), 120)
            yield Finding(
                f"The usage text calls {example} a good call, and the schema forbids it.", cause="call"
            )
            return


@rule(
    "USE011",
    "AGN-005.7.12",
    when=declarations.has_usage_text,
    remedy="Remove the secret from the text and revoke it: it was in source code and in prompts.",
)
def usage_text_holds_no_secret(declaration: Declaration) -> Finding | None:
    """The usage text holds no key, token or password.

    It goes into every prompt, and from there into logs.
    """
    for kind, value in secrecy.secrets_in(declarations.usage_text(declaration)):
        return Finding(f"The usage text seems to hold a secret ({kind}): {printable(value[:4], 8)}…")
    return None


@rule(
    "USE012",
    "AGN-005.7.12",
    when=declarations.has_usage_text,
    remedy="Say what the model has to know without naming a machine, a port or a directory.",
    source="advice",
)
def usage_text_fits_every_environment(declaration: Declaration) -> Finding | None:
    """The usage text names no address or directory of a single installation."""
    place = prose.environment_specific(declarations.usage_text(declaration))
    return Finding(f"The usage text names {printable(place, 100)}.") if place else None


@rule(
    "USE013",
    "TUL-011.4.5",
    when=declarations.has_usage_text.also(
        lambda declaration: (
            bool(_description_stems(declaration))
            and description_says_what_the_tool_does.check(declaration) is None
        ),
        "there is no usage text, or no description that says something to compare it with",
        "SCH015",
    ),
    remedy="Describe the same thing in the description and the usage text, with the same words.",
    source="advice",
)
def description_and_usage_text_agree(declaration: Declaration) -> Finding | None:
    """The schema's description and the usage text share at least one word."""
    if _description_stems(declaration) & prose.stems(declarations.usage_text(declaration)):
        return None
    return Finding(
        f"The usage text and the schema's description share no word; the description is {quoted(declarations.description(declaration), 100)}."
    )


@rule(
    "USE014",
    "AGN-005.7.15",
    when=lambda declaration: (
        declarations.has_usage_text(declaration) and _has_much_to_say(declarations.usage_text(declaration))
    ),
    unseen_reason=NotApplicable("the usage text is too short to need sections"),
    remedy="Use the sections Primary purpose, Rules, Arguments, Error codes, Good usage and Bad usage.",
    source="advice",
)
def usage_text_has_sections(declaration: Declaration) -> Finding | None:
    """A long usage text has sections."""
    count = len(prose.headings(declarations.usage_text(declaration)))
    if count >= _ENOUGH_SECTIONS:
        return None
    return Finding(f"The usage text has {count or 'no'} headings that could be recognised.")


@rule(
    "USE016",
    source="suite",
    when=declarations.has_usage_text,
    remedy="Save the source as UTF-8 and say so where it is read or compiled; then write the character again.",
)
def usage_text_is_decoded(declaration: Declaration) -> Finding | None:
    """The usage text, and what the schema says of the arguments, hold no U+FFFD: it stands for a character that was lost.

    It is what a decoder writes for bytes of another encoding. An argument's name with it is one that the schema does not
    have. A text that speaks of the character itself may hold it.
    """
    text = declarations.usage_text(declaration)
    for name in prose.argument_names(text):
        if prose.UNDECODED in name and prose.undecoded(text):
            return Finding(
                f"The usage text names the argument {quoted(name, 60)}: a character of it was lost."
            )
    described = declarations.descriptions(declaration)
    for place, content in (("usage text", text), *(("schema", each) for each in described)):
        line = prose.undecoded(content)
        if line:
            return Finding(f"A character was lost where the {place} says {quoted(line, 100)}.")
    return None


def _description_stems(declaration: Declaration) -> frozenset[str]:
    return prose.stems(declarations.description(declaration)) - {"this", "tool", "with", "from", "that"}


def _has_much_to_say(text: str) -> bool:
    return (
        sum(prose.says(text, content) for content in prose.CONTENTS) >= _ENOUGH_CONTENTS
        and "\n" in text.strip()
    )
