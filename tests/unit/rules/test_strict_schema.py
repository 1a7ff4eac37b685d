"""Our reading of what Ajv's strict mode refuses, and Ajv itself where it is installed."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from aptix_conformance.systems.art.rules.strict_schema import DRAFT, strict_fault

PROJECT = Path(__file__).parents[3] / "reference_tools" / "art"
COMPILED = {
    "empty": {},
    "draft 07": {"$schema": f"{DRAFT}#", "type": "object"},
    "annotations": {
        "title": "T",
        "description": "D",
        "default": {},
        "examples": [{}],
        "$comment": "C",
        "readOnly": True,
    },
    "definitions": {
        "definitions": {"a": {"type": "string"}},
        "properties": {"x": {"$ref": "#/definitions/a"}},
    },
    "named like keywords": {"properties": {"format": {"type": "string"}, "$schema": {}, "example": {}}},
    "data": {"enum": [{"format": "x"}], "const": {"unknown": 1}},
    "nullable": {"type": "string", "nullable": True},
    "if and then": {"if": {"required": ["a"]}, "then": {"required": ["b"]}},
    "dependencies": {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
    "tuple": {"items": [{"type": "string"}], "additionalItems": False, "minItems": 1},
    "harmless overlap": {"properties": {"ab": {}}, "patternProperties": {"^a": {}}},
    "false": {"properties": {"x": False}},
}
REFUSED = {
    "format": {"properties": {"day": {"type": "string", "format": "date"}}},
    "draft 2020-12": {"$schema": "https://json-schema.org/draft/2020-12/schema"},
    "draft 04": {"$schema": "http://json-schema.org/draft-04/schema#"},
    "id": {"id": "https://example.org/x"},
    "example": {"properties": {"x": {"type": "string", "example": "y"}}},
    "extension": {"items": {"anyOf": [{"x-order": 1}]}},
    "prefixItems": {"prefixItems": [{}]},
    "dependentRequired": {"dependentRequired": {"a": ["b"]}},
    "unevaluated": {"unevaluatedProperties": False},
    "nullable alone": {"nullable": True},
    "if alone": {"if": {"required": ["a"]}},
    "then alone": {"then": {"required": ["b"]}},
    "additionalItems alone": {"items": {"type": "string"}, "additionalItems": False},
    "overlap": {"properties": {"ab": {}}, "patternProperties": {"^a": {"type": "string"}}},
    "type": {"type": "text"},
    "bound": {"minLength": -1},
    "required": {"required": "name"},
    "nowhere": {"properties": {"x": {"$ref": "#/definitions/nowhere"}}},
}


@pytest.mark.parametrize("schema", COMPILED.values(), ids=COMPILED)
def test_what_compiles_is_not_complained_of(schema):
    assert strict_fault(schema) is None


@pytest.mark.parametrize("schema", REFUSED.values(), ids=REFUSED)
def test_what_does_not_compile_is_complained_of(schema):
    assert strict_fault(schema)


@pytest.mark.skipif(
    not (PROJECT / "node_modules" / "ajv").is_dir(), reason="reference_tools/art: npm install"
)
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on PATH")
def test_ajv_says_the_same():
    """The table above is Ajv 8's own opinion."""
    script = """
    const Ajv = require('ajv');
    const compiles = (schema) => { try { new Ajv({ logger: false }).compile(schema); return true; } catch { return false; } };
    console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0)).map(compiles)));
    """
    schemas = [*COMPILED.values(), *REFUSED.values()]
    done = subprocess.run(
        ["node", "-e", script],
        input=json.dumps(schemas),
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    said = dict(zip([*COMPILED, *REFUSED], json.loads(done.stdout), strict=True))
    assert said == {**dict.fromkeys(COMPILED, True), **dict.fromkeys(REFUSED, False)}
