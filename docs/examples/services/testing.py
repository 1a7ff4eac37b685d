"""What the tools are given when they are examined. Each factory is called for each instance of a tool."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx


def make_client() -> httpx.AsyncClient:
    """A client whose requests are answered here. Nothing is sent."""

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.params["from"] == request.url.params["to"]:
            return httpx.Response(404)
        return httpx.Response(200, json={"rate": 1.08})

    return httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="https://rates.invalid")


class MemorySession:
    """A session over a database in memory."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.row_factory = sqlite3.Row
        self._database.execute("CREATE TABLE customers (name TEXT, number INTEGER, city TEXT)")
        self._database.execute("INSERT INTO customers VALUES ('Nordic Paper', 4711, 'Bergen')")

    async def fetch_one(self, query: str, *values: object) -> dict[str, Any] | None:
        row = self._database.execute(query, values).fetchone()
        return dict(row) if row else None


def make_clock() -> Callable[[], datetime]:
    """A clock that does not move: a Tuesday at ten."""
    return lambda: datetime(2026, 3, 3, 10, tzinfo=UTC)
