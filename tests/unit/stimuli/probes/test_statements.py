"""The probe statements: two texts that only a statement tells apart, sent where an apostrophe found less."""

import json
import re
import sqlite3

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Outcome, Result
from aptix_conformance.stimuli.probes.statements import ALWAYS, CONDITIONS, NEVER, StatementsProbe

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def returned(probe, name, payload, detail=None):
    result = Result("InvokeResult", True, payload is not None, payload, "str")
    plan = stimulus(
        probe, f"extreme:name:{detail}" if detail else "generated", json.dumps({"name": name}), {}
    )
    return Call(plan, Outcome.RETURNED, 0.001, result)


@pytest.mark.parametrize("where", ["name = '{}'", "name LIKE '%{}%'", "(name = '{}') AND name <> ''"])
def test_a_statement_makes_another_condition_of_each(where):
    table = sqlite3.connect(":memory:")
    table.executescript("CREATE TABLE t (name TEXT); INSERT INTO t VALUES ('Ada'), ('Mary')")
    found = {
        key: len(table.execute(f"SELECT * FROM t WHERE {where.format(text)}").fetchall())
        for key, text in CONDITIONS.items()
    }
    assert found == {ALWAYS: 2, NEVER: 0}
    table.close()


def test_both_have_the_same_words():
    """In the same order: a search for words finds the same for both."""
    one, other = (re.findall(r"\w+", text) for text in CONDITIONS.values())
    assert one == other


@pytest.mark.parametrize("settings", [{"network": ("db.example:5432",)}, {"side_effects": "none"}])
def test_they_are_not_sent_where_calls_reach_more_than_their_container(make_subject, settings):
    """In a statement that changes rows, the condition changes all of them."""
    calls = [returned("valid", "a", '["Ada"]'), returned("extremes", "O'Brien", "[]", "apostrophe")]
    subject = make_subject(SCHEMA, **settings)
    assert not list(StatementsProbe().fixed(subject, calls))


@pytest.mark.parametrize(
    ("payload", "limit", "names"),
    [
        ("[]", 99, [*CONDITIONS.values()]),
        (None, 99, [*CONDITIONS.values()]),
        ('["Ada", "Mary"]', 99, []),
        ("[]", 9, []),
        ('near "Brien": syntax error', 99, []),
    ],
    ids=["found less", "refused", "found as much", "too long", "the fault has shown"],
)
def test_they_are_sent_where_an_apostrophe_found_less(make_subject, payload, limit, names):
    properties = {"name": {"type": "string", "maxLength": limit}}
    calls = [returned("valid", "a", '["Ada"]'), returned("extremes", "O'Brien", payload, "apostrophe")]
    plans = StatementsProbe().fixed(make_subject({**SCHEMA, "properties": properties}), calls)
    assert [json.loads(plan.arguments)["name"] for plan in plans] == names
