"""The sentinels: tools of the suite with known behaviour. They run beside a tool under test and verify its host.

The zygote loads them before it imports any tool. They need only the standard library and `aptix_harness`.
`hosts/sentinels.py` has the expected result of each.
"""

import asyncio
from typing import Any, Final

from aptix_harness import InvokeResult

TAG: Final = "[Sentinel_ExecuteAsync]"


class _Sentinel:
    def __init__(self, logger: Any) -> None:
        self._logger = logger


class Returns(_Sentinel):
    """Logs its arguments, and succeeds with them."""

    async def execute(self, arguments: str, context: object, token: object) -> InvokeResult[str]:  # noqa: ARG002 - a tool's
        """Return the arguments."""
        self._logger.add_error(TAG, arguments)
        return InvokeResult.create(arguments)


class Refuses(_Sentinel):
    """Fails with its arguments as the message."""

    async def execute(self, arguments: str, context: object, token: object) -> InvokeResult[str]:  # noqa: ARG002 - as above
        """Return a failed result."""
        return InvokeResult.from_error(arguments)


class Raises(_Sentinel):
    """Raises an exception with its arguments as the message."""

    async def execute(self, arguments: str, context: object, token: object) -> InvokeResult[str]:  # noqa: ARG002 - as above
        """Raise ValueError."""
        raise ValueError(arguments)


class Hangs(_Sentinel):
    """Never returns."""

    async def execute(self, arguments: str, context: object, token: object) -> InvokeResult[str]:  # noqa: ARG002 - as above
        """Wait without end."""
        never: asyncio.Future[InvokeResult[str]] = asyncio.get_running_loop().create_future()
        return await never


class Prints(_Sentinel):
    """Prints its arguments; for `host-check`."""

    async def execute(self, arguments: str, context: object, token: object) -> InvokeResult[str]:  # noqa: ARG002 - as above
        """Print, and succeed."""
        print(arguments)  # noqa: T201 - its purpose
        return InvokeResult.create(arguments)


class Waits(_Sentinel):
    """Waits until it is cancelled; for `host-check`."""

    async def execute(self, arguments: str, context: object, token: Any) -> InvokeResult[str]:  # noqa: ARG002 - as above
        """Wait for the token, and succeed."""
        await token.wait()
        return InvokeResult.create(arguments)


BY_KIND: Final = {
    "returns": Returns,
    "refuses": Refuses,
    "raises": Raises,
    "hangs": Hangs,
    "prints": Prints,
    "waits": Waits,
}
