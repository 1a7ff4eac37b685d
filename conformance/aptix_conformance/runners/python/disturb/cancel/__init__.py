"""The disturbance `cancel`. A call is cancelled at one point, which is counted and not timed."""

from .disturbance import make

__all__ = ["make"]
