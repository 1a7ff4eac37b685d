"""One tool from its target to its verdicts: a list of phases, each in a module of its own."""

from aptix_conformance.examination.applicable import Suite
from aptix_conformance.examination.case import Examination, Opened, Options
from aptix_conformance.examination.clean_up import CLEANUP, clean_up
from aptix_conformance.examination.declare import declare
from aptix_conformance.examination.describe_again import describe_again
from aptix_conformance.examination.explore import explore
from aptix_conformance.examination.judge import check_waivers, judge
from aptix_conformance.examination.prove import prove
from aptix_conformance.examination.restart import restart
from aptix_conformance.examination.step_limit import StepLimit
from aptix_conformance.examination.storage import hypothesis_home
from aptix_conformance.examination.watch import Watch
from aptix_conformance.generate.same_draws import same_draws
from aptix_conformance.hosts.host import Hosts
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

    Raises:
        TargetError: the target cannot be resolved or read.
        HostError: no process could be started or kept.
        ConfigurationError: a waiver names an unknown rule.
    """
    check_waivers(target, settings, suite.rules)
    host = hosts.open(target, settings)
    try:
        with hypothesis_home(options.storage), same_draws():
            opened = Opened(host, target, settings, suite, options, watch or Watch(), limit or StepLimit())
            during = opened.watch.during
            with during("declaration"):
                case = declare(opened)
            explored = explore(case)
            with during("declaration"):
                explored = describe_again(explored)
            if suite.restarts:
                with during("restart"):
                    explored = restart(explored)
            if CLEANUP in host.disturbances:
                with during(CLEANUP):
                    explored = clean_up(explored)
            with during("proof"):
                proved = prove(explored)
            return judge(proved)
    finally:
        host.close()
