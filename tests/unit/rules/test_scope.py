"""What each rule is for: of a tool that shows nothing, next to nothing is judged."""

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.argument_builders import invalid
from tests.unit.rules.explorations import disturbed

from aptix_conformance.core.model import Disturbed, Exploration
from aptix_conformance.core.model.codec import replace
from aptix_conformance.rules.lib import scope

OWN = {"REG", "SCH", "ARG", "RES", "CTX", "EXC", "CAN", "LOG", "USE", "CAT"}


def judged(observation):
    """The rules, agent_list_modes' and agent_hello_world's own ones too, that are for an observation."""
    return {
        code
        for code, rule in b.RULES.items()
        if code[:3] in OWN and isinstance(observation, rule.over) and rule.when(observation)
    }


@pytest.fixture
def nothing():
    """What is read off an empty class."""
    return b.replace(
        b.declaration(),
        tool_name=b.Constant("TOOL_NAME", "missing", None, ""),
        usage_text=b.Constant("TOOL_USAGE_METADATA", "missing", None, ""),
        get_schema=b.Member("get_schema", "missing"),
        schema=b.SchemaReading("missing", None),
        schema_again=b.SchemaReading("missing", None),
        name=b.Member("name", "missing"),
        is_tool_fully_executed_on_server=b.Member("is_tool_fully_executed_on_server", "missing"),
        execute=b.Member("execute", "missing"),
        constructor=(),
    )


@pytest.mark.parametrize(
    ("label", "name"),
    [("type:count:string", "count"), ("type:a:b:string", "a:b"), ("missing:name", "name"), ("plain", "")],
)
def test_the_argument_that_a_label_names(label, name):
    assert scope.argument(invalid(label)) == name


def test_a_fault_is_its_type_and_the_last_line_of_its_traceback():
    text = '  File "/a.py", line 1, in x\n  File "/b.py", line 22, in y\n'
    assert scope.fault_of(b.call(raised=b.Raised("KeyError", "", text))) == ("KeyError", "/b.py:22")
    assert scope.fault_of(b.call(raised=b.Raised("KeyError", "", ""))) == ("KeyError", "")
    assert scope.fault_of(b.call()) == ("", "")


def test_the_shortest_call_is_the_one_that_is_shown():
    long, short = b.call(arguments='{"name": "Adelheid"}'), b.call(arguments='{"name": "A"}')
    assert scope.shortest([long, short]) == short
    assert scope.shortest([]) is None


def test_a_call_that_was_watched_is_not_cancelled_and_one_that_was_is():
    assert not scope.cancelled(b.call())
    assert not scope.cancelled(disturbed(b.call(), "cancel:watch"))
    assert scope.cancelled(disturbed(b.call(), "cancel:token:1"))
    assert scope.cancelled(disturbed(b.call(), "catalog:hangs"))
    assert not scope.cancelled(disturbed(b.call(), "catalog:typical"))
    assert scope.cancelled(b.call("service:1:never_answers", probe="fault"))
    assert not scope.cancelled(b.call("service:1:never_answers", probe="valid"))
    assert not scope.cancelled(b.call("service:1:unknown", probe="fault"))


def test_of_an_empty_class_that_is_judged_which_says_what_is_missing(nothing):
    says_what_is_missing = {"REG001", "REG007", "REG010", "REG013", "SCH001"}
    about_what_is_there = {"REG011", "REG012", "CAT003"}
    assert judged(nothing) == says_what_is_missing | about_what_is_there


@pytest.mark.parametrize("schema", ["[]", "nonsense", '{"type": NaN}'])
def test_of_a_schema_that_is_no_object_only_that_is_said(schema):
    codes = {code for code in judged(b.declaration(schema)) if code.startswith("SCH")}
    assert codes == {"SCH001", "SCH002", "SCH012"}


def test_of_an_object_that_is_no_function_nothing_is_asked_that_a_function_has():
    codes = {code for code in judged(b.declaration({"type": "tool"})) if code.startswith("SCH")}
    assert codes == {"SCH001", "SCH002", "SCH003", "SCH012", "SCH013"}


def test_of_a_function_without_parameters_nothing_is_asked_of_arguments():
    own = b.declaration(b.schema(parameters=None))
    codes = {code for code in judged(own) if code.startswith("SCH")}
    assert codes.isdisjoint({"SCH007", "SCH008", "SCH009", "SCH010", "SCH011", "SCH031", "SCH032", "SCH034"})
    assert {"SCH004", "SCH005", "SCH006"} <= codes
    assert judged(own).isdisjoint({"USE010", "USE021", "CAT002"})


@pytest.mark.parametrize("usage", ["", " \n"])
def test_of_a_blank_usage_text_only_that_is_said(usage):
    codes = {code for code in judged(b.declaration(usage=usage)) if code.startswith("USE")}
    assert codes - {"USE021"} == {"USE001"}
    assert judged(b.declaration(usage=usage)).isdisjoint({"CAT010", "CAT011"})


