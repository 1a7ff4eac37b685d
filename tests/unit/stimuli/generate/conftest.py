"""Schemas of every kind that tools have."""

import json
from pathlib import Path

import pytest

SCHEMAS = json.loads(Path(__file__).with_name("schemas.json").read_text(encoding="utf-8"))


@pytest.fixture(params=sorted(SCHEMAS))
def schema(request):
    return SCHEMAS[request.param]


@pytest.fixture
def schemas():
    return SCHEMAS
