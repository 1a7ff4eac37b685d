"""Answers a task at once, in place of an examination. The name of the tool says what else it does."""

import json
import os
import signal
import sys
from pathlib import Path

from aptix_conformance.app.engine.task import Answer
from aptix_conformance.core.model.codec import to_text
from aptix_conformance.core.model.report import ToolReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind

task = json.load(sys.stdin)
if task["tool"] == "agent_kills_worker":
    os.kill(os.getppid(), signal.SIGKILL)
if task["tool"] in {"agent_dies", "agent_kills_worker"}:
    os.kill(os.getpid(), signal.SIGKILL)
if task["tool"] in {"agent_killed_once", "agent_stopped_once"}:
    first = Path(os.environ["ONCE"], task["tool"])
    if not first.exists():
        first.touch()
        os.kill(os.getpid(), signal.SIGKILL if "killed" in task["tool"] else signal.SIGTERM)
if task["tool"] == "agent_waits":
    Path(os.environ["GATE"]).read_bytes()
verdicts = tuple(
    VerdictReport(code, code, Level.MUST, (), VerdictKind.PASS, 1, "", None)
    for code in os.environ["RULES"].split()
)
report = ToolReport(
    tool=task["tool"],
    target=task["target"],
    system="aptix",
    edition=task["edition"],
    status="conforming",
    schema_fingerprint=None,
    calls=1,
    seconds=float(os.getppid()),
    shortfalls=(),
    verdicts=verdicts,
)
sys.stdout.write(to_text(Answer(report=report)))
