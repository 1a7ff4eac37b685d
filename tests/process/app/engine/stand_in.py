"""Answers a task at once, in place of an examination. The name of the tool says what else it does."""

import json
import os
import signal
import sys
from pathlib import Path

from aptix_conformance.app.engine.task import Answer
from aptix_conformance.core.model.codec import to_text
from aptix_conformance.core.model.report import ToolReport

task = json.load(sys.stdin)
if task["tool"] == "agent_kills_worker":
    os.kill(os.getppid(), signal.SIGKILL)
if task["tool"] in {"agent_dies", "agent_kills_worker"}:
    os.kill(os.getpid(), signal.SIGKILL)
if task["tool"] == "agent_waits":
    Path(os.environ["GATE"]).read_bytes()
report = ToolReport(
    task["tool"], task["target"], "aptix", task["edition"], "conforming", None, 1, float(os.getppid()), (), ()
)
sys.stdout.write(to_text(Answer(report=report)))
