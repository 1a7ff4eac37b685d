"""Compares the commits at which the clauses of MCP were read with a newer state of the specification.

  python -m tools.specification ../modelcontextprotocol --at origin/main

It prints a line for each page and schema that has changed since. Exit status: 0; 1 when one has; 2 on bad usage.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import yaml


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what has changed; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.specification",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("repository", type=Path, help="a clone of modelcontextprotocol/modelcontextprotocol")
    parser.add_argument("--at", default="HEAD", metavar="REVISION", help="the newer state (default: HEAD)")
    chosen = parser.parse_args(arguments)
    text = resources.files("aptix_conformance.core.contracts").joinpath("mcp-clauses.yaml").read_text("utf-8")
    found = list(changed(yaml.safe_load(text)["sources"], chosen.repository, chosen.at))
    for line in found:
        print(line)
    return int(bool(found))


def changed(sources: Mapping[str, Mapping[str, Any]], repository: Path, at: str) -> Iterator[str]:
    """A line for each file of a source with a commit that is not the same at another state.

    Raises:
        subprocess.CalledProcessError: git does not know the commit or the state.
    """
    for name, source in sources.items():
        if "commit" not in source:
            continue
        places = ["--", source["pages"], source["schema"]]
        words = ["git", "-C", str(repository), "diff", "--name-only", source["commit"], at, *places]
        done = subprocess.run(words, capture_output=True, text=True, check=True)  # noqa: S603 - git, with a commit of ours
        for path in done.stdout.splitlines():
            yield f"{name}: {path} has changed since {source['commit'][:12]}"


if __name__ == "__main__":
    sys.exit(main())
