"""Keep Hypothesis's caches out of the user's folder while the suite draws.

The folder is one setting of the process, which the user's own tests share, so it is restored afterwards.
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
