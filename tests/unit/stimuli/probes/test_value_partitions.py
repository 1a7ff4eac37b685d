"""Other ways through a tool: which calls are watched besides the base calls, and which of them are cancelled."""

import json

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Disturbed, Outcome, Result
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.probes import AfterRefusalsProbe, CancelProbe, InvalidProbe, RepeatProbe
from aptix_conformance.stimuli.probes.value_partitions import select_value_partitions, values_without_a_base

PROBE = CancelProbe()
GOOD = Result("InvokeResult", True, True, "{}", "str")
BAD = Result("InvokeResult", True, False, error_message="No.")
ACTIONS = ("list", "read", "archive")


def schema_of(required=(), **properties):
    return {"type": "object", "properties": properties, "required": list(required)}


def actions(*names):
    return schema_of(["action"], action={"enum": list(names)})


class Tool:
    """Answers plans; `ways` gives the places at which a call with some arguments is suspended."""

    def __init__(self, ways, seconds=0.001, consults=()):
        self.ways, self.seconds, self.consults = ways, seconds, consults
        self.served = 0

    def result(self, plan):
        return GOOD

    def answer(self, plan):
        self.served += 1
        arguments = json.loads(plan.arguments)
        disturbed = Disturbed(reached=True, suspensions=self.ways(arguments)) if plan.cancellation else None
        return Call(
            plan,
            Outcome.RETURNED,
            self.seconds,
            self.result(plan),
            earlier=self.served,
            disturbed=disturbed,
            token_consultations=int(arguments.get("action") in self.consults),
        )


@pytest.fixture
def subject(make_subject):
    def make(schema, **changes):
        return replace(make_subject(schema), disturbances=frozenset({"cancel"}), **changes)

    return make


def valid_calls(subject, tool):
    """What the valid probe would have seen: the simplest call twice, and each argument at its edges."""
    first = json.dumps(subject.arguments.minimal())
    plans = [stimulus("valid", label, first, {}) for label in ("minimal", "again:minimal")]
    plans += [
        stimulus("valid", f"boundary:{name}:{edge}", json.dumps(made), {})
        for (name, edge), made in subject.arguments.boundaries()
    ]
    return [tool.answer(plan) for plan in plans]


def run(subject, tool):
    """The probe's plans over a tool that has answered valid calls; and all calls."""
    seen = valid_calls(subject, tool)
    plans = []
    for plan in PROBE.fixed(subject, seen):
        plans.append(plan)
        seen.append(tool.answer(plan))
    return plans, seen


def cancelled(plans, kind="token"):
    """The arguments of the calls that were cancelled, each once, in order."""
    made = (plan.arguments for plan in plans if plan.label.startswith(f"cancelled:{kind}"))
    return [json.loads(text) for text in dict.fromkeys(made)]


def watched(plans):
    made = (plan.arguments for plan in plans if plan.label.startswith("uncancelled"))
    return [json.loads(text) for text in dict.fromkeys(made)]


def waits_for(**wanted):
    """Suspended where an argument has a value, and nowhere else."""
    ((name, value),) = wanted.items()
    return lambda arguments: (f"{name} {value}",) if arguments.get(name) == value else ()


@pytest.mark.parametrize("turn", range(3))
def test_the_order_of_an_enum_does_not_decide_which_action_is_cancelled(subject, turn):
    names = ACTIONS[turn:] + ACTIONS[:turn]
    plans, seen = run(tool_subject := subject(actions(*names)), Tool(waits_for(action="read")))
    assert cancelled(plans) == cancelled(plans, "task") == [{"action": "read"}]
    assert PROBE.shortfall(tool_subject, seen) is None


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        (schema_of(deep={"type": "boolean"}), {"deep": True}),
        (schema_of(mode={"const": "deep"}), {"mode": "deep"}),
        (schema_of(times={"type": "integer", "minimum": 1, "maximum": 9}), {"times": 9}),
        (schema_of(["times"], times={"type": "integer", "minimum": 1, "maximum": 9}), {"times": 9}),
    ],
)
def test_what_an_argument_sets_off_is_cancelled(subject, schema, wanted):
    plans, _ = run(subject(schema), Tool(waits_for(**wanted)))
    assert cancelled(plans) == [wanted]


def test_a_tool_that_never_waits_is_watched_only(subject):
    asked = subject(actions(*ACTIONS))
    plans, seen = run(asked, Tool(lambda _: ()))
    assert [plan.label for plan in plans] == ["uncancelled:1", "cancelled:before", *["uncancelled:1"] * 2]
    assert "without ever being suspended" in PROBE.shortfall(asked, seen).reason


def test_a_call_that_looks_at_its_token_and_never_waits_finds_it_cancelled(subject):
    plans, _ = run(subject(actions(*ACTIONS)), Tool(lambda _: (), consults=("archive",)))
    assert cancelled(plans, "before") == [{"action": "list"}, {"action": "archive"}]


