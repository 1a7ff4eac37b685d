"""The examination engine against hosts in memory: what it asks, keeps, shrinks and gives up on."""

import json
import re

import pytest
from hypothesis import strategies as st
from tests.stimuli import stimulus

from aptix_conformance.contracts import load
from aptix_conformance.errors import ConfigurationError, HostError, SlowTargetError, TargetError
from aptix_conformance.examination import Options, Suite, examine
from aptix_conformance.examination.applicable import applicable_rules
from aptix_conformance.examination.ledger import Ledger
from aptix_conformance.examination.reproduce import Reproduction
from aptix_conformance.examination.scan import Budget, Scan, key_of
from aptix_conformance.generate import Arguments, write
from aptix_conformance.generate.json_text import STYLES
from aptix_conformance.hosts import MIB
from aptix_conformance.model import (
    Call,
    Constant,
    Declaration,
    Exploration,
    Kind,
    Member,
    Outcome,
    Raised,
    Result,
    SchemaReading,
)
from aptix_conformance.model.codec import replace
from aptix_conformance.model.containment import Containment
from aptix_conformance.probes import PROBES
from aptix_conformance.reports import tool_report
from aptix_conformance.reports.terminal import summary_lines
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.rules.lib.scope import FILES, NO_SUCCESS, NOT_AGAIN, OTHERS_SUCCEEDED
from aptix_conformance.systems.aptix.traits import TRAITS
from aptix_conformance.systems.rulebook import all_rules
from aptix_conformance.targets import Target, ToolSettings, Waiver

SCHEMA = {
    "type": "function",
    "name": "agent_fake",
    "description": "Counts.",
    "parameters": {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "description": "How many."},
            "word": {"type": "string", "description": "Of what."},
        },
        "required": ["count"],
    },
}
EDITION = load().edition("aptix-tul-011")
RULES = {found.code: found for found in all_rules()}
OPTIONS = Options(examples=40, budget=60, seed=0)


@rule("EXC901", "AGN-005.4.2", over=Call, remedy="Catch it.", unseen_reason="no call was made")
def never_raises(call):
    """Nothing is raised."""
    return Finding(f"raised {call.raised.type_name}") if call.raised else None


@rule("EXC902", "AGN-005.9.5", over=Call, remedy="Come back.", unseen_reason="no call was made")
def comes_back(call):
    """Every call comes back."""
    return Finding(call.incident) if call.incident else None


@rule(
    "RES901",
    "AGN-005.4.1",
    over=Call,
    when=lambda call: call.succeeded,
    remedy="Succeed.",
    unseen_reason="no success",
)
def succeeds(call):
    """A success is a success."""


@rule("EXC903", "AGN-005.9.5", over=Call, remedy="Come back.", unseen_reason="no call was made")
def hangs_never(call):
    """No call hangs."""
    return Finding(call.incident, timed=True) if call.incident else None


@rule("EXC904", "AGN-005.9.5", over=Exploration, remedy="Come back.", when=lambda seen: bool(seen.calls))
def explored_never_raises(exploration):
    """Nothing is raised, in all calls together."""
    return (Finding("raised", call) for call in exploration.calls if call.raised)


@rule("REG901", "AGN-005.9.5", over=Declaration, remedy="Declare nothing.")
def never_declared(declaration):
    """Nothing is declared."""
    return Finding("declared")


@rule("REG902", "AGN-005.9.5", over=Declaration, remedy="Be even.")
def not_odd(declaration):
    """The module is not odd."""
    return Finding("odd") if declaration.module == "odd" else None


@rule("EXC905", "AGN-005.4.2", over=Call, remedy="Catch it.", unseen_reason="no call was made")
def tells_types_apart(call):
    """Nothing is raised, of any type."""
    if call.raised is None:
        return None
    return Finding(f"raised {call.raised.type_name}", cause=call.raised.type_name)


def placed(code):
    @rule(code, "AGN-005.4.2", over=Call, remedy="Catch it.")
    def never_raises_there(call):
        """Nothing is raised in any place."""
        return Finding("raised", cause=("ValueError", "tool.py:3")) if call.raised else None

    return never_raises_there


