"""`aptix-conformance record`: keep what a tool's services answer, so that it can be examined without a network."""

import argparse
import datetime as dt
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from aptix_conformance.app.commands.command import NO, OK, add_command, say
from aptix_conformance.app.run import Run, RunOptions
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.model import Call, Change, Kind
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.text import printable
from aptix_conformance.examine import ToolUnderTest
from aptix_conformance.recording import Capture, require_replaceable, write_recording
from aptix_conformance.recording.certificates import authority
from aptix_conformance.stimuli.generate import write
from aptix_conformance.stimuli.probes import Subject
from aptix_conformance.stimuli.probes.planning import plan
from aptix_conformance.systems.command_options import add_repeatable
from aptix_conformance.targets.per_tool import table_of

_DESCRIPTION: Final = """\
Make the calls of a tool's `examples` once, with the hosts of `network` open, and keep what these answer in the file that the
key `recording` names. Examinations then answer from that file, contained, and make each service fail. Known secrets are
replaced; read the file before you commit it. The guide is docs/recording.md.

  aptix-conformance record my_tools:WeatherTool
  aptix-conformance record my_tools --call '{"city": "Rome"}' --days 30

Run it in the folder of the pyproject.toml. Exit status: 0 when each call succeeded and was recorded, 1 when one did not,
2 when nothing can be recorded.
"""
_DAYS: Final = 180
_MOST_DAYS: Final = 3_660
_TABLE: Final = 'network = ["api.example.com:443"]\nrecording = "recordings/weather.yaml"'


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(subparsers, "record", run, description=_DESCRIPTION)
    parser.add_argument("target", metavar="TARGET", help="the spec of a tool, a module or a server")
    add_repeatable(parser, "--call", "JSON", "also make this call: an object of arguments")
    parser.add_argument(
        "--days", metavar="N", type=int, default=_DAYS, help=f"days for which it counts (default {_DAYS})"
    )
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=float, default=60.0, help="for each call (default 60)"
    )


def run(options: argparse.Namespace) -> int:
    """Make the calls, and write the file."""
    authority()  # raises where it cannot be made, before anything is called
    if not 0 < options.days <= _MOST_DAYS:
        raise ConfigurationError(f"--days must be 1 to {_MOST_DAYS}, not {options.days}")
    further = [_arguments(text) for text in options.call]
    capture, problems = Capture(), 0
    with Run.open(Path.cwd(), RunOptions(limited=False, timeout=options.timeout)) as opened:
        opened.local.environment = replace(opened.local.environment, capture=capture)
        tools = [tool for tool in opened.find(options.target).all_found() if tool.declaration.kind == "tool"]
        path = Path(_file_of(tools, options.target))
        require_inside(path, Path.cwd())
        require_replaceable(path)  # before anything is called
        for tool in tools:
            for call in _calls(opened, tool, further):
                problems += not call.succeeded
                say(_line(tool, call))
    for failure in dict.fromkeys(capture.failures):
        say(failure)
    recording = capture.recording(options.target, dt.datetime.now(dt.UTC).date(), options.days)
    if not recording.exchanges:
        raise ConfigurationError(
            f"{path} was not written: no call asked a host of `network` by HTTP; give an example that does"
        )
    write_recording(path, recording)
    count = len(recording.exchanges)
    noun = "exchange, which counts" if count == 1 else "exchanges, which count"
    say(f"{path}: {count} {noun} until {recording.expires}.")
    say("Read it before you commit it: a secret that the configuration does not name is still in it.")
    return NO if problems or capture.failures else OK


def _arguments(text: str) -> dict[str, Any]:
    try:
        arguments = json.loads(text)
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        raise ConfigurationError(
            f'--call is an object of arguments, such as \'{{"city": "Rome"}}\', not {printable(text, 100)}'
        )
    return arguments


def _file_of(tools: Sequence[ToolUnderTest], target: str) -> str:
    """The one file in which the tools of a target are recorded."""
    files = {tool.settings.recording for tool in tools}
    if not tools or files == {""}:
        spec = tools[0].target.spec if tools else target
        raise ConfigurationError(
            f"{printable(target, 200)}: its configuration names no recording; add, with your hosts:\n{table_of(spec)}\n{_TABLE}"
        )
    if len(files) > 1:
        raise ConfigurationError(
            f"{printable(target, 200)}: its tools have several recordings: record them one by one"
        )
    return files.pop()


def require_inside(path: Path, root: Path) -> None:
    """Check that a recording is written inside of the project.

    Raises:
        ConfigurationError: its path leads out of the folder of the project.
    """
    if not path.resolve().is_relative_to(root.resolve()):
        raise ConfigurationError(
            f"{path} is outside of {root}: let the key `recording` name a file inside of the project"
        )


def _calls(opened: Run, tool: ToolUnderTest, further: Sequence[dict[str, Any]]) -> Iterator[Call]:
    """Make the calls of a tool, each in its own process where it is given files."""
    sent = [*(example.arguments for example in tool.settings.examples), *further]
    if not sent:
        say(f"{tool.name}: not called: give `examples` under {table_of(tool.target.spec)}, or --call")
        return
    subject = Subject(tool.declaration, None, tool.settings, opened.options.seed, 0)
    host = opened.open_host(tool)
    try:
        if host.read_only is not None:
            raise ConfigurationError(f"{tool.name} is not called: {host.read_only}")
        for number, arguments in enumerate(sent, start=1):
            host.restore_files()
            yield host.execute(plan(subject, "valid", Change(Kind.EXAMPLE, number=number), write(arguments)))
    finally:
        host.close()


def _line(tool: ToolUnderTest, call: Call) -> str:
    sent = printable(call.plan.arguments or "", 100)
    if call.succeeded:
        return f"{tool.name}: {sent}"
    said = call.result.error_message or call.result.payload if call.result else None
    why = said or call.incident or (call.raised.message if call.raised else "") or "it failed"
    return f"{tool.name}: {sent} did not succeed: {printable(why, 200)}"
