"""The conformance suite: decides whether an AI agent's tool keeps its contract.

`Run` and `RunOptions` are the public way in; they are imported when they are first named, since every pytest run on the
machine imports this package.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from aptix_conformance.app.run import FoundTools, Run, RunOptions

__all__ = ["FoundTools", "Run", "RunOptions", "__version__"]

__version__ = "0.1.0"

_PUBLIC: Final = frozenset({"FoundTools", "Run", "RunOptions"})


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module("aptix_conformance.app.run"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
