"""A small alphabet with characters of every Unicode category, and their properties."""

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Final

_RANGES: Final = (
    (0x00, 0x24F), (0x300, 0x308), (0x370, 0x45F), (0x5D0, 0x5EA), (0x620, 0x64A), (0x904, 0x914), (0xE01, 0xE10),
    (0x2000, 0x206F), (0x20A0, 0x20BF), (0x2200, 0x2210), (0x3041, 0x3060), (0x4E00, 0x4E20), (0xAC00, 0xAC10),
    (0xFE00, 0xFEFF), (0xFF01, 0xFF20), (0xFFF9, 0xFFFF), (0x1F300, 0x1F320), (0x1F468, 0x1F470), (0x10FFFE, 0x10FFFF),
)  # fmt: skip
ALPHABET: Final = "".join(chr(code) for first, last in _RANGES for code in range(first, last + 1))
"""The characters, ASCII among them, in the order of their code points."""

_CATEGORIES: Final = {
    "Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm",
    "Other_Letter": "Lo", "Mark": "M", "Nonspacing_Mark": "Mn", "Number": "N", "Decimal_Number": "Nd",
    "Punctuation": "P", "Symbol": "S", "Currency_Symbol": "Sc", "Math_Symbol": "Sm", "Separator": "Z",
    "Space_Separator": "Zs", "Other": "C", "Control": "Cc",
}  # fmt: skip
_SCRIPTS: Final = {
    "Latin": "LATIN",
    "Latn": "LATIN",
    "Greek": "GREEK",
    "Grek": "GREEK",
    "Cyrillic": "CYRILLIC",
}
_MEMBER: Final[dict[str, Callable[[str, str], bool]]] = {
    "category": lambda char, wanted: unicodedata.category(char).startswith(wanted),
    "script": lambda char, wanted: unicodedata.name(char, "").startswith(f"{wanted} "),
}


@lru_cache(maxsize=128)
def having(said: str) -> str | None:
    r"""The characters of `ALPHABET` that a property has, named as in `\p{..}`; None for one that is not known here.

    Scripts go by the characters' names, which is near enough to make texts with and not to judge them.
    """
    sort, wanted = _read(said)
    if wanted is None:
        return None
    return "".join(char for char in ALPHABET if _MEMBER[sort](char, wanted))


def _read(said: str) -> tuple[str, str | None]:
    key, _, value = said.rpartition("=")
    if key in {"Script", "sc", "Script_Extensions", "scx"}:
        return "script", _SCRIPTS.get(value)
    if key not in {"", "General_Category", "gc"}:
        return "category", None
    return "category", value if len(value) <= len("Lu") else _CATEGORIES.get(value)