def suite(*rules):
    return Suite(tuple(rules), EDITION, load())


def declaration():
    text = json.dumps(SCHEMA)
    constant = Constant("TOOL_NAME", "plain", "agent_fake", "str")
    reading = SchemaReading("returned", text)
    return Declaration(
        class_name="FakeTool",
        module="fake",
        when="start",
        tool_name=constant,
        usage_text=Constant("TOOL_USAGE_METADATA", "plain", "Counts.", "str"),
        get_schema=Member("get_schema", "static_method"),
        schema=reading,
        schema_again=reading,
        name=Member("name", "property", value="agent_fake", value_type="str"),
        is_tool_fully_executed_on_server=Member("is_tool_fully_executed_on_server", "property", value=True),
        execute=Member("execute", "method", is_async=True),
        constructor=(),
        construction_error=None,
        traits=TRAITS,
    )


def answer(successful=True):
    return {"outcome": Outcome.RETURNED, "result": Result("InvokeResult", True, successful, "{}", "str")}


def raising(kind="ValueError"):
    return {"outcome": Outcome.RAISED, "raised": Raised(kind, "message", "traceback")}


def hanging():
    return {"outcome": Outcome.TIMED_OUT, "incident": "no answer within 5 s"}


class Host:
    """A host in memory: `behave(plan, earlier)` says what the tool does; nothing of it survives `reset`."""

    containment = Containment("partial", ("no namespaces",))
    waited = 0.0

    def __init__(self, behave, read_only=None):
        self.behave = behave
        self.read_only = read_only
        self.disturbances = frozenset()
        self.earlier = []
        self.proved = []
        self.wrong = None
        self.made = []
        self.closed = False

    def describe(self):
        return declaration()

    def check_sentinels(self, *, last=False):
        self.proved.append(last)
        return self.wrong

    def execute(self, plan, timeout=None):
        assert not self.closed
        self.made.append(plan)
        how = {"elapsed": 0.0, **self.behave(plan, tuple(self.earlier))}
        call = Call(plan, earlier=len(self.earlier), **how)
        self.earlier.append(plan)
        return call

    def restore_files(self):
        """No call changes files here."""

    def reset(self):
        self.earlier.clear()

    def close(self):
        self.closed = True


class Pool:
    def __init__(self, host):
        self.host = host

    def open(self, target, settings):
        return self.host


TARGET = Target("fake:FakeTool", "aptix", "fake", "FakeTool")


def run(host, *rules, settings=None, options=OPTIONS):
    found = examine(Pool(host), TARGET, settings or ToolSettings(), suite(*rules), options)
    return {verdict.rule: verdict for verdict in found.verdicts}, found


@rule("REG903", "AGN-005.9.5", over=Declaration, remedy="Take the token.", stops_calls=True)
def can_be_called(declaration):
    """It can be called."""
    return Finding("It cannot.")


WAIVED = ToolSettings(waivers=(Waiver("REG903", "the owner", "soon", OPTIONS.today),))
UNCALLABLE = {"execute": Member("execute", "missing")}


@pytest.mark.parametrize(
    ("changes", "read_only", "kind"),
    [
        (UNCALLABLE, None, "waived"),
        (UNCALLABLE, "the project does not allow calls", "inconclusive"),
        ({**UNCALLABLE, "missing_services": ("store",)}, None, "inconclusive"),
    ],
)
def test_a_waived_rule_takes_the_rules_on_calls_with_it_where_nothing_else_prevents_calls(
    changes, read_only, kind
):
    """What the project does not configure or allow is open, whatever is waived."""
    host = Host(lambda plan, earlier: answer(), read_only)
    host.describe = lambda: replace(declaration(), **changes)
    verdicts, _ = run(host, never_raises, can_be_called, settings=WAIVED)
    assert verdicts["REG903"].verdict.value == "waived"
    assert verdicts["EXC901"].verdict.value == kind


def count_of(plan):
    try:
        value = json.loads(plan.arguments or "null")
    except (ValueError, RecursionError):
        return None
    count = value.get("count") if isinstance(value, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) else None


