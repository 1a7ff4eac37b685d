"""One tool from its target to its verdicts: a list of phases, each in a module of its own."""

from collections.abc import Callable
from functools import partial

from aptix_conformance.core.errors import harness_phase
from aptix_conformance.core.model import Call
from aptix_conformance.examine.applicable import Suite
from aptix_conformance.examine.case import Examination, Explored, Opened, Options
from aptix_conformance.examine.clean_up import CLEANUP, clean_up
from aptix_conformance.examine.declare import declare
from aptix_conformance.examine.explore import explore
from aptix_conformance.examine.judge import check_waivers, judge
from aptix_conformance.examine.prove import prove
from aptix_conformance.examine.reread import describe_again
from aptix_conformance.examine.restart import restart
from aptix_conformance.examine.step_limit import StepLimit
from aptix_conformance.examine.storage import hypothesis_home
from aptix_conformance.examine.watch import Watch
from aptix_conformance.hosts.host import Hosts
from aptix_conformance.stimuli.generate.reproducible_draws import same_draws
from aptix_conformance.targets.settings import Target, ToolSettings


def examine(
    hosts: Hosts,
    target: Target,
    settings: ToolSettings,
    suite: Suite,
    options: Options,
    watch: Watch | None = None,
    limit: StepLimit | None = None,
) -> Examination:
    """Explore one tool and judge it; `watch` follows the steps, and `limit` stops what takes too long.

    Once the declaration was read, an error of the suite, or of a host's start, loses nothing of what was found: the
    examination tells it (`harness_errors`), and what could not be judged is inconclusive.

    Raises:
        TargetError: the target cannot be resolved or read; SetupError where calls could not be made, and no breach was found.
        HostError: no process could be started or kept.
        ConfigurationError: a waiver names an unknown rule.
    """
    check_waivers(target, settings, suite.rules)
    with harness_phase("starting the tool"):
        host = hosts.open(target, settings)
    try:
        with hypothesis_home(options.storage), same_draws():
            opened = Opened(host, target, settings, suite, options, watch or Watch(), limit or StepLimit())
            during = opened.watch.during
            with during("declaration"), harness_phase("reading the declaration"):
                case = declare(opened)
            explored = explore(case)
            later: list[tuple[str, str, Callable[[Explored], object]]] = [
                ("declaration", "reading the declaration after calls", describe_again)
            ]
            if suite.restarts:
                later.append(("restart", "reading the declaration in other processes", restart))
            if CLEANUP in host.disturbances:
                later.append((CLEANUP, "letting the tool clean up", clean_up))
            for step, phase, read in later:
                with during(step):
                    case.ledger.harness.attempt(
                        phase,
                        case.ledger.codes(lambda rule: rule.over is not Call),
                        partial(read, explored),
                        bool,
                        asks_tool=True,
                    )
            with during("proof"):
                proved = prove(explored)
            examination = judge(proved)
            # A breach of a tool whose set-up lacks something is reported; that it lacks something is all that is known of others.
            if case.ledger.lacking is not None and examination.status != "nonconforming":
                raise case.ledger.lacking
            return examination
    finally:
        host.close()
