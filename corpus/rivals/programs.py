"""The compared programs: what to install, which commands to run, and how to read what they say."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from corpus.rivals.results import Finding

Reader = Callable[[str, Path], Iterator[Finding]]
"""Reads findings of the standard output of a command, and of the folder that its options name as OUT.

Raises ValueError, KeyError or OSError where there is no report.
"""


@dataclass(frozen=True)
class Command:
    """A command of a program. In its words, SERVER is the command of the server, ARGUMENTS its example calls and OUT a new folder.

    The word WORDS becomes the words of the server's command. In a command for HTTP, URL is where the server listens.
    """

    words: tuple[str, ...]
    read: Reader


@dataclass(frozen=True)
class Program:
    """A program to compare: the packages to install, pinned, and its commands. `registry` is pypi, npm or none."""

    name: str
    registry: str
    packages: tuple[str, ...]
    commands: tuple[Command, ...]
    note: str = ""


def _document(said: str) -> Any:
    """The JSON document that begins with the first brace at the start of a line, whatever stands before and after it.

    Raises:
        ValueError: there is none.
    """
    start = 0 if said.startswith("{") else said.index("\n{") + 1
    return json.JSONDecoder().raw_decode(said[start:])[0]


def _suite(said: str, out: Path) -> Iterator[Finding]:
    del said
    for tool in json.loads((out / "report.json").read_text(encoding="utf-8"))["tools"]:
        if tool["error"]:
            yield Finding("the server cannot be examined")
        for verdict in tool["verdicts"]:
            if verdict["verdict"] == "fail":
                yield Finding(f"{verdict['rule']} {verdict['name']}", verdict["level"] == "MUST")


def _audit(said: str, out: Path) -> Iterator[Finding]:
    del out
    for result in _document(said)["results"]:
        if result["status"] not in ("healthy", "skipped"):
            yield Finding(f"audit: {result['status']} {result['error_code']}")


def _lint(said: str, out: Path) -> Iterator[Finding]:
    del out
    for finding in _document(said)["findings"] or ():
        yield Finding(f"lint: {finding['code']}", finding["severity"] == "error")


def _fuzz(said: str, out: Path) -> Iterator[Finding]:
    del out
    for tool in _document(said)["tools"]:
        for failure in tool["failures"] or ():
            yield Finding(f"fuzz: {failure['status']} after {failure['label']}")


def _fuzzer(said: str, out: Path) -> Iterator[Finding]:
    del said
    for finding in json.loads((out / "findings.json").read_text(encoding="utf-8"))["findings"]:
        # Tools of the pairs have different names; a kind of finding has one.
        where = "tool" if finding["kind"] == "tool" else finding["target"]
        yield Finding(f"{finding['category']} ({where})", finding["severity"] not in ("low", "info"))


def _rig(said: str, out: Path) -> Iterator[Finding]:
    del out
    if "checks passed" not in said:
        raise ValueError("no summary")
    for line in said.splitlines():
        mark, _, text = line.strip().partition(" ")
        if mark in ("✗", "⚠", "!"):
            code = re.search(r"\[([a-z-]+)\]", text)
            yield Finding(code[1] if code else text.rpartition(": ")[2], mark == "✗")


def _probe(said: str, out: Path) -> Iterator[Finding]:
    del out
    (server,) = _document(said)["servers"]
    for finding in [*server["findings"], *(each for tool in server["tools"] for each in tool["findings"])]:
        yield Finding(finding["check"], finding["severity"] == "error")


def _conform(said: str, out: Path) -> Iterator[Finding]:
    del out
    document = _document(said)
    if document["fatal_error"]:
        yield Finding("fatal error")
    for check in document["checks"]:
        if not check["passed"]:
            yield Finding(check["name"])


def _mcp_lint(said: str, out: Path) -> Iterator[Finding]:
    del out
    for finding in _document(said)["results"]:
        if finding["status"] in ("fail", "warn"):
            yield Finding(finding["ruleId"], (finding["status"], finding["severity"]) == ("fail", "error"))


def _reality(said: str, out: Path) -> Iterator[Finding]:
    del out
    document = _document(said)
    if document["connect_error"]:
        yield Finding("connect_error")
    for tool in document["tools"]:
        for kind in ("refusal_in_disguise", "empty_content", "schema_violation"):
            if tool[kind]:
                yield Finding(kind)
        if (tool["skip_reason"] or "").startswith("call failed"):
            yield Finding("call failed", fails=False)
        if tool["echo_mismatch_inputs"]:
            yield Finding("echo_mismatch_inputs", fails=False)


def _official(said: str, out: Path) -> Iterator[Finding]:
    del said
    reports = sorted(out.rglob("checks.json"))
    if not reports:
        raise ValueError("no report")
    for report in reports:
        for check in json.loads(report.read_text(encoding="utf-8")):
            if check["status"] in ("FAILURE", "WARNING"):
                yield Finding(check["id"], check["status"] == "FAILURE")


def _inspector(said: str, out: Path) -> Iterator[Finding]:
    del out
    document = _document(said)
    if "error" in document:
        yield Finding("error")
    if document.get("isError"):
        yield Finding("isError")


_SCENARIOS: Final = ("server-initialize", "ping", "tools-list", "dns-rebinding-protection")
_ZERO: Final = ("--report", "OUT/report.json", "mcp:SERVER")
PROGRAMS: Final = (
    Program(
        "aptix-conformance check --standard",
        "none",
        (),
        (Command(("aptix-conformance", "check", "--standard", *_ZERO), _suite),),
        "`pyproject.toml` names the files of two servers and the folder of one",
    ),
    Program(
        "aptix-conformance check --quick",
        "none",
        (),
        (Command(("aptix-conformance", "check", "--quick", *_ZERO), _suite),),
        "as above; a part of the calls",
    ),
    Program(
        "mcp-assert",
        "pypi",
        ("mcp-assert==0.12.3",),
        (
            Command(("mcp-assert", "audit", "--json", "--include-writes", "--timeout", "5s", "--server", "SERVER"), _audit),
            Command(("mcp-assert", "lint", "--json", "--call-tools", "--detect-nondeterminism", "--timeout", "5s", "--server", "SERVER"), _lint),
            Command(("mcp-assert", "fuzz", "--json", "--seed", "1", "--timeout", "5s", "--server", "SERVER"), _fuzz),
        ),
        "all that needs no suite; in a suite of assertions the author writes what to look for",
    ),
    Program(
        "mcp-fuzzer",
        "pypi",
        ("mcp-fuzzer==0.7.0",),
        (
            Command(
                ("mcp-fuzzer", "--mode", "all", "--phase", "both", "--security-audit", "--runs", "50", "--seed", "1", "--no-corpus", "--fs-root", ".",
                 "--timeout", "5", "--tool-timeout", "5", "--output-dir", "OUT", "--protocol", "stdio", "--endpoint", "SERVER"),
                _fuzzer,
            ),
        ),
        "findings of severity medium and above are errors; two runs with one seed differ",
    ),
    Program(
        "mcp-rig",
        "pypi",
        ("mcp-rig==0.4.1",),
        (Command(("mcp-rig", "check", "--probe-invalid-args", "--connect-timeout", "20", "SERVER"), _rig),),
        "`check`, which needs no suite; in a suite the author writes what to look for",
    ),
    Program(
        "amagi-mcp-probe",
        "pypi",
        ("amagi-mcp-probe==0.1.0",),
        (
            Command(
                ("amagi-mcp-probe", "--format", "json", "--include-optional", "--allow-destructive", "--timeout", "5",
                 "--args", "ARGUMENTS", "--", "WORDS"),
                _probe,
            ),
        ),
        "example calls in `arguments.json`",
    ),
    Program(
        "mcp-conform",
        "pypi",
        ("mcp-conform==0.1.0",),
        (Command(("mcp-conform", "server", "--format", "json", "--command", "SERVER"), _conform),),
    ),
    Program(
        "mcp-lint",
        "pypi",
        ("mcp-lint==0.1.0", "mcp<2"),
        (Command(("mcp-lint", "--format", "json", "SERVER"), _mcp_lint),),
        "needs Python 3.12; a rule of severity error that fails is an error",
    ),
    Program(
        "mcp-reality-check",
        "pypi",
        ("mcp-reality-check==0.4.1",),
        (
            Command(
                ("mcp-reality-check", "--include-destructive", "--json", "--timeout", "5", "--", "WORDS"),
                _reality,
            ),
        ),
    ),
    Program(
        "@modelcontextprotocol/conformance",
        "npm",
        ("@modelcontextprotocol/conformance@0.1.16",),
        tuple(
            Command(("conformance", "server", "--url", "URL", "--scenario", each, "--output-dir", f"OUT/{each}"), _official)
            for each in _SCENARIOS
        ),
        "over HTTP, which is all that it examines; the scenarios that need no tools of the suite's own",
    ),
    Program(
        "@modelcontextprotocol/inspector",
        "npm",
        ("@modelcontextprotocol/inspector@2.12.0",),
        (
            Command(("mcp-inspector", "--cli", "WORDS", "--method", "tools/list"), _inspector),
            Command(("mcp-inspector", "--cli", "WORDS", "--method", "tools/call", "CALL"), _inspector),
        ),
        "`--cli`: one call, by hand",
    ),
)  # fmt: skip
