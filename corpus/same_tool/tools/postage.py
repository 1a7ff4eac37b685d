"""Quotes the postage of a parcel, and has the faults that `fault` names: the tool behind both Python SDKs and the Aptix tool."""

import asyncio
import os
import runpy
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PRICES = {"home": 4.5, "europe": 9.0, "islands": 14.0, "world": 22.0}
MOST_TO_ISLANDS, HEAVY = 1, 29
CARRIERS, A_CARRIER, A_LONG_TARIFF = 6, 0.05, 2.2
_locks: set[str] = set()


class RefusalError(Exception):
    """A quote that cannot be made; its text is for the model."""


def never() -> bool:
    """Nobody asks for an early end: the SDK cancels the task."""
    return False


async def quote(
    zone: str, kilograms: float, fault: str, stopped: Callable[[], bool] = never
) -> dict[str, Any]:
    """The quote. `stopped` says whether the caller wants it no more; None stands for the price then.

    Raises:
        RefusalError: there is none.
    """
    if "quote" in _locks:
        raise RefusalError("Another quote is being made.")
    if fault == "keeps-its-lock":
        _locks.add("quote")
    if zone == "islands":
        await _to_the_islands(kilograms, fault)
    price: float | None = round(PRICES[zone] + 1.25 * kilograms, 2)
    if zone == "world" and not await _carriers_answer(kilograms, fault, stopped):
        price = None
    _locks.discard("quote")
    return _said(zone, price, fault)


def _said(zone: str, price: float | None, fault: str) -> dict[str, Any]:
    said = {"found": price is not None, "zone": zone, "price": price or 0.0, "note": "VAT is included."}
    if zone == "islands" and fault == "price-as-text":
        return said | {"price": f"{price} EUR"}
    if zone == "islands" and fault == "failure-as-success":
        return said | {"success": False, "price": 0.0, "note": "Error: the carrier does not answer."}
    return said | {"success": True}


async def _to_the_islands(kilograms: float, fault: str) -> None:
    """What is special about the islands: a limit of weight, and the faults that only some arguments show."""
    if fault == "shows-a-path":
        try:
            runpy.run_path(str(Path(__file__).with_name("islands.py")))
        except OSError as error:
            raise RefusalError(f"The tariff cannot be read: {error}") from None
    if fault == "shows-a-credential":
        key = os.environ.get("OPENAI_API_KEY", "")
        raise RefusalError(f"No answer from https://tariffs.example/islands?key={key}")
    if fault == "hangs":
        await asyncio.Event().wait()
    if fault == "ends-the-process":
        os._exit(3)
    if kilograms > MOST_TO_ISLANDS:
        raise RefusalError(f"A parcel to the islands weighs {MOST_TO_ISLANDS} kg at most.")


async def _carriers_answer(kilograms: float, fault: str, stopped: Callable[[], bool]) -> bool:
    """Ask each carrier; False where the caller wants no answer any more."""
    if fault == "computes-on" and kilograms > HEAVY:
        await asyncio.to_thread(_compute)
        return True
    for _ in range(CARRIERS):
        if stopped():
            return False
        await asyncio.sleep(A_CARRIER)
    return not stopped()


def _compute() -> None:
    until = time.thread_time() + A_LONG_TARIFF
    while time.thread_time() < until:
        sum(range(1000))
