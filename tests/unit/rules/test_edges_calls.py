"""Rules over calls at their edges: what is just right, what is just wrong, and what is another rule's."""

import json

import pytest

from aptix_conformance import canaries
from aptix_conformance.model import Disturbed, Exploration, InjectedFault, ResultError
from aptix_conformance.model.codec import replace
from aptix_conformance.model.notation import read_disturbance
from aptix_conformance.rules.lib import scope

ASKED = '{"name": "Ada"}'


def explored(b, *calls, declared=None):
    return Exploration((declared or b.declaration(),), calls)


def invalid(b, label, result=None, demand="refused", arguments="{}", **changes):
    return b.call(label, arguments, "invalid", demand, result, **changes)


def disturbed(call, disturbance, **seen):
    plan = replace(call.plan, disturbance=read_disturbance(disturbance))
    return replace(call, plan=plan, disturbed=Disturbed(**{"reached": True, **seen}))


# ---- ARG: each of the rules is for one kind of call


KINDS = {
    "ARG006": ["missing:name"],
    "ARG007": ["null:name"],
    "ARG008": ["type:name:object"],
    "ARG009": ["enum:mood", "const:mood"],
    "ARG010": ["bounds:count:maximum", "length:name:minLength"],
}
LABELS = [label for labels in KINDS.values() for label in labels] + ["combined:null:name+enum:mood"]


@pytest.mark.parametrize("code", KINDS)
@pytest.mark.parametrize("label", LABELS)
def test_an_object_that_should_be_refused_is_for_the_rule_of_its_kind(b, code, label):
    rule = b.RULES[code]

    def seen(call):
        return call if rule.over is not Exploration else explored(b, call)

    accepted = invalid(b, label)
    assert rule.when(seen(accepted)) is (label in KINDS[code])
    if label not in KINDS[code]:
        return
    assert rule.check(seen(accepted))
    assert rule.check(seen(invalid(b, label, b.failure()))) is None
    assert not rule.when(seen(invalid(b, label, demand="either")))
    assert not rule.when(seen(invalid(b, label, raised="KeyError")))
    assert not rule.when(seen(b.call(label, "{}", "valid", "refused")))


def test_arg007_leaves_an_argument_that_is_not_looked_for_to_arg006(b):
    null, absent = invalid(b, "null:name"), invalid(b, "missing:name")
    assert b.judge("ARG007", explored(b, null)).call == null
    assert b.judge("ARG007", explored(b, null, absent)) is None
    assert b.judge("ARG007", explored(b, null, invalid(b, "missing:other")))
    assert b.judge("ARG007", explored(b, null, invalid(b, "missing:name", b.failure())))


@pytest.mark.parametrize("kind", ["enum", "const"])
def test_arg008_leaves_an_argument_whose_value_is_not_looked_at_to_arg009(b, kind):
    typed = invalid(b, "type:mood:array")
    assert b.judge("ARG008", explored(b, typed, invalid(b, f"{kind}:mood"))) is None
    assert b.judge("ARG008", explored(b, typed, invalid(b, f"{kind}:name")))


@pytest.mark.parametrize("code", ["ARG007", "ARG008"])
def test_they_do_not_mind_what_the_contract_lets_through(b, code):
    label = {"ARG007": "null:name", "ARG008": "type:name:object"}[code]
    refused, lenient = invalid(b, label, b.failure()), invalid(b, label, demand="either")
    assert b.judge(code, explored(b, refused, lenient)) is None


@pytest.mark.parametrize(
    ("label", "code"), [("garbage:prose", "ARG003"), ("root:array", "ARG004"), ("root:number", "ARG004")]
)
def test_documents_are_told_by_what_they_are(b, label, code):
    sent = b.call(label, "[1]", "malformed", "refused")
    assert b.judge(code, sent)
    other = {"ARG003": "ARG004", "ARG004": "ARG003"}[code]
    assert not b.RULES[other].when(sent)
    for spared in (
        b.call(label, "[1]", "malformed", "either"),
        b.call(label, "[1]", "valid", "refused"),
        b.call(label, "[1]", "malformed", "refused", raised="ValueError"),
    ):
        assert not b.RULES[code].when(spared)


