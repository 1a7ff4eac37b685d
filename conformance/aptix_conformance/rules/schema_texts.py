"""SCH013 to SCH015: the texts in a schema."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from aptix_conformance.core.model import Declaration
from aptix_conformance.core.schemas.nodes import conjuncts
from aptix_conformance.core.schemas.portability import LONGEST_DESCRIPTION
from aptix_conformance.core.text import quoted
from aptix_conformance.rules.lib import declarations
from aptix_conformance.rules.lib.kernel import Finding, rule

_VOLATILE: Final = (
    (
        "a timestamp",
        re.compile(r"\b(?:19|20)\d\d-[01]\d-[0-3]\d[T ][0-2]\d:[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?"),
    ),
    ("a GUID", re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")),
    ("a random-looking value", re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{16,}\b")),
)


_SAMPLE: Final = re.compile(
    r"e\.g\.|\bexamples?\b|\bsuch as\b|\blike\b|\bformat|\bsample|\bfor instance\b|\bi\.e\.|\bz\.\s?B\.|\bepoch\b|\bsince\b"
    r"|\bISO\b|\bRFC\b|\bUUID\b|\bGUID\b|\b(?:as|as in|written) [\"'`(]*(?=[0-9a-f]{4})",
    re.IGNORECASE,
)


# The values of these keywords are data for the caller, or constant names.
_DATA: Final = frozenset(
    {
        "default",
        "example",
        "examples",
        "enum",
        "const",
        "format",
        "pattern",
        "$id",
        "$schema",
        "$ref",
        "$comment",
    }
)


@rule(
    "SCH013",
    "TUL-011.4.3",
    when=declarations.has_document.also(
        lambda declaration: declaration.schema.text == declaration.schema_again.text,
        "there is no schema, or its text changes from reading to reading",
        "SCH012",
    ),
    remedy="Remove the value from the schema, or mark it as an example if it is one.",
    source="advice",
)
def schema_text_holds_nothing_volatile(declaration: Declaration) -> Finding | None:
    """The schema's texts hold no time of day, GUID or random-looking value."""
    for text in _texts(declarations.document(declaration)):
        for kind, pattern in _VOLATILE:
            match = pattern.search(text)
            if match and not _SAMPLE.search(text) and not _is_quoted(text, match):
                return Finding(f"The schema says {quoted(text, 100)}, which holds {kind}: {match.group()}.")
    return None


@rule(
    "SCH014",
    "TUL-011.4.1",
    "TUL-011.4.2",
    when=declarations.is_function,
    remedy="Move what is more than a summary into the usage text.",
    source="advice",
)
def descriptions_are_short(declaration: Declaration) -> Finding | None:
    """No description in the schema is longer than model APIs accept."""
    described = {"The schema": declarations.document(declaration) or {}}
    described |= {f"The property {quoted(n, 60)}": s for n, s in declarations.properties(declaration).items()}
    texts = [(owner, each.get("description")) for owner in described for each in conjuncts(described[owner])]
    long = [
        f"{owner} has a description of {len(text):,} characters"
        for owner, text in texts
        if isinstance(text, str) and len(text) > LONGEST_DESCRIPTION
    ]
    return Finding(f"{'. '.join(long)}; {LONGEST_DESCRIPTION:,} are the most.") if long else None


@rule(
    "SCH015",
    "AGN-005.7.4",
    "TUL-011.4.5",
    "AMP.3.2",
    when=declarations.is_function.also(
        lambda declaration: bool(declarations.description(declaration).strip()),
        "the schema has no description",
        "SCH005",
    ),
    remedy="Say in a sentence what the tool does and what it is for.",
    source="advice",
)
def description_says_what_the_tool_does(declaration: Declaration) -> Finding | None:
    """The schema's description says more than the tool's name does."""
    words = set(re.findall(r"[^\W_]+", declarations.description(declaration).casefold()))
    name = set(re.findall(r"[^\W_]+", (declaration.tool_name.value or "").casefold()))
    if len(words) > 2 and words - name - {"tool", "a", "the", "this"}:  # noqa: PLR2004 - two words are a title
        return None
    return Finding(f"The description is {quoted(declarations.description(declaration), 80)}.")


def _texts(schema: Any) -> Iterator[str]:
    """The texts and names in a schema, without data for the caller."""
    waiting = [schema]
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            for key, value in item.items():
                yield str(key)
                if key not in _DATA:
                    waiting.append(value)
        elif isinstance(item, list):
            waiting.extend(item)


def _is_quoted(text: str, match: re.Match[str]) -> bool:
    before, after = text[max(0, match.start() - 2) : match.start()], text[match.end() : match.end() + 2]
    return any(mark in before for mark in "`'\"(“<") and any(mark in after for mark in "`'\")”>Z+")
