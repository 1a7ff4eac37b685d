"""Tests to keep: a finding of a report as a test in the words of the author's own framework.

The runtime of a system names the function that writes it (`WriteTest`). This package has what they share, and the one for
`aptix_harness` in Python.
"""

from aptix_conformance.author_tests.assertions import Check, no_internals
from aptix_conformance.author_tests.calls import (
    earlier_calls,
    in_own_process,
    parsed_arguments,
    refuse_disturbed,
    refuse_unshown,
)
from aptix_conformance.author_tests.conditions import Conditions, Subject, WriteTest, surround
from aptix_conformance.author_tests.draft import Draft
from aptix_conformance.author_tests.reasons import unshown, without_test
from aptix_conformance.author_tests.source import (
    INDENT,
    dotted,
    finite,
    invocation,
    literal,
    runs_of,
    sentence,
    short_enough,
)
from aptix_conformance.author_tests.write import write_test

__all__ = [
    "INDENT",
    "Check",
    "Conditions",
    "Draft",
    "Subject",
    "WriteTest",
    "dotted",
    "earlier_calls",
    "finite",
    "in_own_process",
    "invocation",
    "literal",
    "no_internals",
    "parsed_arguments",
    "refuse_disturbed",
    "refuse_unshown",
    "runs_of",
    "sentence",
    "short_enough",
    "surround",
    "unshown",
    "without_test",
    "write_test",
]