@pytest.mark.parametrize("kind", ["missing", "property", "descriptor"])
def test_a_usage_text_that_is_no_constant_is_not_read(kind):
    own = b.declaration(usage_text=b.Constant("TOOL_USAGE_METADATA", kind, b.USAGE, "str"))
    codes = {code for code in judged(own) if code.startswith("USE")}
    assert codes <= {"USE021"}


def test_without_calls_and_a_second_reading_no_exploration_is_judged():
    plain = b.replace(b.declaration(), execute=b.replace(b.declaration().execute, is_async=False))
    assert judged(Exploration((plain,), ())) == set()


def test_a_tool_that_could_not_be_made_was_not_called():
    never = b.call(outcome=b.Outcome.NOT_CONSTRUCTED)
    assert judged(never) == set()
    plain = b.replace(b.declaration(), execute=b.replace(b.declaration().execute, is_async=False))
    assert judged(Exploration((plain,), (never,))) == set()


@pytest.mark.parametrize(
    "probe", ["valid", "invalid", "malformed", "context", "repeat", "cancel", "fault", "reading"]
)
def test_a_call_that_did_not_come_back_is_exc002s_alone(probe):
    lost = b.call("plain", "{}", probe, "refused", outcome=b.Outcome.CRASHED, incident="exit status 3")
    assert judged(lost) == {"EXC002"}
    plain = b.replace(b.declaration(), execute=b.replace(b.declaration().execute, is_async=False))
    assert judged(Exploration((plain,), (lost,))) == set()


@pytest.mark.parametrize("probe", ["cancel", "fault", "reading"])
def test_an_exception_under_a_disturbance_is_for_the_rules_on_that_disturbance(probe):
    assert judged(b.call("plain", "{}", probe, "either", raised="KeyError")) == {"EXC002"}


def test_a_success_of_no_rules_kind_is_judged_by_what_all_successes_are():
    made = b.call(
        "plain", "{}", "reading", "either", b.success({"a": 1}), context={"session_id": None, "request": None}
    )
    assert judged(made) == {
        "EXC002", "EXC005", "RES001", "RES002", "RES003", "RES013", "LOG003", "USE023", "CAT004",
    }  # fmt: skip


def test_a_refusal_of_no_rules_kind_is_judged_by_what_all_refusals_are():
    made = b.call(
        "plain", "{}", "reading", "either", b.failure(), context={"session_id": None, "request": None}
    )
    assert judged(made) == {
        "EXC002", "EXC003", "EXC004", "EXC006", "RES001", "RES004", "RES005", "RES008", "LOG003", "CAT009",
    }  # fmt: skip


def test_a_failed_result_without_any_text_holds_nothing_to_search():
    bare = replace(b.failure(""), errors=(), error_message=None)
    assert judged(b.call(result=bare)).isdisjoint({"EXC003", "EXC004", "EXC006"})


def test_whose_turn_it_is_depends_on_what_was_asked():
    """What a rule on one probe's calls says of another's is nothing."""
    blank = b.call("blank:null", None, "malformed", "refused")
    for code, call in {
        "ARG001": b.call("missing:name", "{}", "invalid", "refused"),
        "ARG002": b.call("plain", "nonsense", "fault", "refused"),
        "CTX001": replace(b.call("context:none", probe="context"), outcome=b.Outcome.CRASHED, result=None),
        "ARG005": b.call("missing:name", "{}", "invalid", "accepted"),
    }.items():
        rule = b.RULES[code]
        seen = Exploration((), (call,)) if rule.over is Exploration else call
        assert not rule.when(seen)
    for other in (
        {"outcome": b.Outcome.CRASHED, "result": None},
        {"plan": replace(blank.plan, demand="either")},
    ):
        assert not b.RULES["ARG001"].when(Exploration((), (replace(blank, **other),)))
    assert b.RULES["ARG001"].when(Exploration((), (blank,)))


def test_what_was_thrown_is_told():
    assert scope.thrown(b.call(raised=b.Raised("KeyError", "'x'", ""))) == "KeyError: 'x'"
    assert scope.thrown(b.call(raised=b.Raised("KeyError", "", ""))) == "KeyError"
    assert scope.thrown(b.call()) == "an exception"
    unread = b.Raised("OddError", "<OddError that raises ValueError when it is shown>", "")
    said = "OddError, whose text cannot be read: reading it raises ValueError"
    assert scope.thrown(b.call(raised=unread)) == said
    assert scope.payload(b.call(result=b.success(None))) == "no text"
    assert scope.payload(b.call(raised="KeyError")) == "no text"
    assert scope.payload(b.call(result=b.success("{}"))) == "{}"


