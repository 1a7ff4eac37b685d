"""Tools of frameworks: objects of a module, such as decorated functions."""

from .answer import Answer
from .system import FrameworkSystem

__all__ = ["Answer", "FrameworkSystem"]
