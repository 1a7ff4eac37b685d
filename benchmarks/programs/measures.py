"""What the measured tool and the peers' API both do: check five arguments and give them back.

Standard library only: the peers run it in an environment of their own.
"""

from collections.abc import Mapping
from typing import Any, Final

UNITS: Final = ("metre", "mile", "foot")

PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "What is measured.", "minLength": 1, "maxLength": 40},
        "count": {"type": "integer", "description": "How many there are.", "minimum": 0, "maximum": 100},
        "ratio": {"type": "number", "description": "The share of them.", "minimum": 0, "maximum": 1},
        "unit": {"type": "string", "description": "The unit of length.", "enum": list(UNITS)},
        "detailed": {"type": "boolean", "description": "Whether to say more."},
    },
    "required": ["name", "count"],
    "additionalProperties": False,
}

RESULT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {**PARAMETERS["properties"], "ratio": {"type": "number"}},
    "required": ["name", "count", "ratio", "unit", "detailed"],
}


def fault(sent: object) -> str | None:
    """What is wrong with some arguments, None where nothing is."""
    if not isinstance(sent, dict) or sent.keys() - PARAMETERS["properties"].keys():
        return "The arguments are a JSON object with name, count, ratio, unit and detailed, and no others."
    name, count = sent.get("name"), sent.get("count")
    if not isinstance(name, str) or not 1 <= len(name) <= 40:  # noqa: PLR2004 - as the schema says
        return "The argument name is required: a text of 1 to 40 characters."
    if not _is_number(count) or not 0 <= count <= 100 or count != int(count):  # noqa: PLR2004
        return "The argument count is required: a whole number from 0 to 100."
    ratio = _given(sent, "ratio", 0)
    if not _is_number(ratio) or not 0 <= ratio <= 1:
        return "The argument ratio is a number from 0 to 1."
    if _given(sent, "unit", UNITS[0]) not in UNITS:
        return "The argument unit is metre, mile or foot."
    is_clear = isinstance(_given(sent, "detailed", default=False), bool)
    return None if is_clear else "The argument detailed is true or false."


def measure(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that are right, with the defaults of those left out."""
    return {
        "name": sent["name"],
        "count": sent["count"],
        "ratio": _given(sent, "ratio", 0),
        "unit": _given(sent, "unit", UNITS[0]),
        "detailed": _given(sent, "detailed", default=False),
    }


def _given(sent: Mapping[str, Any], name: str, default: object) -> Any:
    value = sent.get(name)
    return default if value is None else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