@pytest.mark.parametrize(
    ("outcome", "category", "came_back"),
    [
        ("RETURNED", None, True),
        ("RAISED", "error", True),
        ("RAISED", "cancelled", True),
        ("RAISED", "exit", False),
        ("RAISED", "interrupt", False),
        ("TIMED_OUT", None, False),
        ("CRASHED", None, False),
        ("OVER_MEMORY", None, False),
        ("OVER_OUTPUT", None, False),
    ],
)
def test_how_a_call_ended(outcome, category, came_back):
    raised = b.Raised("E", "", "", category) if category else None
    call = replace(b.call(raised=raised), outcome=getattr(b.Outcome, outcome))
    assert scope.came_back(call) is came_back
    assert scope.ended_process(call) is not came_back
    assert scope.threw(call) is (came_back and outcome == "RAISED")


def test_a_watched_call_has_its_disturbance_and_is_no_cancelled_one():
    watched = replace(b.call(), disturbed=Disturbed(reached=True))
    assert not scope.cancelled(watched)


def thrown(traceback):
    return b.call(raised=b.Raised("KeyError", "", traceback))


OWN_FRAMES = '  File "/srv/tool.py", line 3, in execute\n  File "/srv/parse.py", line 7, in _parse\n'
LIBRARY_FRAMES = (
    '  File "/usr/lib/python3.12/asyncio/tasks.py", line 1, in run\n'
    '  File "/usr/lib/python3.12/json/decoder.py", line 9, in decode\n'
)


@pytest.mark.parametrize(
    ("traceback", "place", "function"),
    [
        (OWN_FRAMES, "/srv/parse.py:7", "_parse"),
        (OWN_FRAMES + LIBRARY_FRAMES, "/srv/parse.py:7", "_parse"),
        (LIBRARY_FRAMES, "/usr/lib/python3.12/json/decoder.py:9", "decode"),
        ("", "", ""),
    ],
)
def test_an_exception_comes_from_the_innermost_frame_of_the_tools_own(traceback, place, function):
    call = thrown(traceback)
    assert scope.raised_at(call) == ("KeyError", place)
    assert scope.raised_in(call) == ("KeyError", function)


def test_without_an_exception_nothing_was_raised_anywhere():
    assert scope.raised_at(b.call()) == ("", "")
    assert scope.raised_in(b.call()) == ("", "")


@pytest.mark.parametrize(
    ("stack", "function"),
    [
        (
            "    at JSON.parse (<anonymous>)\n    at Tool.parse (/srv/t.mjs:1:2)\n    at async Tool.run (/srv/t.mjs:9:2)",
            "Tool.parse",
        ),
        (
            "    at read (/srv/node_modules/x/index.js:1:2)\n    at Tool.parse (/srv/t.mjs:1:2)",
            "Tool.parse",
        ),
        (
            "   at System.Int32.Parse(String s)\n   at Weather.Tool.Parse(String s) in /srv/T.cs:line 3",
            "Weather.Tool.Parse",
        ),
        ("    at JSON.parse (<anonymous>)\n    at next (node:internal/x:1:2)", "JSON.parse"),
    ],
)
def test_a_stack_of_another_language_has_its_innermost_function_first(stack, function):
    assert scope.raised_in(thrown(stack)) == ("KeyError", function)


def test_refusals_are_told_apart_by_what_was_wrong_with_the_call():
    refused = b.failure()
    failing = ("a failing service", "")
    assert scope.occasion(b.call("service:1:unknown", probe="fault", result=refused)) == failing
    catalog = disturbed(b.call(demand="refused"), "catalog:typical")
    assert scope.occasion(catalog) == failing
    forbidden = "an object that the schema forbids"
    assert scope.occasion(invalid("missing:name")) == (forbidden, "name")
    assert scope.occasion(invalid("missing:mood")) == (forbidden, "mood")
    no_object = b.call("garbage:prose", "x", "malformed", "refused")
    assert scope.occasion(no_object) == ("arguments that are no object", "")
    allowed = ("arguments that the schema allows", "")
    assert scope.occasion(b.call()) == allowed
    assert scope.occasion(disturbed(b.call(demand="accepted"), "catalog:typical")) == allowed


def test_calls_are_of_one_kind_by_their_probe_their_change_and_its_argument():
    missing = invalid("missing:name")
    assert scope.changed(missing) == scope.changed(replace(missing, result=b.failure()))
    for other in (invalid("missing:mood"), invalid("null:name"), b.call("missing:name")):
        assert scope.changed(other) != scope.changed(missing)


def test_no_two_calls_with_other_arguments_are_of_one_kind_as_sent():
    assert scope.as_sent(b.call(arguments="{}")) == "{}"
    assert scope.as_sent(b.call(arguments=None)) is None
