"""A small contract, and rules that cite it."""

import pytest

from aptix_conformance.core.contracts.inventory import parse
from aptix_conformance.core.model import Call
from aptix_conformance.present.evidence import Evidence
from aptix_conformance.rules import rule

CLAUSES = """
documents:
  ONE: {system: aptix}
  TWO: {system: amplifier}
editions:
  one-1: {documents: [ONE], levels: {ONE.3: SHOULD}}
  two-1: {documents: [TWO], levels: {}}
own_contracts: {}
clauses:
- {id: ONE.1, level: MUST, kind: dynamic, text: "answers"}
- {id: ONE.2, level: MUST, kind: heuristic, text: "says what it does"}
- {id: ONE.3, level: MUST, kind: harness, text: "is registered"}
- {id: ONE.4, level: MAY, kind: process, text: "is tested"}
- {id: ONE.5, level: MUST, kind: open, text: "is kind", why: "needs a heart"}
- {id: TWO.1, level: MUST, kind: static, text: "mounts"}
"""


@pytest.fixture
def inventory():
    return parse(CLAUSES)


@pytest.fixture
def make_rule():
    def make(code, *clauses, **options):
        @rule(code, *clauses, remedy="Do better.", **options)
        def something_holds(_call: Call):
            """Something holds."""

        return something_holds

    return make


@pytest.fixture
def nothing():
    return Evidence({}, {}, {})
