"""Hash seeds are chosen so that every small set in a schema changes its order under one of them."""

import itertools
import json

import pytest

from aptix_conformance.stimuli.probes.hash_seeds import USUAL, order_under, seed_for, seeds_for, small_sets
from aptix_conformance.stimuli.probes.restart import RESTARTS, restarts_for

WORDS = (
    "EUR",
    "USD",
    "celsius",
    "fahrenheit",
    "asc",
    "desc",
    "city",
    "unit",
    "days",
    "query",
    "limit",
    "page",
)
PAIRS = list(itertools.permutations(WORDS, 2))


def differs(texts, seeds):
    return any(order_under(texts, seed) not in (None, texts) for seed in seeds)


def test_three_fixed_seeds_leave_sets_of_two_in_their_order():
    """Which is why they are chosen for each schema."""
    assert any(not differs(pair, ("1", *USUAL)) for pair in PAIRS)


def test_each_pair_changes_its_order_under_one_of_two_seeds_that_are_chosen_for_it():
    for pair in PAIRS:
        seeds = seeds_for([pair], "1")
        assert len(seeds) == 2
        assert differs(pair, ("1", *seeds))


def test_many_pairs_change_their_orders_too():
    seeds = seeds_for(PAIRS, "1")
    assert len(seeds) > 2
    assert all(differs(pair, ("1", *seeds)) for pair in PAIRS)


def test_where_the_usual_seeds_serve_they_are_taken():
    pair = next(pair for pair in PAIRS if differs(pair, USUAL))
    assert seeds_for([pair], "1") == USUAL
    assert seeds_for([], "1") == USUAL


def test_what_no_seed_reorders_changes_nothing():
    assert seeds_for([("same", "same")], "1") == USUAL


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"enum": ["a", "b"]}, [("a", "b")]),
        ({"required": ["a", "b", "c", "d"]}, [("a", "b"), ("b", "c"), ("c", "d")]),
        ({"enum": ["a", "b", "c", "d", "e", "f", "g"]}, []),
        ({"enum": ["a", 1], "required": ["a"], "type": ["x", "x"]}, []),
        ({"items": [{"properties": {"b": {}, "a": {}}}]}, [("b", "a")]),
        ({"description": "One of EUR, USD."}, [("EUR", "USD")]),
        ({"anyOf": [{"enum": ["a", "b"]}, {"enum": ["a", "b"]}]}, [("a", "b")]),
        ([], []),
    ],
)
def test_what_a_set_may_have_ordered_is_found_in_a_schema(schema, found):
    assert small_sets(json.dumps(schema)) == found


@pytest.mark.parametrize("schema", [None, "", "{", "[" * 100_000])
def test_a_schema_that_cannot_be_read_has_no_lists(schema):
    assert small_sets(schema) == []
    assert restarts_for(schema) == RESTARTS


def test_further_seeds_are_conditions_of_their_own():
    made = restarts_for(json.dumps([list(pair) for pair in PAIRS]))
    assert [list(one) for one in made[:3]] == [list(one) for one in RESTARTS]
    assert made[3:]
    assert all(list(one) == ["hash seed"] for one in made[3:])


def test_one_seed_reorders_each_small_set_of_a_payload():
    for pair in PAIRS:
        seed = seed_for(json.dumps({"found": list(pair)}), "0")
        assert differs(pair, ("0", seed))


@pytest.mark.parametrize(
    "payload", ["{}", '{"a": ["x"], "b": ["y", "y"], "c": [1, 2]}', "no JSON", "[" * 100_000]
)
def test_a_payload_without_texts_in_a_row_takes_no_seed(payload):
    assert seed_for(payload, "0") is None


def test_a_row_that_is_no_small_set_takes_any_seed():
    assert seed_for(json.dumps([list("abcdefgh")]), "0") == USUAL[0]
