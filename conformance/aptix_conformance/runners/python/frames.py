"""Detects frames of the runners, so that traces and places show only the tool's code."""

import os
from types import CodeType
from typing import Final

FOLDER: Final = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
"""The folder of all runners, with a separator at its end."""


def is_runner_code(code: CodeType) -> bool:
    """Whether a code object is from a file below `FOLDER`."""
    return code.co_filename.startswith(FOLDER)
