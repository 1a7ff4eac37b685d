"""`--part K/N` gives each tool of the golden matrix to one of N runs."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MATRIX = "tests/acceptance/test_fixtures.py"


def collect(part):
    """What pytest would run, and its exit status."""
    words = [sys.executable, "-m", "pytest", "--co", "-q", MATRIX, "--part", part, "-k", "has_the_verdicts"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return {line for line in done.stdout.splitlines() if line.startswith(MATRIX)}, done


def test_each_tool_is_in_one_part():
    whole, first, second = (collect(part)[0] for part in ("1/1", "1/2", "2/2"))
    assert len(whole) > 500
    assert first | second == whole
    assert not first & second


@pytest.mark.parametrize("wrong", ["2", "0/2", "3/2", "1/2/3"])
def test_a_wrong_part_is_a_usage_error(wrong):
    _, done = collect(wrong)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--part is K/N" in done.stderr
