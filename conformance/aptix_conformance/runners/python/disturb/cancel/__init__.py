"""The disturbance `cancel`. It cancels a call at one point, found by counting and not by time."""

from .cancellation_disturbance import make

__all__ = ["make"]
