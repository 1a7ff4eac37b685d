"""Ajv itself, where it is installed, says what our reading of its strict mode says."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
TABLE = json.loads((TESTS / "data" / "ajv_strict_mode.json").read_text(encoding="ascii"))
PROJECT = TESTS.parent / "reference_tools" / "art"
COMPILES_EACH = """
const Ajv = require('ajv');
const compiles = (schema) => { try { new Ajv({ logger: false }).compile(schema); return true; } catch { return false; } };
console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0)).map(compiles)));
"""


@pytest.mark.skipif(
    not (PROJECT / "node_modules" / "ajv").is_dir(), reason="reference_tools/art: npm install"
)
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on PATH")
def test_ajv_compiles_and_refuses_what_our_reading_does():
    schemas = TABLE["compiled"] | TABLE["refused"]
    done = subprocess.run(
        ["node", "-e", COMPILES_EACH],
        input=json.dumps([*schemas.values()]),
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert dict(zip(schemas, json.loads(done.stdout), strict=True)) == {
        **dict.fromkeys(TABLE["compiled"], True),
        **dict.fromkeys(TABLE["refused"], False),
    }
