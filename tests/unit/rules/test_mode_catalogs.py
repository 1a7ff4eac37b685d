"""CAT012 to CAT019: agent_list_modes over other catalogs, which change, fail or hang."""

import json

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.mode_builders import MODE, listed, over, whole

from aptix_conformance.core.model import Disturbed, InjectedFault, Raised
from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.aptix.catalog_probe import modes_of


def test_cat012_needs_two_calls_over_the_catalog():
    modes = modes_of("typical")
    assert not b.RULES["CAT012"].when(whole(over("typical", modes), over("one_mode", modes)))
    assert b.RULES["CAT012"].when(whole(over("typical", modes), over("typical", modes)))


def test_cat012_passes_over_a_call_that_listed_nothing():
    modes = modes_of("typical")
    calls = [over("typical", modes), over("typical", b.failure("Busy."), "either"), over("typical", modes)]
    assert b.judge("CAT012", whole(*calls)) is None
    assert b.judge("CAT012", whole(*calls, over("typical", modes[:1])))


def test_cat012_leaves_the_examples_to_others():
    modes = modes_of("typical")
    bare = [{k: v for k, v in mode.items() if k != "exampleUtterances"} for mode in modes]
    assert b.judge("CAT012", whole(over("typical", modes), over("typical", bare))) is None


def test_cat013_is_for_catalogs_whose_modes_are_known():
    assert not b.RULES["CAT013"].when(whole(over("raises", b.failure("No."), "refused")))
    unknown = over("typical", [])
    unknown = replace(unknown, plan=replace(unknown.plan, expected=None))
    assert not b.RULES["CAT013"].when(whole(unknown))
    assert not b.RULES["CAT013"].when(whole(over("typical", [], reached=False)))


def test_cat013_takes_ids_as_they_are_written():
    dashed = [{**mode, "id": "{" + mode["id"].upper() + "}"} for mode in modes_of("typical")]
    assert b.judge("CAT013", whole(over("typical", dashed))) is None


def test_cat013_takes_modes_that_are_there_twice_once_or_twice_and_not_three_times():
    twice = modes_of("duplicates")
    once = list({mode["id"]: mode for mode in twice}.values())
    assert b.judge("CAT013", whole(over("duplicates", once, "either"))) is None
    assert b.judge("CAT013", whole(over("duplicates", twice, "either"))) is None
    assert b.judge("CAT013", whole(over("duplicates", [*twice, twice[0]], "either")))


def test_cat013_reports_a_call_over_a_proper_catalog_that_raised():
    raised = replace(
        over("typical", []),
        outcome=b.Outcome.RAISED,
        result=None,
        raised=Raised("TypeError", "no", ""),
    )
    assert "the tool raised TypeError" in b.judge("CAT013", whole(raised)).message


def test_cat013_leaves_modes_out_of_form_to_cat004_and_cat005():
    assert b.judge("CAT013", whole(over("typical", ["general"]))) is None
    assert b.judge("CAT013", whole(over("typical", b.success({"modes": {}})))) is None


def test_cat013_leaves_examples_that_come_and_go_to_cat008():
    modes = modes_of("typical")
    bare = [{**mode, "exampleUtterances": None} for mode in modes]
    assert b.judge("CAT013", whole(over("typical", bare)))
    assert b.judge("CAT013", whole(over("typical", modes), over("typical", bare))) is None


def test_cat014_reports_a_success_over_a_failing_catalog_beside_a_failure():
    calls = [over("raises", b.failure("No."), "refused"), over("returns_none", [], "refused")]
    found = b.judge("CAT014", whole(*calls))
    assert found.call == calls[1]
    assert "a catalog that gives null" in found.message


def test_cat014_and_cat015_are_for_catalogs_that_fail():
    fine = over("typical", modes_of("typical"))
    assert not b.RULES["CAT014"].when(whole(fine))
    assert not b.RULES["CAT015"].when(fine)
    assert not b.RULES["CAT015"].when(over("raises", [], "refused"))
    assert not b.RULES["CAT015"].when(over("typical", b.failure("No."), "either"))


@pytest.mark.parametrize("record", [("add_exception", ""), ("add_error", ""), ("add_custom_event", "error")])
def test_cat015_takes_any_record_of_an_error(record):
    method, level = record
    failed = over("raises", b.failure("No."), "refused")
    logged = replace(failed, logs=(b.LogRecord("trace"), b.LogRecord(method, "tag", level=level)))
    assert b.judge("CAT015", failed)
    assert b.judge("CAT015", logged) is None


