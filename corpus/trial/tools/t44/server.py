"""Dice and draw piles. Results are random, and a pile remembers what was drawn."""
import random
import uuid
from typing import Annotated

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import Field

mcp = FastMCP("table-games")
_random = random.SystemRandom()
_piles: dict[str, list[str]] = {}

RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
SUITS = ["clubs", "diamonds", "hearts", "spades"]


@mcp.tool
def roll(
    dice: Annotated[int, Field(description="Number of dice", ge=1, le=100)] = 2,
    sides: Annotated[int, Field(description="Sides of each die", ge=2, le=1000)] = 6,
) -> dict:
    """Roll dice. Every call gives another result."""
    values = [_random.randint(1, sides) for _ in range(dice)]
    return {"values": values, "total": sum(values)}


@mcp.tool
def new_pile() -> dict:
    """Shuffle a pile of 52 cards and return its handle, which draw needs."""
    cards = [f"{rank} of {suit}" for suit in SUITS for rank in RANKS]
    _random.shuffle(cards)
    handle = uuid.uuid4().hex
    _piles[handle] = cards
    return {"pile": handle, "left": len(cards)}


@mcp.tool
def draw(
    pile: Annotated[str, Field(description="Handle of a pile from new_pile")],
    cards: Annotated[int, Field(description="How many cards to draw", ge=1, le=52)] = 1,
) -> dict:
    """Draw cards from the top of a pile. They do not come back."""
    if pile not in _piles:
        raise ToolError("pile: there is no such pile; make one with new_pile")
    left = _piles[pile]
    if cards > len(left):
        raise ToolError(f"cards: only {len(left)} cards are left")
    drawn = [left.pop() for _ in range(cards)]
    return {"drawn": drawn, "left": len(left)}


@mcp.tool
def discard_pile(pile: Annotated[str, Field(description="Handle of a pile")]) -> dict:
    """Give up a pile. Giving up a pile that does not exist changes nothing and is no error."""
    return {"pile": pile, "existed": _piles.pop(pile, None) is not None}


if __name__ == "__main__":
    mcp.run(show_banner=False)
