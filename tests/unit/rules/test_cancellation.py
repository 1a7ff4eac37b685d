"""CAN: which calls are compared with which, and what a finding says about its call."""

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.explorations import explored

from aptix_conformance.core.model import CancellationPoint, Disturbed, Raised
from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.art.traits import TRAITS as ART

NORMAL = {"items": ["a", "b"], "sessionId": "5e5510a0000000000000000000000001"}
PLACES = ("one() at t.py:1 in T.execute", "two() at t.py:2 in T.execute")
THROWN = Raised("OperationCanceledError", "The token was cancelled.", "")


def cancelled(kind="token", at=1, payload=NORMAL, result=None, raised=None, demand="accepted", **seen):
    """A call of the cancel probe: its moment, and what was seen."""
    point = CancellationPoint(kind, at, long=seen.pop("long", False))
    given = {"token_consultations": seen.pop("consultations", 1), "earlier": seen.pop("earlier", 5)}
    elapsed, arguments = seen.pop("elapsed", 0.0), seen.pop("arguments", '{"name": "Ada"}')
    context = seen.pop("context", b.CONTEXT)
    call = b.call(
        f"cancelled:{kind}",
        arguments,
        "cancel",
        demand,
        result or (None if raised else b.success(payload)),
        context=context,
        raised=raised,
        disturbed=Disturbed(**{"reached": True, "place": PLACES[0], "suspensions": PLACES, **seen}),
        **given,
    )
    return replace(call, plan=replace(call.plan, disturbance=point), elapsed=elapsed)


def test_can001_takes_an_ordinary_exception_for_what_cancelling_did_where_the_call_works():
    assert b.judge("CAN001", cancelled(raised="TypeError"))
    assert b.judge("CAN001", cancelled(raised="TypeError", demand="either")) is None
    assert b.judge("CAN001", replace(cancelled(raised="TypeError"), raised=None)) is None


def test_can002_is_for_calls_that_were_answered():
    assert not b.RULES["CAN002"].when(explored(cancelled(raised=THROWN)))
    assert not b.RULES["CAN002"].when(explored(cancelled("watch")))
    assert b.RULES["CAN002"].when(explored(cancelled()))


def test_can002_does_not_take_the_callers_own_word_for_the_tools():
    said = b.failure("The booking was cancelled.")
    for arguments, is_broken in (
        ('{"status": "cancelled"}', False),
        ('{"status": "open"}', True),
        (None, True),
    ):
        seen = cancelled(result=said, demand="either", arguments=arguments)
        assert (b.judge("CAN002", explored(seen)) is not None) is is_broken


def test_can003_goes_by_the_same_arguments():
    watched = [cancelled("watch", arguments='{"name": "Bob"}')] * 2
    assert not b.RULES["CAN003"].when(explored(*watched, cancelled(payload={"items": []})))


def test_can003_compares_with_calls_of_the_valid_probe_too():
    plain = [b.call(arguments='{"name": "Ada"}', result=b.success(NORMAL))] * 2
    assert b.judge("CAN003", explored(*plain, cancelled(payload={"items": []})))


def test_can003_knows_that_identifiers_differ_from_call_to_call():
    def own(number):
        return {"session_id": f"s-{number}", "request": None}

    def seen(kind, number, **payload):
        given = {"items": ["a"], "in": [{"id": f"s-{number}"}], **payload}
        return cancelled(kind, payload=given, context=own(number))

    whole = [seen("watch", 1), seen("watch", 2)]
    assert not b.RULES["CAN003"].when(explored(*whole, seen("token", 3)))
    assert b.judge("CAN003", explored(*whole, seen("token", 3, items=[])))


def test_can003_does_not_mind_the_order_of_keys():
    turned = dict(reversed(NORMAL.items()))
    assert not b.RULES["CAN003"].when(explored(*[cancelled("watch")] * 2, cancelled(payload=turned)))
    varying = [cancelled("watch", payload={"n": n, "m": 1}) for n in (1, 2)]
    shorter = cancelled(payload={"m": 1, "n": 3}, suspensions=PLACES[:1])
    assert not b.RULES["CAN003"].when(explored(*varying, shorter))


def test_can003_of_what_varies_knows_an_array_that_is_empty():
    varying = [cancelled("watch", payload={"n": n, "items": [n]}) for n in (1, 2)]
    for items, is_for in (([], True), ([3], False)):
        shorter = cancelled(payload={"n": 3, "items": items}, suspensions=PLACES[:1])
        assert b.RULES["CAN003"].when(explored(*varying, shorter)) is is_for


def test_can003_takes_a_single_normal_call_for_no_rule():
    assert not b.RULES["CAN003"].when(
        explored(cancelled("watch"), cancelled(payload={**NORMAL, "items": []}))
    )


