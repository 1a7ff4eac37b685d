"""The disturbance `catalog`. It changes the modes that a tool gets from its mode catalog."""

from .catalog_disturbance import make

__all__ = ["make"]
