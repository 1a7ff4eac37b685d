"""Tests to keep: a finding of a report as a test in the words of the author's own framework, or as one that replays it.

The runtime of a system names the function that writes it (`WriteTest`). This package has what they share, and the one for
`aptix_harness` in Python.
"""

from aptix_conformance.systems.author_tests.calls import earlier_calls, parsed_arguments, way_of
from aptix_conformance.systems.author_tests.conditions import Conditions, Subject, WriteTest, surround
from aptix_conformance.systems.author_tests.demands import Demand, demand_of, only_the_suite
from aptix_conformance.systems.author_tests.draft import Draft
from aptix_conformance.systems.author_tests.replayed import replayed_test
from aptix_conformance.systems.author_tests.source import (
    INDENT,
    dotted,
    finite,
    invocation,
    literal,
    runs_of,
    sentence,
    short_enough,
)
from aptix_conformance.systems.author_tests.write import write_test

__all__ = [
    "INDENT",
    "Conditions",
    "Demand",
    "Draft",
    "Subject",
    "WriteTest",
    "demand_of",
    "dotted",
    "earlier_calls",
    "finite",
    "invocation",
    "literal",
    "only_the_suite",
    "parsed_arguments",
    "replayed_test",
    "runs_of",
    "sentence",
    "short_enough",
    "surround",
    "way_of",
    "write_test",
]
