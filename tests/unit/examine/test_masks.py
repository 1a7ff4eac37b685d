"""What one rule's breach hides from another: who reports a fault, what is left, and what a waiver covers."""

import datetime

import pytest
from tests.stimuli import stimulus
from tests.verdicts import finding

from aptix_conformance.core.contracts import Level
from aptix_conformance.core.model import (
    Call,
    Constant,
    Declaration,
    Exploration,
    InjectedFault,
    Member,
    Outcome,
    Raised,
    Result,
    SchemaReading,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.verdict import Obstacle
from aptix_conformance.examine import ApplicableRule
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.examine.masks import settle
from aptix_conformance.examine.obstacle_words import met
from aptix_conformance.examine.verdicts import Proof, apply_waivers, verdict_of
from aptix_conformance.rules.lib.kernel import AnyCall, Finding, Precondition, rule
from aptix_conformance.systems.aptix.traits import TRAITS
from aptix_conformance.targets import Waiver

DECLARATION = Declaration(
    class_name="Tool",
    module="tool",
    when="start",
    tool_name=Constant("TOOL_NAME", "missing"),
    usage_text=Constant("TOOL_USAGE_METADATA", "missing"),
    get_schema=Member("get_schema", "missing"),
    schema=SchemaReading("missing"),
    schema_again=SchemaReading("missing"),
    name=Member("name", "missing"),
    is_tool_fully_executed_on_server=Member("is_tool_fully_executed_on_server", "missing"),
    execute=Member("execute", "missing"),
    constructor=(),
    construction_error=None,
    traits=TRAITS,
)


def made(label="generated", probe="valid", demand="either", earlier=0, **ended):
    ended = ended or {"outcome": Outcome.RETURNED, "result": result()}
    return Call(stimulus(probe, label, "{}", {}, demand), elapsed=0.0, earlier=earlier, **ended)


def result(successful=True):
    return Result("InvokeResult", True, successful, "{}" if successful else None, "str")


def refusing():
    return {"outcome": Outcome.RETURNED, "result": result(successful=False)}


def raising():
    return {"outcome": Outcome.RAISED, "raised": Raised("ValueError", "no", "")}


def hanging():
    return {"outcome": Outcome.TIMED_OUT, "incident": "no answer"}


@rule("EXC901", "X.1", remedy="Catch it.", masks_others=True)
def never_raises(call: Call):
    """Nothing is raised."""
    return Finding("It raised.") if call.raised else None


@rule("EXC902", "X.1", remedy="Come back.", masks_others=True)
def comes_back(call: Call):
    """Every call comes back."""
    return Finding("It hung.") if call.incident else None


@rule("RES901", "X.2", when=lambda call: call.refused, remedy="Say why.")
def says_why(call: Call):
    """A refusal says why."""


@rule(
    "ARG901",
    "X.3",
    when=AnyCall(lambda call: call.refused),
    kind=lambda call: call.plan.change.argument,
    remedy="Refuse each.",
)
def each_argument_is_checked(exploration: Exploration):
    """Each argument is checked by itself."""
    return ()


def ceding(code, to, **changes):
    @rule(code, "X.4", remedy="Fix the other.")
    def gives_way(call: Call):
        """Finds what another rule reports."""
        return Finding("It was wrong.", defers_to=to, **changes) if call.refused else None

    return gives_way


@rule("SCH901", "X.5", remedy="Do not refuse.")
def refuses_nothing(call: Call):
    """Nothing is refused."""
    return Finding("It refused.") if call.refused else None


def ledger_of(*rules, calls=(), levels=()):
    levels = {**dict.fromkeys(rules, Level.MUST), **dict(levels)}
    found = Ledger([ApplicableRule(each, level, None) for each, level in levels.items()])
    for call in calls:
        found.observe(call)
    found.conclude()
    return found


def masked(*rules, **how):
    return settle(ledger_of(*rules, **how)).masked


def test_a_rule_is_masked_where_every_call_of_a_probe_threw():
    calls = [made(), made("garbage:prose", "malformed", "refused", **raising())]
    assert masked(never_raises, says_why, calls=calls) == {"RES901": ("EXC901",)}


def test_a_rule_is_not_masked_where_a_call_of_the_probe_came_back():
    calls = [made(**raising()), made()]
    assert masked(never_raises, says_why, calls=calls) == {}


def test_a_rule_with_finer_kinds_is_masked_for_each_of_them():
    calls = [
        made("missing:name", "invalid", "refused", **raising()),
        made("missing:mood", "invalid", "refused", **refusing()),
    ]
    assert masked(never_raises, each_argument_is_checked, calls=calls) == {"ARG901": ("EXC901",)}
    assert masked(never_raises, says_why, calls=calls) == {}


def test_a_call_that_must_succeed_hides_nothing_of_refusals():
    calls = [made("example:1", demand="accepted", **raising())]
    assert masked(never_raises, says_why, calls=calls) == {}


def test_calls_that_were_not_made_because_others_hung_are_hidden_too():
    found = ledger_of(comes_back, says_why, calls=[made(**hanging())])
    found.unmade.append(stimulus("invalid", "missing:name", "{}", {}, "refused"))
    assert settle(found).masked == {"RES901": ("EXC902",)}
    found = ledger_of(comes_back, each_argument_is_checked, calls=[made(**hanging()), made()])
    found.unmade.append(stimulus("invalid", "missing:name", "{}", {}, "refused"))
    assert settle(found).masked == {"ARG901": ("EXC902",)}


def test_a_rule_that_gives_way_to_a_broken_one_is_masked():
    rules = ceding("ARG902", "SCH901"), refuses_nothing
    found = settle(ledger_of(*rules, calls=[made(**refusing())]))
    assert found.masked == {"ARG902": ("SCH901",)}
    assert found.breaches.keys() == {"SCH901"}


def test_a_rule_gives_way_to_none_that_is_kept_or_not_in_force():
    for to in ("RES901", "XXX999"):
        found = settle(ledger_of(ceding("ARG902", to), says_why, calls=[made(**refusing())]))
        assert found.masked == {}
        assert found.breaches.keys() == {"ARG902"}


def test_a_rule_that_gives_way_to_one_that_gives_way_is_masked_by_the_last():
    rules = ceding("ARG902", "ARG903"), ceding("ARG903", "SCH901"), refuses_nothing
    assert masked(*rules, calls=[made(**refusing())]) == {"ARG902": ("SCH901",), "ARG903": ("SCH901",)}


def test_two_rules_that_give_way_to_each_other_do_not_both_keep_silent():
    found = settle(
        ledger_of(ceding("ARG902", "ARG903"), ceding("ARG903", "ARG902"), calls=[made(**refusing())])
    )
    assert found.breaches


def test_a_should_masks_no_must():
    calls = [made(**refusing()), made("garbage:prose", "malformed", "refused", **raising())]
    weak = {never_raises: Level.SHOULD, refuses_nothing: Level.SHOULD}
    found = settle(ledger_of(ceding("ARG902", "SCH901"), says_why, calls=calls, levels=weak.items()))
    assert found.masked == {}
    assert found.breaches.keys() == {"ARG902", "EXC901", "SCH901"}


def test_a_fault_that_is_never_its_own_is_not_reported_by_a_rule_that_binds_more():
    weak = {refuses_nothing: Level.SHOULD}.items()
    own = ceding("ARG902", "SCH901", not_its_own=True)
    found = settle(ledger_of(own, calls=[made(**refusing())], levels=weak))
    assert found.breaches.keys() == {"SCH901"}
    assert (found.masked, found.covered_by) == ({}, {"ARG902": "SCH901"}), "it judged nothing else"
    found = settle(ledger_of(own, calls=[made(**refusing()), made("missing:x", "invalid")], levels=weak))
    assert (found.masked, found.covered_by) == ({}, {})


def test_a_rule_of_which_another_reports_everything_does_not_apply():
    verdict = verdict_of(
        ApplicableRule(says_why, Level.MUST, None), 3, None, [met(Obstacle.DEFERRED, rules=("SCH019",))]
    )
    assert (verdict.verdict.value, verdict.reason) == (
        "not_applicable",
        "SCH019 alone reports what it could judge",
    )


@rule("SCH902", "X.6", remedy="Declare it.")
def is_declared(declaration: Declaration):
    """Something is declared."""
    return Finding("Nothing is declared.")


@rule(
    "SCH903",
    "X.7",
    when=Precondition(lambda _: False, "nothing is said", ("SCH902", "SCH999")),
    remedy="Say it.",
)
def says_something(declaration: Declaration):
    """What is declared says something."""


def test_a_rule_on_declarations_is_masked_by_the_rule_that_left_it_none():
    found = ledger_of(is_declared, says_something)
    found.observe(DECLARATION)
    assert settle(found).masked == {"SCH903": ("SCH902",)}
    found = ledger_of(says_something)
    found.observe(DECLARATION)
    assert settle(found).masked == {}


@rule(
    "ARG904",
    "X.8",
    when=Precondition(AnyCall(lambda call: call.refused), "nothing was refused", ("SCH902",)),
    remedy="Refuse it.",
)
def is_refused(exploration: Exploration):
    """What the declaration forbids is refused."""
    return ()


def declared_wrongly(*calls, level=Level.MUST):
    """The verdicts after a tool's declaration broke SCH902, of some level, and these calls were made."""
    found = ledger_of(is_declared, is_refused, calls=calls, levels={is_declared: level}.items())
    found.observe(DECLARATION)
    return settle(found)


def test_a_rule_on_calls_is_masked_by_the_rule_that_left_it_none_to_plan():
    assert declared_wrongly(made()).masked == {"ARG904": ("SCH902",)}
    assert declared_wrongly(made(**refusing())).masked == {}


def test_what_binds_less_stands_in_the_way_and_masks_nothing():
    found = declared_wrongly(made(), level=Level.SHOULD)
    assert (found.masked, found.in_the_way) == ({}, {"ARG904": ("SCH902",)})
    assert declared_wrongly(made(**refusing()), level=Level.SHOULD).in_the_way == {}
    assert declared_wrongly(made()).in_the_way == {}, "it is masked"


@rule("RES903", "X.2", when=lambda call: call.succeeded and call.plan.disturbance, remedy="Say so.")
def says_what_is_missing(call: Call):
    """A success without a dependency says what is missing."""


@pytest.mark.parametrize(("ended", "in_the_way"), [({}, {"RES903": ("EXC901",)}), (refusing(), {})])
def test_a_should_on_a_disturbed_call_stands_in_the_way_only_where_that_succeeds_undisturbed(
    ended, in_the_way
):
    """A call that is refused anyway would not have succeeded, whatever the tool made of the disturbance."""
    plan = stimulus("fault", "generated", "{}", {}, "either")
    disturbed = replace(plan, disturbance=InjectedFault("library", 1, "unknown"))
    calls = [made(**ended), Call(disturbed, elapsed=0.0, **raising())]
    levels = {never_raises: Level.SHOULD}.items()
    found = settle(ledger_of(never_raises, says_what_is_missing, calls=calls, levels=levels))
    assert found.in_the_way == in_the_way


def test_a_should_that_takes_all_calls_stands_in_the_way_of_a_must():
    levels = {never_raises: Level.SHOULD}.items()
    raised = made("garbage:prose", "malformed", "refused", **raising())
    found = settle(ledger_of(never_raises, says_why, calls=[raised], levels=levels))
    assert (found.masked, found.in_the_way) == ({}, {"RES901": ("EXC901",)})
    found = settle(ledger_of(never_raises, says_why, calls=[raised, made(**refusing())], levels=levels))
    assert found.in_the_way == {}, "it judged another call"


@pytest.mark.parametrize("binds", [Level.MUST, Level.SHOULD])
def test_a_masked_rule_is_inconclusive_and_names_what_masks_it(binds):
    verdict = verdict_of(
        ApplicableRule(says_why, binds, None), 3, None, [met(Obstacle.MASKED, rules=("EXC901", "RES001"))]
    )
    assert verdict.verdict.value == "inconclusive"
    assert verdict.reason == "masked by EXC901 and RES001; run again once that is fixed"


def test_what_a_waived_rule_masks_is_waived_with_it():
    day = datetime.date(2026, 1, 1)
    verdicts = [
        verdict_of(ApplicableRule(never_raises, Level.MUST, None), 1, Proof((finding("It raised."),))),
        verdict_of(
            ApplicableRule(says_why, Level.MUST, None), 1, None, [met(Obstacle.MASKED, rules=("EXC901",))]
        ),
        verdict_of(
            ApplicableRule(refuses_nothing, Level.MUST, None),
            1,
            None,
            [met(Obstacle.MASKED, rules=("EXC901", "EXC902"))],
        ),
    ]
    waiver = Waiver("EXC901", "the owner", "soon", day)
    found = {v.rule: (v.verdict.value, v.reason) for v in apply_waivers(verdicts, [waiver], day)}
    assert found["EXC901"][0] == "waived"
    assert found["RES901"] == ("waived", "masked by EXC901, which is waived")
    assert found["SCH901"][0] == "inconclusive"
