"""The disturbance `cancel`. It cancels a call at one point, found by counting and not by time."""

from .disturbance import make

__all__ = ["make"]
