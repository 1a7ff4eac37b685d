"""The report of a run, format `aptix-conformance-report/2`: typed, and the only definition of that format.

What differs from run to run is in `Report.run` and in each tool's `seconds`. The rest has the same bytes for the same
seed on the same installation. The string below a member is its description in the published JSON Schema.

One file, because it is a published format: who changes a record sees the whole document, as its reader does.
"""

import datetime
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, field

from aptix_conformance.core.model.baseline import BaselineEntry
from aptix_conformance.core.model.call import LogRecord, Outcome, Output, Raised, ResultError
from aptix_conformance.core.model.codec import Record, replace
from aptix_conformance.core.model.containment import Confinement, Containment, from_confinement
from aptix_conformance.core.model.declaration import TargetKind
from aptix_conformance.core.model.stimulus import Stimulus
from aptix_conformance.core.model.verdict import Level, Obstacle, Status, Thoroughness, VerdictKind

FORMAT: Final = "aptix-conformance-report/2"

CacheState = Literal["taken", "new", "confirmed", "differs", "not_kept"]
MOST_SHARDS: Final = 1_000
"""Shards of a run, at most."""
Count = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0)]
Positive = Annotated[float, Meta(gt=0)]
Digest = Annotated[str, Meta(pattern="^sha256:[0-9a-f]{64}$")]


class ResultReport(Record, frozen=True):
    """The result of a call, with its long texts cut."""

    type_name: str
    """The name of the type of the result."""
    is_invoke_result: bool
    """Whether the result is of the type that the contract demands."""
    successful: bool | None = None
    """Whether the result says that the call succeeded."""
    payload: str | None = None
    """The result text; null where the payload is not a text."""
    payload_type: str = "NoneType"
    """The name of the type of the payload."""
    errors: tuple[ResultError, ...] = ()
    """The errors of the result."""
    error_message: str | None = None
    """The error message of the result."""
    texts: tuple[str, ...] = ()
    """Every text in a failed result, at any depth."""
    awaited: bool = True
    """Whether `execute` gave something to await."""
    unserialisable: str | None = None
    """Why an orchestrator cannot write down the output; null where it can."""
    input_changed: bool = False
    """Whether the call changed its input."""
    facts: Mapping[str, Any] | None = None
    """Members that only results of the tool's system have."""


class CallReport(Record, frozen=True):
    """One call and what came of it. Long texts are cut, except the arguments: they must reproduce the call."""

    plan: Stimulus
    """The exact input."""
    label: str
    """The kind of input, in short: `type:count:string`."""
    outcome: Outcome
    """How the call ended."""
    incident: str | None = None
    """How a call ended that did not return."""
    result: ResultReport | None = None
    """The result; null where the call returned none."""
    raised: Raised | None = None
    """The exception that the call raised; null where it raised none."""
    logs: tuple[LogRecord, ...] = ()
    """Its log records, at most 20."""
    stdout: Output = Output()
    """Its text on the standard output."""
    stderr: Output = Output()
    """Its text on the standard error."""
    suite: str = ""
    """The disturbance of the call by the suite, in a sentence: a planted exception, a cancelled token, a changed context."""


class KnownReport(Record, frozen=True):
    """The entry of the run's baseline that is about a finding."""

    reason: str
    """Why the finding is accepted, in the words of the entry."""
    expires: datetime.date | None = None
    """The last day on which the entry counts; null where it has no end."""
    expired: bool = False
    """Whether that day was over: the finding fails the run then."""


class FindingReport(Record, frozen=True):
    """The proof that a rule is broken."""

    message: str
    """The behaviour of the tool, in a sentence."""
    call: CallReport | None
    """The smallest call found that shows it; null for a rule on the declaration."""
    history: tuple[Stimulus, ...]
    """Calls that the same process must serve first, in order."""
    reproduced: bool
    """Whether a fresh process showed it too; for what a library below the tool is known to break, one that may have served other proofs."""
    replay: str
    """The command that reproduces it, for a report at the path `report.json`: a report does not know its own."""
    attempts: Count = 2
    """How often the suite tried to reproduce it; where it was not reproduced, it was seen once."""
    cause: str = ""
    """The key that separates it from other findings of the rule: an exception's type and function, an argument, a place without its line. \
Another seed does not change it. Empty where the rule finds only one thing."""
    timed: bool = False
    """Whether it rests on a measured time: it counts only where it was reproduced."""
    known: KnownReport | None = None
    """The baseline's entry for it; null where there is none."""

    @property
    def counts(self) -> bool:
        """Whether it makes its rule fail."""
        return self.reproduced or (not self.timed and self.attempts > 1)


