"""The kinds of input that come from strangers, and how each is read by the suite's public ways in."""

import contextlib
import io
import os
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tests.acceptance.fuzzing import kept
from tests.acceptance.fuzzing.documents import (
    baselines,
    configurations,
    host_answers,
    in_lines,
    indexes,
    journals,
    locks,
    recordings,
    reports,
    schemas,
    specs,
)
from tests.acceptance.fuzzing.host_messages import read_answer
from tests.acceptance.fuzzing.judging import judge, texts
from tests.acceptance.fuzzing.signed import READERS
from tests.acceptance.fuzzing.trial import Kind, NotRefusedWellError

from aptix_conformance.app import cli
from aptix_conformance.core.errors import BaselineError, CertificateError, ConfigurationError, ReportError
from aptix_conformance.core.model.codec import to_text
from aptix_conformance.present.reports.baseline import read_baseline
from aptix_conformance.present.reports.journal import journal_path, read_journal
from aptix_conformance.recording import read_recording
from aptix_conformance.systems.registry import installed

_ANNOTATIONS: Final = ("::error file=", "::warning file=", "::notice file=")
"""How the lines begin that `schema diff --format github` prints on purpose."""
_REFUSED: Final = 2
"""The exit status of a command that was given bad input."""


def _command(*words: str) -> bool:
    """Whether the command accepted its input.

    Raises:
        NotRefusedWellError: it printed what a terminal or CI could obey, or refused in more or less than one line.
    """
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.main(words)
    for text in (out.getvalue(), err.getvalue()):
        _check_harmless(text)
    lines = err.getvalue().splitlines()
    if status != _REFUSED:
        return True
    if out.getvalue() == "" and (len(lines) != 1 or not lines[0].startswith("aptix-conformance: ")):
        raise NotRefusedWellError(
            f"{' '.join(words)} refused it in {len(lines)} lines:\n{err.getvalue()[:2000]}"
        )
    return False


def _check_harmless(text: str) -> None:
    for line in text.split("\n"):
        wrong = next((character for character in line if not character.isprintable()), None)
        if wrong is not None:
            raise NotRefusedWellError(f"it printed {wrong!r}: {line[:200]!r}")
        if line.startswith(("::", "##[", "##vso[")) and not line.startswith(_ANNOTATIONS):
            raise NotRefusedWellError(f"it printed a line that CI obeys: {line[:200]!r}")


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


_OTHER_READERS: Final = (
    ("replay", "report.json#agent_echo/ARG002"),
    ("schema", "diff", "report.json", "report.json"),
    *(
        ("report", form, "report.json")
        for form in ("badge", "github", "github-summary", "gitlab", "sarif", "shields")
    ),
)


def _read_report(data: bytes, scratch: Path) -> bool:
    """By one command always and by one of the others: which, its bytes decide."""
    (scratch / "report.json").write_bytes(data)
    with _inside(scratch):
        _command(*_OTHER_READERS[zlib.crc32(data) % len(_OTHER_READERS)])
        return _command("report", "summary", "report.json")


def _read_lines(data: bytes, scratch: Path) -> bool:
    (scratch / "report.jsonl").write_bytes(in_lines()[0] + data)
    with _inside(scratch):
        return _command("report", "summary", "report.jsonl")


def _read_lock(data: bytes, scratch: Path) -> bool:
    (scratch / "lock.json").write_bytes(data)
    with _inside(scratch):
        return _command("schema", "export", "lock.json")


@cache
def _first_schema() -> bytes:
    return schemas()[0]


def _read_schema(data: bytes, scratch: Path) -> bool:
    """As the new schema or as the old one: which, its bytes decide."""
    (scratch / "plain.json").write_bytes(_first_schema())
    (scratch / "damaged.json").write_bytes(data)
    sides = ["plain.json", "damaged.json"] if zlib.crc32(data) % 2 else ["damaged.json", "plain.json"]
    with _inside(scratch):
        return _command("schema", "diff", *sides, "--format", "github")


def _read_journal(data: bytes, scratch: Path) -> bool:
    (scratch / "journal").mkdir(exist_ok=True)
    journal_path(scratch / "journal" / "report.json").write_bytes(data)
    try:
        read_journal(journal_path(scratch / "journal" / "report.json"))
    except ReportError as error:
        _check_refusal(str(error))
        return False
    return True


def _read_baseline(data: bytes, scratch: Path) -> bool:
    (scratch / "baseline.json").write_bytes(data)
    try:
        read_baseline(scratch / "baseline.json")
    except BaselineError as error:
        _check_refusal(str(error))
        return False
    return True


def _read_recording(data: bytes, scratch: Path) -> bool:
    (scratch / "recording.yaml").write_bytes(data)
    try:
        read_recording(scratch / "recording.yaml")
    except ConfigurationError as error:
        _check_refusal(str(error))
        return False
    return True


def _about_certificates(name: str) -> Kind:
    documents, read = READERS[name]

    def reading(data: bytes, scratch: Path) -> bool:
        try:
            lines = read(data, scratch)
        except CertificateError as error:
            _check_refusal(str(error))
            return False
        for line in lines or ():
            _check_harmless(line)
        return True

    return Kind(name, documents, reading)


def _kept(name: str) -> Kind:
    documents, read = kept.READERS[name]

    def reading(data: bytes, scratch: Path) -> bool:
        report, refusals = read(data, scratch)
        for refusal in refusals:
            _check_refusal(refusal)
        if report is not None:
            to_text(report)
        return report is not None

    return Kind(name, documents, reading)


def _read_configuration(data: bytes, scratch: Path) -> bool:
    path = scratch / "pyproject.toml"
    path.write_bytes(data)
    registry = installed()
    try:
        registry.load_settings(path)
    except ConfigurationError as error:
        _check_refusal(str(error))
        return False
    return True


def _read_spec(data: bytes, _scratch: Path) -> bool:
    try:
        installed().specs.parse(data.decode("utf-8", "surrogateescape"))
    except ConfigurationError as error:
        _check_refusal(str(error))
        return False
    return True


def _check_refusal(text: str) -> None:
    _check_harmless(text)
    if not text or "\n" in text:
        raise NotRefusedWellError(f"the refusal is not one line: {text[:500]!r}")


def _all(*kinds: Kind) -> dict[str, Kind]:
    return {kind.name: kind for kind in kinds}


KINDS: Final = _all(
    Kind("report", reports, _read_report),
    Kind("lock", locks, _read_lock),
    Kind("schema", schemas, _read_schema),
    Kind("configuration", configurations, _read_configuration),
    Kind("host-answer", host_answers, read_answer),
    Kind("spec", specs, _read_spec),
    Kind("journal", journals, _read_journal),
    Kind("index", indexes, _read_lines),
    Kind("baseline", baselines, _read_baseline),
    Kind("recording", recordings, _read_recording),
    *map(_about_certificates, READERS),
    *map(_kept, kept.READERS),
    Kind("judging", texts, judge, seconds=5.0),
)
"""Every kind by its name."""
