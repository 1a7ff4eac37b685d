"""Many more random pairs of schemas than the unit tests draw."""

import pytest
from tests.unit.core.schemas.diff.test_random_pairs import PAIRS, keep_the_promise


@pytest.mark.parametrize("part", range(4))
def test_random_pairs_keep_the_promise(part):
    keep_the_promise(range(PAIRS + part, 2_000, 4))