class OtherCauseReport(Record, frozen=True):
    """A cause that was found and is not shown."""

    cause: str
    """The key that separates it from other findings of the rule, as in `FindingReport`."""
    timed: bool = False
    """Whether it rests on a measured time, which was not reproduced: it does not count."""
    known: KnownReport | None = None
    """The baseline's entry for it; null where there is none."""

    @property
    def counts(self) -> bool:
        """Whether it makes its rule fail."""
        return not self.timed


class VerdictReport(Record, frozen=True):
    """How one rule ended for one tool."""

    rule: str
    """The rule's code, as `ARG002`."""
    name: str
    """The rule's name."""
    level: Level
    """How strongly the rule binds in the tool's edition."""
    clauses: tuple[str, ...]
    """The clauses of the edition that the rule checks."""
    verdict: VerdictKind
    """How the rule ended."""
    observations: Count
    """How many observations the rule judged."""
    reason: str
    """Why, for all but `pass`."""
    finding: FindingReport | None
    """The proof, for `fail`, `waived` and breaches that were not reproduced: the smallest call of the first cause."""
    further: tuple[FindingReport, ...] = ()
    """The same for its other causes, at most four; those that were reproduced come first."""
    causes: Count = 0
    """How many causes were found, also those that are not shown."""
    follows_from: str = ""
    """The rule whose breach this one follows from; empty where it follows from none."""
    masked_by: tuple[str, ...] = ()
    """The broken rules that hide something from this one, which is not broken itself."""
    other_causes: tuple[OtherCauseReport, ...] = ()
    """The causes that are not shown, at most 100."""
    obstacle: Obstacle | None = None
    """The obstacle that kept the rule from a verdict, for `inconclusive` and `not_applicable`; null otherwise, and in older reports."""

    @property
    def findings(self) -> tuple[FindingReport, ...]:
        """What shows it, one for each cause that is shown."""
        return (self.finding, *self.further) if self.finding else ()

    def with_findings(self, findings: tuple[FindingReport, ...]) -> "VerdictReport":
        """The same verdict, shown by these findings."""
        return replace(self, finding=next(iter(findings), None), further=findings[1:])

    @property
    def named_causes(self) -> tuple[FindingReport | OtherCauseReport, ...]:
        """Every cause that the report names: those that are shown come first."""
        return (*self.findings, *self.other_causes)

    @property
    def new_causes(self) -> tuple[FindingReport | OtherCauseReport, ...]:
        """The named causes of a broken rule that the baseline does not know."""
        if self.verdict is not VerdictKind.FAIL:
            return ()
        return tuple(each for each in self.named_causes if each.counts and not is_known(each))

    @property
    def is_known(self) -> bool:
        """A broken rule all of whose causes the baseline knows."""
        named = self.named_causes
        return (
            self.verdict is VerdictKind.FAIL
            and any(is_known(each) for each in named)
            and not self.new_causes
            and len(named) >= self.causes
        )

    @property
    def blocks(self) -> bool:
        """A broken MUST."""
        return self.verdict is VerdictKind.FAIL and self.level is Level.MUST

    @property
    def is_open(self) -> bool:
        """A MUST about which nothing is known."""
        return self.verdict is VerdictKind.INCONCLUSIVE and self.level is Level.MUST

    @property
    def is_waived(self) -> bool:
        """A broken MUST with a waiver."""
        return self.verdict is VerdictKind.WAIVED and self.level is Level.MUST

    @property
    def is_advice(self) -> bool:
        """A broken rule that is no MUST."""
        return self.verdict is VerdictKind.FAIL and self.level is not Level.MUST


def is_known(finding: FindingReport | OtherCauseReport) -> bool:
    """Whether the baseline knows it, by an entry that has not expired."""
    return finding.known is not None and not finding.known.expired


