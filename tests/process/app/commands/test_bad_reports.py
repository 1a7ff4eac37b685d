"""A report that cannot be read is one line and exit status 2 for every command and every renderer; a hostile one is data."""

import os
from pathlib import Path

import pytest

from aptix_conformance.app.cli import main
from aptix_conformance.core.model import Change, Kind, Outcome, Stimulus
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import (
    CallReport,
    FindingReport,
    ResultReport,
    RunReport,
    SuiteReport,
    VerdictReport,
)
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import failed_target_report, make_report, write_report
from aptix_conformance.present.reports.renderers import all_renderers

SUITE = SuiteReport(version="1.0", seed=7, examples=5, complete=True, isolated=True)
HOSTILE = "\x1b[2J\u202e\0\ud800\r\n::error::x\n<script>`|](//e)"
BAD = {
    "empty": b"",
    "truncated": b'{"format": "aptix-conformance-report/2", "suite": {"ver',
    "another format": b'{"version": "2.1.0", "runs": []}',
    "no object": b"[1, 2]",
    "a format to come": b'{"format": "aptix-conformance-report/3", "tools": []}',
    "a member of another type": b'{"format": "aptix-conformance-report/2", "suite": 7}',
    "a hostile member": b'{"format": "aptix-conformance-report/2", "\\u001b[2J\\n::error::": 1}',
    "a hostile format": b'{"format": "\\u202e\\u001b[2J\\n::error::"}',
    "too deep": b"[" * 200_000,
    "a number without end": b'{"format": ' + b"9" * 100_000 + b"}",
    "no UTF-8": b'{"format": "\xff\xfe"}',
    "zeros": bytes(64),
}
READERS = {
    **{form: ("report", form, "{}") for form in all_renderers()},
    **{f"{form} to a file": ("report", form, "{}", "-o", "out") for form in ("html", "sarif")},
    "diff, old": ("report", "diff", "{}", "good.json"),
    "diff, new": ("report", "diff", "good.json", "{}", "--format", "html"),
    "baseline write": ("baseline", "write", "{}", "-o", "out"),
    "baseline prune": ("baseline", "prune", "{}", "baseline.json"),
    "replay": ("replay", "{}#owl/ARG001"),
    "replay --as-test": ("replay", "{}#owl/ARG001", "--as-test", "-o", "out"),
    "schema diff": ("schema", "diff", "{}", "good.json"),
    "schema export": ("schema", "export", "{}"),
    "certificate issue": ("certificate", "issue", "--key", "key", "-o", "out", "--report", "{}"),
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, capfd):
    """A folder with a good report, a baseline of it, and a key."""
    tool = failed_target_report("owl", "aptix", "aptix-tul-011", "no such module")
    write_report(tmp_path / "good.json", make_report([tool], SUITE, RunReport(), None))
    monkeypatch.chdir(tmp_path)
    assert main(["baseline", "write", "good.json", "-o", "baseline.json"]) == 0
    assert main(["certificate", "keygen", "key"]) == 0
    capfd.readouterr()
    return tmp_path


def refused(capfd, words, path):
    """The line with which a command refuses a report; it prints nothing else, and writes nothing."""
    before = sorted(os.listdir())  # noqa: PTH208 - the names alone
    assert main([word.format(path) for word in words]) == 2
    printed = capfd.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert line.isprintable()
    assert line.startswith("aptix-conformance: ")
    assert sorted(os.listdir()) == before  # noqa: PTH208
    return line


@pytest.mark.parametrize("words", READERS.values(), ids=READERS)
def test_what_is_no_report_is_one_line(capfd, words):
    for what, data in BAD.items():
        Path("bad.json").write_bytes(data)
        assert "bad.json" in refused(capfd, words, "bad.json"), what


