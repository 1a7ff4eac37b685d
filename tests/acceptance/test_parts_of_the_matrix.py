"""`--python-part K/N` gives each tool in Python of the golden matrix to one of N runs."""

import subprocess
import sys
from itertools import combinations
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
        "--python-part",
        part,
        "-k",
        "has_the_verdicts",
    ]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return {line for line in done.stdout.splitlines() if line.startswith(MATRIX)}, done


def test_each_tool_in_python_is_in_one_part():
    whole, *parts = (collect(part)[0] for part in ("1/1", "1/3", "2/3", "3/3"))
    assert set().union(*parts) == whole
    others = {found for found in whole if "[art/" in found or "[csharp/" in found or "[mcp/" in found}
    assert len(whole - others) > 400
    assert len(others) > 200
    for one, other in combinations(parts, 2):
        assert one & other == others


@pytest.mark.parametrize("wrong", ["2", "3/2"])
def test_a_wrong_part_is_a_usage_error(wrong):
    _, done = collect(wrong)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--python-part is K/N" in done.stderr
