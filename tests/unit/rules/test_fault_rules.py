"""What is said of a tool when what it depends on fails; and what is not held against it."""

import pytest
from tests.stimuli import read_disturbance
from tests.unit.rules import builders as b
from tests.unit.rules.explorations import explored

from aptix_conformance.core.contracts import Level, load
from aptix_conformance.core.model import (
    BrokenFiles,
    Disturbed,
    Exploration,
    Outcome,
    Parameter,
    Raised,
    canaries,
)
from aptix_conformance.core.model.codec import replace

PLACE = "catalog.get() at tool.py:10"
PARSED = "json.loads() at tool.py:9"
TOKEN = Parameter("cancellation_token", "positional", required=True)
TRACE = 'Traceback\n  File "/srv/tool.py", line 9, in execute\n'


def faulty(label="service:1:unknown", place=PLACE, logged=True, retried=False, given_up=False, **changes):
    """A call in which something failed; without more it is refused and logged."""
    logs = (
        (
            b.LogRecord(
                "add_exception", "[GreeterTool_ExecuteAsync__Exception]", exception_type="UnforeseenError"
            ),
        )
        if logged
        else ()
    )
    raised = changes.get("raised")
    if raised is None and "outcome" not in changes:
        changes.setdefault("result", b.failure("It is not available now."))
    made = b.call(label, probe="fault", logs=logs, **changes)
    injected = label.rpartition(":")[2]
    disturbed = Disturbed(True, place, injected=injected, retried=retried, given_up=given_up)
    plan = replace(made.plan, disturbance=read_disturbance(f"fault:{label}"))
    return replace(made, plan=plan, disturbed=disturbed)


def unseen(code, observation):
    return not b.RULES[code].when(observation)


@pytest.mark.parametrize(
    "label", ["service:1:unknown", "service:2:gives_none", "library:1:os_error", "parser:1:own"]
)
def test_whatever_fails_nothing_comes_out(label):
    """The finding says what came out, and shows the call."""
    assert b.judge("EXC010", Exploration(calls=(faulty(label),))) is None
    raising = faulty(label, raised="TypeError")
    finding = b.judge("EXC010", Exploration(calls=(faulty(label), raising)))
    assert finding.call is raising
    assert "The tool raised TypeError" in finding.message


@pytest.mark.parametrize("kind", ["unknown", "key_error", "exception_group", "unprintable"])
def test_what_the_standard_library_is_not_documented_to_raise_is_advice(kind):
    """A tool that catches what its functions may raise, (OSError, UnicodeDecodeError), raises in no call of today."""
    place = "Path.read_text() at tool.py:9"
    raising = faulty(f"library:1:{kind}", place=place, raised="UnforeseenError")
    raising = replace(raising, disturbed=replace(raising.disturbed, undocumented=True))
    caught = faulty("library:1:os_error", place=place)
    assert b.judge("EXC010", Exploration(calls=(caught, raising))) is None
    assert b.judge("EXC012", Exploration(calls=(caught, raising))).call is raising
    assert b.judge("EXC012", Exploration(calls=(caught, raising))).defers_to == ""
    uncaught = replace(caught, outcome=Outcome.RAISED, result=None, raised=raising.raised)
    assert b.judge("EXC010", Exploration(calls=(uncaught, raising))).call is uncaught
    assert b.RULES["EXC012"].advice


def test_what_a_package_makes_of_a_failing_system_is_no_exception_that_nobody_foresees():
    """EXC010 is broken by a tool that lets it through. One that expects it need not write it to the log."""
    caught = faulty("library:1:unknown", place="notes.load() at tool.py:9", logged=False)
    caught = replace(caught, disturbed=replace(caught.disturbed, injected="outside_error"))
    raising = replace(caught, outcome=Outcome.RAISED, result=None, raised=faulty(raised="NotesError").raised)
    assert b.judge("EXC010", Exploration(calls=(caught, raising))).call is raising
    assert b.judge("EXC010", Exploration(calls=(caught,))) is None
    assert all(unseen(code, caught) for code in ("EXC011", "LOG010"))


def test_a_call_that_was_spared_is_not_judged():
    skipped = replace(faulty(raised="TypeError"), disturbed=Disturbed(reached=False))
    assert unseen("EXC013", explored(skipped))
    for code in ("EXC011", "LOG010"):
        assert unseen(code, skipped)
    assert unseen("EXC010", Exploration(calls=(skipped,)))


