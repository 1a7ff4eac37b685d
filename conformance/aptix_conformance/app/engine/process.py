"""Answers a task in a process of its own, which is started for it. The caller waits: any thread or executor may."""

import signal
import subprocess
import sys
import tempfile
from typing import IO, Final

from aptix_conformance.app.engine.task import Answer
from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model.codec import from_json, read_json, to_text
from aptix_conformance.core.text import printable

SECONDS: Final = 3 * 3_600.0
"""Seconds on the clock that an examination may take, with the reading of its tool, before its process is killed."""
_LARGEST: Final = 32 * 2**20
"""Bytes of an answer."""
_TAIL: Final = 2_000
"""Bytes of the end of the standard error that are read for the reason of a death."""
_STOPS: Final = frozenset({signal.SIGINT, signal.SIGTERM})
PROGRAM: Final = (sys.executable, "-P", "-m", "aptix_conformance.app.engine.answering")


def examine_task(task: str) -> str:
    """Examine one tool in a new process, and return the JSON text of the `Answer`.

    This is the function to submit to an executor. It never raises because of the tool: where the process dies, the answer
    says how.

    Args:
        task: the JSON text of a `Task`.
    """
    # Files, not pipes: a process that the tool left behind cannot keep them open and make this one wait.
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        given.write(task.encode())
        given.seek(0)
        try:
            status = subprocess.run(  # noqa: S603 - a program of our own
                PROGRAM,
                stdin=given,
                stdout=output,
                stderr=errors,
                timeout=SECONDS,
                check=False,
                start_new_session=True,
            ).returncode
        except subprocess.TimeoutExpired:
            return to_text(Answer(died=f"it took more than {SECONDS:,.0f} s"))
        output.seek(0)
        answer = output.read(_LARGEST + 1).decode("utf-8", "replace")
        if status == 0 and len(answer) <= _LARGEST and read_answer(answer) is not None:
            return answer
        if -status in _STOPS:  # somebody stops this machine, which is no fault of the tool
            return to_text(Answer(refused=f"ended there by {signal.Signals(-status).name}"))
        return to_text(Answer(died=_death(status, errors)))


def read_answer(text: str) -> Answer | None:
    """The answer in a JSON text; None where there is none."""
    try:
        answer = from_json(Answer, read_json(text), "$")
    except (ValueError, RecursionError, RecordError):
        return None
    return answer if answer.report or answer.refused or answer.died or answer.kept else None


def _death(status: int, errors: IO[bytes]) -> str:
    errors.seek(0, 2)
    errors.seek(max(0, errors.tell() - _TAIL))
    lines = errors.read(_TAIL).decode("utf-8", "replace").split("\n")
    said = next((line for line in reversed(lines) if line.strip()), "")
    try:
        how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    except ValueError:
        how = f"signal {-status}"
    return f"{how}{f': {printable(said, 300)}' if said else ''}"
