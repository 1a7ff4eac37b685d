"""The types of the Aptix contract, as they were before any tool was imported."""

import functools
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any


@functools.cache
def contract() -> Any:
    """What `aptix_harness` held when this was first called, which in a zygote is before any tool is imported."""
    import aptix_harness  # noqa: PLC0415 - there is none before sys.path is set

    return SimpleNamespace(**vars(aptix_harness))


@functools.cache
def counting_token() -> Any:
    """A class of cancellation tokens that count how often they were consulted."""
    from aptix_harness import CancellationToken  # noqa: PLC0415 - as above

    class CountingToken(CancellationToken):
        """Counts how often its holder looked at it."""

        consultations = 0

        def _on_consulted(self, member: str) -> None:  # noqa: ARG002 - all members count alike
            self.consultations += 1

    return CountingToken


def make_source() -> Any:
    """A `CancellationTokenSource` whose token counts how often it is consulted."""
    return contract().CancellationTokenSource(counting_token())


def make_context(data: Mapping[str, Any] | None) -> Any:
    """The execution context for a JSON object with the contract's members in snake case; None for None.

    Raises:
        TypeError: a member that the contract's context does not have.
    """
    if data is None:
        return None
    own = contract()
    parts = dict(data)
    for name in ("request", "org", "user", "role", "agent_context"):
        if isinstance(parts.get(name), dict):
            parts[name] = (own.AgentToolRequest if name == "request" else own.EntityHeader)(**parts[name])
    return own.AgentToolExecutionContext(**parts)
