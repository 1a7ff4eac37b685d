"""A tool that reads from a database through a session."""

from typing import Any, Final, Protocol

from guarded import GuardedTool, RefusedError, function_schema

from aptix_harness import AdminLogger

_MOST: Final = 60


class Session(Protocol):
    """What the tool uses of a database session."""

    async def fetch_one(self, query: str, *values: object) -> dict[str, Any] | None:
        """The first row of a query; None where there is none."""


class CustomerLookupTool(GuardedTool):
    """Finds a customer by name."""

    TOOL_NAME: Final = "crm_find_customer"
    TOOL_USAGE_METADATA: Final = """\
# crm_find_customer

Finds a customer's number and city by the customer's name.

## When to use
Call it when the user names a customer. Do not use it to search by city.

## Arguments
- `name`: the customer's whole name, up to 60 characters.

## Behaviour
Idempotent, and safe to call often. An unknown customer gives a result with null.

## Errors
A message that says what to correct.

## Examples
Good: {"name": "Nordic Paper"}. Bad: {"name": ""}.
"""

    def __init__(self, logger: AdminLogger, session: Session) -> None:
        super().__init__(logger)
        self._session = session

    @staticmethod
    def get_schema() -> dict[str, Any]:
        name = {
            "type": "string",
            "minLength": 1,
            "maxLength": _MOST,
            "description": "The customer's whole name.",
        }
        return function_schema(
            CustomerLookupTool.TOOL_NAME, "Finds a customer's number and city by the name.", name=name
        )

    async def work(self, arguments: dict[str, Any]) -> dict[str, Any]:
        name = arguments.get("name")
        if not isinstance(name, str) or not 1 <= len(name) <= _MOST:
            raise RefusedError(f"name is required: 1 to {_MOST} characters.")
        # Lone surrogates are in no name, and no database takes them.
        known = name.encode("utf-8", "replace").decode("utf-8")
        row = await self._session.fetch_one("SELECT number, city FROM customers WHERE name = ?", known)
        return {"name": name, "number": row and row["number"], "city": row and row["city"]}
