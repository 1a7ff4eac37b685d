"""Tools of the suite's own that are known to do one thing each: run beside a tool under test, they prove its host.

Loaded in the zygote before any tool is imported; standard library and `aptix_harness` only. `hosts/sentinels.py` says
what each must come back as.
"""

import asyncio
from typing import Any, Final

from aptix_harness import InvokeResult

TAG: Final = "[Sentinel_ExecuteAsync]"


class _Sentinel:
    def __init__(self, logger: Any) -> None:
        self._logger = logger


class Returns(_Sentinel):
    """Logs what it is sent, and succeeds with it."""

    async def execute(self, arguments: str, context: object, token: object) -> InvokeResult[str]:  # noqa: ARG002 - a tool's
        """Give the arguments back."""
        self._logger.add_error(TAG, arguments)
        return InvokeResult.create(arguments)


class Refuses(_Sentinel):
    """Fails with what it is sent as its message."""

    async def execute(self, arguments: str, context: object, token: object) -> InvokeResult[str]:  # noqa: ARG002 - as above
        """Give a failed result."""
        return InvokeResult.from_error(arguments)


class Raises(_Sentinel):
    """Raises what it is sent."""

    async def execute(self, arguments: str, context: object, token: object) -> InvokeResult[str]:  # noqa: ARG002 - as above
        """Raise ValueError."""
        raise ValueError(arguments)


class Hangs(_Sentinel):
    """Waits for what never comes."""

    async def execute(self, arguments: str, context: object, token: object) -> InvokeResult[str]:  # noqa: ARG002 - as above
        """Wait for ever."""
        never: asyncio.Future[InvokeResult[str]] = asyncio.get_running_loop().create_future()
        return await never


class Prints(_Sentinel):
    """Prints what it is sent; for `host-check`."""

    async def execute(self, arguments: str, context: object, token: object) -> InvokeResult[str]:  # noqa: ARG002 - as above
        """Print, and succeed."""
        print(arguments)  # noqa: T201 - what it is there for
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
