"""What a test is written for, and the surroundings that the project gives the tool."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from aptix_conformance.core.model import Declaration
from aptix_conformance.core.model.report import FindingReport
from aptix_conformance.rules import Rule
from aptix_conformance.systems.author_tests.draft import Draft
from aptix_conformance.systems.author_tests.source import literal
from aptix_conformance.targets import ToolSettings


@dataclass(frozen=True, slots=True)
class Subject:
    """The tool of a test: its module and class, as its target names them, its settings, and the project's directory.

    `declaration` is what it declares, for systems that need it. `folder` is where the test will stand; None for the
    project's directory.
    """

    module: str
    qualname: str
    settings: ToolSettings
    directory: Path
    declaration: Declaration | None = None
    folder: Path | None = None


class Conditions(Protocol):
    """The conditions of the examination."""

    @property
    def timeout(self) -> float:
        """Seconds that one call may take; the tool's own `timeout` comes first."""


WriteTest = Callable[[Subject, Rule, FindingReport, Conditions], str]
"""Writes a test that shows a finding on a tool. It raises ReportError where only the suite shows it."""


def surround(draft: Draft, subject: Subject) -> None:
    """The environment and the files that the project gives the tool."""
    settings = subject.settings
    for name, value in settings.env.items():
        draft.fixtures.add("monkeypatch")
        draft.body.append(f"monkeypatch.setenv({literal(name)}, {literal(value)})")
    if settings.files is not None:
        folder = os.path.relpath(settings.files, subject.directory).replace(os.sep, "/")
        draft.modules.add("shutil")
        draft.fixtures |= {"monkeypatch", "pytestconfig", "tmp_path"}
        source = f"pytestconfig.rootpath / {literal(folder)}"
        draft.body.append(f"shutil.copytree({source}, tmp_path, dirs_exist_ok=True)")
        draft.body.append("monkeypatch.chdir(tmp_path)")
