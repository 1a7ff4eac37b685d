"""The disturbance `fault`. One thing that a call depends on breaks, once."""

from .disturbance import make

__all__ = ["make"]
