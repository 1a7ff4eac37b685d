"""The rules on cancellation, each over calls made for it: what breaks it, and what looks like it and does not."""

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.explorations import explored

from aptix_conformance.core.contracts import Level, load
from aptix_conformance.core.model import CancellationPoint, Disturbed, Exploration, Raised

NORMAL = {"items": ["a", "b"], "sessionId": "5e5510a0000000000000000000000001"}
CANCELLED = Raised("CancelledError", "", "", "cancelled")
PLACES = ("one() at t.py:1 in T.execute", "two() at t.py:2 in T.execute")


def cancelled(kind="token", at=1, payload=None, result=None, raised=None, demand="accepted", **seen):
    """Makes a call of the cancel probe; `kind` and `at` are its moment, the rest is what was seen."""
    point = CancellationPoint(kind, at, long=seen.pop("long", False))
    consultations, earlier = seen.pop("consultations", 1), seen.pop("earlier", 5)
    elapsed = seen.pop("elapsed", 0.0)
    call = b.call(
        f"cancelled:{kind}",
        '{"name": "Ada"}',
        "cancel",
        demand,
        result or (None if raised else b.success(payload or NORMAL)),
        raised=raised,
        token_consultations=consultations,
        earlier=earlier,
        disturbed=Disturbed(**{"reached": True, "place": PLACES[0], "suspensions": PLACES, **seen}),
    )
    plan = b.replace(call.plan, disturbance=point)
    return b.replace(call, plan=plan, elapsed=elapsed)


def broken(code, *calls):
    """Whether a rule finds fault with some calls; fails where the rule is not for them."""
    rule = b.RULES[code]
    if rule.over is Exploration:
        return b.judge(code, Exploration((b.declaration(),), calls)) is not None
    return b.judge(code, *calls) is not None


def not_for(code, *calls):
    rule = b.RULES[code]
    observation = calls[0] if rule.over is not Exploration else Exploration((b.declaration(),), calls)
    return not rule.when(observation)


# ---- CAN001


@pytest.mark.parametrize("kind", ["before", "token", "delay"])
def test_can001_reports_what_a_cancelled_token_made_the_tool_throw(kind):
    thrown = Raised("OperationCanceledError", "The token was cancelled.", "")
    assert broken("CAN001", cancelled(kind, raised=thrown, demand="either"))
    assert broken("CAN001", cancelled(kind, raised=CANCELLED, demand="either"))
    assert broken("CAN001", cancelled(kind, raised="TypeError"))


def test_can001_leaves_a_tool_in_peace_that_may_raise_anyway():
    assert not broken("CAN001", cancelled(raised="TypeError", demand="either"))
    assert not broken("CAN001", cancelled())
    assert not_for("CAN001", cancelled("task", raised=CANCELLED))
    assert not_for("CAN001", cancelled(reached=False))
    assert not_for("CAN001", cancelled("watch"))


# ---- CAN002


def test_can002_reports_a_failure_for_being_cancelled():
    assert broken("CAN002", cancelled(result=b.failure("The service cannot be reached.")))
    assert broken("CAN002", cancelled(result=b.failure("The call was aborted."), demand="either"))


def test_can002_does_not_take_words_that_refuse_any_call_at_times_for_an_answer_to_the_cancellation():
    busy = b.failure("Too many calls.")
    calls = (b.call(), cancelled(result=busy))
    assert b.judge("CAN002", explored(*calls))
    assert not b.RULES["CAN002"].when(explored(*calls, b.call(result=busy)))
    assert b.judge("CAN002", explored(*calls, b.call(result=busy), cancelled())) is None


def test_can002_takes_another_refusal_for_what_it_is():
    assert not broken("CAN002", cancelled(result=b.failure("It exists already."), demand="either"))
    assert not broken("CAN002", cancelled())


# ---- CAN003, CAN004


def normals():
    return [cancelled("watch"), cancelled("watch")]


@pytest.mark.parametrize("payload", [{"items": []}, {"items": ["a"]}])
def test_can003_reports_a_part_that_passes_for_the_whole(payload):
    assert broken("CAN003", *normals(), cancelled(payload=payload))
    assert not broken("CAN004", *normals(), cancelled(payload=payload))


def test_can003_reports_a_part_that_is_said_not_to_be_cancelled():
    whole = [cancelled("watch", payload={**NORMAL, "cancelled": False})] * 2
    assert broken("CAN003", *whole, cancelled(payload={"items": [], "cancelled": False}))


