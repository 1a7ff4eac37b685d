"""The types of the Aptix contract, taken before any tool is imported."""

import functools
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any


@functools.cache
def contract() -> Any:
    """The types of `aptix_harness` at the first call. A zygote calls this before it imports any tool."""
    import aptix_harness  # noqa: PLC0415 - importable only after sys.path is set

    return SimpleNamespace(**vars(aptix_harness))


@functools.cache
def counting_token() -> Any:
    """A class of cancellation tokens that count how often they are consulted."""
    from aptix_harness import CancellationToken  # noqa: PLC0415 - as above

    class CountingToken(CancellationToken):
        """Counts each access by the tool."""

        consultations = 0

        def _on_consulted(self, member: str) -> None:  # noqa: ARG002 - all members count alike
            self.consultations += 1

    return wear_name(CountingToken, CancellationToken)


def wear_name(cls: type, other: type) -> type:
    """Give a class of the suite the name of the contract's class in whose place a tool gets it; returns the class."""
    cls.__name__, cls.__qualname__, cls.__module__ = other.__name__, other.__qualname__, other.__module__
    return cls


def make_source() -> Any:
    """A `CancellationTokenSource` whose token counts how often it is consulted."""
    return contract().CancellationTokenSource(counting_token())


def make_context(data: Mapping[str, Any] | None) -> Any:
    """The execution context for a JSON object with the contract's members in snake case; None for None.

    Raises:
        TypeError: the contract's context does not have such a member.
    """
    if data is None:
        return None
    own = contract()
    parts = dict(data)
    for name in ("request", "org", "user", "role", "agent_context"):
        if isinstance(parts.get(name), dict):
            parts[name] = (own.AgentToolRequest if name == "request" else own.EntityHeader)(**parts[name])
    return own.AgentToolExecutionContext(**parts)
