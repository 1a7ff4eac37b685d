"""`aptix-conformance cache`: what `check --cache` and `pytest --aptix-cache` keep, examined again."""

from typing import Any, Final

from aptix_conformance.app.commands import check
from aptix_conformance.app.commands.check_options import above_zero, add_arguments
from aptix_conformance.app.commands.command import add_command, add_group

_ONE_IN: Final = 10
_DESCRIPTION: Final = """\
Examine a sample of the tools again whose results a cache has, and compare. Nothing is taken from the cache.

  aptix-conformance cache recheck --cache .aptix-cache
  aptix-conformance cache recheck --cache .aptix-cache --one-in 1 "python server.py"

Give the targets and options with which `check` kept the results: with others, they are other results. The sample is another
one each day. A result that differs is deleted from the cache.

Exit status, as that of `check`; 1 also where a result differs, and 4 where the cache has none of these tools.
"""


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    group = add_group(subparsers, "cache", "Examine again what a cache of examinations has.")
    short = "examine a sample again, and compare"
    parser = add_command(group, "recheck", check.run, description=_DESCRIPTION, short=short)
    parser.bad_use = check.USAGE
    add_arguments(parser)
    parser.add_argument(
        "--one-in",
        metavar="N",
        type=above_zero(int),
        default=_ONE_IN,
        help="one tool in N (default 10; 1: all)",
    )
