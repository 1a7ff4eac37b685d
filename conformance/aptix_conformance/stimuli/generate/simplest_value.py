"""The simplest value of a strategy, for the calls that always run."""

from collections.abc import Callable
from random import Random
from typing import Any, Final

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy


class UnconstructibleError(ValueError):
    """A schema node for which no value could be made; never leaves this package."""


def simplest(
    strategy: SearchStrategy[Any], satisfies: Callable[[Any], bool] = lambda _: True, drawn: int = 20
) -> Any:
    """The simplest value of a strategy that satisfies a condition, the same in every run.

    Raises:
        UnconstructibleError: none of the `drawn` values satisfies it.
    """
    limit = settings(_FIND, max_examples=drawn)
    try:
        return find(strategy, satisfies, settings=limit, random=Random(0))  # noqa: S311 - no secret
    except HypothesisException as error:
        raise UnconstructibleError(str(error)) from error


# Every other setting that a user's profile could change is said here.
_FIND: Final = settings(
    database=None,
    deadline=None,
    derandomize=False,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=tuple(HealthCheck),
)
