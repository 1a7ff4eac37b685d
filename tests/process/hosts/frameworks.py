"""What the tests of the frameworks' hosts share: hosts for one module, its tools, and a call."""

import sys
import textwrap
from contextlib import contextmanager

from tests.stimuli import stimulus

from aptix_conformance.core.model import CancellationPoint
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.rules.lib.scope import sort_of_leftover
from aptix_conformance.systems.pools import Systems
from aptix_conformance.targets import Target, ToolSettings


@contextmanager
def hosts_of(place, module, source):
    """Hosts for a module that is written into a folder."""
    (place / f"{module}.py").write_text(textwrap.dedent(source))
    opened = Systems(Environment(place, (str(place), *filter(None, sys.path)), limits=Limits(timeout=5)))
    yield opened
    opened.close()


def opening(hosts, system, module):
    """What opens a tool of the module by its name, with settings."""

    def open_tool(name, **settings):
        return hosts.open(Target(f"{system}:{module}#{name}", system, module, name), ToolSettings(**settings))

    return open_tool


def called(host, arguments="{}", **changes):
    return host.execute(stimulus("test", "generated", arguments, None, **changes))


def is_thread_of_the_framework(host):
    """Whether a cancelled call of a plain function leaves a thread that CAN008 counts as the framework's."""
    call = called(host, disturbance=CancellationPoint("task", 1, within=0.05, hold=0.1))
    (left,) = call.disturbed.left_running
    facts = host.describe().facts
    return facts.breaks_by_itself("CAN008", sort_of_leftover(left)) == facts.library
