"""The disturbance `arguments`. It records which arguments a call reads."""

from .disturbance import make

__all__ = ["make"]
