"""`python -m corpus standard-tests`: run langchain-tests on the LangChain tools of `frameworks.toml`, and write `results.json`.

Then `python -m corpus --page --list frameworks` writes the page. The tests run on this machine as they are, not contained.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from corpus.environments import install_from_pypi, made_once
from corpus.examine import write_files
from corpus.servers import HERE, LISTS, Server, read_servers
from corpus.standard_tests.results import HERE as FOLDER
from corpus.standard_tests.results import RESULTS, Results, Tested

_VERSION: Final = "1.1.9"
_LIMIT: Final = 600.0
"""Seconds for all tests of one tool."""


def main(arguments: list[str], cache: Path) -> int:
    """Run the command; gives its exit status."""
    argparse.ArgumentParser(prog="python -m corpus standard-tests", description=__doc__).parse_args(arguments)
    packages = [each for each in read_servers(LISTS[2]) if each.target.startswith("langchain:")]
    try:
        python = _installed(packages, cache / "standard-tests")
        made = [each for package in packages for each in _tested(package, python)]
    except (subprocess.SubprocessError, OSError, ET.ParseError) as error:
        print(error, file=sys.stderr)
        return 1
    results = Results(datetime.now(UTC).date().isoformat(), _VERSION, tuple(made))
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")
    return 0


def _installed(packages: list[Server], place: Path) -> Path:
    """The interpreter of an environment that has the packages and langchain-tests."""
    pins = sorted({"==".join(each.requirement) for each in packages})
    pins.append(f"langchain-tests=={_VERSION}")
    made_once(place, "\n".join(pins).encode(), lambda empty: install_from_pypi(pins, empty))
    return place / "bin" / "python"


def _tested(package: Server, python: Path) -> Iterator[Tested]:
    for tool, calls in package.examples.items():
        with tempfile.TemporaryDirectory() as made:
            yield _run(package, tool, json.dumps(calls[0]), python, Path(made))


def _run(package: Server, tool: str, call: str, python: Path, folder: Path) -> Tested:
    """Run the tests of one tool, in a folder with its package's files. Raises ParseError where pytest wrote no report."""
    report = folder / "report.xml"
    write_files(package, folder / "files")
    words = [
        python,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-o",
        "asyncio_mode=auto",
        "-o",
        "asyncio_default_fixture_loop_scope=function",
        "-c",
        "/dev/null",
    ]
    names = {"TOOL_MODULE": package.target.partition(":")[2], "TOOL_NAME": tool, "TOOL_CALL": call}
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYTEST"))}
    before = os.times()
    subprocess.run(
        [*words, f"--rootdir={folder}", f"--junitxml={report}", FOLDER / "tool_tests.py"],
        cwd=folder / "files",
        env={**kept, **names, "PYTHONPATH": str(HERE / "framework_tools")},
        stdout=subprocess.DEVNULL,
        timeout=_LIMIT,
        check=False,
    )
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    cases = list(ET.parse(report).iter("testcase"))  # noqa: S314 - the tools are pinned, and run beside pytest anyway
    failed = {
        case.attrib["name"]: re.match(r"[\w.]*", found.attrib["message"])[0]  # type: ignore[index]
        for case in cases
        for found in (*case.iter("failure"), *case.iter("error"))
    }
    return Tested(package.name, tool, len(cases), failed, round(cpu, 2))
