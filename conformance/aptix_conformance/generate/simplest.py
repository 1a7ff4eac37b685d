"""The simplest value of a strategy, for the calls that always run."""

from random import Random
from typing import Any, Final

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import HypothesisException
from hypothesis.strategies import SearchStrategy


class UnconstructibleError(ValueError):
    """A schema node for which no value could be made; never leaves this package."""


def simplest(strategy: SearchStrategy[Any]) -> Any:
    """The simplest value of a strategy, the same in every run.

    Raises:
        UnconstructibleError: none was found.
    """
    try:
        return find(strategy, lambda _: True, settings=_FIND, random=Random(0))  # noqa: S311 - no secret
    except HypothesisException as error:
        raise UnconstructibleError(str(error)) from error


# Every setting that a user's profile could change is said here.
_FIND: Final = settings(
    database=None,
    max_examples=20,
    deadline=None,
    derandomize=False,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=tuple(HealthCheck),
)
