"""The records that the phases of an examination pass on.

`Opened` → declare → `Case` → explore → `Explored` → describe again → restart → clean up → prove → `Proved` → judge →
`Examination`. The ledger of a case grows from phase to phase; everything else stays as it was made.
"""

import datetime
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis.strategies import SearchStrategy

from aptix_conformance.core.model import Call, Declaration, Exploration, Stimulus
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.report import VerdictReport
from aptix_conformance.core.model.verdict import Status
from aptix_conformance.examine.applicable import Suite
from aptix_conformance.examine.blocked_network import successes_without_network
from aptix_conformance.examine.harness_errors import HarnessErrors
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.examine.masks import Settled
from aptix_conformance.examine.scan import Scan
from aptix_conformance.examine.step_limit import StepLimit
from aptix_conformance.examine.verdicts import Proof, status_of
from aptix_conformance.examine.watch import Watch
from aptix_conformance.hosts.host import ToolHost
from aptix_conformance.stimuli.probes import Subject
from aptix_conformance.targets.settings import Target, ToolSettings


@dataclass(frozen=True, slots=True)
class Options:
    """How thorough an examination is: examples a generating probe, the seed of the run, and the deadline of a tool in seconds.

    `timeout` is how many seconds a call may take where the tool's settings do not say it.
    `storage` is a folder for Hypothesis's caches, a temporary one where it is None.
    """

    examples: int = 100
    budget: float = 600.0
    timeout: float = 5.0
    seed: int = 0
    storage: Path | None = None
    today: datetime.date = field(default_factory=datetime.date.today)
    quick: bool = False
    """Whether each tool is examined with the plan of `quick.py`."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A tool that was started in a process of its own and not read yet."""

    host: ToolHost
    target: Target
    settings: ToolSettings
    suite: Suite
    options: Options
    watch: Watch = field(default_factory=Watch)
    limit: StepLimit = field(default_factory=StepLimit)
    started: float = field(default_factory=time.monotonic)
    """When the examination began, on the monotonic clock."""


@dataclass(frozen=True, slots=True)
class Case:
    """A tool whose declaration has been read, and the ledger of its observations."""

    opened: Opened
    subject: Subject
    ledger: Ledger
    blocked: str
    """Why no call can be made; empty where calls can be made."""
    blocked_by_tool: bool = False
    """Whether the tool itself is the reason, and not what the project allows or configures."""

    @property
    def host(self) -> ToolHost:
        """The tool's process."""
        return self.opened.host

    @property
    def patience(self) -> float | None:
        """Seconds for a call that did not come back in time, when it is repeated; None where its limit is the last word."""
        return None if self.opened.settings.timeout is not None else self.declaration.traits.patience

    @property
    def declaration(self) -> Declaration:
        """The first reading of the declaration."""
        return self.subject.declaration


@dataclass(frozen=True, slots=True)
class Source:
    """The scan and the strategy that drew a probe's calls, so that the draw can be repeated and shrunk."""

    scan: Scan
    strategy: SearchStrategy[Stimulus]


@dataclass(frozen=True, slots=True)
class Explored:
    """A case whose calls have been made; `sources` holds the source of drawn calls by name of probe."""

    case: Case
    sources: Mapping[str, Source]


@dataclass(frozen=True, slots=True)
class Proved:
    """A case without further observations.

    `proofs` holds the findings by the code of each broken rule, `settled` which rule reports each fault and what
    that hides from others.
    """

    case: Case
    proofs: Mapping[str, Proof]
    settled: Settled


@dataclass(frozen=True, slots=True)
class Examination:
    """The result for one tool; `seconds` is the duration of the examination."""

    tool: str
    target: Target
    edition: str
    schema_fingerprint: str | None
    verdicts: tuple[VerdictReport, ...]
    exploration: Exploration
    seconds: float
    containment: Containment | None = None
    """The level of containment that the process reached; None where that is not known."""
    watch: Watch = field(default_factory=Watch)
    """The calls and the duration of each step."""
    harness: HarnessErrors = field(default_factory=HarnessErrors)
    """Errors of the suite itself."""
    quick: bool = False
    """Whether the plan was that of `quick.py`, which never shows conformance."""

    @property
    def successes_without_network(self) -> list[Call]:
        """The calls that succeeded, where each had tried the network in vain; else none."""
        return successes_without_network(
            self.exploration.declarations[0], self.exploration.calls, self.containment
        )

    @property
    def status(self) -> Status:
        """`conforming`, `conforming-with-waivers`, `nonconforming` or `incomplete`."""
        return self.status_without(frozenset())

    def status_without(self, deselected: frozenset[str]) -> Status:
        """The status where some rules were deselected: they count as not examined."""
        says_nothing = bool(self.quick or self.harness.found or self.successes_without_network)
        return status_of(self.verdicts, deselected=deselected, says_nothing=says_nothing)