def test_who_hands_on_the_words_of_exceptions_is_not_told_besides_that_some_have_none():
    talkative = faulty(result=b.failure(f"The catalog said: {canaries.DEPENDENCY_MARK}"))
    unprintable = faulty("service:1:unprintable", raised="RuntimeError")
    bare = faulty("service:2:timeout", raised="TimeoutError")
    assert b.judge("EXC004", talkative)
    assert b.judge("EXC010", Exploration(calls=(unprintable,)))
    assert b.judge("EXC010", Exploration(calls=(unprintable, talkative))) is None
    assert b.judge("EXC010", Exploration(calls=(unprintable, talkative, bare)))


@pytest.mark.parametrize(
    ("kind", "raised", "said"),
    [
        ("unprintable", ("RuntimeError", f"{canaries.DEPENDENCY_MARK}: this cannot be shown"), True),
        ("unprintable", ("UnprintableError", "<UnprintableError that raises RuntimeError when it is shown>"), False),
        ("timeout", ("TimeoutError", f"{canaries.DEPENDENCY_MARK} did not answer"), False),
    ],
)  # fmt: skip
def test_a_guard_that_raises_because_it_read_a_text_that_cannot_be_read_is_told_so(kind, raised, said):
    call = replace(faulty(f"service:1:{kind}", raised="X"), raised=Raised(*raised, TRACE))
    message = b.judge("EXC010", Exploration(calls=(call,))).message
    assert message.endswith(", since it read the text of that exception.") is said


def test_an_exception_that_a_parser_never_raises_is_advice():
    beyond = faulty("parser:1:unknown", PARSED, raised="UnforeseenError")
    assert unseen("EXC010", Exploration(calls=(beyond,)))
    assert b.judge("EXC012", Exploration(calls=(beyond,))).call is beyond
    assert b.judge("EXC012", Exploration(calls=(faulty("parser:1:unknown", PARSED),))) is None


def test_exc012_is_for_calls_that_came_back():
    hung = faulty("parser:1:unknown", PARSED, outcome=Outcome.TIMED_OUT)
    assert unseen("EXC012", explored(hung))


@pytest.mark.parametrize("code", ["EXC010", "EXC011", "EXC012", "LOG010"])
def test_each_failure_at_each_place_is_a_kind_of_its_own(code):
    """A rule that could not judge one of them has not passed."""
    labels = ("service:1:unknown", "service:1:timeout", "service:2:unknown", "library:1:unknown")
    kinds = [b.RULES[code].kind(faulty(label)) for label in labels]
    assert len(set(kinds)) == len(labels)
    assert b.RULES[code].kind(faulty(labels[0], logged=False)) == kinds[0]


@pytest.mark.parametrize(
    "place",
    [
        "json.dumps() at t.py:3",
        "dumps() at t.py:3",
        "yaml.safe_dump() at t.py:3",
        "BaseModel.model_dump_json() at t.py:3",
    ],
)
@pytest.mark.parametrize("kind", ["unknown", "os_error"])
def test_a_writer_that_cannot_fail_on_its_data_is_advice(place, kind):
    """No call of the tool raises there; one that writes something else may."""
    writing = faulty(f"library:1:{kind}", place, raised="UnforeseenError")
    assert unseen("EXC010", Exploration(calls=(writing,)))
    assert b.judge("EXC012", Exploration(calls=(writing,))).call is writing
    other = faulty("library:2:unknown", "open() at t.py:4", raised="UnforeseenError")
    assert b.judge("EXC010", Exploration(calls=(writing, other))).call is other
    assert b.judge("EXC012", Exploration(calls=(writing, other))) is None


@pytest.mark.parametrize(
    ("label", "place"),
    [("library:1:unknown", "dumper.run() at t.py:3"), ("service:1:unknown", "store.dump() at t.py:3")],
)
def test_a_service_or_a_library_that_only_sounds_like_a_writer_can_fail(label, place):
    failing = faulty(label, place, raised="UnforeseenError")
    assert b.judge("EXC010", Exploration(calls=(failing,))).call is failing


def test_a_parser_that_is_not_guarded_at_all_is_told_once():
    """EXC010 or the rule over what was sent says so."""
    beyond = faulty("parser:1:unknown", PARSED, raised="UnforeseenError")
    unguarded = faulty("library:1:unknown", raised="UnforeseenError")
    natural = b.call("truncated:open", probe="malformed", raised=Raised("JSONDecodeError", "", TRACE))
    elsewhere = b.call(
        "truncated:open", probe="malformed", raised=Raised("KeyError", "", TRACE.replace("9", "8"))
    )
    assert b.judge("EXC012", Exploration(calls=(beyond, unguarded))) is None
    assert b.judge("EXC012", Exploration(calls=(beyond, natural))) is None
    assert b.judge("EXC012", Exploration(calls=(beyond, elsewhere)))