def test_cat016_is_for_catalogs_that_change():
    modes = modes_of("typical")
    assert not b.RULES["CAT016"].when(whole(over("typical", modes)))
    for name in ("one_mode", "changing"):
        assert b.RULES["CAT016"].when(
            whole(over("typical", modes), over(name, modes, expected={"modes": []}))
        )


def test_cat016_leaves_a_tool_that_never_asks_to_cat019():
    modes = modes_of("typical")
    never = [
        over("typical", modes, reached=False),
        over("one_mode", modes, reached=False),
    ]
    assert b.judge("CAT016", whole(*never)) is None


def test_cat016_does_not_take_wrong_modes_for_stale_ones():
    invented = [{**mode, "id": "9" * 32} for mode in modes_of("one_mode")]
    calls = [over("typical", modes_of("typical")), over("one_mode", invented)]
    assert b.judge("CAT016", whole(*calls)) is None
    assert b.judge("CAT013", whole(*calls)) is not None


def test_cat017_is_for_calls_that_got_at_the_catalog():
    assert not b.RULES["CAT017"].when(over("shared", [], expected={"modes": []}, reached=False))
    assert not b.RULES["CAT017"].when(over("raises", b.failure("No."), "refused"))


def test_cat018_is_for_a_tool_that_takes_the_token_where_it_is_passed():
    execute = b.Member(
        "execute",
        "method",
        is_async=True,
        parameters=tuple(b.Parameter(n, "positional", True) for n in ("arguments_json", "context")),
    )
    assert not b.RULES["CAT018"].applies(b.declaration(name="agent_list_modes"))
    deaf = b.declaration(name="agent_list_modes", execute=execute)
    assert "does not take the token" in b.RULES["CAT018"].applies(deaf)
    assert "agent_list_modes" in b.RULES["CAT018"].applies(b.declaration(execute=execute))


def test_cat018_is_for_the_catalog_that_hangs():
    assert not b.RULES["CAT018"].when(over("typical", modes_of("typical")))
    unseen = replace(over("hangs", b.failure("Cancelled."), expected={"modes": []}), disturbed=None)
    assert b.RULES["CAT018"].check(unseen) is None


def test_cat019_is_for_a_tool_that_takes_a_service():
    own = over("typical", modes_of("one_mode"), reached=False, place="")
    assert b.RULES["CAT019"].when(whole(own))
    assert not b.RULES["CAT019"].when(whole(own, constructor=("logger",)))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("typical", "three modes"),
        ("one_mode", "one mode"),
        ("unicode_rtl", "right to left"),
        ("changing", "since the last call"),
        ("never_heard_of", "another catalog"),
    ],
)
def test_a_finding_tells_the_catalog(name, words):
    changed = over(name, [], expected={"modes": []}, changed=("3 modes became 1",))
    assert words in b.judge("CAT017", changed).message


def test_cat012_shows_a_mode_that_was_not_there_before_and_does_not_mind_the_order_of_keys():
    modes = modes_of("typical")
    turned = [dict(reversed(mode.items())) for mode in modes]
    assert b.judge("CAT012", whole(over("typical", modes), over("typical", turned))) is None
    changed = [*modes[:-1], {**modes[-1], "description": "Seventeen."}]
    assert "Seventeen." in b.judge("CAT012", whole(over("typical", modes), over("typical", changed))).message
    assert "2 modes" in b.judge("CAT012", whole(over("typical", modes), over("typical", modes[:2]))).message


def test_rules_on_several_readings_ask_whether_one_of_them_shows_it():
    """Of two declarations, one may lack a part."""
    own = over("typical", modes_of("one_mode"), reached=False, place="")
    exploration = whole(own)
    both = replace(exploration, declarations=(*exploration.declarations, b.declaration(constructor=())))
    assert b.RULES["CAT019"].when(both)
    asked = whole(listed(MODE, arguments='{"includeExamples": true}'))
    both = replace(asked, declarations=(*asked.declarations, b.declaration()))
    assert b.RULES["CAT008"].when(both)
    assert b.RULES["CAT007"].when(whole(listed(MODE), b.call(result=b.failure())))


def test_cat019_is_content_with_one_call_that_asks():
    asks, own = (over("typical", modes_of("typical"), reached=r, place="") for r in (True, False))
    assert b.judge("CAT019", whole(own, asks)) is None
    assert b.judge("CAT019", whole(b.call(), own)).call == own


def test_cat017_tells_the_first_thing_that_was_changed():
    changed = over("shared", [], expected={"modes": []}, changed=("first", "second"))
    assert "first" in b.judge("CAT017", changed).message


