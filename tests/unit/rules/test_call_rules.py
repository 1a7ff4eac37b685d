"""Rules over calls and explorations that the model tool does not show: the ends of calls, logs, the two own contracts."""

import json

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.mode_builders import MODE

from aptix_conformance.core.model import Outcome
from aptix_conformance.rules.announced import HIDDEN_REASON
from aptix_conformance.systems.frameworks import FrameworkResult


def listed(*modes, **changes):
    return b.call(arguments="{}", result=b.success({"modes": list(modes), **changes}))


def mode(**changes):
    return listed({key: value for key, value in {**MODE, **changes}.items() if value != "gone"})


def greeted(arguments='{"name": "Ada"}', **payload):
    return b.call(arguments=arguments, result=b.success(payload))


def logged(**changes):
    return b.call(logs=(b.LogRecord(**{"method": "add_custom_event", "tag": "t", **changes}),))


def ended(outcome, incident):
    return b.call(outcome=b.Outcome(outcome), incident=incident)


def test_only_a_call_that_hung_may_be_due_to_a_slow_machine():
    """A crash that was recorded counts at once; a time-out only if it is shown again."""
    ends = {
        kind: b.judge("EXC002", ended(kind, "")).timed for kind in ("timed_out", "crashed", "over_memory")
    }
    assert ends == {"timed_out": True, "crashed": False, "over_memory": False}


CASES = [
    ("EXC002", b.call(), ended("crashed", "exit status 3"), "exit status 3"),
    ("EXC002", b.call(), ended("timed_out", "no answer within 5 s"), "did not come back"),
    ("EXC002", b.call(), ended("over_memory", "1.2 GB"), "memory"),
    ("EXC002", b.call(), ended("over_output", "100 MB"), "output"),
    (
        "EXC002",
        b.call(raised="ValueError"),
        b.call(raised=b.Raised("SystemExit", "3", "", "exit")),
        "SystemExit",
    ),
    ("EXC001", b.call(), b.call(raised=b.Raised("CancelledError", "", "", "cancelled")), "CancelledError"),
    ("RES001", b.call(), b.call(result=b.Result("NoneType", False)), "None"),
    ("RES001", b.call(), b.call(result=b.Result("InvokeResult", True, None)), "neither"),
    (
        "RES003",
        b.call(result=b.success('{"a": 1, "a": 1e999}')),
        b.call(result=b.success('{"a": 1} x')),
        "Extra data",
    ),
    ("RES003", b.call(result=b.success('"\\ud800"')), b.call(result=b.success('"\ud800"')), "U+D800"),
    (
        "RES007",
        b.call(result=b.success({"errors": [], "ok": True})),
        b.call(result=b.success({"error": "no"})),
        "error",
    ),
    ("LOG001", logged(pairs=(("a", "b"),)), logged(pairs_fault="a dict was given"), "a dict"),
    ("LOG003", b.call(stderr=b.Output("x", 1)), b.call(stdout=b.Output("hello\n", 6)), "6 bytes"),
    ("USE022", b.call(arguments='{"name": ""}', result=b.failure()), greeted('{"name": ""}'), "empty name"),
    (
        "USE023",
        greeted(Message="Hi", ConversationId=None, SessionId="s"),
        greeted(message="Hi", session_id="s"),
        "ConversationId",
    ),
    ("CAT004", listed(), listed(total=0), "total"),
    ("CAT004", b.call(result=b.success({"Modes": []})), b.call(result=b.success("[]")), "[]"),
    ("CAT004", listed(), b.call(result=b.success({"modes": {}})), "no array"),
    ("CAT005", mode(exampleUtterances="gone"), mode(humanRoleHints="gone"), "humanRoleHints"),
    ("CAT005", mode(humanRoleHints=[]), mode(isDefault="true"), "isDefault"),
    ("CAT005", mode(), mode(exampleUtterances=[1]), "exampleUtterances"),
    ("CAT005", mode(), listed("general"), "no object"),
    ("CAT006", mode(), mode(id="01234567-89ab-cdef-0123-456789abcdef"), "01234567-"),
    (
        "CAT009",
        b.call(result=b.failure()),
        b.call(result=b.replace(b.failure(), payload="{}", payload_type="str")),
        "{}",
    ),
]


@pytest.mark.parametrize(("code", "kept", "broken", "word"), CASES)
def test_rule_passes_the_one_and_fails_the_other(code, kept, broken, word):
    assert b.judge(code, kept) is None
    finding = b.judge(code, broken)
    assert finding
    assert word in finding.message


def exploration(*calls, declared=None):
    return b.replace(b.explore(), calls=calls, declarations=(declared or b.declaration(),))