def test_a_logged_success_is_advice_and_an_unlogged_one_breaks_the_rule_on_logging():
    done = b.success({"count": 0})
    assert "succeeded" in b.judge("EXC011", faulty(result=done)).message
    assert b.judge("LOG010", faulty(result=done)) is None
    assert unseen("EXC011", faulty(result=done, logged=False))
    assert "succeeded and logged no exception" in b.judge("LOG010", faulty(result=done, logged=False)).message


def test_a_failure_is_logged():
    assert b.judge("LOG010", faulty()) is None
    assert b.judge("EXC011", faulty()) is None
    assert "failed and logged no exception" in b.judge("LOG010", faulty(logged=False)).message


@pytest.mark.parametrize("retried", [True, None])
def test_who_tried_again_and_succeeded_has_done_nothing_wrong(retried):
    """Where nobody could see whether it was tried again, it counts as if it was."""
    again = faulty("library:1:unknown", result=b.success({}), logged=False, retried=retried)
    assert unseen("LOG010", again)
    assert unseen("EXC011", again)


def test_a_failure_without_a_log_is_one_where_nobody_could_see_a_second_try():
    assert b.judge("LOG010", faulty("library:1:unknown", logged=False, retried=None))


@pytest.mark.parametrize(
    "label", ["service:1:key_error", "service:1:timeout", "service:1:gives_none", "parser:1:unknown"]
)
def test_what_a_tool_may_expect_need_not_be_logged_nor_fail(label):
    """That a parser fails is for ARG to judge."""
    for result in (b.success({}), b.failure()):
        assert unseen("LOG010", faulty(label, logged=False, result=result))
        assert unseen("EXC011", faulty(label, logged=False, result=result))


def test_a_tool_without_a_logger_is_not_asked_to_log():
    assert b.RULES["LOG010"].applies(b.declaration()) is None
    assert b.RULES["LOG010"].applies(b.declaration(constructor=()))


def test_who_is_cancelled_leaves_a_dead_service():
    waited = faulty(
        "service:1:never_answers", raised=Raised("CancelledError", "", "", "cancelled"), given_up=True
    )
    found = b.judge("EXC013", explored(replace(waited, token_consultations=1)))
    assert (found.call.plan, found.timed) == (waited.plan, True)
    (oblivious,) = b.RULES["EXC013"].findings(explored(waited))
    assert oblivious.defers_to == "CAN006", "that rule reports what takes long by itself"
    catalog = Exploration((b.declaration(name="agent_list_modes"), b.declaration()), (waited,))
    assert [found.defers_to for found in b.RULES["EXC013"].findings(catalog)] == ["CAT018"]
    passed = replace(waited, disturbed=replace(waited.disturbed, token_passed=True))
    assert unseen("EXC013", explored(passed)), "the service has the token"
    assert b.judge("EXC013", explored(replace(passed, token_consultations=1)))
    came_back = faulty("service:1:never_answers", result=b.success({"cancelled": True}))
    assert b.RULES["EXC013"].findings(explored(came_back)) == ()


def test_exc013_leaves_a_token_that_is_taken_for_another_argument_at_any_reading_to_reg009():
    waited = faulty("service:1:never_answers", given_up=True, token_consultations=1)
    misplaced = b.declaration(execute=b.Member("execute", "method", is_async=True, parameters=(TOKEN,)))
    for readings in ((misplaced, b.declaration()), (b.declaration(), misplaced)):
        (finding,) = b.RULES["EXC013"].findings(Exploration(readings, (waited,)))
        assert finding.defers_to == "REG009"


def test_a_call_that_waited_for_a_dead_service_breaks_no_other_rule():
    """Neither what ended it nor what it gave when its token was cancelled."""
    waited = faulty(
        "service:1:never_answers", raised=Raised("CancelledError", "", "", "cancelled"), given_up=True
    )
    timed_out = replace(waited, raised=None, outcome=Outcome.TIMED_OUT, disturbed=None)
    said = faulty("service:1:never_answers", result=b.success({"success": False, "errors": []}))
    for seen in (waited, timed_out, said, faulty("service:1:never_answers", result=b.failure("Failed."))):
        assert b.breaches(Exploration((b.declaration(),), (seen,))) == {}


