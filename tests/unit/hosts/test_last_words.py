"""The last line of a program that cannot start is whole, comes first, and brings the setting that may help."""

import pytest

from aptix_conformance.hosts.last_words import LONGEST_LINE, advice, described_output, last_line

TRACE = """INFO:root:starting
Traceback (most recent call last):
  File "/srv/server.py", line 5, in <module>
    place.mkdir()
{line}
"""


@pytest.mark.parametrize(
    ("printed", "line"),
    [
        ("", ""),
        ("\n \n", ""),
        ("no database\n", "no database"),
        (TRACE.format(line="OSError: [Errno 30] x: '/srv/data'"), "OSError: [Errno 30] x: '/srv/data'"),
        (TRACE.format(line="SystemExit"), "SystemExit"),
        ("  | OSError: full\n  +------", "OSError: full"),
        ("Error: EROFS: x\n    at mkdir (node:fs:1)\n\nNode.js v20.1.0", "Error: EROFS: x"),
        ("Error [ERR_X]: x\n    at y", "Error [ERR_X]: x"),
        ("Unhandled exception. System.IO.IOException: x\n   at A.B()", "System.IO.IOException: x"),
        ('Exception in thread "main" java.io.IOException: x\n\tat A.b(A.java:1)', "java.io.IOException: x"),
        (TRACE.format(line="KeyError: 'a'") + TRACE.format(line="ValueError: b"), "ValueError: b"),
    ],
)
def test_the_last_line_that_names_an_exception_is_found(printed, line):
    assert last_line(printed) == line


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("OSError: [Errno 30] Read-only file system: '/srv/data'", 'files = "FOLDER"'),
        ("Error: EROFS: read-only file system, mkdir '/srv/data'", "env = {"),
        ("ModuleNotFoundError: No module named 'kit.server'. Pin 'kit<2'.", "uvx --with 'kit<2'"),
        ("ImportError: cannot import name 'X' from 'kit.types' (/srv/types.py)", "another version of kit"),
        ("ImportError: cannot import name 'X' from 'kit' (/srv/kit.py)", "'kit<VERSION'"),
        ("AttributeError: 'Server' object has no attribute 'list_tools'", "uvx --with 'mcp<2'"),
        ("ModuleNotFoundError: No module named 'numpy'", "numpy"),
        ("Error: Cannot find module 'express'", "express"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'notes.json'", '"notes.json"'),
    ],
)
def test_it_brings_the_setting_that_may_help(line, words):
    assert words in advice(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "ValueError: no licence",
        "AttributeError: 'Server' object has no attribute 'greet'",
        "FileNotFoundError: [Errno 2] No such file or directory: '/etc/notes.json'",
    ],
)
def test_what_no_setting_helps_brings_none(line):
    assert advice(line) == ""


def test_one_line_is_all_that_is_said_where_nothing_else_was_printed():
    assert described_output("no database\nno database\n") == "; it printed: no database"
    assert described_output(" \n") == ""


def test_the_last_line_comes_before_what_was_printed_earlier_and_is_whole():
    line = f"ModuleNotFoundError: No module named 'kit.server'. {'x' * 400} pin 'kit<2'."
    shown = described_output("y" * 5_000 + "\n" + TRACE.format(line=line))
    assert shown.startswith(f"; it printed: {line} It was written for another version")
    assert "Before that: …" in shown
    assert len(shown) < 1_400
    assert len(described_output("Error: " + "x" * 5_000)) < LONGEST_LINE + 100


def test_hostile_words_are_escaped():
    assert described_output("Error: \x1b[31m::error::x\nError: \x07").isprintable()
