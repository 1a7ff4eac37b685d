"""The disturbance `catalog`. The mode catalog that a tool asks gives other modes."""

from .disturbance import make

__all__ = ["make"]
