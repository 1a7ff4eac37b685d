"""Brings the coverage data of hosts to where the parent's own measurement combines them."""

import contextlib
import shutil
from pathlib import Path


def collect(directory: Path, data_file: str) -> None:
    """Move the data files of `directory` beside `data_file`, under names that coverage's `combine` picks up."""
    for file in directory.glob(".coverage.*"):
        with contextlib.suppress(OSError):  # measuring is a courtesy: its failure is not the tool's
            shutil.move(file, Path(data_file + file.name.removeprefix(".coverage")))
