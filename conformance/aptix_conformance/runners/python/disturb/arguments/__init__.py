"""The disturbance `arguments`. It records which arguments a call reads."""

from .watched_arguments import make

__all__ = ["make"]
