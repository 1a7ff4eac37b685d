"""`python -m corpus mechanisms`: examine the pairs of faulty and fixed tools, and write docs/mechanisms.md. It installs nothing.

It needs Amplifier's core, Node.js and a runtime of .NET.
"""

import argparse
import sys

from aptix_conformance.core.errors import ConformanceError
from corpus.mechanisms.page import PAGE, render
from corpus.mechanisms.pairs import Seen, examine, problems, read_pairs


def main(arguments: list[str]) -> int:
    """Run the command; gives its exit status: 1 where something is not as the list says, or the suite cannot run."""
    parser = argparse.ArgumentParser(prog="python -m corpus mechanisms", description=__doc__)
    parser.add_argument("name", nargs="*", help="only examine these pairs, and write no page")
    chosen = parser.parse_args(arguments)
    pairs = read_pairs()
    if unknown := set(chosen.name) - {pair.name for pair in pairs}:
        parser.error(f"there is no pair {min(unknown)!r} in mechanisms.toml")
    wanted = [pair for pair in pairs if not chosen.name or pair.name in chosen.name]
    try:
        seen = [_said(each) for each in examine(wanted)]
    except ConformanceError as error:
        print(error, file=sys.stderr)
        return 1
    if not chosen.name:
        PAGE.write_text(render(seen), encoding="utf-8")
    return int(any(line for each in seen for line in problems(each)))


def _said(seen: Seen) -> Seen:
    lines = list(problems(seen)) or [f"{seen.pair.name}: as the list says"]
    print("\n".join(lines), file=sys.stderr, flush=True)
    return seen