@pytest.mark.parametrize("label", ["blank:null", "blank:empty", "root:null"])
def test_blank_arguments_are_arg001s_alone(b, label):
    blank = b.call(label, None, "malformed", "refused")
    assert not b.RULES["ARG003"].when(blank)
    assert not b.RULES["ARG004"].when(blank)
    assert b.judge("ARG001", explored(b, blank)).call == blank


def test_arg001_leaves_a_tool_that_looks_for_nothing_to_arg006(b):
    blank = b.call("blank:null", None, "malformed", "refused")
    assert b.judge("ARG001", explored(b, blank, invalid(b, "missing:name"))) is None
    assert b.judge("ARG001", explored(b, blank, invalid(b, "missing:other")))
    lenient = b.call("blank:empty", "", "malformed", "either")
    refused = b.call("blank:null", None, "malformed", "refused", b.failure())
    assert b.judge("ARG001", explored(b, refused, lenient)) is None


@pytest.mark.parametrize(
    ("label", "words"), [("omitted-optional:mood", "'mood' left out"), ("null-optional:mood", "'mood' null")]
)
def test_arg011_says_what_was_done_to_the_argument(b, label, words):
    refused = invalid(b, label, b.failure("mood is missing."), "accepted")
    found = b.judge("ARG011", refused).message
    assert words in found
    assert "mood is missing." in found
    assert b.judge("ARG011", invalid(b, label, demand="accepted")) is None
    for spared in (
        invalid(b, label, b.failure(), "either"),
        invalid(b, "additional:x", b.failure(), "accepted"),
        b.call(label, "{}", "valid", "accepted", b.failure()),
        invalid(b, label, demand="accepted", raised="KeyError"),
    ):
        assert not b.RULES["ARG011"].when(spared)


def test_arg005_reports_a_fault_of_its_own_only(b):
    frame = b.Raised("KeyError", "'name'", '  File "/srv/tool.py", line 9, in execute')
    wrong = invalid(b, "type:name:object", raised=frame)
    assert b.judge("ARG005", explored(b, wrong)).call == wrong
    proper = b.call(raised=frame)
    assert b.judge("ARG005", explored(b, wrong, proper)) is None
    elsewhere = b.call(raised=replace(frame, traceback='  File "/srv/tool.py", line 8, in execute'))
    assert b.judge("ARG005", explored(b, wrong, elsewhere))


def test_arg005_judges_what_a_parser_makes_an_object_of_and_arg002_the_rest(b):
    lenient = b.call("lenient:nan", '{"n": NaN}', "malformed", "either", raised="KeyError")
    broken = b.call("truncated:open", '{"n":', "malformed", "either", raised="KeyError")
    assert b.judge("ARG005", explored(b, lenient))
    assert b.judge("ARG002", lenient) is None
    assert b.judge("ARG002", broken)
    assert not b.RULES["ARG005"].when(explored(b, broken))
    accepted = invalid(b, "omitted-optional:mood", demand="accepted", raised="KeyError")
    assert not b.RULES["ARG005"].when(explored(b, accepted))


@pytest.mark.parametrize("kind", ["example", "again"])
def test_arg012_does_not_ask_it_of_the_authors_own_calls(b, kind):
    assert b.judge("ARG012", explored(b, b.call(f"{kind}:1", result=b.failure("Closed.")))) is None


def test_arg012_leaves_an_optional_argument_that_is_required_to_arg011(b):
    refused = b.call(result=b.failure("The catalogue is closed."))
    optional = invalid(b, "omitted-optional:mood", b.failure(), "accepted")
    assert b.judge("ARG012", explored(b, refused))
    assert b.judge("ARG012", explored(b, refused, optional)) is None
    assert b.judge("ARG012", explored(b, refused, replace(optional, result=b.call().result)))


@pytest.mark.parametrize(
    ("usage", "message", "is_announced"),
    [
        ("Numbers above hundred fail.", "Numbers above hundred.", True),
        ("Nothing.", "Numbers above hundred.", False),
        ("Numbers.", "Numbers above hundred.", False),
        ("Numbers above.", "Numbers above hundred.", True),
        ("Nothing.", "", False),
    ],
)
def test_arg012_takes_most_of_the_words_for_an_announcement(b, usage, message, is_announced):
    refused = b.call(arguments="{}", result=b.failure(message))
    declared = b.declaration(usage=usage)
    assert (b.judge("ARG012", explored(b, refused, declared=declared)) is None) is is_announced