class ShortfallReport(Record, frozen=True):
    """Something that was not examined, and why."""

    probe: str
    """The probe that could not examine it."""
    reason: str
    """Why, and what to do."""
    reduced_coverage: bool = False
    """A part was examined, with fewer calls than planned."""
    expected: bool = False
    """Nothing needs to be done: the tool has no more that could be examined, or the quick plan leaves it out."""
    cut: bool = False
    """Calls were planned and not made: the rules that would have judged them are inconclusive, unless they are broken."""
    unmade: Count = 0
    """How many calls were planned and not made; 0 where none were, where that is not known, and in older reports."""


class SuspensionReport(Record, frozen=True):
    """A place at which calls of the tool wait."""

    at: str
    """The awaited object, and the line."""
    cancelled: tuple[Literal["task", "token"], ...]
    """How a call was cancelled there: by its token, as a task, both, or not at all."""


class FaultSiteReport(Record, frozen=True):
    """A place at which something that the tool's calls depend on was made to fail."""

    at: str
    """The function that was called there, and the line."""
    faults: tuple[str, ...]
    """The kinds of fault that were tried."""


class ExaminedReport(Record, frozen=True):
    """The examined parts of the tool, by name."""

    suspensions: tuple[SuspensionReport, ...] = ()
    """The places at which its calls wait."""
    restarts: tuple[Mapping[str, str], ...] = ()
    """The conditions under which its declaration was read again."""
    fault_sites: tuple[FaultSiteReport, ...] = ()
    """The places at which a dependency was made to fail."""
    fault_sites_out_of_reach: tuple[str, ...] = ()
    """Kinds of place at which nothing can be made to fail."""


class DeclaredReport(Record, frozen=True):
    """The texts that the tool shows to a model, for `aptix-conformance schema diff`."""

    schema: Any
    """The function schema as parsed; null where there is none that a report can keep."""
    usage_text: str | None
    """The usage text; null where there is none, or where it is too long to keep."""
    result_shape: Mapping[str, str] | None
    """The types found in the results of fixed calls, by JSON path; null where no such call succeeded."""


class SourceReport(Record, frozen=True):
    """A place in a file: where the tool is defined, or what names it."""

    file: str
    """The file, relative to the root directory where it is below it."""
    line: int | None = None
    """The line, counted from 1; null where it is not known."""
    digest: Digest | None = None
    """The SHA-256 of the file's bytes; null where the file cannot be read."""


class DistributionReport(Record, frozen=True):
    """The installed distribution that the tool's file belongs to."""

    name: str
    """The distribution's name, as in its metadata."""
    version: str
    """The distribution's version, as in its metadata."""


class StepReport(Record, frozen=True):
    """One step of a tool's examination."""

    step: str
    """A probe by its name, or `declaration`, `restart` or `proof`."""
    calls: Count
    """How many calls were recorded in it."""
    seconds: Seconds
    """How long it took. Differs from run to run."""
    drawn: Count = 0
    """How many of the calls were drawn; the others are fixed. A hang, the deadline or a small schema leaves less than `suite.examples`."""


class UnreachedReport(Record, frozen=True):
    """A tool whose real work was never examined: no call succeeded, or each that did was refused the network."""

    reason: str
    """Why, as far as the suite can tell, in a sentence."""
    said: str
    """The most frequent answer of the tool; empty where it answered nothing."""
    remedy: str
    """The remedy, in a sentence."""
    settings: str
    """The lines to paste into pyproject.toml, their values placeholders; empty where no setting helps."""
    in_vain: bool = False
    """Whether calls returned a success, and each of them had tried to reach another machine and could not."""


class HarnessErrorReport(Record, frozen=True):
    """An error of the suite itself, which is not a fault of the tool."""

    phase: str
    """The step in which the suite failed."""
    said: str
    """The error in one line, and how to report it."""
    traceback: str = ""
    """The innermost part of the traceback, for the authors of the suite or of the rule; empty where there is none."""
    rules: tuple[str, ...] = ()
    """The codes of the rules that it left without a verdict, in order: they are inconclusive."""