def test_cat016_looks_past_calls_whose_modes_are_not_known():
    modes = modes_of("typical")
    refused = over("raises", b.failure("No."), "refused")
    stale = [over("typical", modes), refused, over("one_mode", modes)]
    assert b.judge("CAT016", whole(*stale)).call == stale[2]


def test_a_list_with_one_mode_out_of_form_is_left_to_cat004_and_cat005():
    mixed = over("typical", [*modes_of("typical"), "general"])
    assert b.judge("CAT013", whole(mixed)) is None


def test_cat016_judges_calls_over_the_replaced_catalog_only():
    """What an example should have listed from the configured one is RES009's."""
    modes, one = modes_of("typical"), modes_of("one_mode")
    example = listed(*modes, expected=json.dumps({"modes": one}))
    assert b.judge("CAT016", whole(over("typical", modes), example, over("one_mode", one))) is None
    stale = over("one_mode", modes)
    assert b.judge("CAT016", whole(example, over("typical", modes), stale)).call == stale


def test_cat013_asks_for_examples_where_one_reading_declares_that_they_can_be_had():
    bare = over("typical", [{**mode, "exampleUtterances": None} for mode in modes_of("typical")])
    exploration = whole(bare)
    both = replace(exploration, declarations=(*exploration.declarations, b.declaration()))
    assert "exampleUtterances" in b.judge("CAT013", both).message
    assert b.judge("CAT013", replace(exploration, declarations=(b.declaration(),))) is None


def test_cat014_reports_what_is_raised_where_other_services_are_guarded():
    """Where none is, EXC010 says so."""
    raised = {"outcome": b.Outcome.RAISED, "result": None, "raised": Raised("TypeError", "no", "")}
    catalog = replace(over("raises", b.failure(), "refused"), **raised)
    guarded = b.call("service:1:unknown", probe="fault", result=b.failure())
    guarded = replace(guarded, disturbed=Disturbed(True, "get() at t.py:1", injected="unknown"))
    assert b.judge("CAT014", whole(guarded, catalog)).call == catalog
    assert b.judge("CAT014", whole(replace(guarded, **raised), catalog)) is None


@pytest.mark.parametrize(
    ("place", "injected", "retried", "is_found"),
    [
        ("get_all_modes() at t.py:1", "timeout", False, True),
        ("GetAllModesAsync() at T.cs:1", "os_error", False, True),
        ("get_all_modes() at t.py:1", "timeout", True, False),
        ("get_all_modes() at t.py:1", "gives_none", False, False),
        ("get() at t.py:1", "timeout", False, False),
        ("get_all_modes() at t.py:1", "", False, False),
    ],
)
def test_cat014_reports_a_success_where_the_catalog_raised_anything_and_was_not_asked_again(
    place, injected, retried, is_found
):
    fault = InjectedFault("service", 1, "timeout", ())
    made = b.call("1", probe="fault", result=b.success({"modes": []}))
    made = replace(
        made,
        plan=replace(made.plan, disturbance=fault),
        disturbed=Disturbed(True, place, injected=injected, retried=retried),
    )
    failing = over("raises", b.failure("No."), "refused")
    assert (b.judge("CAT014", whole(failing, made)) is not None) is is_found
    refused = replace(made, result=b.failure("No."))
    assert b.judge("CAT014", whole(failing, refused)) is None


def test_cat019_wants_the_catalog_to_be_asked_and_not_another_service():
    own = over("typical", modes_of("typical"), reached=False, place="")
    elsewhere = replace(b.call(), disturbed=Disturbed(reached=True, place="get() at t.py:1"))
    assert b.judge("CAT019", whole(elsewhere, own)).call == own


def test_cat019_is_for_a_tool_that_takes_a_service_beside_its_logger():
    own = over("typical", modes_of("typical"), reached=False, place="")
    assert b.RULES["CAT019"].when(whole(own, constructor=("logger", "catalog")))
    assert not b.RULES["CAT019"].when(whole(own, constructor=()))


def test_cat013_does_not_judge_what_a_catalog_of_unknown_modes_listed():
    modes = modes_of("typical")
    unknown = over("typical", modes)
    unknown = replace(unknown, plan=replace(unknown.plan, expected=None))
    assert b.judge("CAT013", whole(over("typical", modes), unknown)) is None


def test_cat013_tells_texts_as_they_are_written():
    first, *rest = modes_of("typical")
    found = b.judge("CAT013", whole(over("typical", [{**first, "description": "Grüße"}, *rest])))
    assert 'is "Grüße", not' in found.message
