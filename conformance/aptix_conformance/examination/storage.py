"""Where Hypothesis keeps its caches while it draws for us: never in the user's folder.

Its home is one setting for the whole process, which the user's own tests share, so it is put back afterwards.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import configuration


@contextmanager
def hypothesis_home(folder: Path | None) -> Iterator[None]:
    """Let Hypothesis keep its caches in `folder`, or in a temporary one where there is none."""
    before = configuration.storage_directory(intent_to_write=False).home_directory
    with tempfile.TemporaryDirectory(prefix="aptix-hypothesis-") as temporary:
        configuration.set_hypothesis_home_dir(folder or temporary)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)
