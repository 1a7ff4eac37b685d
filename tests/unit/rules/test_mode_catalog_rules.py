"""CAT012 to CAT019, each seen to hold and to be broken."""

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.mode_builders import over, whole

from aptix_conformance.core.model import (
    Change,
    Disturbed,
    InjectedFault,
    Kind,
    Raised,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.runners.python.disturb.catalog.catalog_disturbance import GRACE
from aptix_conformance.systems.aptix.catalog_probe import modes_of


def test_the_modes_of_each_catalog_as_they_are_break_nothing():
    names = ("typical", "one_mode", "empty", "null_optional_fields", "unicode_rtl", "duplicates")
    calls = [over(name, modes_of(name)) for name in ("typical", *names)]
    for code in ("CAT012", "CAT013", "CAT016", "CAT019"):
        assert b.judge(code, whole(*calls)) is None


def test_another_answer_over_the_same_catalog_is_found_in_whatever_order():
    modes = modes_of("typical")
    turned = over("typical", modes[::-1])
    assert b.judge("CAT012", whole(over("typical", modes), turned)) is None
    other = over("typical", [{**mode, "serial": 1} for mode in modes])
    assert "a second call gave" in b.judge("CAT012", whole(over("typical", modes), other)).message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda modes: modes[:2], "2 modes were listed, and there are 3"),
        (
            lambda modes: [{**modes[0], "displayName": "?"}, *modes[1:]],
            "the displayName of the mode general is",
        ),
        (lambda modes: [{**mode, "exampleUtterances": []} for mode in modes], "the exampleUtterances"),
        (lambda modes: [*modes, modes[0]], "4 modes were listed"),
    ],
)
def test_modes_that_are_not_the_catalogs_are_found(change, words):
    call = over("typical", change(modes_of("typical")))
    assert words in b.judge("CAT013", whole(call)).message


def test_examples_that_no_call_can_ask_for_are_not_missed():
    modes = [{**mode, "exampleUtterances": []} for mode in modes_of("typical")]
    assert b.judge("CAT013", whole(over("typical", modes), argument="include_examples")) is None
    other = [{**mode, "key": "?"} for mode in modes]
    found = b.judge("CAT013", whole(over("typical", other), argument="include_examples"))
    assert found.message.endswith(' is "?", not "field_support".')


def test_an_empty_catalog_and_one_that_contradicts_itself_may_be_refused_and_a_proper_one_not():
    for name in ("empty", "duplicates"):
        assert b.judge("CAT013", whole(over(name, b.failure("No."), "either"))) is None
    assert "failed: No." in b.judge("CAT013", whole(over("typical", b.failure("No.")))).message


def test_optional_fields_may_be_null_empty_or_left_out():
    bare = [
        {k: v for k, v in mode.items() if v} | {"isDefault": mode["isDefault"]}
        for mode in modes_of("null_optional_fields")
    ]
    assert b.judge("CAT013", whole(over("null_optional_fields", bare))) is None


def test_ten_thousand_modes_are_counted():
    expected = {"count": 10_000}
    modes = [{"id": f"{number:032x}"} for number in range(10_000)]
    assert b.judge("CAT013", whole(over("many", modes, expected=expected))) is None
    assert "100 modes" in b.judge("CAT013", whole(over("many", modes[:100], expected=expected))).message


def test_a_failing_catalog_is_a_failed_result_and_logged():
    error = (b.LogRecord("add_error", "tag", "no modes"),)
    for catalog in ("returns_none", "raises"):
        right = over(catalog, b.failure("No modes now."), "refused", logs=error)
        assert b.judge("CAT014", whole(right)) is None
        assert b.judge("CAT015", right) is None
        silent = replace(right, logs=(b.LogRecord("trace", message="failed"),))
        assert "logged no error" in b.judge("CAT015", silent).message
        assert "succeeded with" in b.judge("CAT014", whole(over(catalog, [], "refused"))).message


def test_a_catalog_that_raises_unguarded_is_reported_once():
    bare = replace(
        over("raises", b.failure(""), "refused"),
        outcome=b.Outcome.RAISED,
        result=None,
        raised=Raised("RuntimeError", "broken", ""),
    )
    assert "the tool raised RuntimeError" in b.judge("CAT014", whole(bare)).message
    unguarded = replace(
        bare,
        plan=replace(
            bare.plan,
            probe="fault",
            change=Change(Kind.DISTURBED, number=1),
            disturbance=InjectedFault("service", 1, "unknown"),
        ),
        disturbed=Disturbed(reached=True, place="catalog.get_all_modes()", injected="unknown"),
    )
    assert b.judge("EXC010", whole(unguarded)) is not None
    assert b.judge("CAT014", whole(bare, unguarded)) is None


def test_modes_of_an_earlier_call_are_stale_and_nothing_else_is_said_of_them():
    typical = modes_of("typical")
    stale = whole(over("typical", typical), over("one_mode", typical, reached=False))
    assert "the modes of an earlier call" in b.judge("CAT016", stale).message
    assert b.judge("CAT013", stale) is None
    kept = over("changing", modes_of("one_mode"), expected={"modes": typical})
    assert b.judge("CAT016", whole(kept)) is not None


def test_a_catalog_that_was_changed_is_told_with_what_became_of_it():
    changed = over("shared", [], expected={"modes": []}, changed=("3 modes became 1",))
    assert "3 modes became 1" in b.judge("CAT017", changed).message
    assert b.judge("CAT017", replace(changed, disturbed=Disturbed(reached=True))) is None


@pytest.mark.parametrize("given_up", [False, True])
def test_a_call_goes_on_over_a_hanging_catalog_or_does_not(given_up):
    call = over("hangs", b.failure("Cancelled."), "either", expected={"modes": []}, given_up=given_up)
    assert [found.timed for found in b.RULES["CAT018"].findings(call)] == [True] * given_up


def test_cat018_says_how_long_the_runner_waits():
    call = over("hangs", b.failure("Cancelled."), "either", expected={"modes": []}, given_up=True)
    assert f"went on for {GRACE:g} s and more" in b.judge("CAT018", call).message


def test_a_catalog_that_is_never_asked_is_missed_and_one_that_could_not_be_replaced_is_not():
    own = over("typical", modes_of("one_mode"), reached=False, place="")
    assert "In no call" in b.judge("CAT019", whole(own)).message
    unbuilt = over("typical", modes_of("one_mode"), reached=False, place="the configured catalog has no mode")
    assert b.judge("CAT019", whole(unbuilt)) is None


def test_calls_that_were_refused_do_not_show_that_no_catalog_is_asked():
    refused = over("typical", b.failure("includeExamples must be yes or no."), reached=False, place="")
    assert not b.RULES["CAT019"].when(whole(refused))
    own = over("typical", modes_of("one_mode"), reached=False, place="")
    assert b.RULES["CAT019"].check(whole(refused, own)).call == own
