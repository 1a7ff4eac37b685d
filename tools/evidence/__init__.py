"""What proves the rules and the clauses, gathered from the files of a checkout. None of them is run.

Modules import each other relatively: `aptix_conformance.present.evidence` loads this folder by its path.
"""

from .checkout import CHECKOUT, Checkout
from .fixtures import read_fixtures
from .gathered import gather
from .markers import Mark, read_marks

__all__ = ["CHECKOUT", "Checkout", "Mark", "gather", "read_fixtures", "read_marks"]