@pytest.mark.parametrize(
    "payload",
    [
        {"items": [], "cancelled": True},
        {"items": [], "wasCancelled": 1},
        {"items": [], "status": "The search was cancelled."},
        {"items": [], "state": {"reason": "aborted"}},
        {"items": [], "notes": ["Interrupted."]},
    ],
)
def test_can003_and_can004_are_content_with_any_word_for_it(payload):
    assert not broken("CAN003", *normals(), cancelled(payload=payload))
    assert not broken("CAN004", *normals(), cancelled(payload=payload))


def test_can004_advises_where_it_is_unclear():
    unclear = cancelled(payload={"items": [], "remark": "abgebrochen"})
    assert broken("CAN004", *normals(), unclear)
    assert not broken("CAN003", *normals(), unclear)


def test_can003_is_not_for_a_call_that_came_to_its_normal_end():
    assert not_for("CAN003", *normals(), cancelled())
    assert not_for("CAN003", *normals(), cancelled("task", raised=CANCELLED))


def test_can003_does_not_take_what_varies_for_cut_short():
    varying = [
        cancelled("watch", payload={"n": 1, "at": "x"}),
        cancelled("watch", payload={"n": 2, "at": "y"}),
    ]
    assert not_for("CAN003", *varying, cancelled(payload={"n": 3, "at": "z"}))
    assert not_for("CAN003", *varying, cancelled(payload={"n": 3}))
    assert broken("CAN003", *varying, cancelled(payload={"n": 3}, suspensions=PLACES[:1]))


def test_can003_and_can004_know_a_tool_that_answers_by_chance_by_its_repetitions():
    """Two tosses of a coin may come out alike; the calls of the repeat probe show that the next need not."""
    heads, tails = {"outcome": "heads"}, {"outcome": "tails"}
    watched = [cancelled("watch", payload=heads), cancelled("watch", payload=heads)]
    again = b.call("again:1", '{"name": "Ada"}', "repeat", "either", b.success(tails))
    for code in ("CAN003", "CAN004"):
        assert not not_for(code, *watched, cancelled(payload=tails))
        assert not_for(code, *watched, again, cancelled(payload=tails))


def test_can003_and_can004_know_chance_by_calls_with_other_arguments():
    """The same arguments came out alike twice; what varies elsewhere may vary here. A part has another shape, or waits less."""
    heads, tails = {"outcome": ["heads"]}, {"outcome": ["tails"]}
    watched = [cancelled("watch", payload=heads), cancelled("watch", payload=heads)]
    others = [
        b.call(f"again:{number}", '{"times": 3}', "repeat", "either", b.success(tossed))
        for number, tossed in enumerate((heads, tails))
    ]
    for code in ("CAN003", "CAN004"):
        assert not not_for(code, *watched, cancelled(payload=tails))
        assert not_for(code, *watched, *others, cancelled(payload=tails))
    assert broken("CAN003", *watched, *others, cancelled(payload={"outcome": []}))
    assert broken(
        "CAN003", *watched, *others, cancelled(payload=heads | {"outcome": []}, suspensions=PLACES[:1])
    )


def test_can003_sees_that_a_call_was_cut_short_where_it_says_so_whatever_varies():
    varying = [cancelled("watch", payload={"ms": number, "cancelled": False}) for number in (1000, 1001)]
    for code in ("CAN003", "CAN004"):
        said = cancelled(payload={"ms": 3, "cancelled": True})
        assert not not_for(code, *varying, said)
        assert not broken(code, *varying, said)
        assert not_for(code, said)


def test_can003_compares_with_nothing_where_nothing_came_to_its_end():
    assert not_for("CAN003", cancelled(payload={"items": []}))


# ---- CAN005, CAN006, CAN009


def test_can005_reports_a_call_that_went_on_each_time():
    assert broken("CAN005", cancelled(after=1.5), cancelled(after=1.4))
    assert not broken("CAN005", cancelled(after=0.9), cancelled(after=0.9))


@pytest.mark.parametrize(
    "times",
    [[{"after": 9.0}], [{"after": 9.0}, {"after": 0.2}], [{"after": 9.0, "earlier": 0}, {"after": 9.0}]],
    ids=["once", "once of twice", "first of a process"],
)
def test_can005_does_not_believe_it_at_first_sight(times):
    assert not broken("CAN005", *(cancelled(**seen) for seen in times))


