"""Scratch directories: made for a tool to spoil, and removed whatever it did to them."""

import contextlib
import os
import shutil
from pathlib import Path


def make_below(parent: Path, name: str) -> Path:
    """A new directory in `parent`, for its owner only."""
    place = parent / name
    place.mkdir(mode=0o700)
    return place


def remove(place: Path) -> None:
    """Remove a directory and everything in it, also what was made unreadable; links are not followed.

    What resists is left: a scratch directory that stays is a nuisance and no reason to fail a run.
    """
    with contextlib.suppress(OSError):
        place.chmod(0o700)
    for directory, names, _ in os.walk(place, followlinks=False):
        for name in names:
            path = Path(directory, name)
            if not path.is_symlink():
                with contextlib.suppress(OSError):
                    path.chmod(0o700)
    shutil.rmtree(place, ignore_errors=True)
