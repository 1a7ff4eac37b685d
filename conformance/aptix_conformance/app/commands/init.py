"""`aptix-conformance init`: set a project up, from the search for its tools to the first locks."""

import argparse
import sys
from pathlib import Path
from typing import Any, Final

from aptix_conformance.app.commands.command import BAD_USE, NO, OK, add_command, complain

_DESCRIPTION: Final = """\
Set up the project in this folder: find its tools, write the configuration, a workflow for CI and the first locks.

  aptix-conformance init                     finds tools of all systems, and MCP servers
  aptix-conformance init server.py           this target, as `aptix-conformance check` takes it
  aptix-conformance init --yes --baseline    asks nothing, and accepts what is broken today

1. Finds the tools by the text of the source files; nothing is imported for that. Where pyproject.toml names tools already,
   these are taken, with each TARGET of the command line.
2. Calls each tool, contained, with what its schema, its examples and its description name. A tool whose table says
   side_effects = "none" is called uncontained, once you agree: in the terminal, or with --yes. A call that works becomes its
   example in pyproject.toml. Where none works, the lines that the tool seems to need are written as comments: complete them.
   No file, host or variable is opened to a tool unless you write it.
3. Writes .github/workflows/aptix-conformance.yml, where no workflow names aptix-conformance.
4. Examines all tools, and writes a lock for each: its schema, usage text and shape of results.
5. With --baseline: shows how many findings there are, and accepts them in aptix-baseline.json.

What is there is kept: a second run changes nothing. The last lines say what is left to do. Without a terminal nothing is asked.

Exit status: 0 all is set up; 1 something is left to do; 2 bad usage, or interrupted.
"""


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(subparsers, "init", run, description=_DESCRIPTION)
    parser.add_argument(
        "targets", metavar="TARGET", nargs="*", help="a file, a module or a server (default: what is found)"
    )
    parser.add_argument("--yes", action="store_true", help="ask nothing")
    parser.add_argument("--baseline", action="store_true", help="accept the findings of today")


def run(options: argparse.Namespace) -> int:
    """Set the project up."""
    # The import takes a second, and `--help` does not need it.
    from aptix_conformance.app.commands.init_project import ProjectSetup  # noqa: PLC0415

    is_asking = not options.yes and sys.stdin.isatty() and sys.stdout.isatty()
    setup = ProjectSetup.open(Path.cwd(), options.targets, is_asking=is_asking, is_agreed=options.yes)
    try:
        return OK if setup.carry_out(baseline=options.baseline) else NO
    except KeyboardInterrupt:
        complain("interrupted; what was written stays, and the same command goes on from there")
        return BAD_USE
