"""Claims of a tool about itself that decide which calls are worth making."""

import re
from typing import Final

_IDEMPOTENT: Final = re.compile(r"\bidempotent\b|\bread[- ]only\b", re.IGNORECASE)
_NOT_IDEMPOTENT: Final = re.compile(
    r"\b(?:not|never|no|isn't|non|nor)[ -](?:\w+ ){0,2}(?:idempotent|read[- ]only)\b", re.IGNORECASE
)


def claims_idempotence(text: str) -> bool:
    """Whether a text says, and does not deny, that a tool is idempotent or only reads."""
    return bool(_IDEMPOTENT.search(text)) and not _NOT_IDEMPOTENT.search(text)