@pytest.mark.parametrize("first", ["minimal", "again:minimal", "generated"])
def test_arg012_tells_what_a_tool_says_of_its_state_from_what_it_says_of_arguments(b, first):
    """A tool that gives each badge away once refuses it the second time, and with another name on it, too."""

    def refused(arguments, said, label="generated"):
        return b.call(label, arguments, result=b.failure(said))

    given = b.call("minimal", '{"n": 1, "m": 2}')
    taken = refused('{"m": 2, "n": 1}', "Badge 1 has left the front desk.", first)
    assert b.judge("ARG012", explored(b, given, taken)) is None
    assert (
        b.judge("ARG012", explored(b, given, taken, refused('{"n": 7}', "Badge 7 has left the front desk.")))
        is None
    )
    other = refused('{"n": 7}', "Numbers like these bring bad luck.")
    assert b.judge("ARG012", explored(b, given, taken, other)).call is other


def test_arg012_needs_the_same_arguments_to_believe_in_a_state(b):
    refused = b.call("generated", '{"n": 1}', result=b.failure("Closed."))
    assert b.judge("ARG012", explored(b, b.call("minimal", '{"n": 2}'), refused))
    unread = b.call("generated", None, result=b.failure("Closed."))
    assert b.judge("ARG012", explored(b, b.call("minimal", "{}"), unread))
    bare = replace(b.failure(""), error_message=None, errors=())
    assert (
        b.judge(
            "ARG012", explored(b, b.call("minimal", '{"n": 1}'), b.call("generated", '{"n":1}', result=bare))
        )
        is None
    )


def test_arg012_does_not_take_an_array_that_was_accepted_for_no_arguments(b):
    refused = b.call("generated", None, result=b.failure("Closed."))
    assert b.judge("ARG012", explored(b, b.call("root:array", "[1]", "malformed"), refused))


@pytest.mark.parametrize(
    ("said", "is_alike"), [("alpha bravo carol delta emily", True), ("alpha bravo emily", False)]
)
def test_arg012_knows_a_message_again_by_three_of_five_words(b, said, is_alike):
    taken = b.call("again:minimal", '{"n": 1}', result=b.failure("alpha bravo carol frank gamma"))
    other = b.call("generated", '{"n": 2}', result=b.failure(said))
    found = b.judge("ARG012", explored(b, b.call("minimal", '{"n": 1}'), taken, other))
    assert (found is None) is is_alike


def test_arg012_says_what_was_said(b):
    bare = replace(b.failure(""), error_message=None, errors=())
    assert "without a message" in b.judge("ARG012", explored(b, b.call(result=bare))).message
    inner = replace(bare, errors=(ResultError(None), ResultError("Closed today.")))
    assert "Closed today." in b.judge("ARG012", explored(b, b.call(result=inner))).message


# ---- RES


def test_res006_tells_a_refused_example_and_what_it_said(b):
    example = b.call("example:1", demand="accepted", result=b.failure("Closed."))
    assert "Closed." in b.judge("RES006", explored(b, b.call(), example)).message
    assert b.judge("RES006", explored(b, b.call("example:1"))) is None
    drawn = b.call("generated", result=b.failure())
    assert b.judge("RES006", explored(b, b.call(), drawn)) is None
    again = b.call("example:1", probe="repeat", result=b.failure())
    assert b.judge("RES006", explored(b, b.call(), again)) is None


def test_res006_is_for_successes_and_answered_examples(b):
    assert b.RULES["RES006"].when(explored(b, b.call()))
    assert b.RULES["RES006"].when(explored(b, b.call("example:1", result=b.failure())))
    assert not b.RULES["RES006"].when(explored(b, b.call(result=b.failure())))
    assert not b.RULES["RES006"].when(explored(b, b.call("example:1", raised="KeyError")))


