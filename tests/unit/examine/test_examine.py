"""The examination engine against hosts in memory: what it asks and keeps, and what it says of it."""

import dataclasses
import datetime
import re

import pytest
from tests.stimuli import stimulus
from tests.unit.examine.fakes import (
    OPTIONS,
    RULES,
    TARGET,
    Host,
    Pool,
    answer,
    comes_back,
    declaration,
    hanging,
    never_raises,
    raising,
    run,
    suite,
)

from aptix_conformance.core.errors import ConfigurationError, SlowTargetError, TargetError
from aptix_conformance.core.model import Call, Declaration, Member, Outcome, SystemTraits
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.declaration import SchemaReading
from aptix_conformance.core.model.verdict import Obstacle
from aptix_conformance.examine import examine
from aptix_conformance.present.reports import tool_report
from aptix_conformance.present.reports.terminal import summary_lines
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.targets import ToolSettings, Waiver


@rule(
    "RES901",
    "AGN-005.4.1",
    when=lambda call: call.succeeded,
    remedy="Succeed.",
    unseen_reason="no success",
)
def succeeds(call: Call):
    """A success is a success."""


def placed(code):
    @rule(code, "AGN-005.4.2", remedy="Catch it.")
    def never_raises_there(call: Call):
        """Nothing is raised in any place."""
        return Finding("raised", cause=("ValueError", "tool.py:3")) if call.raised else None

    return never_raises_there


@rule("REG903", "AGN-005.9.5", remedy="Take the token.", masks_others=True)
def can_be_called(declaration: Declaration):
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
    verdicts, found = run(host, never_raises, can_be_called, settings=WAIVED)
    assert (verdicts["REG903"].verdict.value, found.watch.broken) == ("waived", "")
    ran_out = Waiver("REG903", "the owner", "soon", OPTIONS.today - datetime.timedelta(days=1))
    for settings in (None, ToolSettings(waivers=(ran_out,))):
        assert run(host, can_be_called, settings=settings)[1].watch.broken == "REG903"
    assert verdicts["EXC901"].verdict.value == kind


def test_a_tool_that_keeps_a_rule_passes_with_the_number_of_observations():
    """Pass counts every call."""
    verdicts, found = run(Host(lambda plan, earlier: answer()), never_raises)
    assert verdicts["EXC901"].verdict.value == "pass"
    assert verdicts["EXC901"].observations == len(found.exploration.calls) > 100


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


def test_calls_that_a_lent_library_decided_are_a_note_of_the_report_and_no_finding():
    def behave(plan, earlier):
        return {**raising(), "left_out": "the library decided"} if plan.probe == "malformed" else answer()

    verdicts, found = run(Host(behave), never_raises)
    assert verdicts["EXC901"].verdict.value == "pass"
    report = tool_report(found, tool="agent_fake", deselected=frozenset())
    (note,) = (line for line in summary_lines([report]) if "the library decided" in line)
    assert re.fullmatch(r"note +agent_fake: malformed: \d+ calls are not judged: the library decided", note)


def test_a_rule_that_found_the_same_exception_follows_from_the_first():
    """One line of code that raises is one root."""
    host = Host(lambda plan, earlier: raising())
    verdicts, _ = run(host, placed("EXC906"), placed("ARG906"))
    assert verdicts["EXC906"].follows_from == ""
    assert verdicts["ARG906"].follows_from == "EXC906"


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


@rule("RES902", "AGN-005.12.1", when=lambda call: False, remedy="Succeed.")
def succeeds_twice(call: Call):
    """It succeeds again."""


@pytest.mark.parametrize(
    ("succeeds", "obstacle", "said"),
    [
        (lambda plan, made: plan.arguments not in made, Obstacle.NOT_TWICE, "name in `files` the directory"),
        (lambda plan, made: False, Obstacle.REFUSED, '[tool.aptix-conformance.tool."fake:FakeTool"] ('),
        (lambda plan, made: True, Obstacle.NOT_SHOWN, "do not show what this rule judges ("),
    ],
)
def test_of_a_tool_whose_calls_succeed_once_it_is_not_said_that_none_did(succeeds, obstacle, said):
    made = []

    def behave(plan, earlier):
        successful = succeeds(plan, made)
        made.append(plan.arguments)
        return answer(successful=successful)

    verdicts, _ = run(Host(behave), succeeds_twice)
    assert (verdicts["RES902"].obstacle, said in verdicts["RES902"].reason) == (obstacle, True)


@rule("RES903", "AGN-005.12.1", remedy="Come back.")
def is_answered(call: Call):
    """It comes back."""


@pytest.mark.parametrize("error", ["there is no schema", "Error: not yet"])
def test_where_no_call_was_made_for_want_of_a_schema_the_schema_or_an_example_is_asked_for(error):
    """An example is called without a schema too; the table is one to paste."""
    host = Host(lambda plan, earlier: answer())
    unread = SchemaReading("raised", error=error)
    host.describe = lambda: replace(declaration(), schema=unread, traits=SystemTraits("parsed"))
    reason = run(host, is_answered)[0]["RES903"].reason
    assert host.made == []
    assert reason.startswith("no call was made: ")
    assert reason.count(error) == 1
    advice = "fix that, or give an example, as examples = [{ … }] in"
    assert reason.endswith(f'{advice} [tool.aptix-conformance.tool."fake:FakeTool"]')


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


@pytest.mark.parametrize("restarts", [True, False])
def test_the_declaration_is_read_in_other_processes_only_where_that_is_asked_for(restarts):
    host = Host(lambda plan, earlier: answer())
    asked = dataclasses.replace(suite(never_raises), restarts=restarts)
    found = examine(Pool(host), TARGET, ToolSettings(), asked, OPTIONS)
    missing = [each for each in found.exploration.shortfalls if each.probe == "restart"]
    assert bool(missing) is restarts, "the host in memory cannot"
