"""The tool as one of Pydantic AI: `make` gives it with a fault."""

from typing import Annotated, Any, Literal

from postage import RefusalError, quote
from pydantic import Field
from pydantic_ai import ModelRetry, Tool


def make(fault: str) -> Tool[Any]:
    async def quote_postage(
        zone: Annotated[
            Literal["home", "europe", "islands", "world"], Field(description="Where the parcel goes.")
        ],
        kilograms: Annotated[float, Field(description="What it weighs.", ge=0, le=30)],
    ) -> dict[str, Any]:
        """Quotes the postage of a parcel in euros. A parcel to the islands weighs 1 kg at most."""
        try:
            return await quote(zone, kilograms, fault)
        except RefusalError as refusal:
            raise ModelRetry(str(refusal)) from None

    return Tool(quote_postage)