def test_a_tool_that_keeps_a_rule_passes_with_the_number_of_observations():
    """Pass counts every call."""
    verdicts, found = run(Host(lambda plan, earlier: answer()), never_raises)
    assert verdicts["EXC901"].verdict.value == "pass"
    assert verdicts["EXC901"].observations == len(found.exploration.calls) > 100


def test_a_breach_is_shrunk_to_a_small_call():
    """The counterexample is the smallest that was found, not the first."""
    host = Host(lambda plan, earlier: raising() if (count_of(plan) or 0) > 1000 else answer())
    verdicts, _ = run(host, never_raises)
    finding = verdicts["EXC901"].finding
    assert finding.reproduced
    assert json.loads(finding.call.plan.arguments).keys() == {"count"}
    assert 1000 < count_of(finding.call.plan) < 100_000
    assert finding.history == ()


def test_two_broken_rules_are_both_found():
    """A rule that is broken early hides no other."""

    def behave(plan, earlier):
        if plan.arguments is None:
            return hanging()
        return raising() if plan.probe == "invalid" else answer()

    verdicts, _ = run(Host(behave), never_raises, comes_back)
    assert {code: verdict.verdict.value for code, verdict in verdicts.items()} == {
        "EXC901": "fail",
        "EXC902": "fail",
    }


def test_a_breach_that_needs_its_history_is_kept_with_it():
    """State: the second call raises, whatever it is."""
    verdicts, _ = run(Host(lambda plan, earlier: raising() if earlier else answer()), never_raises)
    finding = verdicts["EXC901"].finding
    assert finding.reproduced
    assert len(finding.history) == 1


def test_a_breach_that_never_shows_again_says_so():
    """Chance is no proof, and is not hidden."""
    seen = []

    def behave(plan, earlier):
        seen.append(plan)
        return raising() if len(seen) == 30 else answer()

    verdicts, _ = run(Host(behave), never_raises)
    assert verdicts["EXC901"].verdict.value == "fail"
    assert verdicts["EXC901"].finding.reproduced is False
    assert verdicts["EXC901"].finding.attempts == 3


@pytest.mark.parametrize("calls", [1, 2, 3, 17, 40])
def test_a_breach_is_proved_with_the_fewest_calls_before_it(calls):
    """A tool that breaks after its fortieth call breaks after forty, not "once"."""
    host = Host(lambda plan, earlier: raising() if len(earlier) >= calls else answer())
    finding = run(host, never_raises)[0]["EXC901"].finding
    assert finding.reproduced
    assert len(finding.history) == calls


def test_a_raise_after_a_thousand_calls_is_proved_with_a_thousand():
    """The earlier calls are tried in growing numbers, then by halves: no thousand times a thousand calls."""
    host = Host(lambda plan, earlier: raising() if len(earlier) >= 1000 else answer())
    ledger = Ledger(applicable_rules(suite(never_raises), declaration()))
    plans = (stimulus("valid", str(number), "{}", None) for number in range(1300))
    Scan(host, ledger, Budget(60.0), "valid", seed=0, examples=10).run_fixed(plans)
    (breach,) = ledger.breaches["EXC901"].values()
    finding = Reproduction(ledger, host).reproduced(never_raises, breach, breach)
    assert finding.reproduced
    assert len(finding.history) == 1000
    assert len(host.made) < 15_000


def test_calls_that_a_lent_library_decided_are_a_note_of_the_report_and_no_finding():
    def behave(plan, earlier):
        return {**raising(), "left_out": "the library decided"} if plan.probe == "malformed" else answer()

    verdicts, found = run(Host(behave), never_raises)
    assert verdicts["EXC901"].verdict.value == "pass"
    report = tool_report(found, tool="agent_fake", deselected=frozenset())
    (note,) = (line for line in summary_lines([report]) if "the library decided" in line)
    assert re.fullmatch(r"note +agent_fake: malformed: \d+ calls are not judged: the library decided", note)