def test_calls_that_wait_at_the_same_places_are_cancelled_once(subject):
    places = {"list": (), "read": ("store",), "archive": ("store",)}
    plans, seen = run(asked := subject(actions(*ACTIONS)), Tool(lambda given: places[given["action"]]))
    assert cancelled(plans) == [{"action": "read"}]
    assert PROBE.shortfall(asked, seen) is None


def test_a_call_that_waits_where_the_simplest_does_takes_no_turn_from_others(subject):
    times = {"a": 1, "b": 1, "c": 2, "d": 3, "e": 4, "f": 5}
    plans, _ = run(subject(actions(*times)), Tool(lambda given: ("loop",) * times[given["action"]]))
    assert [given["action"] for given in cancelled(plans)] == ["a", "c", "d", "e", "f"]


def test_each_listed_value_is_watched_and_each_new_place_cancelled_and_there_is_a_bound_to_the_others(
    subject,
):
    names = [f"a{number:02}" for number in range(20)]

    def ways(given):
        number = int(given["action"][1:])
        return ("last",) if number == 19 else ("loop",) * (number + 1)

    plans, seen = run(asked := subject(actions(*names)), Tool(ways))
    assert watched(plans) == [{"action": name} for name in names]
    assert cancelled(plans) == [{"action": name} for name in ("a00", "a19", "a01", "a02", "a03")]
    assert "in 20 different ways, in 15 of which none was cancelled" in PROBE.shortfall(asked, seen).reason


def test_there_is_no_bound_to_new_places(subject):
    names = [f"a{number:02}" for number in range(20)]
    plans, seen = run(asked := subject(actions(*names)), Tool(lambda given: (given["action"],)))
    assert cancelled(plans) == [{"action": name} for name in names]
    assert PROBE.shortfall(asked, seen) is None


def test_each_argument_has_its_turn_before_one_has_its_second(subject):
    schema = schema_of(["action"], action={"enum": [*"abcdefghijklmnopqrst"]}, deep={"type": "boolean"})
    plans, _ = run(subject(schema), Tool(waits_for(deep=True)))
    assert cancelled(plans) == [{"action": "a", "deep": True}]


def test_a_call_that_does_not_succeed_each_time_is_not_cancelled(subject):
    class Moody(Tool):
        def result(self, plan):
            return BAD if plan.label == "uncancelled:1" and "read" in plan.arguments else GOOD

    plans, _ = run(subject(actions(*ACTIONS)), Moody(waits_for(action="read")))
    assert cancelled(plans) == []


def test_a_call_that_another_makes_fail_is_not_cancelled(subject):
    class Archived(Tool):
        """Nothing can be read once the archive was watched."""

        gone = False

        def result(self, plan):
            self.gone = self.gone or bool(plan.cancellation and "archive" in plan.arguments)
            return BAD if self.gone and "read" in plan.arguments else GOOD

    plans, _ = run(subject(actions(*ACTIONS)), Archived(waits_for(action="read")))
    assert cancelled(plans) == []


def test_more_values_than_are_watched_are_said(subject, monkeypatch):
    monkeypatch.setattr("aptix_conformance.stimuli.probes.cancel._MOST_WATCHED", 0)
    asked = subject(actions(*ACTIONS))
    plans, seen = run(asked, Tool(lambda given: (given["action"],), seconds=0.3))
    assert cancelled(plans) == [{"action": "list"}]
    assert "of 2 calls with other values 2 were not watched" in PROBE.shortfall(asked, seen).reason


def test_the_same_calls_give_the_same_plans(subject):
    schema = schema_of(
        ["action"], action={"enum": [*"abcdef"]}, deep={"type": "boolean"}, n={"type": "integer"}
    )

    def ways(given):
        return (given["action"],) * (1 + bool(given.get("deep")))

    assert run(subject(schema), Tool(ways))[0] == run(subject(schema), Tool(ways))[0]


def test_values_that_python_takes_for_one_are_told_apart(subject):
    asked = subject(schema_of(["flag"], flag={"enum": [1, True]}))
    seen = valid_calls(asked, Tool(lambda _: ()))
    assert select_value_partitions(asked, seen, ['{"flag": 1}']) == ['{"flag": true}']


def test_a_value_that_only_a_drawn_call_has_is_taken_from_there(subject):
    asked = subject(actions(*ACTIONS))
    seen = [
        Call(stimulus("valid", "generated", text, {}), Outcome.RETURNED, 0.0, result)
        for text, result in (('{"action": "archive"}', BAD), ('{ "action": "read" }', GOOD))
    ]
    assert select_value_partitions(asked, seen, ['{"action": "list"}']) == ['{ "action": "read" }']


