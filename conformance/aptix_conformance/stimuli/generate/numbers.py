"""Integers and numbers within bounds."""

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from aptix_conformance.core.schemas.nodes import integer_bounds

NOTABLE: Final = (
    0, 1, -1, 2, 10, 100, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1,
    2**32, 2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64, 10**18, 10**19, 10**30,
)  # fmt: skip
"""Integers at the limits of common machine types."""

NOTABLE_FLOATS: Final = (
    0.5, -0.0, 0.1, 1.5, -1.5, 3.14159, 1e-9, 5e-324, 2.2250738585072014e-308, 1e15, 1e16, 1e21, -1e21, 1e100,
    1.7976931348623157e308, -1.7976931348623157e308, 9007199254740993.0,
)  # fmt: skip
"""Finite floats that are awkward to hold, to round or to write."""

NARROW: Final = 1000
"""Ranges with fewer integers are drawn from uniformly."""


def number_bounds(keywords: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The bounds of a number, exclusive ones moved inwards by the smallest step."""
    lows = [_float(keywords["minimum"])] if "minimum" in keywords else []
    if "exclusiveMinimum" in keywords:
        lows.append(math.nextafter(_float(keywords["exclusiveMinimum"]), math.inf))
    highs = [_float(keywords["maximum"])] if "maximum" in keywords else []
    if "exclusiveMaximum" in keywords:
        highs.append(math.nextafter(_float(keywords["exclusiveMaximum"]), -math.inf))
    return max(lows, default=None), min(highs, default=None)


def integers(keywords: Mapping[str, Any]) -> SearchStrategy[int] | None:
    """Integers that the keywords allow; None where there is none."""
    low, high = integer_bounds(keywords)
    step = keywords.get("multipleOf")
    if step is not None:
        return _multiples(step, low, high, whole=True)
    if low is not None and high is not None and low > high:
        return None
    if low is not None and high is not None and high - low < NARROW:
        return st.integers(low, high)
    notable = [value for value in NOTABLE if _within(value, low, high)]
    options: list[SearchStrategy[int]] = [st.integers(_clip(0, low, high), _clip(100, low, high))]
    if notable:
        options.append(st.sampled_from(notable))
    return st.one_of(*options, st.integers(low, high))


def numbers(keywords: Mapping[str, Any]) -> SearchStrategy[float] | None:
    """Integers and finite floats that the keywords allow; None where there is none."""
    low, high = number_bounds(keywords)
    step = keywords.get("multipleOf")
    if step is not None:
        return _multiples(step, low, high, whole=False)
    if low is not None and high is not None and low > high:
        return None
    options: list[SearchStrategy[float]] = []
    whole = integers({key: value for key, value in keywords.items() if key != "multipleOf"})
    if whole is not None:
        options.append(whole)
    notable = [value for value in NOTABLE_FLOATS if _within(value, low, high)]
    if notable:
        options.append(st.sampled_from(notable))
    options.append(st.floats(low, high, allow_nan=False, allow_infinity=False))
    return st.one_of(*options)


def _multiples(
    step: float, low: float | None, high: float | None, *, whole: bool
) -> SearchStrategy[Any] | None:
    # Decimal, because 3 * 0.1 is not 0.3 and a validator may say so.
    unit = Decimal(str(step))
    if whole:
        # The integers among the multiples of p/q, in lowest terms, are the multiples of p.
        unit = Decimal(Fraction(unit).numerator)
    least = None if low is None else math.ceil(Decimal(str(low)) / unit)
    most = None if high is None else math.floor(Decimal(str(high)) / unit)
    if least is not None and most is not None and least > most:
        return None
    factors = st.integers(least, most)
    if least is None and most is None:
        factors = st.integers(-(10**6), 10**6)
    if whole:
        return factors.map(lambda factor: int(unit) * factor)
    return factors.map(lambda factor: _plain(unit * factor))


def _plain(value: Decimal) -> float:
    return int(value) if value == value.to_integral_value() else float(value)


def _within(value: float, low: float | None, high: float | None) -> bool:
    return (low is None or low <= value) and (high is None or value <= high)


def _clip(value: int, low: int | None, high: int | None) -> int:
    """`value`, or the bound that is nearest to it."""
    if low is not None and value < low:
        return low
    return high if high is not None and value > high else value


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return 1.7976931348623157e308 if value > 0 else -1.7976931348623157e308
