"""The sentence that tells the suite's doing from the tool's."""

import pytest
from tests.stimuli import stimulus
from tests.unit.rules import builders as b

from aptix_conformance.core.model import (
    Call,
    CancellationPoint,
    Change,
    Disturbed,
    InjectedFault,
    Kind,
    OtherConditions,
    OtherHashSeed,
    Outcome,
    ReplacedCatalog,
    ScarceResource,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine.what_suite_did import what_suite_did, works_undisturbed


def call(change, disturbance=None, seen=None, probe="valid"):
    plan = replace(stimulus(probe, "generated", "{}", None), change=change, disturbance=disturbance)
    return Call(plan=plan, outcome=Outcome.RETURNED, elapsed=0.1, disturbed=seen)


def disturbed(disturbance, place="", injected="", *, reached=True):
    seen = Disturbed(reached=reached, place=place, injected=injected)
    return what_suite_did(call(Change(Kind.DISTURBED, number=1), disturbance, seen))


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_of_change_is_told(kind):
    """Never the name of the kind alone, and no member that the change does not have."""
    said = what_suite_did(call(Change(kind, "city", "number", number=2, count=3)))
    assert said.startswith("The suite ")
    assert said.endswith(".")
    assert "None" not in said
    assert ("its probe" in said) == (kind is Kind.CUSTOM)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (Change(Kind.TYPE, "city", "array"), "sent for 'city' a value of the type array"),
        (Change(Kind.TYPE, "days", "empty-array"), "sent for 'days' an empty array"),
        (Change(Kind.CONTEXT, detail="none"), "passed no context at all"),
        (Change(Kind.CONTEXT, detail="empty", turn="fullest"), "passed an empty context"),
        (Change(Kind.CONTEXT, detail="without-user"), "left user out of the context"),
        (Change(Kind.CONTEXT, detail="hostile-nul"), "a text that no tool expects (nul)"),
        (Change(Kind.AGAIN, of=(Change(Kind.FULL),)), "once more sent every argument"),
        (Change(Kind.COMBINED, of=(Change(Kind.NULL, "a"), Change(Kind.MISSING, "b"))), "'a', left out"),
    ],
)
def test_what_was_sent_is_told(change, words):
    assert words in what_suite_did(call(change))


def test_calls_at_the_same_time_before_a_call_are_told():
    said = what_suite_did(call(Change(Kind.SAME, detail="closing"), probe="at-once"))
    assert (
        said == "The suite made this call after others with other values, which it had made at the same time."
    )


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("unknown", "made json.loads() at orders.py:48 raise an exception of a type that nobody expects"),
        ("timeout", "raise a TimeoutError with a planted secret in its text"),
        ("gives_none", "made json.loads() at orders.py:48 return None"),
        ("never_answers", "never answer"),
        ("never_heard_of", "made json.loads() at orders.py:48 fail"),
    ],
)
def test_a_planted_fault_is_told_with_its_place(kind, words):
    fault = InjectedFault("library", 1, kind)
    assert words in disturbed(fault, "json.loads() at orders.py:48", kind)


def test_a_fault_that_lasts_is_told_so():
    fault = InjectedFault("library", 1, "timeout", lasts=True)
    assert disturbed(fault, "os.listdir()", "timeout").endswith(", each time until the call ended.")


def test_a_fault_that_the_call_did_not_come_to_is_left_out():
    assert disturbed(InjectedFault("library", 1, "unknown"), reached=False) == (
        "The suite repeated a call that works."
    )


@pytest.mark.parametrize(
    ("point", "words"),
    [
        (CancellationPoint("token", 2), "cancelled its token while it waited at sleep() at t.py:1"),
        (CancellationPoint("task", 2), "cancelled its task while it waited at sleep() at t.py:1"),
        (CancellationPoint("before"), "cancelled its token before it began"),
        (CancellationPoint("delay", 0.5), "cancelled its token 0.5 s after it began"),
        (CancellationPoint("watch"), "The suite repeated a call that works."),
    ],
)
def test_a_cancellation_is_told_with_its_moment(point, words):
    assert words in disturbed(point, "sleep() at t.py:1")


def test_another_hash_seed_is_told():
    assert "a fresh process in which texts have other hashes" in disturbed(OtherHashSeed("1"))


def test_other_conditions_are_told_by_their_names():
    assert "used a fresh process with another locale (conditions:locale=C)" in disturbed(
        OtherConditions(locale="C")
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("full-disk", "and had filled the disk that the server may write to."),
        ("read-only-folder", "and had made the folder read-only that the server may write to."),
        ("no-descriptors", "and had left the server no file descriptor to open."),
    ],
)
def test_what_was_made_scarce_is_told(name, words):
    assert words in disturbed(ScarceResource(name))
    assert words not in disturbed(ScarceResource(name), reached=False)


def test_a_replaced_catalog_is_named():
    assert "one of the suite's own (returns_none)" in disturbed(ReplacedCatalog("returns_none"))


@pytest.mark.parametrize("change", [Change(Kind.DISTURBED, number=1), Change(Kind.CONTEXT, detail="none")])
def test_a_repeated_call_works_only_where_it_does(change):
    made = call(change, OtherHashSeed("1") if change.kind is Kind.DISTURBED else None)
    assert "repeated a call that works" in what_suite_did(made)
    assert "repeated a call and" in what_suite_did(made, works=False).replace(",", "")


def test_a_call_works_where_the_same_one_succeeded_undisturbed():
    disturbed = call(Change(Kind.DISTURBED, number=1), OtherHashSeed("1"))
    works, fails = b.call("generated", "{}"), b.call("generated", "{}", result=b.failure())
    assert works_undisturbed(disturbed, [fails, works])
    assert not works_undisturbed(disturbed, [fails, b.call("generated", '{"a": 1}')])
    assert not works_undisturbed(disturbed, [fails, disturbed])


def test_a_call_that_was_made_smaller_works_where_any_does():
    """What it was made smaller from is not known."""
    smaller = call(Change(Kind.DISTURBED, number=1), OtherHashSeed("1"))
    assert works_undisturbed(smaller, [b.call("generated", '{"a": 1}', result=b.failure()), b.call()])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", "The suite sent nothing or white space where a JSON object is expected."),
        ("{", "The suite sent a JSON object after changing some characters."),
    ],
)
def test_a_changed_text_that_was_made_smaller_to_nothing_is_described_so(arguments, said):
    made = call(Change(Kind.MUTATION))
    assert what_suite_did(replace(made, plan=replace(made.plan, arguments=arguments))) == said
