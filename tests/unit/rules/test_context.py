"""CTX: which identifiers a result must carry, and what is another rule's."""

import pytest
from tests.stimuli import read_change
from tests.unit.rules import builders as b
from tests.unit.rules.explorations import disturbed, explored, given

from aptix_conformance.core.model.codec import replace


def test_ctx001_reports_a_fault_of_its_own_only_and_odd_identifiers_that_raise():
    frame = b.Raised("TypeError", "no", '  File "/srv/tool.py", line 9, in execute')
    raised = b.call("context:hostile-other", probe="context", demand="either", raised=frame)
    assert b.judge("CTX001", explored(raised)).call == raised
    assert b.judge("CTX001", explored(raised, b.call(raised=frame))) is None
    refused = b.call("context:none", probe="context", demand="accepted", result=b.failure("Who?"))
    assert b.judge("CTX001", explored(refused)) is None
    lenient = b.call("context:odd", probe="context", demand="either", result=b.failure("Who?"))
    assert b.judge("CTX001", explored(lenient)) is None
    assert b.judge("CTX001", explored(b.call("context:none", probe="context"))) is None
    assert not b.RULES["CTX001"].when(explored(b.call()))


def without_context(result, demand="accepted", **more):
    return b.call("context:none", probe="context", demand=demand, result=result, **more)


def test_a_clean_refusal_without_a_context_is_ctx006s():
    refused = explored(without_context(b.failure("Who?")))
    assert "Who?" in b.judge("CTX006", refused).message
    for fine in (without_context(b.failure("Who?"), "either"), without_context(None)):
        assert b.judge("CTX006", explored(fine)) is None
        assert b.judge("CTX001", explored(fine)) is None
    raised = without_context(None, raised="KeyError")
    for other in (raised, b.call()):
        assert not b.RULES["CTX006"].when(explored(other))


@pytest.mark.parametrize(
    ("kind", "is_broken"),
    [("AttributeError", True), ("NullReferenceException", True), ("SignInError", False)],
)
def test_a_refusal_whose_exception_used_what_is_not_there_is_ctx001s(kind, is_broken):
    logs = (b.LogRecord("add_exception", "[X]", exception_type=kind),)
    refused = explored(without_context(b.failure("It failed."), logs=logs))
    assert (b.judge("CTX001", refused) is not None) is is_broken
    assert (b.judge("CTX006", refused) is None) is is_broken


def test_a_refusal_in_the_words_of_a_missing_value_is_ctx001s():
    said = b.failure("'NoneType' object has no attribute 'user'")
    refused = explored(without_context(said))
    assert "words of an exception" in b.judge("CTX001", refused).message
    assert b.judge("CTX006", refused) is None


def test_ctx001_leaves_calls_in_a_whole_context_to_exc001():
    """They only show whether their arguments work."""
    raised = b.call("whole:fullest", probe="context", demand="either", raised="KeyError")
    assert not b.RULES["CTX001"].when(explored(raised))
    missing = b.call("context:none:fullest", probe="context")
    assert b.judge("CTX001", explored(missing, raised)) is None
    assert b.judge("EXC001", raised)


def test_ctx002_names_each_identifier_that_is_not_carried():
    both = b.judge("CTX002", given({}, "s1", "c1")).message
    assert "no sessionId and no conversationId" in both
    one = b.judge("CTX002", given({"conversationId": "c1"}, "s1", "c1")).message
    assert "carries no sessionId." in one
    assert b.judge("CTX002", given({"sessionId": "s1"}, "s1")) is None
    assert b.judge("CTX002", given({"sessionId": None}, "s1"))


def test_ctx003_takes_the_requests_session_for_the_sessions_too():
    assert b.judge("CTX003", given({"sessionId": "s2"}, "s1", inner="s2")) is None
    assert b.judge("CTX003", given({"sessionId": "s1"}, "s1", inner="s2")) is None
    found = b.judge("CTX003", given({"sessionId": "s3"}, "s1", inner="s2")).message
    assert "'s3' in the payload and 's1' in the context" in found


def test_ctx003_takes_one_right_identifier_beside_others_for_right():
    data = {"sessionId": "s1", "other": {"sessionId": "s9"}}
    assert b.judge("CTX003", given(data, "s1")) is None


def test_ctx004_reports_an_identifier_out_of_nowhere_and_takes_null():
    assert b.judge("CTX004", explored(given({"sessionId": None, "conversationId": None}))) is None
    assert "sessionId is 's9'" in b.judge("CTX004", explored(given({"sessionId": "s9"}))).message
    assert b.judge("CTX004", explored(given({"conversationId": "c9"}, "s1")))
    number = given({"sessionId": 7}, arguments='{"id": "7"}')
    assert b.judge("CTX004", explored(number))


def test_ctx004_leaves_identifiers_that_are_never_the_calls_own_to_ctx003():
    constant = given({"sessionId": "s9"}, "s1", "c1")
    assert b.judge("CTX004", explored(given({"sessionId": "s9"}), constant)) is None


