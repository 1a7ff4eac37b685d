"""Tests to keep: a finding of a report as a pytest test in the words of the author's own harness.

The written file imports nothing of the suite. A report is a stranger's file: its texts enter only as quoted literals, and
what is imported is what the project configures.
"""

from aptix_conformance.author_tests.write import Subject, author_test, write_test

__all__ = ["Subject", "author_test", "write_test"]
