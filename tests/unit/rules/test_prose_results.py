"""Rules on results read prose where a contract lets a result be any text; what cannot be read shows them nothing."""

import json

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Exploration
from aptix_conformance.rules.lib.answers import values_by_place
from aptix_conformance.stimuli.probes.alone import LEAST
from aptix_conformance.systems.frameworks import FrameworkResult
from aptix_conformance.systems.mcp.facts import McpResult

ADA, BOB = {"name": "Ada"}, {"name": "Bob"}


def said(label, arguments, text, probe="repeat", facts=None):
    """A call that succeeded with a text."""
    result = b.replace(b.success(text), facts=facts or McpResult())
    return b.call(label, json.dumps(arguments), probe, "either", result)


def explored(*calls):
    return Exploration((b.declaration(),), calls)


def at_the_same_time(text, ada="Hello Ada, 3 letters", bob="Hello Robert, 6 letters"):
    """Both calls alone, as often as is asked for, and Ada's beside Bob's, with this text."""
    alone = [
        said(f"same:{letter}:{number}", sent, given)
        for letter, sent, given in (("A", ADA, ada), ("B", BOB, bob))
        for number in (1, 2)
    ]
    controls = [b.replace(call, plan=b.replace(call.plan, probe="alone")) for call in alone * (LEAST // 2)]
    return explored(*alone, *controls, said("together:different:1/2", ADA, text))


@pytest.mark.parametrize(
    ("text", "place"),
    [("Hello Robert, 6 letters", "$"), ("Hello Robert, 3 letters", "word 2 of 4")],
)
def test_ctx005_finds_another_calls_words_in_prose(text, place):
    assert place in b.judge("CTX005", at_the_same_time(text)).message


@pytest.mark.parametrize(
    "text",
    [
        "Hello Ada, 3 letters",
        "Hello Ada, 6 letters",  # one number may be equal by chance
        "Please say hello Robert, once",  # other words before it: no place is the same
        "Hello Eve, 9 letters",
    ],
)
def test_ctx005_finds_nothing_in_prose_of_its_own(text):
    assert b.judge("CTX005", at_the_same_time(text)) is None


def test_ctx005_does_not_compare_words_of_long_texts():
    long = " word" * 300
    mixed = at_the_same_time(f"Hello Robert, 3{long}", f"Hello Ada, 3{long}", f"Hello Robert, 6{long}")
    assert b.judge("CTX005", mixed) is None


def test_ctx005_judges_no_results_that_cannot_be_read():
    """A payload that is no JSON, where the contract wants JSON, and JSON that is too deep."""
    for text in ("Hello Ada", "[" * 100_000 + "]" * 100_000):
        seen = explored(b.call("same:A:1", '{"name": "Ada"}', "repeat", "either", b.success(text)))
        assert not b.RULES["CTX005"].when(seen)
    refused = explored(b.call("same:A:1", '{"name": "Ada"}', "repeat", "either", b.failure()))
    assert b.RULES["CTX005"].when(refused)


@pytest.mark.parametrize(
    "texts", [("On", "Off"), ("12", "n/a"), ("12", "12.5 km"), ("true", "7"), ("{}", "null")]
)
def test_res010_takes_any_two_texts_for_one_shape(texts):
    assert (
        b.judge("RES010", explored(*(said(f"same:A:{n}", ADA, text) for n, text in enumerate(texts, 1))))
        is None
    )


def test_res010_takes_a_sentence_in_place_of_json_for_an_empty_answer():
    for texts in (('{"letters": 3}', "No such name."), ("No such name.", "[1]")):
        seen = explored(*(said(f"same:A:{n}", ADA, text) for n, text in enumerate(texts, 1)))
        assert b.judge("RES010", seen) is None


@pytest.mark.parametrize("facts", [McpResult(), FrameworkResult()])
def test_res011_compares_prose(facts):
    def seen(*texts):
        return explored(
            *(said(f"idempotent:A:{n}", ADA, text, facts=facts) for n, text in enumerate(texts, 1))
        )

    assert "Visit 2" in b.judge("RES011", seen("Visit 1", "Visit 2")).message
    assert b.judge("RES011", seen("Visit", "Visit")) is None
    assert not b.RULES["RES011"].when(
        explored(b.call("idempotent:A:1", "{}", "repeat", result=b.success("no")))
    )


def after_a_refusal(text):
    def plan(label, arguments, result):
        return b.call(label, json.dumps(arguments), "after-refusals", "either", result)

    calls = [said(f"same:{number}", ADA, "Hello Ada.", "after-refusals") for number in (1, 2)]
    refused = plan("again:1", {"name": "Ada", "mood": "aptixtextabcdefgh"}, b.failure("No."))
    return explored(*calls, refused, said("after:1", ADA, text, "after-refusals"))


def test_res012_finds_an_argument_of_a_refused_call_in_prose():
    found = b.judge("RES012", after_a_refusal("Hello Ada, in the mood aptixtextabcdefgh."))
    assert "'aptixtextabcdefgh', an argument of a refused call" in found.message
    assert b.judge("RES012", after_a_refusal("Hello Ada, once more.")) is None


@pytest.mark.parametrize(
    ("expected", "text", "is_kept"),
    [
        ("Hello", "Hello", True),
        ("12", "12", True),
        (12, "12", True),
        ("12", "13", False),
        ("Hello", "Hi", False),
    ],
)
def test_res009_compares_a_text_as_it_is(expected, text, is_kept):
    made = said("example:1", ADA, text, "valid")
    made = b.replace(made, plan=b.replace(made.plan, expected=json.dumps(expected)))
    assert (b.judge("RES009", made) is None) is is_kept


def test_a_number_among_words_is_a_number():
    values = values_by_place(said("same:A:1", ADA, "It is (3.5) km, true."))
    assert (values["word 3 of 5"], values["word 4 of 5"], values["word 5 of 5"]) == (3.5, "km", "true")
