"""Check of tool names for ART and Amplifier: short, and in snake case."""

import re
from typing import Final

from aptix_conformance.text import printable

_LONGEST: Final = 64
"""The most characters that a name may have; model APIs accept no longer names."""

_SNAKE: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")


def snake_case_fault(name: str) -> str | None:
    """What is wrong with a name, such as `has 80 characters; 64 are the most`; None if nothing is."""
    if len(name) > _LONGEST:
        return f"has {len(name)} characters; {_LONGEST} are the most"
    return None if _SNAKE.fullmatch(name) else f"is {printable(repr(name), 80)}"