def test_can005_leaves_the_deaf_and_the_greedy_to_their_rules():
    assert not broken("CAN005", *[cancelled(after=9.0, consultations=0)] * 2)
    assert not broken("CAN005", *[cancelled(after=9.0, blocked=8.0)] * 2)


@pytest.mark.parametrize(
    ("seen", "reporter"),
    [({"consultations": 0}, "CAN006"), ({"blocked": 8.0}, "CAN009")],
    ids=["deaf", "greedy"],
)
def test_each_of_the_equal_calls_that_another_rule_reports_is_hidden_from_can005(seen, reporter):
    """None of them was in time: one that counted as judged would make the rule pass."""
    late = [cancelled(after=9.0, earlier=earlier, **seen) for earlier in (0, 5, 6)]
    prompt = [cancelled(at=2) for _ in range(2)]
    found = b.RULES["CAN005"].findings(Exploration((b.declaration(),), (*late, *prompt)))
    assert [(finding.call, finding.defers_to) for finding in found] == [(call, reporter) for call in late]


def test_can005_goes_by_the_grace_of_the_plan():
    slow = cancelled(after=1.5)
    patient = b.replace(slow, plan=b.replace(slow.plan, disturbance=CancellationPoint("token", 1, within=2)))
    assert not broken("CAN005", patient, patient)


def long_call(**seen):
    return cancelled("watch", **{"after": 2.0, "elapsed": 2.0, "consultations": 0, **seen})


def test_can006_reports_a_long_call_that_never_looked():
    assert broken("CAN006", long_call())
    assert broken("CAN006", long_call(after=0.1, elapsed=0.1, long=True))


def test_can006_leaves_a_call_that_never_looked_because_it_blocked_to_can009():
    calls = (long_call(blocked=2.0),)
    (finding,) = b.RULES["CAN006"].findings(Exploration((b.declaration(),), calls))
    assert finding.defers_to == "CAN009"


def test_can005_does_not_blame_a_tool_that_passed_its_token_on():
    assert not broken("CAN005", *[cancelled(after=9.0, consultations=0, token_passed=True)] * 2)
    assert broken("CAN005", *[cancelled(after=9.0, consultations=1, token_passed=True)] * 2)


def test_can005_needs_that_the_token_was_passed_on_each_time():
    """A call that neither passed it on nor looked at it is CAN006's."""
    passed = cancelled(after=9.0, consultations=0, token_passed=True)
    calls = (passed, cancelled(after=8.0, consultations=0))
    found = b.RULES["CAN005"].findings(Exploration((b.declaration(),), calls))
    assert [(finding.call, finding.defers_to) for finding in found] == [(call, "CAN006") for call in calls]


def test_can006_is_content_with_one_look_and_not_for_short_calls():
    assert not broken("CAN006", long_call(), long_call(consultations=1))
    assert not broken("CAN006", long_call(token_passed=True))
    assert not_for("CAN006", long_call(after=0.9))
    assert not_for("CAN006", long_call(), long_call(elapsed=0.5))


def test_can009_reports_a_loop_that_was_blocked_each_time_with_the_stack():
    calls = [cancelled("watch", blocked=1.5, blocked_at="t.py:7 in T.execute")] * 2
    finding = b.judge("CAN009", Exploration((b.declaration(),), tuple(calls)))
    assert "t.py:7 in T.execute" in finding.message


@pytest.mark.parametrize("times", [[1.5], [1.5, 0.1]])
def test_can009_does_not_believe_it_at_first_sight(times):
    assert not broken("CAN009", *(cancelled("watch", blocked=seconds) for seconds in times))


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ("CAN005", {"after": 9.0}),
        ("CAN006", {"kind": "watch", "after": 2.0, "elapsed": 2.0, "consultations": 0}),
        ("CAN008", {"left_running": ("the task poll",)}),
        ("CAN009", {"kind": "watch", "blocked": 1.5}),
    ],
)
def test_what_rests_on_a_measured_time_counts_only_if_it_is_shown_again(code, seen):
    calls = tuple(cancelled(**seen) for _ in range(2))
    (finding,) = b.RULES[code].findings(Exploration((b.declaration(),), calls))
    assert finding.timed


