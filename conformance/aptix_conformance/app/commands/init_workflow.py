"""The GitHub workflow that `aptix-conformance init` writes: it installs the project and the suite, and examines the tools."""

import json
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final

from packaging.specifiers import SpecifierSet

from aptix_conformance import __version__
from aptix_conformance.core.files import is_file, is_taken
from aptix_conformance.systems.recognition import source_text
from aptix_conformance.targets.git import git

DISTRIBUTION: Final = "aptix-conformance"
PLACE: Final = Path(".github/workflows/aptix-conformance.yml")
VARIABLE: Final = "APTIX_CONFORMANCE"
"""The variable of the repository that names what pip installs the suite from, where this installation does not tell."""
_PYTHONS: Final = ("3.12", "3.13", "3.14", "3.11")
"""The versions of Python that a workflow can name, the usual one first."""

_HEAD: Final = """\
# Examines the tools that pyproject.toml configures. Written by `aptix-conformance init`; change it as you like.
name: Aptix conformance
on: [push, pull_request]
permissions:
  contents: read
jobs:
  conformance:
    runs-on: ubuntu-latest
    timeout-minutes: 60
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "{python}"
"""
_NODE: Final = """\
      - uses: actions/setup-node@v4
        with:
          node-version: "22"
"""
_DOTNET: Final = """\
      - uses: actions/setup-dotnet@v4
        with:
          dotnet-version: "8.0"
"""
_EXAMINE: Final = """\
      - run: .venv/bin/pytest --aptix-conformance --aptix-report report.json --aptix-report html=report.html
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: aptix-conformance
          path: |
            report.json
            report.html
"""


@dataclass(frozen=True, slots=True)
class Workflow:
    """What is to be written to `PLACE`, empty where nothing is; and what is left to a person, in sentences."""

    text: str
    left: tuple[str, ...] = ()


def workflow_for(root: Path, systems: Collection[str]) -> Workflow:
    """The workflow of a project that has none, for tools of these systems."""
    folder = root / PLACE.parent
    if any("aptix-conformance" in source_text(file) for file in sorted(folder.glob("*.y*ml"))):
        return Workflow("")
    if is_taken(root / PLACE):
        left = f"CI: {PLACE} is there, names no aptix-conformance, and is kept: add the steps of docs/ci.md to it"
        return Workflow("", (left,))
    if git(root, "rev-parse", "--show-prefix") not in (None, b"\n", b""):
        left = f"CI: write a workflow in the root of the git repository, which runs pytest in {root.name}/ (docs/ci.md)"
        return Workflow("", (left,))
    if is_file(root / ".gitlab-ci.yml") and not (root / ".github").is_dir():
        return Workflow("", ("CI: add the job of docs/ci.md to .gitlab-ci.yml",))
    source = _source()
    left = (
        f"CI: set the repository's variable {VARIABLE} to what pip installs the suite from, such as a git URL"
    )
    return Workflow("".join(_parts(root, systems, source)), () if source else (left,))


def _parts(root: Path, systems: Collection[str], source: str) -> Iterator[str]:
    yield _HEAD.format(python=_python(source_text(root / "pyproject.toml")))
    if is_file(root / "package.json"):
        yield _NODE
    if _has_dotnet_project(root):
        yield _DOTNET
    for command in _preparation(root):
        yield f"      - run: {command}\n"
    yield f'      - run: .venv/bin/pip install "{source or f"${VARIABLE}"}"\n'
    if not source:
        yield f"        env:\n          {VARIABLE}: ${{{{ vars.{VARIABLE} }}}}\n"
    for extra in sorted(_extras().intersection(systems)):
        yield f'      - run: .venv/bin/pip install "{DISTRIBUTION}[{extra}]"\n'
    yield _EXAMINE


def _preparation(root: Path) -> Sequence[str]:
    commands = []
    if is_file(root / "package.json"):
        install = "npm ci" if is_file(root / "package-lock.json") else "npm install"
        commands.append(f"{install} && npm run build --if-present")
    if _has_dotnet_project(root):
        commands.append("dotnet build")
    commands.append("python -m venv .venv")
    if is_file(root / "requirements.txt"):
        commands.append(".venv/bin/pip install -r requirements.txt")
    pyproject = source_text(root / "pyproject.toml")
    if "[build-system]" in pyproject or "[project]" in pyproject:
        commands.append(".venv/bin/pip install --editable .")
    return commands


def _python(pyproject: str) -> str:
    """The version of Python that a project is installed on: the usual one, or the first other one that it supports."""
    try:
        required = SpecifierSet(tomllib.loads(pyproject)["project"]["requires-python"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return _PYTHONS[0]
    # A lower bound may name a patch release.
    supported = (each for each in _PYTHONS if any(required.contains(f"{each}.{patch}") for patch in (0, 99)))
    return next(supported, _PYTHONS[0])


def _has_dotnet_project(root: Path) -> bool:
    return any(root.glob("*.csproj")) or any(root.glob("*/*.csproj")) or any(root.glob("src/*/*.csproj"))


def _extras() -> frozenset[str]:
    """The extras of the suite; one with the name of a system is what its tools need."""
    try:
        return frozenset(distribution(DISTRIBUTION).metadata.get_all("Provides-Extra") or ())
    except PackageNotFoundError:
        return frozenset()


def _source() -> str:
    """What pip installs this version of the suite from; empty where that is a place on this machine."""
    try:
        text = distribution(DISTRIBUTION).read_text("direct_url.json")
    except PackageNotFoundError:
        return ""
    if text is None:
        return f"{DISTRIBUTION}=={__version__}"
    origin: Any = json.loads(text)
    url = str(origin.get("url", ""))
    if "@" in url or not url.startswith("https://"):
        return ""  # a URL may hold a password
    vcs = origin.get("vcs_info")
    return f"{DISTRIBUTION} @ {vcs['vcs']}+{url}@{vcs['commit_id']}" if vcs else f"{DISTRIBUTION} @ {url}"