@pytest.mark.parametrize(
    "tag",
    ["[GreeterTool_ExecuteAsync__Exception]", "greeter.execute", "[testing_greeter_ExecuteAsync__Exception]"],
)
def test_log002_knows_the_class_and_the_tool(tag):
    seen = logged(method="add_exception", tag=tag)
    assert b.judge("LOG002", exploration(seen)) is None


@pytest.mark.parametrize("tag", ["[ToolName_ExecuteAsync__Exception]", "GreeterTool", "execute", ""])
def test_log002_reports_a_tag_that_names_neither(tag):
    seen = logged(method="add_exception", tag=tag)
    assert "tag" in b.judge("LOG002", exploration(seen)).message


def test_log002_takes_the_name_of_a_base_class_for_the_tools():
    """Who inherits execute inherits its tag."""
    seen = logged(method="add_exception", tag="[PoliteBase_ExecuteAsync__Exception]")
    assert b.judge("LOG002", exploration(seen))
    inherits = b.declaration(bases=("PoliteBase",))
    assert b.judge("LOG002", exploration(seen, declared=inherits)) is None


def test_cat007_reports_a_key_in_two_spellings():
    other = {("Key" if key == "key" else key): value for key, value in MODE.items()}
    assert b.judge("CAT007", exploration(mode(), mode())) is None
    assert "'Key'" in b.judge("CAT007", exploration(listed(MODE, other))).message


def test_cat008_reports_examples_that_stay_away_when_asked_for():
    asked = '{"includeExamples": true}'
    with_them = b.replace(mode(), plan=b.call(arguments=asked).plan)
    without = b.replace(mode(exampleUtterances=None), plan=b.call(arguments=asked).plan)
    properties = {"includeExamples": {"type": "boolean"}}
    schema = {"type": "function", "parameters": {"type": "object", "properties": properties}}
    declared = b.declaration(schema, "agent_list_modes")
    kept = exploration(with_them, mode(exampleUtterances=None), declared=declared)
    broken = exploration(without, mode(), declared=declared)
    assert b.judge("CAT008", kept) is None
    assert MODE["id"] in b.judge("CAT008", broken).message
    assert not b.RULES["CAT008"].when(exploration(without, declared=declared))
    assert not b.RULES["CAT008"].when(b.replace(broken, declarations=(b.declaration(),)))


def test_sch016_reports_an_undeclared_argument_of_an_example():
    good = b.call("example:1", '{"name": "Ada"}', demand="accepted")
    bad = b.call("example:1", '{"name": "Ada", "title": "Countess"}', demand="accepted")
    assert b.judge("SCH016", exploration(good)) is None
    assert "title" in b.judge("SCH016", exploration(bad)).message


def test_a_call_that_did_not_come_back_counts_for_no_other_rule():
    lost = b.call(
        "missing:name", "{}", "invalid", "refused", outcome=b.Outcome.TIMED_OUT, incident="no answer"
    )
    judged = {code for code, rule in b.RULES.items() if isinstance(lost, rule.over) and rule.when(lost)}
    assert judged == {"EXC002"}


@pytest.mark.parametrize(
    "payload",
    [
        {"session_id": "S", "ConversationID": "C"},
        {"data": {"meta": {"SessionId": "S"}}, "conversationId": "C"},
        {"sessionId": "S", "conversationId": "C", "sessions": [{"sessionId": "other"}]},
    ],
)
def test_identifiers_are_found_in_any_casing_and_in_objects(payload):
    context = {"session_id": "S", "request": {"conversation_id": "C", "session_id": "S"}}
    seen = b.call(context=context, result=b.success(payload))
    assert b.judge("CTX002", seen) is None
    assert b.judge("CTX003", seen) is None


def test_identifiers_in_arrays_are_data():
    seen = b.call(result=b.success({"sessions": [{"sessionId": "x", "conversationId": "y"}]}))
    assert "sessionId" in b.judge("CTX002", seen).message
    assert b.judge("CTX003", seen) is None


def test_an_identifier_that_the_caller_sent_is_data():
    arguments = '{"sessionId": "asked-for"}'
    seen = b.call(arguments=arguments, context=None, result=b.success({"sessionId": "asked-for"}))
    assert b.judge("CTX004", exploration(seen)) is None


@pytest.mark.parametrize("identifier", ["", " ", "a\ud800b", "a\x00b"])
def test_identifiers_that_nobody_could_copy_are_not_asked_for(identifier):
    context = {"session_id": identifier, "request": {"conversation_id": identifier}}
    seen = b.call(context=context, result=b.success({"message": "Hello"}))
    assert not b.RULES["CTX002"].when(seen)


def test_a_deep_payload_is_valid_json():
    seen = b.call(result=b.success("[" * 100_000 + "]" * 100_000))
    assert b.judge("RES003", seen) is None
    broken = b.call(result=b.success("[" * 100_000 + "]" * 99_999))
    assert b.judge("RES003", broken)


