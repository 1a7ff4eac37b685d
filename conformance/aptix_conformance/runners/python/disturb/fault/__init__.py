"""The disturbance `fault`. It makes one dependency of a call fail once."""

from .fault_disturbance import make

__all__ = ["make"]