def test_a_hang_after_two_calls_is_proved_too():
    """A call that does not come back is looked for after the calls before it, like any other."""
    host = Host(lambda plan, earlier: hanging() if len(earlier) == 2 else answer())
    verdicts, _ = run(host, hangs_never)
    assert verdicts["EXC903"].verdict.value == "fail"
    assert verdicts["EXC903"].finding.reproduced
    assert len(verdicts["EXC903"].finding.history) >= 2


def test_a_hang_that_was_seen_once_is_inconclusive():
    """Time was measured once; nothing else says that the tool hangs."""
    seen = []

    def behave(plan, earlier):
        seen.append(plan)
        return hanging() if len(seen) == 30 else answer()

    verdict = run(Host(behave), hangs_never)[0]["EXC903"]
    assert verdict.verdict.value == "inconclusive"
    assert verdict.reason == "seen in 1 of 3 attempts: no answer within 5 s"


def test_a_call_that_was_made_too_small_is_proved_as_it_was_scanned():
    """The smallest call is not in the history of any process; the one that the scan made is."""
    host = Host(lambda plan, earlier: raising() if len(earlier) >= 60 and count_of(plan) else answer())
    verdicts, found = run(host, never_raises)
    finding = verdicts["EXC901"].finding
    assert finding.reproduced
    assert any(finding.call.plan is call.plan for call in found.exploration.calls)
    assert len(finding.history) >= 60


def test_a_rule_over_explorations_is_proved_with_the_new_call_in_the_old_ones_place():
    """What only one call showed, and a fresh process does not, is seen once."""
    shown = Host(lambda plan, earlier: raising() if plan.arguments is None else answer())
    assert run(shown, explored_never_raises)[0]["EXC904"].finding.reproduced
    seen = []

    def behave(plan, earlier):
        seen.append(plan)
        return raising() if len(seen) == 30 else answer()

    finding = run(Host(behave), explored_never_raises)[0]["EXC904"].finding
    assert (finding.reproduced, finding.attempts) == (False, 3)


def test_a_rule_over_declarations_is_proved_in_a_fresh_process():
    """A declaration that is wrong each time is reproduced; one that was wrong once is not."""
    assert run(Host(lambda plan, earlier: answer()), never_declared)[0]["REG901"].finding.reproduced

    class Odd(Host):
        read = 0

        def describe(self):
            self.read += 1
            return replace(declaration(), module="odd" if self.read == 1 else "fake")

    verdict = run(Odd(lambda plan, earlier: answer()), not_odd)[0]["REG902"]
    assert verdict.verdict.value == "fail"
    assert (verdict.finding.reproduced, verdict.finding.attempts) == (False, 3)


def test_a_declaration_that_changes_after_calls_is_proved_after_calls():
    class Changing(Host):
        def describe(self):
            when = "after_calls" if self.earlier else "start"
            return replace(declaration(), when=when, module="odd" if self.earlier else "fake")

    finding = run(Changing(lambda plan, earlier: answer()), not_odd)[0]["REG902"].finding
    assert finding.reproduced
    assert len(finding.history) == 1


def test_each_cause_is_proved_and_those_past_five_are_counted():
    """Two faults are two counterexamples, each the smallest of its own; seven are five and a number."""

    def behave(plan, earlier):
        count = count_of(plan)
        return answer() if not count else raising(f"Error{abs(count) % 2}")

    verdict = run(Host(behave), tells_types_apart)[0]["EXC905"]
    assert {found.message for found in verdict.findings} == {"raised Error0", "raised Error1"}
    assert all(found.reproduced for found in verdict.findings)
    assert verdict.causes == 2
    verdict = run(
        Host(lambda plan, earlier: raising(f"Error{len(plan.arguments or '') % 7}")), tells_types_apart
    )[0]["EXC905"]
    assert len(verdict.findings) == 5
    assert verdict.causes == 7


def test_what_was_shown_again_comes_before_what_was_not():
    """The first finding is the one to begin with."""
    seen = []

    def behave(plan, earlier):
        seen.append(plan)
        if len(seen) == 3:
            return raising("Chance")
        return raising("Fault") if len(plan.arguments or "") > 30 else answer()

    verdict = run(Host(behave), tells_types_apart)[0]["EXC905"]
    assert [(found.message, found.reproduced) for found in verdict.findings] == [
        ("raised Fault", True),
        ("raised Chance", False),
    ]


