"""The report file, format `aptix-conformance-report/1`: written whole or not at all, read with suspicion.

What differs from run to run stands in the member `run` and in each tool's `seconds`; everything else is the
same bytes for the same seed on the same installation.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema

from aptix_conformance import __version__
from aptix_conformance.errors import ReportError

FORMAT = "aptix-conformance-report/1"


@dataclass(frozen=True, slots=True)
class Report:
    """What a report says of the run as a whole: its seed, thoroughness and limits, and whether it was cut short.

    `budget` and `timeout` are in seconds, `memory` in MiB: what a replay needs to run under the same conditions.
    """

    seed: int
    examples: int
    budget: float
    timeout: float
    memory: int
    complete: bool
    isolated: bool
    run: Mapping[str, Any]

    def document(self, entries: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        """The whole report as JSON, its tools sorted by name and target."""
        return {
            "format": FORMAT,
            "suite": {
                "version": __version__,
                "seed": self.seed,
                "examples": self.examples,
                "budget": self.budget,
                "timeout": self.timeout,
                "memory": self.memory,
                "complete": self.complete,
                "isolated": self.isolated,
            },
            "tools": sorted(entries, key=lambda entry: (entry["tool"], entry["target"], entry["edition"])),
            "run": dict(self.run),
        }


def write_report(path: Path, document: Mapping[str, Any]) -> None:
    """Write a report so that a reader sees the old one or the new one, never a part.

    Raises:
        ReportError: the place cannot be written.
    """
    text = json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False) + "\n"
    _write(path, text, replace=True)


def prove_writable(path: Path) -> None:
    """See that a report could be written, by all that writing one does short of putting it in its place.

    Raises:
        ReportError: the place cannot be written.
    """
    _write(path, "", replace=False)
    if path.exists() and not path.is_file():
        raise ReportError(f"the report cannot be written to {path}: it is there and is no file")


def _write(path: Path, text: str, *, replace: bool) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_text(text, encoding="ascii")
            if replace:
                temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ReportError(f"the report cannot be written to {path}: {error.strerror}") from error


def read_report(path: Path) -> dict[str, Any]:
    """A report that keeps its JSON Schema.

    Raises:
        ReportError: the file is missing, truncated, of another format, or malformed; names the place.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ReportError(f"the report {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ReportError(f"the report {path} is not JSON, cut off perhaps: {error}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ReportError(f"{path} is no report of the format {FORMAT}: make one with --aptix-report {path}")
    problem = next(iter(sorted(_validator().iter_errors(document), key=lambda error: error.json_path)), None)
    if problem is not None:
        raise ReportError(f"the report {path} is malformed at {problem.json_path}: {problem.message[:200]}")
    return document


def find_entry(document: Mapping[str, Any], tool: str) -> dict[str, Any]:
    """The entry of one tool, by its name or its target.

    Raises:
        ReportError: there is none; lists those that there are.
    """
    entries = document["tools"]
    for entry in entries:
        if tool in {entry["tool"], entry["target"]}:
            found: dict[str, Any] = entry
            return found
    names = ", ".join(sorted(entry["tool"] for entry in entries)) or "none"
    raise ReportError(f"the report has no tool {tool!r}; it has: {names}")


@cache
def _validator() -> jsonschema.Draft202012Validator:
    text = resources.files(__package__).joinpath("report.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))