@pytest.mark.parametrize("key", ["success", "successful", "ok", "OK"])
def test_res007_reports_a_success_that_says_that_it_is_none(b, key):
    assert b.judge("RES007", b.call(result=b.success({key: False, "n": 1})))
    for fine in (True, None, 0):
        assert b.judge("RES007", b.call(result=b.success({key: fine, "n": 1}))) is None


@pytest.mark.parametrize(
    ("payload", "is_broken"),
    [
        ({"error": "no"}, True),
        ({"errors": ["no"]}, True),
        ({"error": None}, False),
        ({"errors": []}, False),
        ({"error": "no", "n": 1}, False),
        ({"error": "no", "sessionId": "s", "conversation_id": "c"}, True),
        ({"errorMessage": "no", "code": 7}, True),
        ({"status": "error", "capital": None}, True),
        ({"State": "FAILED", "error": "no"}, True),
        ({"outcome": "failure"}, False),
        ({"status": "failed", "job": 12, "output": None}, False),
        ({"status": "ok", "valid": False, "error": "no"}, False),
        ({"status": "ok", "error": "no"}, False),
        ({"n": 1}, False),
        ([{"error": "no"}], False),
    ],
)
def test_res007_reports_nothing_but_an_error(b, payload, is_broken):
    given = b.success(json.dumps(payload))
    assert (b.judge("RES007", b.call(result=given)) is not None) is is_broken


def test_res007_reports_a_success_with_errors(b):
    both = replace(b.success({"n": 1}), errors=(ResultError("It broke."),))
    assert "It broke." in b.judge("RES007", b.call(result=both)).message
    unreadable = b.call(result=replace(both, payload=None))
    assert b.RULES["RES007"].when(unreadable)
    assert "It broke." in b.judge("RES007", unreadable).message
    assert not b.RULES["RES007"].when(b.call(result=replace(both, payload=None, errors=())))


def test_res007_is_for_successes_that_were_not_cancelled(b):
    assert not b.RULES["RES007"].when(disturbed(b.call(), "catalog:hangs"))
    assert not b.RULES["RES007"].when(b.call(result=b.failure()))


@pytest.mark.parametrize(
    ("payload", "type_name", "is_broken"),
    [(None, "NoneType", False), ("", "str", False), ("{}", "str", True), (None, "dict", True)],
)
def test_res008_takes_nothing_and_the_empty_text_for_no_payload(b, payload, type_name, is_broken):
    failed = replace(b.failure(), payload=payload, payload_type=type_name)
    assert (b.judge("RES008", b.call(result=failed)) is not None) is is_broken


def test_res008_leaves_agent_list_modes_to_its_own_contract(b):
    assert "CAT009" in b.RULES["RES008"].applies(b.declaration(name="agent_list_modes"))
    assert b.RULES["RES008"].applies(b.declaration()) is None


@pytest.mark.parametrize(("type_name", "words"), [("NoneType", "returned None"), ("dict", "of type dict")])
def test_res001_says_what_came_instead(b, type_name, words):
    assert words in b.judge("RES001", b.call(result=b.Result(type_name, False))).message


def test_res002_says_what_the_payload_is(b):
    odd = replace(b.success(None), payload_type="dict")
    assert "of type dict" in b.judge("RES002", b.call(result=odd)).message
    assert "is None" in b.judge("RES002", b.call(result=b.success(None))).message
    assert not b.RULES["RES003"].when(b.call(result=odd))
    assert not b.RULES["RES003"].when(b.call(result=b.failure()))


@pytest.mark.parametrize(
    ("message", "errors", "is_broken"),
    [
        ("Closed.", (), False),
        (None, (ResultError("Closed."),), False),
        (None, (ResultError(None), ResultError(" ")), True),
        (" ", (), True),
        (None, (), True),
    ],
)
def test_res004_wants_a_text_anywhere(b, message, errors, is_broken):
    failed = replace(b.failure(), error_message=message, errors=errors)
    assert (b.judge("RES004", b.call(result=failed)) is not None) is is_broken


@pytest.mark.parametrize(
    ("message", "is_broken"),
    [("Error", True), ("An unknown error occurred.", True), ("ValueError", True), ("No such city.", False)],
)
def test_res005_wants_more_than_that_it_failed(b, message, is_broken):
    assert (b.judge("RES005", b.call(result=b.failure(message))) is not None) is is_broken