JOB = {"type": "object", "properties": {"kind": {"enum": [*"abcd"]}}, "required": ["kind"]}
WITHIN = {
    "of an object": (schema_of(["job"], job=JOB), lambda kind: {"job": {"kind": kind}}),
    "of each element": (
        schema_of(["jobs"], jobs={"type": "array", "items": JOB, "minItems": 1}),
        lambda kind: {"jobs": [{"kind": kind}]},
    ),
    "of a definition": (
        {**schema_of(["job"], job={"$ref": "#/$defs/job"}), "$defs": {"job": JOB}},
        lambda kind: {"job": {"kind": kind}},
    ),
}


def waits_within(kind):
    """Suspended where a kind is anywhere in the arguments."""
    return lambda arguments: (kind,) if f'"kind": "{kind}"' in json.dumps(arguments) else ()


@pytest.mark.parametrize("where", WITHIN)
@pytest.mark.parametrize("kind", [*"abcd"])
def test_a_listed_value_inside_of_an_argument_has_its_turn(subject, where, kind):
    schema, holding = WITHIN[where]
    plans, seen = run(asked := subject(schema), Tool(waits_within(kind)))
    assert cancelled(plans) == [holding(kind)]
    assert {json.dumps(made) for made in watched(plans)} == {json.dumps(holding(each)) for each in "abcd"}
    assert PROBE.shortfall(asked, seen) is None


def test_values_inside_take_no_turn_from_arguments(subject):
    kinds = [f"k{number:02}" for number in range(20)]
    job = {"type": "object", "properties": {"kind": {"enum": kinds}}, "required": ["kind"]}
    schema = schema_of(["action", "job"], action={"enum": [*"abcdefghijklmnop"]}, job=job)
    plans, seen = run(asked := subject(schema), Tool(lambda _: ("everywhere",)))
    made = watched(plans)
    assert [given["action"] for given in made[1:4]] == ["b", "a", "c"]
    assert {given["action"] for given in made} == {*"abcdefghijklmnop"}
    assert {given["job"]["kind"] for given in made} == {*kinds}
    assert PROBE.shortfall(asked, seen) is None


def test_there_is_a_bound_to_what_is_watched_at_boundaries_and_what_is_left_is_said(subject):
    """Values that are listed do not count."""
    numbers = {f"n{number}": {"type": "integer", "minimum": 1, "maximum": 9} for number in range(10)}
    schema = schema_of(["action"], action={"enum": [*"abcdefghijklmnop"]}, **numbers)
    plans, seen = run(asked := subject(schema), Tool(lambda _: ("everywhere",)))
    first = watched(plans)[0]
    assert sum(given["action"] == first["action"] for given in watched(plans)) == 1 + 12
    assert {given["action"] for given in watched(plans)} == {*"abcdefghijklmnop"}
    assert "8 further calls with other values were not watched" in PROBE.shortfall(asked, seen).reason


@pytest.mark.parametrize(
    ("probe", "made"), [(RepeatProbe(), 2), (AfterRefusalsProbe(), 1), (InvalidProbe(), 1)]
)
@pytest.mark.parametrize(
    "schema",
    [actions(*"abcdef"), schema_of(["job"], job={**JOB, "properties": {"kind": {"enum": [*"abcdef"]}}})],
)
def test_a_probe_that_takes_few_calls_says_how_many_listed_values_it_left_out(subject, probe, made, schema):
    asked = replace(subject(schema), disturbances=frozenset({"together"}))
    said = values_without_a_base(probe, asked, valid_calls(asked, Tool(lambda _: ())))
    assert f"with {6 - made} other listed values" in said.reason
    assert said.reduced_coverage
    assert said.expected
    few = replace(subject(actions("a")), disturbances=frozenset({"together"}))
    assert values_without_a_base(probe, few, valid_calls(few, Tool(lambda _: ()))) is None


def test_each_listed_value_is_repeated_once(subject):
    asked = replace(subject(actions(*"abcdefghijklmnopqrst")), disturbances=frozenset({"together"}))
    tool = Tool(lambda _: ())
    seen = valid_calls(asked, tool)
    for plan in RepeatProbe().fixed(asked, seen):
        seen += [tool.answer(plan)]
    made = [call.plan for call in seen if call.plan.label.startswith("same:values:")]
    assert len({plan.arguments for plan in made}) == len(made) == 18
    (many,) = (group for group in RepeatProbe().together(asked, seen) if len(group) > 2)
    assert {json.loads(plan.arguments)["action"] for plan in many} == {"a", "b"}
    assert values_without_a_base(RepeatProbe(), asked, seen) is None


def test_a_slow_value_does_not_make_fewer_calls_at_once(subject):
    asked = replace(subject(actions(*"abcdef")), disturbances=frozenset({"together"}))
    tool = Tool(lambda _: ())
    seen = valid_calls(asked, tool)
    for plan in RepeatProbe().fixed(asked, seen):
        seen += [replace(tool.answer(plan), elapsed=1.0 if "f" in plan.arguments else 0.001)]
    assert RepeatProbe().shortfall(asked, seen) is None


def test_without_a_usable_schema_nothing_is_selected(subject):
    assert select_value_partitions(subject(None), [], []) == []