def test_a_finding_shows_hostile_text_escaped_and_short():
    seen = b.call(
        arguments="\x1b[31m" + "x" * 10_000,
        raised=b.Raised("E", "\u202e" + "y" * 10_000, ""),
        probe="malformed",
    )
    message = b.judge("ARG002", b.Exploration((b.declaration(),), (seen,))).message
    assert message.isprintable()
    assert len(message) < 600


def test_a_refusal_that_the_usage_text_announces_needs_no_schema():
    announced = b.call(result=b.failure("The catalogue is closed on Sundays.", code="CLOSED"))
    usage = b.USAGE + "\n- CLOSED: it is Sunday.\n"
    assert b.judge("ARG012", exploration(announced, declared=b.declaration(usage=usage))) is None
    assert b.judge("ARG012", exploration(announced))
    asked = b.call(arguments=json.dumps({"name": "Fail with this"}), result=b.failure("Fail with this"))
    assert b.judge("ARG012", exploration(asked)) is None


@pytest.mark.parametrize("hides", [True, False])
def test_a_refusal_in_the_words_of_a_framework_has_a_cause_of_its_own(hides):
    """The framework's table has it, so that it counts as the framework's and not as the tool's."""
    refusal = b.replace(b.failure("An error occurred."), facts=FrameworkResult(by_framework=hides))
    assert (b.judge("ARG012", exploration(b.call(result=refusal))).cause == HIDDEN_REASON) is hides


def test_how_a_whole_number_is_written_is_nothing_that_a_schema_could_say():
    """1.0 is an integer to a schema and to few typed parsers; no model writes it."""
    refusal = b.failure("Expected an integer, got a float.")
    spelt = b.call(label="boundary:n:integral-float", result=refusal)
    assert b.judge("ARG012", exploration(spelt)) is None
    assert b.judge("ARG012", exploration(b.call(label="boundary:n:minimum", result=refusal)))


def unawaited(*, awaited):
    result = b.replace(b.success({"message": "Hello"}), awaited=awaited)
    execute = b.replace(b.declaration().execute, is_async=False)
    return exploration(b.call(result=result), declared=b.declaration(execute=execute))


def test_a_plain_function_that_gives_something_to_await_is_asynchronous_enough():
    """A wrapper is no coroutine function and conforms all the same."""
    assert b.judge("REG008", unawaited(awaited=True)) is None


def test_a_function_that_gives_its_result_at_once_is_not_asynchronous():
    """The caller awaits what `execute` gives."""
    assert "nothing to await" in b.judge("REG008", unawaited(awaited=False)).message


def test_without_async_and_without_a_call_nothing_is_known_of_execute():
    """Not a pass."""
    execute = b.replace(b.declaration().execute, is_async=False)
    assert not b.RULES["REG008"].when(exploration(declared=b.declaration(execute=execute)))


@pytest.mark.parametrize(
    ("expected", "payload", "said"),
    [
        ({"sum": 3}, {"sum": 3, "sessionId": "s"}, None),
        ({"sum": 3}, {"sum": 3.0}, None),
        ([1, {"a": None}], [1, {"a": None}], None),
        ({"sum": 3}, {"sum": 4}, "the payload.sum is 4 and not 3"),
        ({"sum": {"of": 1}}, {"sum": {}}, "the payload.sum.of is missing"),
        ([1, 2], [1], "the payload is [1] and not [1, 2]"),
        ({"flag": True}, {"flag": 1}, "the payload.flag is 1 and not true"),
    ],
)
def test_an_example_gives_the_result_that_its_author_named(expected, payload, said):
    """What was not named may be there too."""
    made = b.call("example:1", result=b.success(json.dumps(payload)))
    seen = b.replace(made, plan=b.replace(made.plan, expected=json.dumps(expected)))
    finding = b.judge("RES009", seen)
    assert (finding is None) if said is None else finding.message.startswith(said)


def test_an_example_without_a_result_is_not_compared():
    """No claim, no judgement."""
    assert not b.RULES["RES009"].when(b.call("example:1"))


@pytest.mark.parametrize(
    ("label", "outcome", "names"),
    [
        ("varied:count:digits", "timed_out", True),
        ("varied:count:digits", "crashed", False),
        ("extreme:code:endless-loop", "timed_out", True),
        ("extreme:code:catastrophic-pattern", "timed_out", True),
        ("extreme:code:endless-loop", "crashed", False),
        ("generated", "timed_out", False),
    ],
)
def test_a_variation_or_an_endless_text_that_did_not_come_back_in_time_names_the_setting(
    label, outcome, names
):
    """The suite asked for more than the author did."""
    found = b.judge("EXC002", b.call(label, outcome=Outcome(outcome), incident="no answer within 5 s"))
    assert ("`timeout`" in found.message) is names
