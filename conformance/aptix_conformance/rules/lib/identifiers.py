"""The identifiers that the suite makes for a call's context: found in texts, and taken out of payloads."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from aptix_conformance.core.model import Call
from aptix_conformance.rules.lib.documents import payload_of, strings_in
from aptix_conformance.stimuli.probes.contexts import PREFIX

_SHORTEST: Final = 32
"""Characters of an identifier without hyphens."""
_IDENTIFIER: Final = re.compile(f"{PREFIX}[0-9a-f]{{{_SHORTEST - len(PREFIX)}}}")
_BEGINNINGS: Final = ("0ffee", "0FFEE", "0Ffee", "0-ff-ee", "0-FF-EE")
"""Every spelling of an identifier contains one of these; searching for them is fast."""
_LONGEST: Final = 64
"""Characters of an identifier, hyphens included."""


def identifiers(text: str) -> Iterator[str]:
    """The texts that look like identifiers of the suite. A text may have megabytes, so its prefix is searched first."""
    if any(beginning in text for beginning in _BEGINNINGS):
        short = bare(text)
        place = short.find(PREFIX)
        while place >= 0:
            match = _IDENTIFIER.match(short, place)
            if match:
                yield match.group()
            place = short.find(PREFIX, match.end() if match else place + 1)


def bare(text: str) -> str:
    """A text without hyphens and in lower case, as identifiers are compared."""
    return text.replace("-", "").lower()


def own_identifiers(call: Call) -> set[str]:
    """The identifiers in a call's context, bare."""
    near = (text for text in strings_in(call.plan.context) if _SHORTEST <= len(text) <= _LONGEST)
    texts = map(bare, near)
    return {text for text in texts if _IDENTIFIER.fullmatch(text)}


def without_identifiers(call: Call) -> Any:
    """The payload with the call's own identifiers removed from its strings."""
    own = [text for text in strings_in(call.plan.context) if _IDENTIFIER.fullmatch(bare(text))]

    def cleared(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {cleared(key): cleared(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [cleared(inner) for inner in value]
        if isinstance(value, str):
            for text in own:
                value = value.replace(text, "")
        return value

    return cleared(payload_of(call).value)
