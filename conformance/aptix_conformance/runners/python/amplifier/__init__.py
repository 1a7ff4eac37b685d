"""Tools of Amplifier: mounts a module, and calls the tools that it has registered."""

from .system import System

__all__ = ["System"]