def test_a_call_that_hung_by_chance_does_not_hide_those_that_always_hang():
    """It is the shortest, so it is tried first, and it is not shown again."""
    chances = [True]

    def behave(plan, earlier):
        if chances and plan.probe == "valid" and '"word"' not in plan.arguments:
            chances.pop()
            return hanging()
        return hanging() if '"word"' in (plan.arguments or "") else answer()

    verdict = run(Host(behave), hangs_never)[0]["EXC903"]
    assert not chances
    assert verdict.verdict.value == "fail"
    assert verdict.finding.reproduced
    assert '"word"' in verdict.finding.call.plan.arguments


def test_a_rule_that_found_the_same_exception_follows_from_the_first():
    """One line of code that raises is one root."""
    host = Host(lambda plan, earlier: raising())
    verdicts, _ = run(host, placed("EXC906"), placed("ARG906"))
    assert verdicts["EXC906"].follows_from == ""
    assert verdicts["ARG906"].follows_from == "EXC906"


def test_a_tool_that_hangs_is_given_up_on_after_a_few_calls_a_probe():
    """A hanging tool does not take a timeout for every call of the corpus."""
    host = Host(lambda plan, earlier: hanging())
    verdicts, found = run(host, comes_back)
    assert verdicts["EXC902"].verdict.value == "fail"
    assert len([plan for plan in host.made if plan.probe == "valid"]) >= 3
    assert len(host.made) < 20
    assert any("did not come back" in shortfall.reason for shortfall in found.exploration.shortfalls)


def test_a_read_only_host_is_never_called_and_the_reason_is_told():
    """What was not called is inconclusive."""
    host = Host(lambda plan, earlier: answer(), read_only="this kernel cannot contain it")
    verdicts, found = run(host, never_raises)
    assert host.made == []
    assert verdicts["EXC901"].verdict.value == "inconclusive"
    assert "this kernel cannot contain it" in verdicts["EXC901"].reason
    assert found.exploration.calls == ()


def test_a_tool_that_never_succeeds_leaves_rules_on_successes_inconclusive():
    """Never green by default."""
    verdicts, _ = run(Host(lambda plan, earlier: answer(successful=False)), succeeds)
    assert verdicts["RES901"].verdict.value == "inconclusive"


@rule(
    "RES902", "AGN-005.12.1", over=Call, when=lambda call: False, unseen_reason=NO_SUCCESS, remedy="Succeed."
)
def succeeds_twice(call):
    """It succeeds again."""


@pytest.mark.parametrize(
    ("succeeds", "reason"),
    [
        (lambda plan, made: plan.arguments not in made, f"{NOT_AGAIN}: {FILES}"),
        (lambda plan, made: False, NO_SUCCESS),
        (lambda plan, made: True, OTHERS_SUCCEEDED),
    ],
)
def test_of_a_tool_whose_calls_succeed_once_it_is_not_said_that_none_did(succeeds, reason):
    made = []

    def behave(plan, earlier):
        successful = succeeds(plan, made)
        made.append(plan.arguments)
        return answer(successful=successful)

    verdicts, _ = run(Host(behave), succeeds_twice)
    assert verdicts["RES902"].reason.startswith(f"{reason} (")


def test_a_spent_budget_thins_the_draws_and_nothing_else():
    """The corpus always runs, and the rule still passes."""
    host = Host(lambda plan, earlier: answer())
    verdicts, found = run(host, never_raises, options=Options(examples=40, budget=1e-9))
    assert verdicts["EXC901"].verdict.value == "pass"
    assert {plan.probe for plan in host.made} == {
        "valid", "context", "malformed", "invalid", "repeat", "neighbours", "extremes",
    }  # fmt: skip
    assert not [plan for plan in host.made if plan.label == "generated"]
    of_the_budget = [known for known in found.exploration.shortfalls if "budget" in known.reason]
    assert of_the_budget
    assert all(shortfall.reduced_coverage for shortfall in of_the_budget)
    assert [known.probe for known in of_the_budget if "more than 3 times" in known.reason] == ["calls"]


