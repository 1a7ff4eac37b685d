"""Runs the programs on the servers, each in a new folder with the servers' files, and measures what each run takes."""

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpus.rivals.programs import Command, Program
from corpus.rivals.results import HERE, NO_REPORT, Examination, Finding, Pair

SERVERS: Final = HERE / "servers"
LIMIT: Final = 600.0
"""Seconds for one command: a fuzzer may wait for each of 50 calls that hang."""
_CALLS: Final = {
    "crash_on_type": ("divide", "a=6", "b=3"),
    "cursor_stuck": ("trace_callers", "part=parser"),
    "default_ignored": ("list_cities",),
    "error_as_success": ("read_timesheet", "number=1"),
    "hang_after_query": ("query_notes",),
    "path_prefix": ("read_note", "path=shopping.txt"),
    "read_only_writes": ("replace_symbol", "body=42"),
    "schema_without_type": ("get_next_tasks",),
    "stdout_log": ("run_action", "action=build"),
    "structured_mismatch": ("list_notes", "folder=garden"),
    "traceback_to_client": ("show_skill", "name=summarise"),
    "unknown_tool": ("count_bounties", "state=open"),
}
"""The call that a person would make first, for programs that make one call."""


@dataclass(frozen=True)
class _Ran:
    said: str
    wall: float
    cpu: float
    ended: bool


def examine(program: Program, pair: Pair, *, faulty: bool, path: str) -> Examination:
    """Run all commands of a program on one server of a pair; `path` is where its commands are found.

    A command that ends without a report gives one finding that says so. One that the time limit stops gives none.
    """
    findings: set[Finding] = set()
    ran = []
    for command in program.commands:
        with tempfile.TemporaryDirectory() as made:
            folder, out = Path(made, "work"), Path(made, "out")
            shutil.copytree(SERVERS / "files", folder)
            out.mkdir()
            # The suite gets the files by its configuration, and a copy of them itself.
            ours = program.registry == "none"
            with _server(pair, "faulty" if faulty else "fixed", command) as (words, url):
                line = _words(
                    command,
                    words,
                    pair,
                    {"OUT": str(out), "URL": url, "ARGUMENTS": str(SERVERS / "arguments.json")},
                )
                ran.append(_run(line, SERVERS if ours else folder, path))
            findings |= _findings(command, ran[-1], out)
    return Examination(
        program.name,
        pair.name,
        faulty,
        round(sum(each.wall for each in ran), 2),
        round(sum(each.cpu for each in ran), 2),
        tuple(sorted(findings)),
        all(each.ended for each in ran),
    )


def _findings(command: Command, ran: _Ran, out: Path) -> set[Finding]:
    try:
        return set(command.read(ran.said, out))
    except (ValueError, KeyError, OSError):
        return {NO_REPORT} if ran.ended else set()


@contextmanager
def _server(pair: Pair, which: str, command: Command) -> Iterator[tuple[Sequence[str], str]]:
    """The words of the server's command, and its URL where a command needs one."""
    script = f"./{pair.name}.py"
    words = ["python", script if command.words[0] == "aptix-conformance" else str(SERVERS / script), which]
    if "URL" not in command.words:
        yield words, ""
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen(
        [sys.executable, *words[1:], str(port)],
        cwd=SERVERS / "files",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            _await(port)
            yield words, f"http://127.0.0.1:{port}/mcp"
        finally:
            process.kill()


def _await(port: int) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


def _words(command: Command, server: Sequence[str], pair: Pair, places: Mapping[str, str]) -> list[str]:
    tool, *arguments = _CALLS[pair.name]
    longer = {
        "WORDS": list(server),
        "CALL": ["--tool-name", tool, *(word for each in arguments for word in ("--tool-arg", each))],
    }
    words: list[str] = []
    for word in command.words:
        if word in longer:
            words += longer[word]
            continue
        for name, place in {**places, "SERVER": shlex.join(server)}.items():
            word = word.replace(name, place)  # noqa: PLW2901
        words.append(word)
    return words


def _run(words: Sequence[str], folder: Path, path: str) -> _Ran:
    """Run a command in a session of its own, which is ended with it.

    The processor time is that of all processes that were waited for, so not of servers that run in a PID namespace.
    """
    started = time.monotonic()
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "200"}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            list(words),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        ended, status, usage = False, 0, None
        while not ended and time.monotonic() - started < LIMIT:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            ended = pid != 0
            if not ended:
                time.sleep(0.02)
        wall = time.monotonic() - started
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        if not ended:
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        assert usage is not None
        return _Ran(output.read().decode(errors="replace"), wall, usage.ru_utime + usage.ru_stime, ended)
