"""A file of the packages has at most 400 lines, or says at its head why it is one file."""

import ast
from pathlib import Path

import pytest

CODE = Path(__file__).parents[2] / "conformance"
MOST_LINES = 400
REASON = "One file, because "
"""Begins a sentence of the docstring at its head."""


def fault(text):
    """What is wrong with a file; None where nothing is."""
    is_long = len(text.splitlines()) > MOST_LINES
    has_reason = any(
        line.startswith(REASON) for line in (ast.get_docstring(ast.parse(text)) or "").splitlines()
    )
    if is_long and not has_reason:
        return f"has over {MOST_LINES} lines: move a whole concept to its own file, or say why not: {REASON}…"
    return "gives a reason that it does not need" if has_reason and not is_long else None


def test_every_long_file_says_why():
    faults = {
        path.relative_to(CODE).as_posix(): why
        for path in sorted(CODE.rglob("*.py"))
        if (why := fault(path.read_text(encoding="utf-8")))
    }
    assert not faults


@pytest.mark.parametrize(
    ("head", "lines", "has_fault"),
    [
        ("Long.", 401, True),
        ("Long.", 400, False),
        ("Long.\n\nOne file, because it is a table.", 401, False),
        ("Short.\n\nOne file, because it was long.", 10, True),
        ("", 401, True),
    ],
)
def test_a_long_file_without_a_reason_is_found(head, lines, has_fault):
    start = f'"""{head}\n"""\n' if head else ""
    text = start + "x = 1\n" * (lines - start.count("\n"))
    assert bool(fault(text)) is has_fault