def test_a_budget_that_suffices_is_not_spoken_of():
    """Nor how long the calls took."""
    _, found = run(
        Host(lambda plan, earlier: answer()), never_raises, options=Options(examples=4, budget=300.0)
    )
    assert not [known for known in found.exploration.shortfalls if "budget" in known.reason]


def test_the_same_seed_makes_the_same_calls_and_another_seed_others():
    """Determinism."""

    def plans(seed):
        host = Host(lambda plan, earlier: answer())
        run(host, never_raises, options=Options(examples=20, seed=seed))
        return host.made

    assert plans(1) == plans(1)
    assert plans(1) != plans(2)


def test_a_host_that_fails_is_an_error_of_ours_and_no_fail_of_the_tool():
    """Harness errors come out as themselves, and the host is closed."""

    def behave(plan, earlier):
        raise HostError("no process could be started")

    host = Host(behave)
    with pytest.raises(HostError):
        run(host, never_raises)
    assert host.closed


def test_a_waiver_for_no_rule_is_a_configuration_error():
    """A typo in a waiver waives nothing."""
    waiver = Waiver("ARG999", "me", "because", OPTIONS.today)
    with pytest.raises(ConfigurationError, match="ARG999"):
        run(Host(lambda plan, earlier: answer()), never_raises, settings=ToolSettings(waivers=(waiver,)))


def test_a_host_that_answers_a_sentinel_wrongly_is_tampered_with():
    """What was seen of the tool cannot be believed, so a MUST fails with what was wrong."""
    host = Host(lambda plan, earlier: answer())
    host.wrong = "A call of the suite's own that raises came back with a result."
    verdicts, found = run(host, RULES["EXC007"])
    assert verdicts["EXC007"].verdict.value == "fail"
    assert verdicts["EXC007"].level.value == "MUST"
    assert verdicts["EXC007"].reason == host.wrong
    assert found.exploration.tampering == (host.wrong,)


def test_a_process_that_ends_after_an_answer_is_charged_to_the_call_and_not_to_the_host():
    """Whether the process ends in the next call or in a sentinel is chance; the same rule says it, and shows it again."""
    host = Host(lambda plan, earlier: answer())
    host.wrong = Call(
        stimulus("sentinel", "generated", "{}", None), Outcome.CRASHED, 0.0, incident="exit status 3"
    )
    verdicts, _ = run(host, RULES["EXC002"], RULES["EXC007"])
    assert verdicts["EXC007"].verdict.value == "pass"
    assert verdicts["EXC002"].verdict.value == "fail"
    assert verdicts["EXC002"].reason == "The call ended its process (after its answer: exit status 3)."
    shown = verdicts["EXC002"].finding
    assert (shown.reproduced, shown.history) == (True, ())
    assert shown.call.plan.probe != "sentinel"


def test_the_host_is_proved_after_every_probe_and_at_last_by_what_hangs():
    """During the exploration and after it; where no call is made there is nothing to prove."""
    host = Host(lambda plan, earlier: answer())
    verdicts, _ = run(host, RULES["EXC007"])
    assert verdicts["EXC007"].verdict.value == "pass"
    assert len(host.proved) > 4
    assert host.proved == [False] * (len(host.proved) - 1) + [True]
    verdicts, _ = run(Host(None, read_only="it says so"), RULES["EXC007"])
    assert verdicts["EXC007"].verdict.value == "inconclusive"


def test_calls_that_do_not_come_back_may_take_half_of_the_budget():
    """However many probes there are, and however few of the calls hang."""

    def behave(plan, earlier):
        return {**hanging(), "elapsed": 5.0} if plan.probe != "valid" and plan.arguments else answer()

    verdicts, found = run(Host(behave), comes_back, options=Options(examples=40, budget=30))
    lost = [call for call in found.exploration.calls if call.incident]
    assert verdicts["EXC902"].verdict.value == "fail"
    assert len(lost) == 3
    assert any("half of the budget" in shortfall.reason for shortfall in found.exploration.shortfalls)


