"""A run under GitHub Actions: whether it is one, and the summary of its job."""

import os
from pathlib import Path
from typing import Final

import pytest

from aptix_conformance.core.model.report import Report
from aptix_conformance.present.reports.github import LARGEST_SUMMARY, summary

_FILE: Final = "GITHUB_STEP_SUMMARY"
"""The variable that names the file to which a step adds its part of the job's summary."""


def is_for_github(config: pytest.Config) -> bool:
    """Whether the run speaks to GitHub: `--aptix-format` decides, and without it the environment."""
    chosen = config.getoption("--aptix-format")
    return chosen == "github" if chosen else os.environ.get("GITHUB_ACTIONS") == "true"


def write_job_summary(report: Report) -> list[str]:
    """Add the summary to the file of the step, if there is one; gives a note where that is not possible."""
    name = os.environ.get(_FILE)
    if not name:
        return []
    path = Path(name)
    try:
        size = path.stat().st_size if path.exists() else 0
        with path.open("a", encoding="utf-8", newline="") as stream:
            stream.write(summary(report, LARGEST_SUMMARY - size))
    except OSError as error:
        return [f"the summary of the job cannot be written to {path}: {error.strerror}"]
    return []
