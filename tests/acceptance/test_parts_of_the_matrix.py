"""`--further-python K/N` gives each tool of the golden matrix to one of N runs."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MATRIX = "tests/acceptance/test_fixtures.py"


def collect(part):
    """What pytest would run, and its exit status."""
    words = [
        sys.executable,
        "-m",
        "pytest",
        "--co",
        "-q",
        MATRIX,
        "-k",
        "has_the_verdicts",
        *(["--further-python", part] if part else []),
    ]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return {line for line in done.stdout.splitlines() if line.startswith(MATRIX)}, done


def test_each_tool_is_in_one_part():
    whole, *parts = (collect(part)[0] for part in (None, "1/2", "2/2"))
    first, second = parts
    assert first | second == whole
    assert not first & second
    assert abs(len(first) - len(second)) <= 1
    assert len(whole) > 900


@pytest.mark.parametrize("wrong", ["2", "3/2"])
def test_a_wrong_part_is_a_usage_error(wrong):
    _, done = collect(wrong)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--further-python is K/N" in done.stderr
