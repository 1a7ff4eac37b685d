"""Reads the argument text of a call, which may be anything at all, into checked values.

A missing property and a null one are the same (AGN-005.3.3), unknown properties are nobody's business, and a float
without a fraction is an integer, as JSON Schema has it. Messages name the argument and what is wrong with it; they
never repeat a value, which could be long, hostile or secret.
"""

import json
import math
from collections.abc import Collection, Mapping
from typing import Final, TypeVar

T = TypeVar("T")

INVALID_ARGUMENTS: Final = "INVALID_ARGUMENTS"
"""The code of a result that failed because of its arguments."""


class ArgumentError(Exception):
    """The arguments are not what the tool takes; the message is for the model to read (TUL-011.3.4)."""


def parse_object(arguments_json: str | None) -> Mapping[str, object]:
    """Return the JSON object in a text; None, empty and blank are an object without properties (AGN-005.3.1).

    Raises:
        ArgumentError: the text is not JSON, or is JSON but no object.
    """
    if arguments_json is None or not arguments_json.strip():
        return {}
    try:
        arguments = json.loads(arguments_json, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:  # int() and nesting have limits that json passes on
        raise ArgumentError("The arguments are not valid JSON. Send one JSON object.") from error
    if not isinstance(arguments, dict):
        raise ArgumentError("The arguments are JSON, but not an object. Send one JSON object.")
    return arguments


def required_text(arguments: Mapping[str, object], name: str) -> str:
    """Return a string that is not blank.

    Raises:
        ArgumentError: it is missing, null, blank or no string.
    """
    value = optional_text(arguments, name, default="")
    if not value.strip():
        raise ArgumentError(f"'{name}' is required and must not be empty.")
    return value


def required_choice(arguments: Mapping[str, object], name: str, choices: Collection[str]) -> str:
    """Return one of `choices`, spelt exactly so.

    Raises:
        ArgumentError: it is missing, null or none of them.
    """
    value = optional_text(arguments, name, default=None)
    if value is None or value not in choices:
        raise ArgumentError(f"'{name}' is required and must be one of: {', '.join(choices)}.")
    return value


def required_number(arguments: Mapping[str, object], name: str) -> int | float:
    """Return a finite number that fits the range of a double; integers stay exact.

    Raises:
        ArgumentError: it is missing, null, no number, or out of that range.
    """
    value = arguments.get(name)
    if value is None:
        raise ArgumentError(f"'{name}' is required and must be a number.")
    return _number(name, value, kind="a number")


def optional_text(arguments: Mapping[str, object], name: str, *, default: T) -> str | T:
    """Return a string, or `default` if it is missing or null.

    Raises:
        ArgumentError: it is no string.
    """
    value = arguments.get(name)
    if value is None:
        return default
    if not isinstance(value, str):
        raise ArgumentError(f"'{name}' must be a string.")
    return value


def optional_integer(arguments: Mapping[str, object], name: str, *, default: int) -> int:
    """Return an integer that fits the range of a double, or `default` if it is missing or null.

    Raises:
        ArgumentError: it is no integer, or out of that range.
    """
    value = arguments.get(name)
    if value is None:
        return default
    number = _number(name, value, kind="an integer")
    if number != int(number):
        raise ArgumentError(f"'{name}' must be an integer.")
    return int(number)


def optional_boolean(arguments: Mapping[str, object], name: str, *, default: bool) -> bool:
    """Return true or false, or `default` if it is missing or null.

    Raises:
        ArgumentError: it is neither.
    """
    value = arguments.get(name)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise ArgumentError(f"'{name}' must be true or false.")
    return value


def _number(name: str, value: object, *, kind: str) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ArgumentError(f"'{name}' must be {kind}.")
    try:
        is_finite = math.isfinite(value)  # 1e400 reads as infinity, and a long integer overflows here
    except OverflowError:
        is_finite = False
    if not is_finite:
        raise ArgumentError(f"'{name}' is too large.")
    return value


def _refuse_constant(constant: str) -> None:
    """Refuse NaN and Infinity, which `json` reads although they are not JSON."""
    raise ValueError(constant)
