"""The options of a run, and the bounds on those that a report sets for a replay."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aptix_conformance.app.run.shards import Shard
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.model.containment import ContainmentLevel
from aptix_conformance.core.model.verdict import Thoroughness
from aptix_conformance.examine.quick import EXAMPLES as QUICK_EXAMPLES
from aptix_conformance.hosts import CoverageSettings
from aptix_conformance.targets import SourcedSpec

BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "examples": (1, 10_000),
    "budget": (0.1, 3_600.0),
    "timeout": (0.01, 600.0),
    "memory": (16, 65_536),
}
"""The limits, in the units of `RunOptions`, on what a report may request for a replay: a report is untrusted input."""
DRAWN: Final[Mapping[Thoroughness, int]] = {"quick": QUICK_EXAMPLES, "standard": 100, "thorough": 1000}
"""How many calls each generating probe draws."""
ONE_IN: Final = 100
"""How many tools that could be taken from a cache stand for one that is examined again."""
ALLOW_SIDE_EFFECTS: Final = "--allow-side-effects"
"""The option of `aptix-conformance replay` that trusts a report's arguments."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of a run; every default is that of `pytest --aptix-conformance`.

    Raises:
        ConfigurationError: `examples`, `budget`, `timeout`, `memory`, `deadline`, `jobs` or `one_in` is not greater than 0; or there are
            `examples` for another plan than the standard one.
    """

    tools: tuple[str | SourcedSpec, ...] = ()
    """Target specs, added to those that the project configures."""
    edition: str | None = None
    """The edition to judge by; None is the configured one, or the default of each system."""
    seed: int = 0
    """The number that everything drawn comes from."""
    thoroughness: Thoroughness = "standard"
    """Which plan each tool is examined with."""
    examples: int | None = None
    """Drawn calls of each generating probe, instead of those of the standard plan; None for those of `thoroughness`."""
    budget: float = 600.0
    """Seconds that the calls of one tool may take. Planned calls that are not made by then leave rules inconclusive."""
    containment: ContainmentLevel | None = None
    """The containment without which no tool is examined: `full`, `partial` or `none`; None is the configured one, or `none`."""
    deadline: float | None = None
    """Seconds that the run may take; None is the configured deadline, or no limit."""
    timeout: float = 5.0
    """Seconds that one call may take; a tool's own `timeout` comes first."""
    memory: int = 1024
    """MiB of resident memory that the processes of one tool may hold."""
    jobs: int | None = None
    """How many tools are examined at the same time; None is as many as processors and memory allow. Verdicts do not depend on it."""
    inline: bool = False
    """Run Aptix tools in this process: nothing is isolated."""
    limited: bool = True
    """Read, draw and judge in a process of the suite's own, whose time and memory are limited. `Run.examine` never does."""
    waivers: bool = True
    """Whether the configured waivers count."""
    baseline: Path | None = None
    """The file of known findings, which do not fail a run of pytest; None is the configured one, or none."""
    baselines: bool = True
    """Whether a baseline counts."""
    root: Path | None = None
    """Where relative paths in target specs start; None is the project's directory."""
    sys_path: tuple[str, ...] | None = None
    """Where tools' modules are looked for, before the root; None is `sys.path` and pytest's `pythonpath`."""
    hidden: tuple[str, ...] = ()
    """Absolute paths that no tool may see, where the machine can hide them."""
    variables: tuple[str, ...] = ()
    """Variables of the environment that a client's file may name for each of its servers."""
    coverage: CoverageSettings | None = None
    """How the tools' coverage is measured; None where it is not."""
    shard: Shard | None = None
    """The part of the tools that `Run.own_share` leaves; None for all of them."""
    storage: Path | None = None
    """A folder for Hypothesis's caches; None is a temporary one."""
    cache: Path | None = None
    """A folder of examinations: what was examined already, and would give the same results, is taken from it."""
    one_in: int = ONE_IN
    """How many tools that could be taken from the cache stand for one that is examined again."""

    def __post_init__(self) -> None:
        for name in ("examples", "budget", "timeout", "memory", "deadline", "jobs", "one_in"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                option = "recheck" if name == "one_in" else name
                raise ConfigurationError(f"--aptix-{option} must be greater than 0, not {value}")
        if self.examples is not None and self.thoroughness != "standard":
            raise ConfigurationError(
                f"--aptix-examples changes the standard plan, and `--aptix-thoroughness {self.thoroughness}` is another one: "
                "leave one of the two options out"
            )

    @property
    def drawn(self) -> int:
        """Drawn calls of each generating probe, at most."""
        return DRAWN[self.thoroughness] if self.examples is None else self.examples
