"""`aptix-conformance host-check`: does a host keep the host protocol?"""

import argparse
import shlex
from pathlib import Path
from typing import Any

from aptix_conformance.app.commands.command import NO, OK, add_command, say
from aptix_conformance.app.run import Run, RunOptions
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.hosts.check.host_checks import Checked, check_host

_DESCRIPTION = """\
Examine a host by itself: framing, large messages, calls at the same time, cancellation, stray output, shutdown,
restart, and the sentinels. Every message is checked against its JSON Schema. The reference is docs/host-protocol.md.

  aptix-conformance host-check -- python3 docs/examples/word_count_host.py
Run it in the root directory of the tools. Exit status: 0 when every claim of the host holds, 1 when one does not,
2 when the check cannot be made.
"""


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(subparsers, "host-check", run, description=_DESCRIPTION)
    parser.add_argument(
        "--target", metavar="SPEC", help="examine the host that runs this target, where it is a program"
    )
    parser.add_argument(
        "--tool", metavar="NAME", help="the tool to load (default: the first that the host lists)"
    )
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="the host's command, after --")


def run(options: argparse.Namespace) -> int:
    """Make every check, and print each outcome."""
    if bool(options.target) == bool(options.command):
        problem = "not both" if options.target else "there is neither"
        raise ConfigurationError(
            f"host-check examines a --target or the host's command after -- ({problem}); for example: "
            "aptix-conformance host-check -- ./my-host --flag"
        )
    text = options.target or f"host:{shlex.join(options.command)}"
    broken = 0
    # No tool is judged, so no containment is required.
    with Run.open(Path.cwd(), RunOptions(sys_path=(), containment="none")) as opened:
        spec = opened.settings.specs.parse(text, "host-check")
        with opened.program_pool(spec.spelling.prefix) as pool:
            for checked in check_host(pool.subject(spec.module, options.tool or spec.qualname)):
                broken += checked.outcome == "broken"
                say(_line(checked))
    say(f"{spec.canonical}: " + (f"{broken} broken" if broken else "the protocol is kept"))
    return NO if broken else OK


def _line(checked: Checked) -> str:
    detail = f": {checked.words}" if checked.words else ""
    return f"{checked.outcome:<12} {checked.name}{detail}"
