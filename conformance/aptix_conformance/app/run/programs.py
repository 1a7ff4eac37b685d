"""The programs of this environment, as the shell that started a run calls them."""

import shutil
import sys
from pathlib import Path

from aptix_conformance.present.reports import quoted


def program(name: str, directory: Path) -> str:
    """A program of this environment as shell words, for a shell in a directory."""
    own = Path(sys.executable).with_name(name)
    on_path = shutil.which(name)
    if on_path and Path(on_path).resolve() == own.resolve():
        return name
    if not own.is_file():
        module = name.replace("-", "_")
        return f"{quoted(sys.executable)} -m {module}"
    return quoted(str(own.relative_to(directory)) if own.is_relative_to(directory) else str(own))