def test_res005_takes_one_clear_text_for_enough_and_leaves_none_to_res004(b):
    two = replace(b.failure("Error"), errors=(ResultError("No such city."),))
    assert b.judge("RES005", b.call(result=two)) is None
    assert b.judge("RES005", b.call(result=replace(b.failure(" "), errors=()))) is None
    assert not b.RULES["RES005"].when(b.call(probe="fault", result=b.failure("Error")))


def test_res009_is_for_examples_with_a_result(b):
    made = b.call("example:1")
    named = replace(made, plan=replace(made.plan, expected="{}"))
    assert b.RULES["RES009"].when(named)
    assert not b.RULES["RES009"].when(replace(named, plan=replace(named.plan, probe="repeat")))
    assert not b.RULES["RES009"].when(replace(named, result=b.failure()))


# ---- EXC, LOG


def test_exc001_is_for_calls_that_came_back_and_that_a_model_may_make(b):
    for probe, demand in (("valid", "either"), ("repeat", "either"), ("invalid", "accepted")):
        assert b.judge("EXC001", b.call(probe=probe, demand=demand, raised="KeyError"))
    assert not b.RULES["EXC001"].when(b.call(probe="invalid", demand="refused", raised="KeyError"))
    assert not b.RULES["EXC001"].when(b.call(probe="context", raised="KeyError"))
    lost = b.call(outcome=b.Outcome.CRASHED, incident="exit status 3")
    assert not b.RULES["EXC001"].when(lost)


@pytest.mark.parametrize("outcome", ["OVER_MEMORY", "OVER_OUTPUT"])
def test_exc002_does_not_hold_what_many_calls_together_did_against_one(b, outcome):
    ended = {"outcome": getattr(b.Outcome, outcome), "incident": "too much"}
    assert not b.RULES["EXC002"].when(b.call("together:1", probe="repeat", **ended))
    assert b.judge("EXC002", b.call("same:1", probe="repeat", **ended))
    assert b.judge("EXC002", b.call("together:1", probe="valid", **ended))
    crashed = {"outcome": b.Outcome.CRASHED, "incident": "exit status 3"}
    assert b.judge("EXC002", b.call("together:1", probe="repeat", **crashed))


@pytest.mark.parametrize(("category", "ends"), [("exit", True), ("interrupt", True), ("error", False)])
def test_exc002_takes_what_would_end_the_process_for_its_end(b, category, ends):
    raised = b.call(raised=b.Raised("SystemExit", "3", "", category))
    assert (b.judge("EXC002", raised) is not None) is ends
    assert b.RULES["EXC001"].when(raised) is not ends


def test_exc002_leaves_a_service_that_never_answers_to_exc013(b):
    lost = b.call("service:1:never_answers", probe="fault", outcome=b.Outcome.TIMED_OUT, incident="no answer")
    assert not b.RULES["EXC002"].when(lost)
    unknown = replace(lost.plan, disturbance=InjectedFault("service", 1, "unknown"))
    assert b.RULES["EXC002"].when(replace(lost, plan=unknown))
    assert not b.RULES["EXC002"].when(b.call(outcome=b.Outcome.NOT_CONSTRUCTED))


def test_exc005_is_for_payloads_of_successes(b):
    assert b.RULES["EXC005"].when(b.call())
    assert not b.RULES["EXC005"].when(b.call(result=b.success(None)))
    failed = replace(b.failure(), payload="{}", payload_type="str")
    assert not b.RULES["EXC005"].when(b.call(result=failed))
    assert b.judge("EXC005", b.call(result=b.success({"was": canaries.DEPENDENCY_MARK})))


def test_exc007_is_for_tools_that_were_called_and_tells_the_first_thing(b):
    assert not b.RULES["EXC007"].when(replace(b.explore(), sentinels=0))
    assert b.judge("EXC007", replace(b.explore(), sentinels=1)) is None
    found = b.judge("EXC007", replace(b.explore(), sentinels=2, tampering=("first", "second")))
    assert found.message == "first"


