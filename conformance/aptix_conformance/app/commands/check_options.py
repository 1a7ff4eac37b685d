"""The command line of `aptix-conformance check`."""

import argparse
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from aptix_conformance.app.commands.command import add_extension
from aptix_conformance.core.text import seconds_of
from aptix_conformance.systems.command_options import add_repeatable
from aptix_conformance.systems.target_examples import EXAMPLES, INSTALL

_Number = TypeVar("_Number", int, float)

_OF_THE_PLAN: Final = frozenset({"targets", "plan", "examples"})
DESCRIPTION: Final = f"""\
Examine tools, and show what they break. It needs no configuration, and uses the pyproject.toml in this folder.

{EXAMPLES}
Targets that pyproject.toml does not configure are examined with the quick plan: it shows most faults in little time, but
gives no verdict. --standard gives a verdict. Tools run contained, in separate processes. The command loads no plugin of
pytest, no conftest.py and no distribution that extends the suite, unless --extension names it. It does not download
servers: use `{INSTALL}`. It examines a server with `"disabled": true` only if --server names it.
After Ctrl-C, the command shows and writes the results so far.

Exit status, as pytest's: 0 nothing was found, except breaches of an SDK alone; 1 a tool breaks a MUST rule or could not be
examined; 2 interrupted; 3 the suite itself failed; 4 bad usage; 5 nothing was examined.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    _add_plan(parser)
    _add_choices(parser)
    _add_limits(parser)
    _add_places(parser)


def without_plan(options: argparse.Namespace) -> str:
    """The arguments of a command line as a shell takes them, all but those of its plan."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = [*options.targets]
    for name, default in vars(parser.parse_args([])).items():
        value = getattr(options, name)
        option = f"--{name.replace('_', '-')}"
        if name in _OF_THE_PLAN or value == default:
            continue
        values = value if isinstance(value, list) else [value]
        words += [option if each is True else f"{option}={str(each).removesuffix('.0')}" for each in values]
    return " ".join(map(shlex.quote, words))


def _add_plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("targets", metavar="TARGET", nargs="*", help="default: those of pyproject.toml")
    plan = parser.add_mutually_exclusive_group()
    plan.add_argument(
        "--quick",
        action="store_const",
        const="quick",
        dest="plan",
        help="a part of the calls: shows most faults, gives no verdict",
    )
    plan.add_argument(
        "--standard",
        action="store_const",
        const="standard",
        dest="plan",
        help="all calls that a verdict needs",
    )
    plan.add_argument(
        "--thorough", action="store_const", const="thorough", dest="plan", help="ten times the drawn calls"
    )
    plan.add_argument(
        "--examples",
        metavar="N",
        type=above_zero(int),
        help="--standard, with N drawn calls per generating probe (default 100)",
    )
    parser.add_argument(
        "--seed", metavar="N", type=int, default=0, help="the seed of all drawn calls (default 0)"
    )
    parser.add_argument("--edition", metavar="NAME", help="the edition to judge by")


def _add_choices(parser: argparse.ArgumentParser) -> None:
    add_repeatable(parser, "--server", "NAME", "only this server of a client's file")
    add_repeatable(
        parser,
        "--variable",
        "NAME",
        "a variable of your environment that a client's file may name; others are withheld",
    )
    add_repeatable(
        parser, "--report", "[FORMAT=]PATH", "write the report as JSON, or as html, sarif, junit, gitlab …"
    )
    parser.add_argument(
        "--format",
        choices=("github", "plain"),
        help="github: annotations, and a summary of the job (default where GITHUB_ACTIONS is true)",
    )
    parser.add_argument(
        "--advice", action="store_true", help="show every broken rule, and each piece of advice with its call"
    )


def _add_limits(parser: argparse.ArgumentParser) -> None:
    number = above_zero(float)
    parser.add_argument("--jobs", metavar="N", type=above_zero(int), help="tools examined at the same time")
    parser.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=number,
        default=5.0,
        help="seconds that one call may take (default 5)",
    )
    parser.add_argument(
        "--budget",
        metavar="SECONDS",
        type=number,
        default=600.0,
        help="seconds that one tool's calls may take in all (default 600)",
    )
    parser.add_argument(
        "--deadline", metavar="DURATION", type=_duration, help="how long the run may take, such as 90s or 10m"
    )
    parser.add_argument(
        "--containment", choices=("full", "partial", "none"), help="the least containment that is accepted"
    )
    parser.add_argument("--baseline", metavar="FILE", type=Path, help="a file of known findings")
    parser.add_argument("--no-baseline", action="store_true", help="known findings fail the run too")
    parser.add_argument("--no-waivers", action="store_true", help="judge as if nothing were waived")
    add_extension(parser)


def _add_places(parser: argparse.ArgumentParser) -> None:
    """Declare where tools are examined, and where results come from."""
    parser.add_argument(
        "--shard",
        metavar="K/N",
        help="examine the Kth of N parts of the tools; report merge joins the reports",
    )
    parser.add_argument(
        "--shard-costs", metavar="FILE", type=Path, help="balance the shards by this file of report costs"
    )
    parser.add_argument(
        "--engine",
        metavar="URL",
        help="examine on the workers of a Dask scheduler, such as dask://127.0.0.1:8786; needs --store",
    )
    parser.add_argument(
        "--fleet",
        metavar="LIST",
        help="install, examine and summarise the servers of a file, each by its line: uvx NAME==VERSION or npx -y NAME@VERSION",
    )
    parser.add_argument(
        "--store",
        metavar="URL",
        help="where workers keep results, a folder or an URL of fsspec, or --fleet does, a folder (default .aptix-fleet); "
        "the same command goes on from there",
    )
    parser.add_argument(
        "--cache",
        metavar="DIR",
        type=Path,
        help="take from this folder what was examined already and would give the same results",
    )


def above_zero(kind: Callable[[str], _Number]) -> Callable[[str], _Number]:
    """What reads a number of a kind that must be greater than 0, for `type` of an argument."""

    def read(text: str) -> _Number:
        try:
            number = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
        if not number > 0:
            raise argparse.ArgumentTypeError(f"{text} is not greater than 0")
        return number

    return read


def _duration(text: str) -> float:
    seconds = seconds_of(text)
    if seconds is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a duration: write 90s, 10m or 1h30m")
    return seconds