def test_a_generic_message_is_what_a_fault_deserves():
    assert unseen("RES005", faulty(result=b.failure("An error occurred.")))
    leaking = faulty(result=b.failure("KeyError: 'cnry5e1f00d5ba5eba11'"))
    assert b.breaches(Exploration((b.declaration(),), (leaking,))).keys() == {"EXC004"}


def test_advice_is_advice_in_every_edition():
    for edition in ("aptix-tul-011", "aptix-agn-005-1.1"):
        levels = {code: b.RULES[code].level(load().edition(edition)) for code in ("EXC010", "LOG010")}
        assert set(levels.values()) == {Level.MUST}
        for code in ("EXC011", "EXC012", "EXC013"):
            assert b.RULES[code].level(load().edition(edition)) is Level.SHOULD


def failing(kind, probe="fault", label="library:1", place="open() at tool.py:9", **changes):
    raised = changes.pop("raised", "RuntimeError")
    made = b.call(f"{label}:{kind}", probe=probe, raised=raised, **changes)
    return replace(made, disturbed=Disturbed(reached=True, place=place, injected=kind))


def test_exc012_is_not_for_a_tool_whose_own_faults_come_out():
    """Only what a parser or a writer of documents is not known to raise is its subject."""
    assert unseen("EXC012", explored(failing("RuntimeError")))
    assert not unseen("EXC012", explored(failing("unknown", label="parser:1")))


def test_exc012_looks_past_what_did_not_come_out():
    guarded = b.call("parser:1:unknown", probe="fault", result=b.failure())
    guarded = replace(guarded, disturbed=Disturbed(True, "loads() at tool.py:8", injected="unknown"))
    beyond = failing("unknown", label="parser:1")
    assert b.judge("EXC012", explored(guarded, beyond)).call == beyond


@pytest.mark.parametrize(
    ("record", "counts"),
    [
        ({"method": "add_exception"}, True),
        ({"method": "log", "level": "ERROR"}, True),
        ({"method": "log", "level": "CRITICAL"}, True),
        ({"method": "log", "level": "INFO", "exception_type": "KeyError"}, True),
        ({"method": "log", "level": "INFO"}, False),
        ({"method": "add_error", "level": "ERROR"}, False),
        ({"method": "trace", "exception_type": "KeyError"}, False),
    ],
)
def test_log010_takes_an_exception_or_an_error_of_pythons_own_logging(record, counts):
    made = b.call("service:1:unknown", probe="fault", result=b.failure(), logs=(b.LogRecord(**record),))
    seen = replace(made, disturbed=Disturbed(reached=True, place="get()", injected="unknown"))
    assert (b.judge("LOG010", seen) is None) is counts


def with_broken_files(form="folder", **changes):
    made = b.call(f"files:{form}", probe="broken-files", **changes)
    return replace(made, plan=replace(made.plan, disturbance=BrokenFiles(form)))


def test_an_exception_over_a_broken_file_is_found_and_a_failure_or_a_success_is_not():
    failed = with_broken_files(result=b.failure("The notes cannot be read."))
    worked = with_broken_files("empty", result=b.success("{}"))
    raising = with_broken_files("not-utf-8", raised="UnicodeDecodeError")
    assert b.judge("EXC016", Exploration(calls=(failed, worked))) is None
    finding = b.judge("EXC016", Exploration(calls=(failed, worked, raising)))
    assert finding.call is raising
    assert finding.defers_to == ""
    assert b.RULES["EXC016"].when(Exploration(calls=(failed,)))


def test_a_tool_that_does_not_need_its_files_is_not_judged():
    worked = with_broken_files(result=b.success("{}"))
    unloaded = replace(with_broken_files(raised="OSError"), left_out="the tool cannot be loaded")
    assert unseen("EXC016", Exploration(calls=(worked, unloaded)))


def test_a_line_that_guards_nothing_is_reported_once_and_another_line_is_reported_too():
    first, second = (
        b.Raised("OSError", "no", f'Traceback:\n  File "/tool/notes.py", line {line}, in execute\n')
        for line in (7, 9)
    )
    below = (
        f'{first.traceback}  File "/suite/outside.py", line 90, in meet\n'  # where the suite itself raises
    )
    other = faulty("library:1:os_error", raised=replace(first, traceback=below))
    calls = (other, with_broken_files(raised=first), with_broken_files("link", raised=second))
    deferred = [each.defers_to for each in b.RULES["EXC016"].findings(Exploration(calls=calls))]
    assert deferred == ["EXC010", ""]
