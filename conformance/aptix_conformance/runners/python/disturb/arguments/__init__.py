"""The disturbance `arguments`. What a call reads of its arguments is recorded."""

from .disturbance import make

__all__ = ["make"]