def test_a_tool_that_is_ever_slow_comes_to_an_end():
    """Calls that always come back, and never soon."""
    now = [0.0]

    def behave(plan, earlier):
        now[0] += 4.9
        return answer()

    host = Host(behave)
    budget = Budget(30.0, clock=lambda: now[0])
    scan = Scan(host, Ledger([]), budget, "valid", seed=0, examples=10)
    scan.run_fixed(stimulus("valid", str(number), "{}", None) for number in range(1000))
    assert len(host.made) == 68  # of 4.9 s: 30 s and 300 s more
    assert "took 300 s more than the budget" in scan.ledger.shortfalls[0].reason


def test_the_draws_of_a_slow_tool_leave_half_of_the_budget_to_the_probes_that_follow():
    """Otherwise the first that draws would have it all."""
    now = [0.0]

    def behave(plan, earlier):
        now[0] += 2.0
        return answer()

    plans = st.integers().map(lambda number: stimulus("valid", str(number), "{}", None))
    budget, ledger = Budget(30.0, clock=lambda: now[0]), Ledger([])
    made = []
    for probe in ("valid", "malformed", "invalid"):
        host = Host(behave)
        Scan(host, ledger, budget, probe, seed=0, examples=100).run_drawn(plans)
        made.append(len(host.made))
    assert made == [8, 4, 2]  # of 2 s: to 15 of 30 s, to 22.5 (23), to 26.5
    assert all(
        found.reduced_coverage and "share of the budget" in found.reason for found in ledger.shortfalls
    )


def test_drawing_ends_when_enough_is_drawn_from_objects_that_are_often_equal():
    """Hypothesis has seen the same choices go on, and calls that flaky."""
    anything = {"type": "object", "additionalProperties": {"type": "object"}}
    drawn = Arguments({"type": "object", "properties": {"data": anything}, "required": ["data"]}).drawn()
    plans = st.tuples(drawn, st.sampled_from(STYLES)).map(
        lambda made: stimulus("valid", "generated", write(*made), None)
    )
    host = Host(lambda plan, earlier: answer())
    Scan(host, Ledger([]), Budget(30.0), "valid", seed=1, examples=15).run_drawn(plans)
    assert len(host.made) == 15


def test_results_that_fill_the_memory_of_the_suite_are_too_much():
    """Every call is kept until the tool is judged, so their size together is bounded."""
    payload = "x" * (64 * MIB)

    def behave(plan, earlier):
        return {"outcome": Outcome.RETURNED, "result": Result("InvokeResult", True, True, payload, "str")}

    host = Host(behave)
    scan = Scan(host, Ledger([]), Budget(30.0), "valid", seed=0, examples=10)
    scan.run_fixed(stimulus("valid", str(number), "{}", None) for number in range(1000))
    assert len(host.made) == 4
    assert "256 MiB" in scan.ledger.shortfalls[0].reason


def test_a_tool_that_cannot_be_described_after_its_calls_is_judged_all_the_same():
    """All verdicts stand, and what could not be read is one more observation."""

    class Gone(Host):
        def describe(self):
            if self.made:
                raise TargetError("fake:FakeTool: reading its declaration did not work: exit status 3")
            return declaration()

    verdicts, found = run(Gone(lambda plan, earlier: answer()), never_raises, RULES["SCH002"])
    assert verdicts["EXC901"].verdict.value == "pass"
    assert verdicts["SCH002"].verdict.value == "fail"
    assert "exit status 3" in verdicts["SCH002"].reason
    assert [known.when for known in found.exploration.declarations] == ["start", "after_calls"]


@pytest.mark.parametrize("error", [SlowTargetError, TargetError])
def test_a_last_reading_that_does_not_work_once_is_made_once_more(error):
    """In a new process, after a call like the one before: it was slow, or that call had left behind what ended it."""

    class Once(Host):
        late = True

        def describe(self):
            if self.made and self.late:
                self.late = False
                raise error("fake:FakeTool: reading its declaration did not work: no answer within 5 s")
            return declaration()

    verdicts, _ = run(Once(lambda plan, earlier: answer()), never_raises, RULES["SCH002"])
    assert verdicts["SCH002"].verdict.value == "pass"


