"""Whether a name is short and in snake case, as ART and Amplifier both ask of a tool's."""

import re
from typing import Final

from aptix_conformance.text import printable

_LONGEST: Final = 64
"""Characters of a name beyond which it is not short; models' interfaces take no longer one."""

_SNAKE: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")


def snake_case_fault(name: str) -> str | None:
    """What a name has or is, such as `has 80 characters; 64 are the most`; None where it is short and in snake case."""
    if len(name) > _LONGEST:
        return f"has {len(name)} characters; {_LONGEST} are the most"
    return None if _SNAKE.fullmatch(name) else f"is {printable(repr(name), 80)}"
