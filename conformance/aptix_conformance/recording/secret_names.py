"""Which names of a header, a query parameter or a member of JSON say that their value is secret, and how surely."""

import re
from enum import IntEnum
from typing import Final
from urllib.parse import unquote

from aptix_conformance.core.model.secret_forms import is_unlikely


class Secrecy(IntEnum):
    """Which values below a name are secret."""

    NONE = 0
    LIKELY = 1
    """Texts that look like a secret."""
    TEXTS = 2
    """Every text; a number is a count."""
    ALL = 3
    """Every text and number."""


_WORD: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PLACE: Final = re.compile(
    r"(?:page|next|prev(?:ious)?|continuation|sync)[_-]?tokens?$|cursor$", re.IGNORECASE
)
"""The name of a place in a list, by which a tool asks for the next page."""
_LONGEST: Final = 200
"""Characters at the end of a name that are looked at."""
_BEGIN: Final = r"(?:^|[_.\[-])"
_ALL: Final = re.compile(
    r"(?:passw(?:or)?d|pwd|passphrase|secret)s?\]?$|"
    rf"{_BEGIN}(?:(?:access|auth|bearer|csrf|id|refresh|session)?token|(?:api|access|private|secret)[_-]?keys?|authorization|"
    r"credentials?|jwts?)\]?$",
    re.IGNORECASE,
)
_TEXTS: Final = re.compile(rf"{_BEGIN}(?:cookies?|dsn|pass)\]?$", re.IGNORECASE)
_LIKELY: Final = re.compile(
    rf"{_BEGIN}(?:app[_-]?id|auth|session[_-]?id|sig|signature|\w*tokens)\]?$", re.IGNORECASE
)


def secrecy_of(name: str) -> Secrecy:
    """Which values below a name are secret. The name may be percent-quoted."""
    words = _WORD.sub("_", unquote(name[-_LONGEST:]))
    if _PLACE.search(words):
        return Secrecy.NONE
    for grade, pattern in ((Secrecy.ALL, _ALL), (Secrecy.TEXTS, _TEXTS), (Secrecy.LIKELY, _LIKELY)):
        if pattern.search(words):
            return grade
    return Secrecy.NONE


def is_secret(value: str | float, grade: Secrecy) -> bool:
    """Whether a value below a name of this grade is secret. Booleans and nothing are not."""
    if isinstance(value, str):
        return bool(value) and (
            grade >= Secrecy.TEXTS or (grade == Secrecy.LIKELY and is_unlikely(unquote(value)))
        )
    return grade == Secrecy.ALL and not isinstance(value, bool)
