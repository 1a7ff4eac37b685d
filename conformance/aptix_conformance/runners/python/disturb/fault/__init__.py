"""The disturbance `fault`. It makes one dependency of a call fail once."""

from .disturbance import make

__all__ = ["make"]