class CacheReport(Record, frozen=True):
    """The part of the run's cache in the results of a tool."""

    state: CacheState
    """`taken`: the results are those of an earlier examination. `new`: the tool was examined now, and a later run may take them. `confirmed`: the tool was \
examined again, as a sample, and the results are the same. `differs`: they are not. `not_kept`: no run may take them."""
    examined: str = ""
    """When the earlier examination was made, ISO 8601 in UTC; empty where there is none."""
    reasons: tuple[str, ...] = ()
    """Why the results are not kept; or in what they differ from the earlier ones."""


class ToolReport(Record, frozen=True):
    """One tool: where it comes from, what was examined, and how each rule ended."""

    tool: str
    """The tool's declared name; `NAME@END` where several have it; `END` where none is known: an end of the target."""
    target: str
    """The target spec."""
    system: str
    """The system of the target spec."""
    edition: str
    """The edition of the contracts by which the tool was judged; empty where none is known."""
    status: Status
    """How the tool ended."""
    schema_fingerprint: Digest | None
    """The SHA-256 of the schema's canonical form."""
    calls: Count
    """How many calls were made."""
    seconds: Seconds
    """How long the examination took. Differs from run to run."""
    shortfalls: tuple[ShortfallReport, ...]
    """The parts that were not examined."""
    verdicts: tuple[VerdictReport, ...]
    """How each rule of the edition ended."""
    declared: DeclaredReport | None = None
    """The texts that the tool shows to a model; null where it was not examined."""
    examined: ExaminedReport | None = None
    """The parts that were examined; null where the tool was not examined."""
    error: str | None = None
    """Why the tool could not be examined at all."""
    source: SourceReport | None = None
    """Where the tool is defined; null where it is not known."""
    distribution: DistributionReport | None = None
    """The distribution that the tool belongs to; null where it is not known."""
    containment: Confinement | None = None
    """The containment of the tool's process: the level of `containment_reached` in other words; null where it is not known."""
    steps: tuple[StepReport, ...] = ()
    """The steps of the examination, in order; empty where the tool was not examined."""
    unreached: UnreachedReport | None = None
    """Why its real work was not seen, and what to configure; null where it was seen, or where no call was planned."""
    configured: SourceReport | None = None
    """The line of the project's configuration that names the tool; null where it does not."""
    containment_reached: Containment | None = None
    """The level of containment that the tool's process reached; null where it is not known, and in older reports."""
    stale: tuple[BaselineEntry, ...] = ()
    """The entries of the baseline for this tool whose findings are gone."""
    kind: TargetKind = "tool"
    """`server` for the entry of a server, which is judged once in addition to its tools."""
    server: str = ""
    """The target of the server that offers the tool; empty where the tool has none."""
    inherited: Mapping[str, str] = field(default_factory=dict)
    """The rules that a library below the tool breaks for all of its tools: the code to the library's name and version. \
They do not prevent certificates of other entries."""
    harness_errors: tuple[HarnessErrorReport, ...] = ()
    """Where the suite itself failed in this examination: the tool is never conforming then."""
    quick: bool = False
    """Whether it was examined with the quick plan: it is never conforming then."""
    cache: CacheReport | None = None
    """The part of the run's cache in the results. Differs from run to run; null where the run had none."""

    @property
    def is_cached(self) -> bool:
        """Whether an earlier run examined it."""
        return self.cache is not None and self.cache.state == "taken"

    @property
    def held(self) -> Containment | None:
        """The containment that was reached, also of an older report; None where it is not known."""
        return self.containment_reached or from_confinement(self.containment)


class ShardReport(Record, frozen=True):
    """The part of a run that the report is about; `aptix-conformance report merge` joins the parts."""

    number: Annotated[int, Meta(ge=1, le=MOST_SHARDS)]
    """The number of the shard, from 1."""
    of: Annotated[int, Meta(ge=1, le=MOST_SHARDS)]
    """How many shards the run has."""
    run: Digest
    """Equal in all shards of a run: the SHA-256 of its tools, its configuration and its costs."""
    entries: Count
    """How many tools and failed targets fell to the shard."""
    whole: bool = True
    """Whether the run asked for all configured tools and examined all that fell to the shard: only then its waivers are known."""
    needed_waivers: tuple[str, ...] = ()
    """As `unneeded_waivers`, for each waiver of a module or package that a tool of this shard needs, or may need."""
    unneeded_waivers: tuple[str, ...] = ()
    """The same for waivers that no tool of this shard needs."""


