"""The tool's side of the process boundary: what runs in the process of a tool. It imports nothing of the suite."""

from pathlib import Path
from typing import Final

RUNNERS: Final = Path(__file__).parent
"""The folder: hosts start what lies here by its path."""
