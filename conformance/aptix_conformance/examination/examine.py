"""One tool from its target to its verdicts: a list of phases, each in a module of its own."""

from aptix_conformance.examination.applicable import Suite
from aptix_conformance.examination.case import Examination, Opened, Options
from aptix_conformance.examination.declare import declare
from aptix_conformance.examination.describe_again import describe_again
from aptix_conformance.examination.explore import explore
from aptix_conformance.examination.judge import check_waivers, judge
from aptix_conformance.examination.prove import prove
from aptix_conformance.examination.restart import restart
from aptix_conformance.examination.storage import hypothesis_home
from aptix_conformance.hosts.host import Hosts
from aptix_conformance.targets.settings import Target, ToolSettings


def examine(
    hosts: Hosts, target: Target, settings: ToolSettings, suite: Suite, options: Options
) -> Examination:
    """Explore one tool and judge it.

    Raises:
        TargetError: the target cannot be resolved or read.
        HostError: no process could be started or kept.
        ConfigurationError: a waiver names an unknown rule.
    """
    check_waivers(target, settings, suite.rules)
    host = hosts.open(target, settings)
    try:
        with hypothesis_home(options.storage):
            case = declare(Opened(host, target, settings, suite, options))
            explored = explore(case)
            explored = describe_again(explored)
            explored = restart(explored)
            proved = prove(explored)
            return judge(proved)
    finally:
        host.close()
