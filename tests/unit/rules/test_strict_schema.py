"""Our reading of what Ajv's strict mode refuses.

tests/process/rules/test_ajv.py asks Ajv itself about the same table.
"""

import json
from pathlib import Path

import pytest

from aptix_conformance.systems.art.rules.strict_schema import strict_fault

TABLE = json.loads((Path(__file__).parents[2] / "data" / "ajv_strict_mode.json").read_text(encoding="ascii"))


@pytest.mark.parametrize("schema", TABLE["compiled"].values(), ids=TABLE["compiled"])
def test_what_compiles_is_not_complained_of(schema):
    assert strict_fault(schema) is None


@pytest.mark.parametrize("schema", TABLE["refused"].values(), ids=TABLE["refused"])
def test_what_does_not_compile_is_complained_of(schema):
    assert strict_fault(schema)