@rule(
    "ARG901",
    "AGN-005.3.2",
    over=Call,
    when=lambda call: call.plan.kind is Kind.TYPE,
    remedy="Refuse it.",
    unseen_reason="no value of another type was sent",
)
def refuses_other_types(call):
    """A value of another type is refused."""
    return Finding("accepted") if call.succeeded else None


@rule(
    "CTX901",
    "AGN-005.5.2",
    over=Exploration,
    remedy="Do without.",
    when=lambda seen: bool(seen.calls),
)
def needs_nothing_more(exploration):
    """A call that works also works without a context, and without what is optional."""
    must_work = (call for call in exploration.calls if call.plan.demand == "accepted")
    return (Finding("refused", call) for call in must_work if call.refused)


def refusing(plan):
    return plan.arguments is None or "count" not in plan.arguments or (count_of(plan) or 0) > 100


def spoilt(faulty=lambda plan: False, by=refusing):
    """A tool that refuses every call once it has refused one, and where it has not, is at fault as told."""

    def behave(plan, earlier):
        if by(plan) or any(map(by, earlier)):
            return answer(successful=False)
        return raising() if faulty(plan) else answer()

    return Host(behave)


def without_context(plan):
    return plan.probe == "context" and plan.context is None


def test_a_fault_behind_the_state_that_a_refusal_leaves_is_found():
    """What a refused call left would answer in place of the tool; the second look is of fresh processes."""
    verdicts, found = run(spoilt(without_context), explored_never_raises)
    assert verdicts["EXC904"].verdict.value == "fail"
    assert verdicts["EXC904"].finding.history == ()
    assert any("RES012" in each.reason for each in found.exploration.shortfalls)
    assert not any("give an example" in each.reason for each in found.exploration.shortfalls)


def test_a_refusal_that_an_earlier_one_explains_is_no_proper_refusal():
    """Every value of another type was refused, by what was left."""
    verdicts, _ = run(spoilt(), refuses_other_types)
    assert verdicts["ARG901"].verdict.value == "fail"


def test_a_refusal_that_an_earlier_one_explains_is_no_breach():
    """A call without an optional argument was refused, by what a call without arguments had left."""
    verdicts, _ = run(spoilt(by=lambda plan: not plan.arguments), needs_nothing_more)
    assert verdicts["CTX901"].verdict.value == "pass"


def test_a_run_of_few_rules_looks_for_that_state_where_a_call_that_worked_is_refused():
    """Then the probe that shows it is not among those that the rule needs."""
    probes = [probe for probe in PROBES if probe.name in ("valid", "context")]
    few = replace(suite(explored_never_raises), probes=tuple(probes))
    found = examine(Pool(spoilt(without_context)), TARGET, ToolSettings(), few, OPTIONS)
    assert found.verdicts[0].verdict.value == "fail"
    sound = Host(lambda plan, earlier: answer(successful=not refusing(plan)))
    calls = examine(Pool(sound), TARGET, ToolSettings(), few, OPTIONS).exploration.calls
    assert {call.plan.probe for call in calls} == {"valid", "context"}


def test_an_honest_tool_is_called_no_more_than_before_and_in_one_process():
    """It refuses much, and nothing of that is seen later."""
    host = Host(lambda plan, earlier: answer(successful=not refusing(plan)))
    _, found = run(host, never_raises)
    plans = [call.plan for call in found.exploration.calls]
    fixed = [key_of(plan) for plan in plans if plan.label != "again:generated"]
    assert len(fixed) == len(set(fixed))
    assert max(call.earlier for call in found.exploration.calls) > 100


def test_a_call_that_must_work_and_is_refused_leaves_nothing_to_the_next():
    """A refusal for want of a context is a breach of its own; what it leaves is the cause of no other."""

    def behave(plan, earlier):
        return answer(successful=not any(map(without_context, (*earlier, plan))))

    verdicts, found = run(Host(behave), needs_nothing_more)
    assert verdicts["CTX901"].verdict.value == "fail"
    refused = [call for call in found.exploration.calls if call.plan.probe == "context" and call.refused]
    assert refused
    assert all(map(without_context, (call.plan for call in refused)))
