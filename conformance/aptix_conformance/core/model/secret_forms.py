"""The forms in which a secret appears in a text, and which values look like a secret at all."""

import json
import re
from typing import Final
from urllib.parse import quote, quote_plus

from aptix_conformance.core.model import canaries

SHORTEST: Final = 8
"""Minimum length of a value that looks like a secret, in characters."""
_UNLIKELY: Final = re.compile(rf"(?=.*\d)(?=.*[A-Za-z])(?:\S{{{SHORTEST},}}|.{{32,}})", re.DOTALL)
_FOR_URLS: Final = str.maketrans("+/", "-_")


def is_unlikely(value: str) -> bool:
    """Whether a value hardly appears in a text by chance, as most secrets do not."""
    return _UNLIKELY.fullmatch(value) is not None


def secret_forms(secret: str) -> list[str]:
    """The forms in which a secret may appear, longest first: escaped, quoted, in hexadecimal and base64, in another case."""
    data = secret.encode("utf-8", "surrogatepass")
    plain = {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        repr(secret)[1:-1],
        quote(secret, errors="replace"),
        quote(secret, safe="", errors="replace"),
        quote_plus(secret, errors="replace"),
        data.hex(),
    }
    encoded = {canaries.in_base64(data, before) for before in range(3)}
    encoded |= {text.translate(_FOR_URLS) for text in encoded}
    forms = plain | {text.upper() for text in plain} | {text.lower() for text in plain} | encoded
    return sorted(forms, key=lambda form: (-len(form), form))
