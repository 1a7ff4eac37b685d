"""Tools of Amplifier: mounts a module, and calls what that has registered."""

from .system import System

__all__ = ["System"]
