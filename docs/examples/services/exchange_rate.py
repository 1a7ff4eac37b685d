"""A tool that asks a service by HTTP. Its client is given to it, so a test can give it another one."""

from typing import Any, Final

import httpx
from guarded import GuardedTool, RefusedError, function_schema, one_of

from aptix_harness import AdminLogger

CURRENCIES: Final = ("CHF", "EUR", "NOK")


class ExchangeRateTool(GuardedTool):
    """Tells today's exchange rate of two currencies."""

    TOOL_NAME: Final = "finance_exchange_rate"
    TOOL_USAGE_METADATA: Final = """\
# finance_exchange_rate

Tells today's exchange rate from one currency to another.

## When to use
Call it when the user asks what one currency is worth in another. Do not use it for rates of the past.

## Arguments
- `source`: the currency to sell, CHF, EUR or NOK.
- `target`: the currency to buy, CHF, EUR or NOK.

## Behaviour
Idempotent within a day, and safe to call often.

## Errors
A message that says what to correct, or that the rate is not known.

## Examples
Good: {"source": "EUR", "target": "NOK"}. Bad: {"source": "euros"}.
"""

    def __init__(self, logger: AdminLogger, client: httpx.AsyncClient) -> None:
        super().__init__(logger)
        self._client = client

    @staticmethod
    def get_schema() -> dict[str, Any]:
        currency = {"type": "string", "enum": list(CURRENCIES)}
        return function_schema(
            ExchangeRateTool.TOOL_NAME,
            "Tells today's exchange rate from one currency to another.",
            source={**currency, "description": "The currency to sell."},
            target={**currency, "description": "The currency to buy."},
        )

    async def work(self, arguments: dict[str, Any]) -> dict[str, Any]:
        source = one_of(arguments, "source", CURRENCIES)
        target = one_of(arguments, "target", CURRENCIES)
        answer = await self._client.get("/rates", params={"from": source, "to": target})
        if answer.status_code == httpx.codes.NOT_FOUND:
            raise RefusedError(f"There is no rate from {source} to {target} today.")
        answer.raise_for_status()
        return {"source": source, "target": target, "rate": answer.json()["rate"]}