def test_log001_looks_at_custom_events_and_past_the_first(b):
    def logged(*records):
        return b.call(logs=tuple(b.LogRecord(**record) for record in records))

    fine = {"method": "add_custom_event", "tag": "a", "pairs": (("a", "b"),)}
    odd = {"method": "add_custom_event", "tag": "b", "pairs_fault": "a dict was given"}
    assert "'b'" in b.judge("LOG001", logged(fine, odd)).message
    assert b.judge("LOG001", logged(fine, {**odd, "method": "add_error"})) is None
    assert not b.RULES["LOG001"].when(logged({"method": "trace"}))


def test_log002_is_for_logged_exceptions(b):
    def logged(method, tag):
        return b.call(logs=(b.LogRecord(method, tag),))

    assert not b.RULES["LOG002"].when(explored(b, logged("add_error", "x")))
    right = logged("add_exception", "[GreeterTool_ExecuteAsync__Exception]")
    assert b.judge("LOG002", explored(b, logged("add_error", "x"), right)) is None
    assert b.judge("LOG002", explored(b, right, logged("add_exception", "GreeterTool"))).call


def test_log002_has_no_name_to_ask_for_where_there_is_none(b):
    """An empty name is in every tag."""
    nameless = b.declaration(
        class_name="Tool", tool_name=b.Constant("TOOL_NAME", "missing", None, ""), bases=()
    )
    seen = b.call(logs=(b.LogRecord("add_exception", "execute"),))
    assert b.judge("LOG002", explored(b, seen, declared=nameless))


def test_log003_is_for_calls_that_returned(b):
    assert not b.RULES["LOG003"].when(b.call(raised="KeyError"))
    assert b.judge("LOG003", b.call()) is None


# ---- CTX


def test_ctx001_reports_a_fault_of_its_own_only_and_odd_identifiers_that_raise(b):
    frame = b.Raised("TypeError", "no", '  File "/srv/tool.py", line 9, in execute')
    raised = b.call("context:hostile-other", probe="context", demand="either", raised=frame)
    assert b.judge("CTX001", explored(b, raised)).call == raised
    assert b.judge("CTX001", explored(b, raised, b.call(raised=frame))) is None
    refused = b.call("context:none", probe="context", demand="accepted", result=b.failure("Who?"))
    assert "Who?" in b.judge("CTX001", explored(b, refused)).message
    lenient = b.call("context:odd", probe="context", demand="either", result=b.failure("Who?"))
    assert b.judge("CTX001", explored(b, lenient)) is None
    assert b.judge("CTX001", explored(b, b.call("context:none", probe="context"))) is None
    assert not b.RULES["CTX001"].when(explored(b, b.call()))


def test_ctx001_leaves_calls_in_a_whole_context_to_exc001(b):
    """They only show whether their arguments work."""
    raised = b.call("whole:fullest", probe="context", demand="either", raised="KeyError")
    assert not b.RULES["CTX001"].when(explored(b, raised))
    missing = b.call("context:none:fullest", probe="context")
    assert b.judge("CTX001", explored(b, missing, raised)) is None
    assert b.judge("EXC001", raised)


def context(session=None, conversation=None, inner=None):
    return {"session_id": session, "request": {"conversation_id": conversation, "session_id": inner}}


def given(b, payload, session=None, conversation=None, inner=None, arguments="{}"):
    return b.call(
        arguments=arguments, context=context(session, conversation, inner), result=b.success(payload)
    )


def test_ctx002_names_each_identifier_that_is_not_carried(b):
    both = b.judge("CTX002", given(b, {}, "s1", "c1")).message
    assert "no sessionId and no conversationId" in both
    one = b.judge("CTX002", given(b, {"conversationId": "c1"}, "s1", "c1")).message
    assert "carries no sessionId;" in one
    assert b.judge("CTX002", given(b, {"sessionId": "s1"}, "s1")) is None
    assert b.judge("CTX002", given(b, {"sessionId": None}, "s1"))


def test_ctx003_takes_the_requests_session_for_the_sessions_too(b):
    assert b.judge("CTX003", given(b, {"sessionId": "s2"}, "s1", inner="s2")) is None
    assert b.judge("CTX003", given(b, {"sessionId": "s1"}, "s1", inner="s2")) is None
    found = b.judge("CTX003", given(b, {"sessionId": "s3"}, "s1", inner="s2")).message
    assert "'s3' in the payload and 's1' in the context" in found