@pytest.mark.parametrize("words", READERS.values(), ids=READERS)
def test_what_is_no_file_is_one_line(capfd, words):
    """A folder, a pipe that nobody writes to, a device without end, nothing at all, and a name that no file can have."""
    Path("folder").mkdir()
    os.mkfifo("pipe")
    for path in ("folder", "pipe", "/dev/zero", "missing.json", "x" * 300):
        assert path in refused(capfd, words, path)


@pytest.mark.parametrize(
    "words", [words for words in READERS.values() if words[0] in ("report", "baseline")], ids=" ".join
)
def test_a_hostile_report_is_data(here, capfd, words):
    """Whatever its texts are, what is printed or written has no control character, and no line that CI obeys."""
    plan = Stimulus("valid", Change(Kind.GENERATED), HOSTILE, {HOSTILE: HOSTILE})
    result = ResultReport(HOSTILE, is_invoke_result=True, payload=HOSTILE, error_message=HOSTILE)
    call = CallReport(plan, HOSTILE, Outcome.RETURNED, result=result, suite=HOSTILE)
    finding = FindingReport(HOSTILE, call, (plan,), reproduced=True, replay=HOSTILE, cause=HOSTILE)
    verdict = VerdictReport(HOSTILE, HOSTILE, Level.MUST, (HOSTILE,), VerdictKind.FAIL, 1, HOSTILE, finding)
    tool = failed_target_report(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
    tool = replace(tool, tool=HOSTILE, status="nonconforming", verdicts=(verdict,))
    write_report(here / "bad.json", make_report([tool], SUITE, RunReport(), None))
    main([word.format("bad.json") for word in words])
    printed = capfd.readouterr()
    written = [path.read_text(encoding="utf-8") for path in here.iterdir() if path.name == "out"]
    for text in (printed.out, printed.err, *written):
        assert all(character.isprintable() or character == "\n" for character in text)
        assert not [line for line in text.split("\n") if line.startswith("::error::")]


@pytest.mark.parametrize("path", ["folder", "good.json/out", "/dev/full", "/proc/out", "x" * 300])
@pytest.mark.parametrize(
    "words",
    [
        *(("report", form, "good.json", "-o") for form in ("html", "summary")),
        ("report", "diff", "good.json", "good.json", "-o"),
        ("baseline", "write", "good.json", "-o"),
    ],
    ids=" ".join,
)
def test_a_place_that_cannot_be_written_is_one_line(here, capfd, words, path):
    """A folder, a place below a file, a device, a file system that takes no files, a name that is too long."""
    (here / "folder").mkdir()
    assert path[:40] in refused(capfd, (*words, path), "")
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("place", ["/", ".", "", "//", "..", "a\0b", "a\ud800"])
@pytest.mark.parametrize(
    "words",
    [
        ("report", "summary", "{}"),
        ("report", "html", "good.json", "-o", "{}"),
        ("report", "diff", "good.json", "good.json", "-o", "{}"),
        ("baseline", "write", "good.json", "-o", "{}"),
        ("baseline", "prune", "good.json", "{}"),
        ("replay", "./{}#owl/ARG001"),
        ("replay", "good.json#owl/ARG001", "--as-test", "-o", "{}"),
        ("certificate", "keygen", "{}"),
        ("certificate", "issue", "--key", "key", "-o", "{}"),
        ("certificate", "revoke", "a", "--reason", "b", "--key", "key", "--list", "{}"),
        ("schema", "diff", "{}", "good.json"),
        ("schema", "diff", "good.json", "HEAD:{}"),
    ],
    ids=lambda words: " ".join(words).removesuffix(" {}"),
)
def test_a_path_that_no_file_can_have_is_one_line(words, place, capfd):
    """It is refused before anything is examined or written."""
    before = {path.name for path in Path.cwd().iterdir()}
    assert main([word.replace("{}", place) for word in words]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("aptix-conformance: ")
    assert err.count("\n") == 1
    assert {path.name for path in Path.cwd().iterdir()} == before
