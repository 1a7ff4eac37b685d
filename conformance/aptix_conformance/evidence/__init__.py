"""What proves the rules and the clauses: the project's own tests and nonconforming tools, read from its files.

A checkout is read each time. `hatch_build.py` writes the same evidence into the wheel as `evidence.json`. The build
environment has no dependencies, so the modules here import the standard library only.
"""

from aptix_conformance.evidence.checkout import Checkout, checkout_around
from aptix_conformance.evidence.fixtures import read_fixtures
from aptix_conformance.evidence.gathered import Evidence, Example, find_evidence, gather, text_of
from aptix_conformance.evidence.markers import Mark, read_marks

__all__ = [
    "Checkout",
    "Evidence",
    "Example",
    "Mark",
    "checkout_around",
    "find_evidence",
    "gather",
    "read_fixtures",
    "read_marks",
    "text_of",
]