def test_ctx003_takes_one_right_identifier_beside_others_for_right(b):
    data = {"sessionId": "s1", "other": {"sessionId": "s9"}}
    assert b.judge("CTX003", given(b, data, "s1")) is None


def test_ctx004_reports_an_identifier_out_of_nowhere_and_takes_null(b):
    assert b.judge("CTX004", explored(b, given(b, {"sessionId": None, "conversationId": None}))) is None
    assert "sessionId is 's9'" in b.judge("CTX004", explored(b, given(b, {"sessionId": "s9"}))).message
    assert b.judge("CTX004", explored(b, given(b, {"conversationId": "c9"}, "s1")))
    number = given(b, {"sessionId": 7}, arguments='{"id": "7"}')
    assert b.judge("CTX004", explored(b, number))


def test_ctx004_leaves_identifiers_that_are_never_the_calls_own_to_ctx003(b):
    constant = given(b, {"sessionId": "s9"}, "s1", "c1")
    assert b.judge("CTX004", explored(b, given(b, {"sessionId": "s9"}), constant)) is None


def test_ctx004_is_for_successes_without_an_identifier_to_carry(b):
    whole, half = given(b, {}, "s1", "c1"), given(b, {}, "s1")
    assert not b.RULES["CTX004"].when(explored(b, whole))
    assert b.RULES["CTX004"].when(explored(b, whole, half))
    assert not b.RULES["CTX004"].when(explored(b, replace(half, result=b.failure())))
    failed = replace(half, result=b.failure())
    assert b.judge("CTX004", explored(b, half, failed)) is None


def test_ctx002_and_ctx003_are_for_calls_that_nothing_disturbed(b):
    seen = given(b, {"sessionId": "s9"}, "s1")
    for code in ("CTX002", "CTX003"):
        assert b.RULES[code].when(seen)
        assert not b.RULES[code].when(disturbed(seen, "cancel:watch"))
        together = replace(seen, plan=replace(seen.plan, probe="repeat", label="together:1"))
        assert not b.RULES[code].when(together)
        assert not b.RULES[code].when(given(b, {}))
        made = b.call(result=b.success({}))
        odd = {"session_id": 7, "request": 7}
        assert not b.RULES[code].when(replace(made, plan=replace(made.plan, context=odd)))


# ---- the partition


@pytest.mark.parametrize(
    ("label", "name"),
    [("type:count:string", "count"), ("type:a:b:string", "a:b"), ("missing:name", "name"), ("plain", "")],
)
def test_the_argument_that_a_label_names(b, label, name):
    assert scope.subject(invalid(b, label)) == name


def test_a_fault_is_its_type_and_the_last_line_of_its_traceback(b):
    text = '  File "/a.py", line 1, in x\n  File "/b.py", line 22, in y\n'
    assert scope.fault_of(b.call(raised=b.Raised("KeyError", "", text))) == ("KeyError", "/b.py:22")
    assert scope.fault_of(b.call(raised=b.Raised("KeyError", "", ""))) == ("KeyError", "")
    assert scope.fault_of(b.call()) == ("", "")


def test_the_shortest_call_is_the_one_that_is_shown(b):
    long, short = b.call(arguments='{"name": "Adelheid"}'), b.call(arguments='{"name": "A"}')
    assert scope.shortest([long, short]) == short
    assert scope.shortest([]) is None


def test_a_call_that_was_watched_is_not_cancelled_and_one_that_was_is(b):
    assert not scope.cancelled(b.call())
    assert not scope.cancelled(disturbed(b.call(), "cancel:watch"))
    assert scope.cancelled(disturbed(b.call(), "cancel:token:1"))
    assert scope.cancelled(disturbed(b.call(), "catalog:hangs"))
    assert not scope.cancelled(disturbed(b.call(), "catalog:typical"))
    assert scope.cancelled(b.call("service:1:never_answers", probe="fault"))
    assert not scope.cancelled(b.call("service:1:never_answers", probe="valid"))
    assert not scope.cancelled(b.call("service:1:unknown", probe="fault"))