def test_the_loop_that_one_of_several_calls_blocked_is_what_delayed_them():
    """One call that blocked is enough: CAN009 tells it, and the others are not blamed for being late."""
    late = (cancelled(after=9.0, blocked=8.0), cancelled(after=9.5, blocked=0.0))
    found = b.RULES["CAN005"].findings(Exploration((b.declaration(),), late))
    assert [finding.defers_to for finding in found] == ["CAN009"] * 2
    long = (long_call(blocked=2.0), long_call(blocked=0.0))
    (finding,) = b.RULES["CAN006"].findings(Exploration((b.declaration(),), long))
    assert finding.defers_to == "CAN009"


def test_a_tool_that_passed_its_token_on_hides_no_other_group_of_calls():
    """What has the token now must end those waits; the waits of other calls are the tool's."""
    passed = [cancelled(after=9.0, consultations=0, token_passed=True)] * 2
    others = [cancelled(at=2, after=8.0, place=PLACES[1])] * 2
    found = list(b.RULES["CAN005"].findings(Exploration((b.declaration(),), (*passed, *others))))
    assert [finding.call for finding in found] == [others[0]]


def test_kinds_of_leftovers_are_causes_of_their_own():
    calls = tuple(cancelled(**left("the task poll at t.py:9", "the thread x at t.py:3")) for _ in range(2))
    (finding,) = b.RULES["CAN008"].findings(Exploration((b.declaration(),), calls))
    assert finding.message.startswith("The task poll at t.py:9 and 1 more")
    assert "poll" in finding.cause


# ---- CAN007, CAN008


def test_can007_reports_what_was_made_of_cancelled_error():
    assert broken("CAN007", cancelled("task"))
    assert broken("CAN007", cancelled("task", result=b.failure("Sorry.")))
    assert broken("CAN007", cancelled("task", raised="RuntimeError"))


def test_can007_lets_cancelled_error_through():
    assert not broken("CAN007", cancelled("task", raised=CANCELLED))
    assert not_for("CAN007", cancelled("task", reached=False))
    assert not_for("CAN007", cancelled())


def left(*things):
    return {"left_running": things}


def test_can008_reports_what_was_left_each_time():
    assert broken("CAN008", *[cancelled(**left("the task poll at t.py:9"))] * 2)
    task = [
        cancelled("task", raised=CANCELLED, **left(f"the thread Thread-{number} at t.py:9"))
        for number in (1, 2)
    ]
    assert broken("CAN008", *task)


def test_can008_does_not_report_what_an_uncancelled_call_leaves_too():
    kept = cancelled("watch", **left("the thread pool-3 at t.py:1"))
    assert not broken("CAN008", kept, *[cancelled(**left("the thread pool-7 at t.py:2"))] * 2)


@pytest.mark.parametrize("first", [0, 5], ids=["first of a process", "once"])
def test_can008_does_not_believe_it_at_first_sight(first):
    assert not broken("CAN008", cancelled(earlier=first, **left("the task poll")), cancelled())


# ---- what the rules are


CODES = [f"CAN00{number}" for number in range(1, 10)]


def test_levels_are_those_that_were_settled():
    """Not thrown is a MUST in both editions; prompt, successful and the rest are one in the stricter only."""
    editions = load().editions
    default, strict = editions["aptix-tul-011"], editions["aptix-agn-005-1.1"]
    musts = {code for code in CODES if b.RULES[code].level(default) is Level.MUST}
    assert musts == {"CAN001"}
    assert {code for code in CODES if b.RULES[code].level(strict) is Level.MUST} == set(CODES) - {"CAN004"}


def test_other_rules_do_not_judge_what_a_cancelled_call_returned():
    """A failure without a message, or with a payload, is CAN002's alone. Only the identifiers are due here too (CTX002)."""
    failure = b.replace(b.failure(" "), payload="{}", payload_type="str")
    context = cancelled(payload={}).plan.context
    identifiers = {
        "sessionId": context["session_id"],
        "conversationId": context["request"]["conversation_id"],
    }
    success = cancelled(payload={"success": False, "cancelled": True, **identifiers})
    calls = (cancelled(result=failure), success)
    exploration = Exploration((b.declaration(),), calls)
    assert b.breaches(exploration).keys() <= {"CAN002"}


def test_a_cancelled_list_of_modes_is_no_list_of_modes():
    call = cancelled(payload={"modes": [], "cancelled": True})
    assert not b.RULES["CAT004"].when(call)
    assert not b.RULES["CAT005"].when(call)
