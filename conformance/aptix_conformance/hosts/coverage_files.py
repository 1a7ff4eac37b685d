"""Moves the coverage data of hosts to where the parent's measurement combines them."""

import contextlib
import shutil
from pathlib import Path


def collect(directory: Path, data_file: str) -> None:
    """Move the data files of `directory` beside `data_file`, under names that coverage's `combine` picks up."""
    for file in directory.glob(".coverage.*"):
        with contextlib.suppress(OSError):  # a failure to measure must not count against the tool
            shutil.move(file, Path(data_file + file.name.removeprefix(".coverage")))
