"""Where the runners' files are, for the hosts that start them. No runner imports this: pathlib is slow to import."""

from pathlib import Path
from typing import Final

RUNNERS: Final = Path(__file__).parent
"""The folder of this package."""
START: Final = RUNNERS / "start.py"
"""`python START MODULE ARGUMENT` runs `main(ARGUMENT)` of a module of this package."""
