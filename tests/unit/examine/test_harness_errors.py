"""An error of the suite in any phase is a harness error of that tool alone, and what was found is kept."""

import errno
from dataclasses import replace
from functools import partial
from itertools import count

import pytest
from tests.unit.examine.fakes import (
    OPTIONS,
    TARGET,
    Host,
    Pool,
    answer,
    comes_back,
    declaration,
    explored_never_raises,
    never_raises,
    raising,
    suite,
)

from aptix_conformance.core.errors import HostError, ShortageError
from aptix_conformance.core.model import Call
from aptix_conformance.core.model.report import RunReport, SuiteReport
from aptix_conformance.examine import (
    declare,
    examine,
    explore,
    findings,
    judge,
    ledger,
    masks,
    prove,
    reproduce,
)
from aptix_conformance.examine.clean_up import CLEANUP
from aptix_conformance.examine.harness_errors import HarnessErrors
from aptix_conformance.present.reports import status_text, summary_lines, tool_report, tool_reports
from aptix_conformance.present.reports.problems import problems
from aptix_conformance.present.reports.totals import make_report
from aptix_conformance.rules.lib.kernel import rule
from aptix_conformance.stimuli.probes import PROBES, Probe, Subject
from aptix_conformance.targets import ToolSettings, Waiver

RAN = SuiteReport(version="0", seed=0, examples=1, complete=True, isolated=True)


def fail(*_, **__):
    raise KeyError("process")


def behave(plan, earlier):
    return raising() if plan.probe == "invalid" else answer()


class Broken(Host):
    """A host with all that a phase may ask; `fails(method, given)` is asked before each use whether it fails there."""

    def __init__(self, fails, error=None):
        super().__init__(behave)
        self.disturbances = frozenset({"restart", CLEANUP})
        self.fails, self.error = fails, error or KeyError("process")
        for name in ("describe", "describe_again", "execute", "check_sentinels"):
            setattr(self, name, partial(self.use, name, getattr(self, name)))

    def use(self, name, works, *given, **named):
        if self.fails(name, given):
            raise self.error
        return works(*given, **named)

    def describe_again(self, conditions, then=()):
        return declaration()


def once(method, which=lambda *given: True, skipped=0):
    """Whether a use of a method is the one that fails: that of some uses which comes after those skipped."""
    uses = count()

    def fails(name, given):
        return name == method and which(*given) and next(uses) == skipped

    return fails


class UnplannedProbe(Probe):
    """A probe of a third party that cannot plan."""

    name = "unplanned"
    fixed = fail


def judged_by(**changes):
    """A rule of a third party."""
    given = {"remedy": "Nothing.", "unseen_reason": "no call was made", **changes}

    @rule("EXC903", "AGN-005.9.5", **given)
    def breaks_down(_call: Call):
        """It judges."""
        fail()

    return breaks_down


PHASES = {
    "finding out whether EXC903 applies": ("rule", {"applies": fail}),
    "judging EXC903": ("rule", {}),
    "judging EXC903 ": ("rule", {"when": fail}),
    "reading the schema": (declare, "usable_schema"),
    "making arguments": (Subject, "unusable"),
    "exploring the tool": (explore, "is_tainted"),
    "making the calls of the probe unplanned": ("probe", UnplannedProbe()),
    "making the calls of the probe invalid": (
        "host",
        once("execute", lambda plan, *_: plan.probe == "invalid", 9),
    ),
    "making the calls of the probe valid": ("host", once("check_sentinels")),
    "reading the declaration after calls": ("host", once("describe", skipped=1)),
    "reading the declaration in other processes": ("host", once("describe_again")),
    "letting the tool clean up": (
        "host",
        once("describe_again", lambda conditions, *_: CLEANUP in conditions),
    ),
    "judging all calls together": (ledger.Ledger, "conclude"),
    "settling which rule reports what": (masks._Settling, "settled"),
    "finding what hides something from EXC902": (masks._Settling, "_masking"),
    "making what breaks EXC901 smaller": (prove, "shrunk"),
    "reproducing what breaks EXC901": (reproduce.Reproduction, "reproduced"),
    "proving what breaks EXC901": (prove, "cause_key"),
    "saying what the suite did to make a call": (findings, "what_suite_did"),
    "giving verdicts": (judge, "obstacles_of"),
    "finding what follows from what": (judge, "with_causes"),
    "applying the waivers": (judge, "apply_waivers"),
    "making the schema's fingerprint": (judge, "fingerprint_of_text"),
    "making the report": (tool_reports, "unreached"),
}