class SuiteReport(Record, frozen=True):
    """The suite, and how thorough the run was."""

    version: str
    """The suite's version."""
    seed: int
    """The number that everything drawn comes from."""
    examples: int
    """Drawn calls for each generating probe."""
    complete: bool
    """False where the run ended before every tool was examined."""
    isolated: bool
    """False under `--aptix-inline`: the tools ran in the test process."""
    budget: Positive | None = None
    """Seconds that the calls of one tool may take; rules whose calls are not all made by then are inconclusive."""
    timeout: Positive | None = None
    """Seconds that one call may take, where the tool has no limit of its own."""
    deadline: Positive | None = None
    """Seconds that the run might take; null where there was no limit."""
    own_time: bool = True
    """False where the machine does not count how long a process waits for a processor: time limits go by the clock then."""
    memory: Annotated[int, Meta(gt=0)] | None = None
    """MiB of resident memory that the processes of one tool may hold."""
    stopped: str = ""
    """The reason for which the run or one of its workers ended early, if it is known; empty where none did."""
    thoroughness: Thoroughness = "standard"
    """The plan that each tool was examined with; `quick` shows faults, and never conformance."""
    shard: ShardReport | None = None
    """The part of the run that this report is about; null where it is about the whole run."""


class Totals(Record, frozen=True):
    """Counts over all tools of the report."""

    tools: Mapping[Status, int]
    """How many tools have each status."""
    verdicts: Mapping[Level, Mapping[VerdictKind, int]]
    """How many verdicts of each kind there are, by level."""


class BaselineReport(Record, frozen=True):
    """The effect of the run's baseline."""

    known: Count
    """How many findings it knows."""
    new: Count
    """How many findings of broken rules it does not know; these fail the run where their rules do."""
    stale: Count
    """How many of its entries are about findings or tools that are gone; one fails the run."""
    gone: tuple[BaselineEntry, ...] = ()
    """Those of the stale entries whose tools the run does not have."""


class RevisionReport(Record, frozen=True):
    """The version control revision of the project."""

    system: Literal["git"]
    """The version control system."""
    commit: str
    """The commit that is checked out."""
    modified: bool
    """Whether a tracked file differs from that commit."""
    directory: str = ""
    """The project's directory in the repository, with slashes between its parts; empty where it is the root."""


class LoadedReport(Record, frozen=True):
    """Code of others that was loaded into the suite's process, and could change what the suite does."""

    kind: str
    """The group of its entry point, such as `pytest11` or `aptix_conformance.rules`; or `conftest`, or `plugin` for a module."""
    name: str
    """The name of the entry point or module, or the path of the conftest."""
    distribution: str = ""
    """The name and version of its distribution; empty where it has none."""


class RunReport(Record, frozen=True):
    """Times and places of this run. They differ from run to run."""

    started: str = ""
    """When the run started, ISO 8601 with the offset from UTC."""
    seconds: Seconds = 0.0
    """How long the run took."""
    python: str = ""
    """The version of Python that ran the suite."""
    platform: str = ""
    """The operating system and the machine, as `platform.platform()` says it."""
    sys_path: tuple[str, ...] = ()
    """Where modules were looked for, in order."""
    loaded: tuple[LoadedReport, ...] = ()
    """The code of others that was loaded into the suite's process, as far as the suite knows."""


class Report(Record, frozen=True):
    """The file that `pytest --aptix-conformance --aptix-report PATH` writes."""

    format: Literal["aptix-conformance-report/2"]
    """The format of this document."""
    suite: SuiteReport
    """The suite, and how thorough the run was."""
    totals: Totals
    """Counts over all tools of the report."""
    tools: tuple[ToolReport, ...]
    """One entry for each tool, sorted by name and target."""
    revision: RevisionReport | None = None
    """The version control revision of the project; null where there is none."""
    run: RunReport = RunReport()
    """Times and places of this run."""
    unneeded_waivers: tuple[str, ...] = ()
    """A sentence for each waiver of a module or package that no tool under it needs; a run with one fails."""
    baseline: BaselineReport | None = None
    """The effect of the baseline; null where the run had none."""
