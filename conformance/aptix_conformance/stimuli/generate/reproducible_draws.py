"""The same seed draws the same values, whatever else this process has imported."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from hypothesis.internal.conjecture import providers

_FIND = "_get_local_constants"
_CACHE = "CONSTANTS_CACHE"


@contextmanager
def same_draws() -> Iterator[None]:
    """Let Hypothesis draw no constants of the modules that are imported.

    It takes them from the source of each module outside of site-packages: of the user's project, of a checkout of this
    suite. What is drawn would depend on how the suite was installed and on which tool was examined first, and each process
    would parse hundreds of files. Hypothesis has no public setting for it; a version without these names is left as it
    is. The user's own tests, which may run in this process too, draw as before afterwards.
    """
    if not (hasattr(providers, _FIND) and hasattr(providers, _CACHE)):
        yield
        return
    none = type(providers.GLOBAL_CONSTANTS)()
    cache = type(getattr(providers, _CACHE))(1024)
    with patch.multiple(providers, **{_FIND: lambda: none, _CACHE: cache}):
        yield