def test_can003_wants_the_word_from_the_tool_and_not_from_the_caller():
    asked = '{"status": "cancelled"}'
    whole = [cancelled("watch", arguments=asked)] * 2
    echoed = cancelled(payload={"items": [], "status": "cancelled"}, arguments=asked)
    assert b.judge("CAN003", explored(*whole, echoed))
    deep = cancelled(payload={"items": [["It was cancelled."]]}, arguments=asked)
    assert b.judge("CAN003", explored(*whole, deep)) is None


def test_can004_is_not_moved_by_texts_that_are_known():
    whole = [cancelled("watch")] * 2
    for text in ("a", "Ada", "5e5510a0000000000000000000000001"):
        part = explored(*whole, cancelled(payload={"items": [], "sessionId": text}))
        assert b.judge("CAN004", part) is None
        assert b.judge("CAN003", part)


def test_can005_is_for_aptix_and_not_for_art():
    assert b.RULES["CAN005"].applies(b.declaration()) is None
    assert "no cancellation signal" in b.RULES["CAN005"].applies(b.declaration(traits=ART))


def test_can005_gives_a_call_its_whole_second_and_shows_the_quickest():
    assert b.judge("CAN005", explored(*[cancelled(after=1.0)] * 2)) is None
    slow, slower = cancelled(after=1.5), cancelled(after=2.5)
    found = b.judge("CAN005", explored(slower, slow))
    assert found.call == slow
    assert "1.5 s where 1 s are allowed" in found.message


def test_can005_looks_past_a_group_that_is_another_rules():
    deaf = [cancelled(after=9.0, consultations=0)] * 2
    slow = [cancelled(at=2, after=9.0)] * 2
    assert b.judge("CAN005", explored(*deaf, *slow)).call == slow[0]


def test_can006_is_for_calls_that_succeed_and_that_were_watched():
    long = {"after": 2.0, "elapsed": 2.0, "consultations": 0}
    assert b.judge("CAN006", explored(cancelled("watch", **long)))
    failed = cancelled("watch", result=b.failure(), **long)
    assert not b.RULES["CAN006"].when(explored(failed))
    alone = replace(b.call(arguments='{"name": "Ada"}'), elapsed=2.0)
    assert not b.RULES["CAN006"].when(explored(alone))
    assert not b.RULES["CAN006"].when(explored(cancelled(**long)))


def test_can006_takes_the_shortest_for_how_long_it_was():
    calls = [cancelled("watch", after=s, elapsed=s, consultations=0) for s in (3.0, 2.0)]
    found = b.judge("CAN006", explored(*calls))
    assert "in 2 calls of 2.0 s or more" in found.message
    assert found.call == calls[0]
    just = [cancelled("watch", after=1.0, elapsed=1.0, consultations=0)]
    assert not b.RULES["CAN006"].when(explored(*just))


def test_can006_takes_two_long_calls_for_a_long_running_tool():
    """One that looks short may have waited for a processor while it slept; one that is long may have been disturbed."""
    short, long = (cancelled("watch", after=s, elapsed=s, consultations=0) for s in (0.1, 2.0))
    assert b.RULES["CAN006"].when(explored(short, long, long))
    assert not b.RULES["CAN006"].when(explored(short, short, long))


def test_can006_judges_each_set_of_arguments():
    looked = cancelled("watch", after=2.0, elapsed=2.0, consultations=1)
    deaf = cancelled("watch", after=2.0, elapsed=2.0, consultations=0, arguments='{"name": "Bob"}')
    assert b.judge("CAN006", explored(looked, deaf)).call == deaf


def test_can007_tells_what_the_tool_did_with_it():
    assert "swallowed CancelledError" in b.judge("CAN007", cancelled("task")).message
    assert "made RuntimeError" in b.judge("CAN007", cancelled("task", raised="RuntimeError")).message


def test_can008_is_for_cancelled_calls_after_the_first_of_a_process():
    for kind in ("token", "task"):
        assert b.RULES["CAN008"].when(explored(cancelled(kind)))
        assert not b.RULES["CAN008"].when(explored(cancelled(kind, earlier=0)))
    assert not b.RULES["CAN008"].when(explored(cancelled("watch")))


def test_calls_that_each_have_a_process_are_compared_with_one_another():
    """A tool that changes the files it was given gets another process for each call, and must not get away with that."""
    first, left = {"earlier": 0}, ("the task a",)
    watched, stopped = cancelled("watch", **first), cancelled(left_running=left, **first)
    assert b.RULES["CAN008"].when(explored(watched, stopped))
    assert b.judge("CAN008", explored(watched, stopped, stopped)).message.startswith("The task a went on")
    usual = cancelled("watch", left_running=left, **first)
    assert b.judge("CAN008", explored(usual, stopped, stopped)) is None
    blocks = cancelled("watch", blocked=3.0, **first)
    assert "for 3.0 s" in b.judge("CAN009", explored(blocks, blocks)).message


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (("the task a",), "The task a went on"),
        (("the task a", "the task b"), "The task a and 1 more went on"),
        (("the task a", "the task b", "the task c"), "The task a and 2 more went on"),
    ],
)
def test_can008_counts_what_is_left(left, words):
    first, second = cancelled(left_running=left), cancelled(left_running=(*left, "the task z"), elapsed=1.0)
    found = b.judge("CAN008", explored(first, second))
    assert words in found.message
    assert found.call == first