@pytest.mark.parametrize(
    ("asked", "message", "is_asked_for"),
    [
        ("Fail", "Fail now", False),
        ("Fail no", "Fail now", True),
        ("F", "F", False),
        ("Fa", "Fa", True),
        ("abcdef", "abcdef ghij", True),
    ],
)
def test_arg012_takes_what_is_most_of_the_message_for_what_was_asked_for(b, asked, message, is_asked_for):
    refused = b.call(arguments=json.dumps({"x": asked}), result=b.failure(message))
    declared = b.declaration(usage="Nothing.")
    assert (b.judge("ARG012", explored(b, refused, declared=declared)) is None) is is_asked_for


def test_arg012_takes_three_words_of_five_for_an_announcement(b):
    refused = b.call(arguments="{}", result=b.failure("alpha bravo gamma delta lambda"))
    for usage, is_announced in (("alpha bravo gamma", True), ("alpha bravo", False)):
        declared = b.declaration(usage=usage)
        assert (b.judge("ARG012", explored(b, refused, declared=declared)) is None) is is_announced


def test_arg012_does_not_count_the_callers_own_words(b):
    """They are in the message because they were sent, and no text could announce them."""
    refused = b.call(arguments='{"name": "lambda"}', result=b.failure("unknown name: lambda"))
    assert (
        b.judge("ARG012", explored(b, refused, declared=b.declaration(usage="An unknown name fails.")))
        is None
    )
    other = b.declaration(usage="The lambda calculus.")
    assert b.judge("ARG012", explored(b, refused, declared=other))


@pytest.mark.parametrize(
    ("expected", "payload"), [({"a": 1}, ["a"]), (["a"], {"a": 1}), ({}, []), ([], {}), ([1], [1, 2])]
)
def test_res009_tells_an_object_from_an_array(b, expected, payload):
    made = b.call("example:1", result=b.success(json.dumps(payload)))
    seen = replace(made, plan=replace(made.plan, expected=json.dumps(expected)))
    assert b.judge("RES009", seen).message.startswith("the payload is ")


def test_arg012_is_for_calls_that_the_schema_allows(b):
    assert not b.RULES["ARG012"].when(explored(b, invalid(b, "missing:name", b.failure())))
    assert b.RULES["ARG012"].when(explored(b, b.call()))


def test_a_results_own_message_is_told_before_those_of_its_errors(b):
    said = replace(b.failure("The mood is odd."), errors=(ResultError("E17", None, None),))
    refused = invalid(b, "omitted-optional:mood", said, "accepted")
    assert "The mood is odd." in b.judge("ARG011", refused).message
    silent = invalid(b, "omitted-optional:mood", replace(said, error_message=None), "accepted")
    assert "E17" in b.judge("ARG011", silent).message


@pytest.mark.parametrize(
    ("payload", "words"),
    [("{} {}", "has a fault: Extra data"), ('"\ud800"', "has an unescaped lone surrogate")],
)
def test_res003_says_what_is_wrong_with_the_payload(b, payload, words):
    assert words in b.judge("RES003", b.call(result=b.success(payload))).message


def example(b, expected, payload):
    made = b.call("example:1", result=b.success(json.dumps(payload)))
    return replace(made, plan=replace(made.plan, expected=json.dumps(expected)))


def test_res009_compares_the_items_of_arrays(b):
    assert b.judge("RES009", example(b, {"a": [1, 2]}, {"a": [1, 2]})) is None
    found = b.judge("RES009", example(b, {"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}))
    assert "the payload.a[1].b is 3 and not 2" in found.message


def test_res009_tells_texts_as_they_are_written(b):
    found = b.judge("RES009", example(b, {"a": "Grüße"}, {"a": "Gruß"}))
    assert '"Gruß" and not "Grüße"' in found.message


def test_exc012_is_for_parsers_whose_unforeseen_exception_came_out(b):
    def struck(label, injected):
        made = b.call(f"{label}:{injected}", probe="fault", result=b.failure())
        return disturbed(made, f"fault:{label}:{injected}", place="loads() at t.py:1", injected=injected)

    assert not b.RULES["EXC012"].when(explored(b, struck("library:1", "unknown")))
    assert not b.RULES["EXC012"].when(explored(b, struck("parser:1", "own")))
    assert b.RULES["EXC012"].when(explored(b, struck("parser:1", "unknown")))
