"""The order of small sets that is computed is the one that CPython has."""

import json
import subprocess
import sys

import pytest

from aptix_conformance.stimuli.probes.hash_seeds import CANDIDATES, USUAL, hash_of, order_under

TEXTS = ("EUR", "USD", "a", "é", "名前", "\U0001f600!", "eight by", "a text of more than sixteen bytes")
CODE = """
import json, sys
texts = json.loads(sys.argv[1])
print(json.dumps([[hash(text) % 2**64 for text in texts], list({texts[0], texts[1]}), list({texts[1], texts[0]})]))
"""


@pytest.mark.parametrize("seed", ["0", "1", *USUAL, *CANDIDATES[:2]])
def test_hashes_and_orders_are_those_of_the_interpreter(seed):
    command = [sys.executable, "-S", "-c", CODE, json.dumps(TEXTS)]
    out = subprocess.run(command, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True)
    hashes, *orders = json.loads(out.stdout)
    assert hashes == [hash_of(text, seed) for text in TEXTS]
    order = order_under(TEXTS[:2], seed)
    assert order is None or [list(order)] * 2 == orders