def test_can008_names_what_is_not_usual_beside_what_is():
    usual = cancelled("watch", left_running=("the thread pool",))
    both = [cancelled(left_running=("the thread pool", "the task a"))] * 2
    assert b.judge("CAN008", explored(usual, *both)).message.startswith("The task a went on")


def test_can009_shows_the_call_that_blocked_least_and_what_is_known_of_it():
    more, less = cancelled("watch", blocked=3.0), cancelled("watch", blocked=1.5)
    found = b.judge("CAN009", explored(more, less))
    assert found.call == less
    assert "for 1.5 s, in code that cannot be looked into" in found.message
    assert b.judge("CAN009", explored(*[cancelled("watch", blocked=1.0)] * 2)) is None


def test_can009_is_for_calls_of_its_probe_that_were_watched():
    assert b.RULES["CAN009"].when(explored(cancelled("watch")))
    assert not b.RULES["CAN009"].when(explored(replace(cancelled("watch"), disturbed=None)))
    assert not b.RULES["CAN009"].when(explored(replace(b.call(), disturbed=Disturbed(reached=True))))


def test_can006_believes_the_author_of_one_call():
    short = {"after": 0.1, "elapsed": 0.1, "consultations": 0}
    both = [cancelled("watch", long=said, **short) for said in (True, False)]
    assert b.RULES["CAN006"].when(explored(*both))
    assert not b.RULES["CAN006"].when(explored(both[1]))


def test_can008_knows_one_thing_by_its_kind_whatever_its_number_and_its_line():
    same = [cancelled(left_running=(f"the thread T-{n} at t.py:{n}",)) for n in (1, 2)]
    assert "The thread T-1 at t.py:1" in b.judge("CAN008", explored(*same)).message
    others = [cancelled(left_running=(f"the {what} at t.py:1",)) for what in ("thread T-1", "task poll")]
    assert b.judge("CAN008", explored(*others)) is None


def test_can005_needs_that_the_token_was_looked_at_each_time():
    assert b.judge("CAN005", explored(cancelled(after=9.0), cancelled(after=9.0, consultations=0))) is None


def test_arguments_that_are_missing_are_none():
    """Calls without arguments are the same call."""
    slow = [cancelled(after=9.0, arguments=None)] * 2
    assert b.judge("CAN005", explored(*slow))
    deaf = cancelled("watch", after=2.0, elapsed=2.0, consultations=0, arguments=None)
    assert b.judge("CAN006", explored(deaf))
    whole = [cancelled("watch", arguments=None)] * 2
    said = cancelled(payload={"items": [], "status": "It was cancelled."}, arguments=None)
    assert b.judge("CAN003", explored(*whole, said)) is None
    blocked = [cancelled("watch", blocked=2.0, arguments=None)] * 2
    assert b.judge("CAN009", explored(*blocked))


def test_one_letter_of_an_identifier_is_no_identifier():
    """It would stand in any text."""
    short = {"session_id": "a", "request": None}
    whole = [cancelled("watch", payload={"in": "a"}, context=short)] * 2
    assert b.RULES["CAN003"].when(explored(*whole, cancelled(payload={"in": ""}, context=short)))


def test_whole_numbers_and_others_are_of_one_shape():
    varying = [cancelled("watch", payload={"n": n}) for n in (1, 2)]
    for value, is_for in ((3.5, False), ("3", True)):
        shorter = cancelled(payload={"n": value}, suspensions=PLACES[:1])
        assert b.RULES["CAN003"].when(explored(*varying, shorter)) is is_for


def test_can002_tells_what_the_tool_said_or_that_it_said_nothing():
    said = b.failure("The booking was cancelled.")
    found = b.judge("CAN002", explored(cancelled(result=said)))
    assert "The tool failed: 'The booking was cancelled.'" in found.message
    silent = cancelled(result=replace(said, errors=(), error_message=None))
    assert "The tool failed: without a message." in b.judge("CAN002", explored(silent)).message


def test_an_identifier_may_be_as_short_as_two_characters():
    def seen(kind, number, items):
        context = {"session_id": f"s{number}", "request": None}
        return cancelled(kind, payload={"items": items, "in": f"s{number}"}, context=context)

    whole = [seen("watch", 1, ["a"]), seen("watch", 2, ["a"])]
    assert b.RULES["CAN003"].when(explored(*whole, seen("token", 3, [])))
    assert not b.RULES["CAN003"].when(explored(*whole, seen("token", 3, ["a"])))
