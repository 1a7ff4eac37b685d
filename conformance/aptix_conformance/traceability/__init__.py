"""What proves what: each clause by its rules and tests, each rule by its fixtures.

In a checkout that is read off the files (`gather`). Elsewhere it comes from `evidence.json`, which is made of them
and shipped with the package (`shipped`).
"""

from aptix_conformance.traceability.accounting import (
    STATUSES,
    Account,
    Status,
    account_for,
    levels_of,
    problems,
    system_of,
    systems_of,
)
from aptix_conformance.traceability.checkout import Checkout, checkout_around
from aptix_conformance.traceability.evidence import (
    Evidence,
    Example,
    gather,
    shipped,
    text_of,
)
from aptix_conformance.traceability.fixtures import Fixture, read_fixtures
from aptix_conformance.traceability.markers import Mark, read_marks

__all__ = [
    "STATUSES",
    "Account",
    "Checkout",
    "Evidence",
    "Example",
    "Fixture",
    "Mark",
    "Status",
    "account_for",
    "checkout_around",
    "gather",
    "levels_of",
    "problems",
    "read_fixtures",
    "read_marks",
    "shipped",
    "system_of",
    "systems_of",
    "text_of",
]