def examined(monkeypatch, how, settings=None):
    place, what = how
    host, rules, probes = Broken(lambda *_: False), [never_raises, comes_back, explored_never_raises], PROBES
    if place == "host":
        host = Broken(what)
    elif place == "rule":
        rules.append(judged_by(**what))
    elif place == "probe":
        probes = (*PROBES, what)
    else:
        monkeypatch.setattr(place, what, fail)
    found = examine(
        Pool(host),
        TARGET,
        settings or ToolSettings(),
        replace(suite(*rules), probes=probes),
        replace(OPTIONS, examples=5),
    )
    assert host.closed
    return found, tool_report(found, tool="agent_fake", deselected=frozenset())


@pytest.mark.parametrize("phase", PHASES)
def test_an_error_of_the_suite_loses_nothing_and_passes_nothing(monkeypatch, phase):
    """Each form of the report says what the suite was doing; the tool is never conforming."""
    found, report = examined(monkeypatch, PHASES[phase])
    errors = {error.phase: error for error in report.harness_errors}
    assert next(iter(errors)) == phase.strip()
    error = errors[phase.strip()]
    assert error.said.startswith(
        f"harness error: the suite failed while {phase.strip()}: KeyError: 'process'; the tool"
    )
    assert "\n" not in error.said
    assert 'raise KeyError("process")' in error.traceback or "KeyError: 'process'" in error.traceback
    assert found.status == report.status in {"incomplete", "nonconforming"}
    verdicts = {verdict.rule: verdict for verdict in found.verdicts}
    assert all(verdicts[code].verdict.value == "inconclusive" for code in error.rules)
    assert not [
        code for code in found.harness.by_rule if verdicts[code].verdict.value in {"pass", "not_applicable"}
    ]
    made = make_report([report], RAN, RunReport())
    for text in (
        status_text(report, 500),
        "\n".join(summary_lines([report])),
        "\n".join(problem.message for problem in problems(made)),
    ):
        assert error.said[:80] in text


UNSHOWN = {"reproducing what breaks EXC901", "proving what breaks EXC901"}
CALLED_BEFORE = set(PHASES) - {
    "reading the schema",
    "making arguments",
    "making the calls of the probe valid",
}


@pytest.mark.parametrize("phase", sorted(CALLED_BEFORE - UNSHOWN))
def test_a_finding_that_was_made_stays_one(monkeypatch, phase):
    """What the tool did was seen, whatever fails elsewhere."""
    _, report = examined(monkeypatch, PHASES[phase])
    assert {verdict.rule for verdict in report.verdicts if verdict.verdict.value == "fail"} >= {"EXC901"}
    assert report.status == "nonconforming"


@pytest.mark.parametrize("phase", sorted(UNSHOWN))
def test_a_finding_that_could_not_be_shown_again_is_inconclusive(monkeypatch, phase):
    """The report names it, and does not blame the tool."""
    found, _ = examined(monkeypatch, PHASES[phase])
    verdict = found.verdicts[0]
    assert (verdict.verdict.value, verdict.finding.reproduced) == ("inconclusive", False)
    assert verdict.reason.startswith("seen once, and not repeated: raised ValueError; harness error: ")
    assert found.status == "incomplete"


def test_a_breach_whose_waiver_could_not_be_applied_is_inconclusive(monkeypatch):
    waived = ToolSettings(waivers=(Waiver("EXC901", "the owner", "soon", OPTIONS.today),))
    found, _ = examined(monkeypatch, PHASES["applying the waivers"], waived)
    assert found.verdicts[0].verdict.value == "inconclusive"


def test_a_tool_without_a_process_is_asked_for_nothing_more(monkeypatch):
    """What a host could not give is no fault of the tool, and no phase waits for it again."""
    asked = []
    host = Broken(
        lambda name, _: asked.append(name) or asked.count("execute") > 60,
        HostError("no process could be started"),
    )
    found = examine(Pool(host), TARGET, ToolSettings(), suite(never_raises, comes_back), OPTIONS)
    assert asked.count("execute") == 61
    assert asked[-1] == "execute"
    assert found.status == "incomplete"
    said = next(iter(found.harness.found.values()))
    assert "no process could be started; the tool is not at fault" in str(said)


def test_a_full_disk_is_no_error_of_the_suite():
    """Also where it is said in other words: nothing else of the tool could be examined."""

    def refuse():
        raise KeyError("copy") from OSError(
            errno.ENOSPC, "No space left on device", "/tmp/aptix-scratch-run-x/files-1/a"
        )

    with pytest.raises(ShortageError, match=r"^not examined: no space is left in /tmp: "):
        HarnessErrors().attempt("copying", (), refuse, lambda: None)
