"""Check whether a function accepts the arguments that it is called with."""

from collections.abc import Iterable, Sequence
from typing import Final

from aptix_conformance.core.model import Parameter
from aptix_conformance.core.text import printable

_NUMBERS: Final = ("none", "one", "two", "three")


def binding_fault(parameters: Iterable[Parameter], arguments: Sequence[str]) -> str | None:
    """Why parameters do not accept the positional `arguments`, as a phrase after the function's name; None if they do."""
    known = tuple(parameters)
    by_position = [parameter for parameter in known if parameter.kind == "positional"]
    takes_more = any(parameter.kind == "var_positional" for parameter in known)
    if len(by_position) < len(arguments) and not takes_more:
        return f"takes {len(by_position)} arguments by position, not {_NUMBERS[len(arguments)]}"
    extra = ungiven(known, len(arguments))
    return f"needs {printable(extra, 40)}, which no caller passes" if extra else None


def ungiven(parameters: Iterable[Parameter], count: int) -> str | None:
    """The first required parameter that a call with `count` positional arguments leaves empty; None if there is none."""
    known = tuple(parameters)
    by_position = [parameter for parameter in known if parameter.kind == "positional"]
    needed = [*by_position[count:], *(parameter for parameter in known if parameter.kind == "keyword")]
    return next((parameter.name for parameter in needed if parameter.required), None)