def test_ctx004_is_for_successes_without_an_identifier_to_carry():
    whole, half = given({}, "s1", "c1"), given({}, "s1")
    assert not b.RULES["CTX004"].when(explored(whole))
    assert b.RULES["CTX004"].when(explored(whole, half))
    assert not b.RULES["CTX004"].when(explored(replace(half, result=b.failure())))
    failed = replace(half, result=b.failure())
    assert b.judge("CTX004", explored(half, failed)) is None


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ('[{"sessionId": "s1"}]', False),
        ('[{"meta": {"sessionId": "s1"}}]', False),
        ('[{"sessionId": "s1"}, {}]', True),
        ('[[{"sessionId": "s1"}]]', True),
        ('{"sessions": [{"sessionId": "s1"}]}', True),
    ],
)
def test_a_list_of_one_object_carries_what_the_object_does(text, missing):
    """A longer list, or one inside the payload, is data."""
    call = given({}, "s1")
    seen = replace(call, result=replace(call.result, payload=text))
    assert (b.judge("CTX002", seen) is not None) is missing


def refused_in(context, *, said="A session is needed.", **more):
    call = without_context(b.failure(said))
    return replace(call, plan=replace(call.plan, context=context), **more)


@pytest.mark.parametrize("context", [None, {"sessionId": "s1", "request": {}}])
def test_ctx004_leaves_a_tool_that_refuses_each_context_without_identifiers_to_ctx006(context):
    refused = explored(refused_in(context))
    assert b.RULES["CTX004"].when(refused)
    (found,) = b.RULES["CTX004"].findings(refused)
    assert (found.defers_to, found.not_its_own, found.call) == ("CTX006", True, refused.calls[0])


@pytest.mark.parametrize("rule", ["CTX004", "CTX006"])
def test_words_that_refuse_any_call_at_times_say_nothing_about_a_context(rule):
    """A tool takes so many calls a minute; the call without a context was the first of too many."""
    said = "Too many calls."
    refused, limited = refused_in(None, said=said), b.call(result=b.failure(said))
    works = b.call(context={"session_id": "s1", "request": {"conversation_id": "c1"}})
    assert b.RULES[rule].when(explored(works, refused))
    assert list(b.RULES[rule].findings(explored(works, refused)))
    assert not b.RULES[rule].when(explored(works, refused, limited))
    assert not list(b.RULES[rule].findings(explored(works, refused, limited)))
    assert list(b.RULES[rule].findings(explored(works, refused, limited, refused_in(None))))


def test_one_apology_for_all_that_fails_hides_no_refusal_of_a_context():
    """A call that works failed once in the same words, and others succeeded after they had been said."""
    said = "It failed."
    works, failed = b.call(), b.call(result=b.failure(said))
    wrong = b.call("blank:empty", "", "malformed", "refused", b.failure(said))
    tool = explored(works, refused_in(None, said=said), failed, wrong, replace(works, earlier=1))
    assert list(b.RULES["CTX006"].findings(tool))


def test_a_refusal_without_words_says_nothing_of_other_calls():
    assert list(
        b.RULES["CTX006"].findings(
            explored(b.call(), refused_in(None, said=""), b.call(result=b.failure("")))
        )
    )


def test_of_calls_at_the_same_time_some_may_succeed_after_the_words_for_any_call():
    busy = b.failure("Too many calls.")
    late = b.call("together:50:many-1", probe="repeat", earlier=1)
    limited = (b.call(), refused_in(None, said="Too many calls."), b.call(result=busy), late)
    assert not list(b.RULES["CTX006"].findings(explored(*limited)))


def test_ctx004_judges_no_refusal_that_used_what_is_not_there_and_no_exception():
    """These are CTX001's."""
    used = refused_in(None, said="'NoneType' object has no attribute 'user'")
    raised = refused_in(None, result=None, outcome=b.Outcome.RAISED)
    for call in (used, raised):
        assert not b.RULES["CTX004"].when(explored(call))


def test_the_result_of_a_cancelled_call_carries_its_identifiers_too():
    for found, code in (({"cancelled": True}, "CTX002"), ({"sessionId": "s9"}, "CTX003")):
        seen = disturbed(given(found, "s1"), "cancel:token:1")
        assert b.RULES[code].when(seen)
        assert b.judge(code, seen)
    assert b.judge("CTX003", disturbed(given({"sessionId": "s1"}, "s1"), "cancel:task:1")) is None


def test_ctx002_and_ctx003_are_for_calls_that_nothing_disturbed():
    seen = given({"sessionId": "s9"}, "s1")
    for code in ("CTX002", "CTX003"):
        assert b.RULES[code].when(seen)
        assert not b.RULES[code].when(disturbed(seen, "cancel:watch"))
        together = replace(
            seen, plan=replace(seen.plan, probe="repeat", change=read_change("together:50:many-1"))
        )
        assert not b.RULES[code].when(together)
        assert not b.RULES[code].when(given({}))
        made = b.call(result=b.success({}))
        odd = {"session_id": 7, "request": 7}
        assert not b.RULES[code].when(replace(made, plan=replace(made.plan, context=odd)))
