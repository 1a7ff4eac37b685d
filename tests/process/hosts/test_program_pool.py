"""Hosts that are commands: how they are found, started, contained, watched and ended."""

import shutil
import sys
from pathlib import Path

import psutil
import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.contracts import load
from aptix_conformance.core.errors import HostError, TargetError
from aptix_conformance.core.model import OtherConditions, OtherHashSeed, Outcome, canaries
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.examine import Options, examine
from aptix_conformance.hosts import MIB, Environment, Limits
from aptix_conformance.systems.pools import Systems
from aptix_conformance.systems.rulebook import suites
from aptix_conformance.targets import Target, ToolSettings

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
COMMAND = "python3 host.py"


class Bench:
    """A directory with the worked example, whose tool can be made to do other things."""

    def __init__(self, place, **limits):
        self.place = place
        for name, to in (("word_count.py", "word_count.py"), ("word_count_host.py", "host.py")):
            shutil.copy(EXAMPLES / name, place / to)
        found = Limits(**{"timeout": 5.0, "start": 10.0, **limits})
        self.systems = Systems(
            Environment(rootdir=place, sys_path=(), canaries=canaries.environment(0), limits=found)
        )

    def tool(self, body):
        """Make `body` what the tool does, as lines of an async function."""
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        with (self.place / "word_count.py").open("a") as stream:
            stream.write(
                f"\n\nasync def count_words(arguments, context):\n    import asyncio, os, sys, socket\n{lines}"
            )

    def open(self, command=COMMAND, **settings):
        target = Target(f"host:{command}#agent_word_count", "host", command, "agent_word_count")
        return self.systems.open(target, ToolSettings(**settings))

    def call(self, body, arguments="{}", **settings):
        self.tool(body)
        return self.open(**settings).execute(stimulus("test", "generated", arguments, None))


@pytest.fixture
def make_bench(tmp_path):
    made = []

    def make(**limits):
        made.append(Bench(tmp_path, **limits))
        return made[-1]

    yield make
    for bench in made:
        bench.systems.close()


@pytest.fixture
def bench(make_bench):
    return make_bench()


def test_the_tools_of_a_command_are_listed_by_name(bench):
    """A target without # means all of them."""
    assert bench.systems.list_tools("host", COMMAND, ToolSettings()).tools == ("agent_word_count",)


def test_a_command_of_one_word_is_started(bench):
    """A program with its interpreter in its first line."""
    program = bench.place / "host.py"
    program.write_text(f"#!{sys.executable}\n{program.read_text()}")
    program.chmod(0o755)
    assert bench.systems.list_tools("host", "./host.py", ToolSettings()).tools == ("agent_word_count",)


def test_a_tool_of_another_name_is_refused_with_the_hosts_own_sentence(bench):
    """It is the host that knows its tools."""
    with pytest.raises(TargetError, match="there is no tool ghost: this host has agent_word_count"):
        bench.systems.open(Target("host:x#ghost", "host", COMMAND, "ghost"), ToolSettings())


def test_its_processes_have_no_hash_seed_of_ours(bench):
    host, plan = bench.open(), stimulus("test", "generated", "{}", {}, disturbance=OtherHashSeed("1"))
    assert "hash-seed" not in host.disturbances
    with pytest.raises(HostError, match="have no hash seed"):
        host.execute(plan)


def test_a_call_is_made_in_another_zone(bench):
    bench.tool("import time\nreturn time.strftime('%H:%M', time.localtime(0)), None")
    host = bench.open()
    assert "conditions" in host.disturbances
    calls = [
        host.execute(stimulus("test", "generated", "{}", None, disturbance=OtherConditions(zone=zone)))
        for zone in ("Pacific/Marquesas", "Asia/Tokyo")
    ]
    assert [call.result.payload for call in calls] == ["14:30", "09:00"]


@pytest.mark.parametrize("command", ["no-such-program-7c1f", "./no/such/file"])
def test_a_program_that_is_not_there_is_one_line_that_says_what_to_do(command, bench):
    """Nothing is started."""
    with pytest.raises(TargetError, match="install it, or name it by its path"):
        bench.systems.list_tools("host", command, ToolSettings())


def test_a_host_that_ends_at_once_is_told_with_what_it_said(bench):
    """The author sees why."""
    (bench.place / "broken.py").write_text("raise SystemExit('the licence has run out')")
    with pytest.raises(TargetError, match=r"exit status 1; it printed: the licence has run out"):
        bench.systems.list_tools("host", "python3 broken.py", ToolSettings())


def test_the_last_line_of_a_host_that_ends_at_once_comes_first(bench):
    """What it logged before, and where its code stands, would hide it."""
    (bench.place / "broken.py").write_text(
        "print('y' * 3000)\nraise OSError(30, 'Read-only file system', '/srv/x')"
    )
    said = r"it printed: OSError: \[Errno 30\] Read-only file system: '/srv/x'\. It can write .* files = \"FOLDER\""
    with pytest.raises(TargetError, match=said):
        bench.systems.list_tools("host", "python3 broken.py", ToolSettings())


def test_a_host_that_has_ended_before_its_process_is_looked_for_is_told_in_the_same_way(bench, monkeypatch):
    (bench.place / "broken.py").write_text("raise SystemExit('the licence has run out')")
    monkeypatch.setattr("aptix_conformance.hosts.launch.processes.children", lambda _pid: [])
    with pytest.raises(TargetError, match=r"exit status 1; it printed: the licence has run out"):
        bench.systems.list_tools("host", "python3 broken.py", ToolSettings())


def test_files_in_the_command_are_paths_from_the_root_directory(bench):
    """The process itself runs in its scratch directory."""
    call = bench.call("return os.getcwd() + ' ' + os.environ['HOME'], None")
    where, home = call.result.payload.split()
    assert where == home
    assert not where.startswith(str(bench.place))


def test_the_environment_holds_canaries_and_settings_and_nothing_of_ours(bench, monkeypatch):
    """What the suite was started with stays with the suite."""
    monkeypatch.setenv("OUR_SECRET", "x")
    call = bench.call("return ' '.join(sorted(os.environ)), None", env={"REGION": "north"})
    names = set(call.result.payload.split())
    assert {"APTIX_HOST_FD", "HOME", "PATH", "REGION", "TMPDIR"} <= names
    assert set(canaries.environment(0)) <= names
    assert "OUR_SECRET" not in names


@pytest.mark.parametrize(
    "body",
    [
        "open('{place}/written', 'w')",
        "socket.create_connection(('127.0.0.1', 9))",
    ],
)
def test_a_contained_program_writes_nowhere_else_and_reaches_nobody(body, bench):
    """Containment is the same as for tools in Python."""
    host = bench.open()
    if host.read_only:
        pytest.skip(host.read_only)
    call = bench.call(body.replace("{place}", str(bench.place)) + "\nreturn 'done', None")
    assert call.outcome in (Outcome.RAISED, Outcome.CRASHED)
    assert not (bench.place / "written").exists()


@pytest.mark.parametrize(
    ("body", "outcome", "incident"),
    [
        ("await asyncio.Event().wait()", Outcome.TIMED_OUT, "no answer within 0.5 s"),
        ("sys.stdin.read()", Outcome.TIMED_OUT, "no answer within 0.5 s"),
        ("os._exit(7)", Outcome.CRASHED, "exit status 7"),
        ("os.kill(os.getpid(), 11)", Outcome.CRASHED, "killed by signal 11 (SIGSEGV)"),
        (
            "held = bytearray(300 * 1024 * 1024)\nawait asyncio.sleep(9)",
            Outcome.OVER_MEMORY,
            "too much memory",
        ),
        ("while True: os.write(1, b'x' * 65536)", Outcome.OVER_OUTPUT, "wrote more than 1 MiB"),
        (
            "os.write(int(os.environ['APTIX_HOST_FD']), b'hello\\n')\nawait asyncio.sleep(9)",
            Outcome.CRASHED,
            "no JSON",
        ),
    ],
)
def test_whatever_becomes_of_a_call_is_an_observation(body, outcome, incident, make_bench):
    """And the next call has a process of its own."""
    bench = make_bench(memory=200 * MIB, output=MIB)
    host = bench.open(timeout=2.0 if outcome in (Outcome.OVER_MEMORY, Outcome.OVER_OUTPUT) else 0.5)
    host.reset()
    bench.tool(
        f"if arguments == 'bad':\n{chr(10).join('    ' + line for line in body.splitlines())}\nreturn 'fine', None"
    )
    found = host.execute(stimulus("test", "generated", "bad", None))
    assert (found.outcome, incident in (found.incident or "")) == (outcome, True), found.incident
    assert host.execute(stimulus("test", "generated", "good", None)).result.payload == "fine"


@pytest.mark.parametrize("side_effects", ["contained", "none"])
@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("lock = threading.Lock()\nlock.acquire()\nlock.acquire()", "it waits for a lock or another thread"),
        (
            "subprocess.run(['cat'])",
            "it waits for the process `cat` that it started, which reads the tool's standard input",
        ),
    ],
)
def test_a_call_that_hangs_names_what_it_waits_for(body, cause, side_effects, bench):
    """The launcher, which waits for the program, is not taken for the tool."""
    call = bench.call(f"import subprocess, threading\n{body}", timeout=0.5, side_effects=side_effects)
    assert (call.outcome, call.incident) == (Outcome.TIMED_OUT, f"no answer within 0.5 s; {cause}")


def test_what_is_printed_belongs_to_the_call_that_is_answered(bench):
    """Whole, and counted."""
    call = bench.call("print(arguments)\nprint('oh', file=sys.stderr)\nreturn 'x', None", "hello")
    assert (call.stdout.text, call.stderr.text) == ("hello\n", "oh\n")


def test_nothing_is_left_when_the_hosts_are_closed(bench):
    """Neither processes nor directories."""
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    bench.call("import subprocess\nsubprocess.Popen(['sleep', '600'])\nreturn os.environ['HOME'], None")
    assert {process.pid for process in psutil.Process().children(recursive=True)} > before
    bench.systems.close()
    assert {process.pid for process in psutil.Process().children(recursive=True)} <= before


def test_the_declaration_is_read_again_under_other_conditions(bench):
    """Each time by a process of its own."""
    with (bench.place / "word_count.py").open("a") as stream:
        stream.write(
            "\nimport os\nSCHEMA['description'] += os.environ.get('TZ', '') + os.environ.get('HOSTNAME', '')\n"
        )
    host = bench.open()
    again = host.describe_again({"time zone": "Asia/Kathmandu"})
    assert again.when == "restarted"
    assert again.schema.text != host.describe().schema.text
    assert again.conditions.keys() == {"time zone"}
    again = host.describe_again({"environment": "variables such as STAGE=elsewhere", "file times": "1 day"})
    assert "elsewhere" in again.schema.text
    assert again.conditions == {"environment": "variables such as STAGE=elsewhere"}


def test_what_the_host_says_of_its_end_stands_beside_the_exit_status(bench):
    """The notification `incident`."""
    source = (bench.place / "host.py").read_text()
    said = 'host.send(method="incident", params={"words": "the disk is full"}); os._exit(3)'
    (bench.place / "host.py").write_text(
        source.replace("        running.add(", f"        if b'execute' in line: {said}\n        running.add(")
    )
    call = bench.open().execute(stimulus("test", "generated", "{}", None))
    assert call.incident == "exit status 3: the disk is full"


def test_a_host_that_cannot_cancel_leaves_those_rules_open_and_fails_none(bench):
    """What a host cannot do is never held against a tool."""
    target = Target("host:x#agent_word_count", "host", f"{sys.executable} host.py", "agent_word_count")
    suite = suites(None, load())["aptix"]
    found = examine(bench.systems, target, ToolSettings(), suite, Options(examples=5))
    verdicts = {verdict.rule: verdict.verdict for verdict in found.verdicts}
    assert [rule for rule, verdict in verdicts.items() if verdict is VerdictKind.FAIL] == []
    assert {verdicts["CAN001"], verdicts["EXC010"]} == {VerdictKind.INCONCLUSIVE}
    assert verdicts["ARG002"] is verdicts["EXC007"] is VerdictKind.PASS


def test_the_interpreter_behind_a_shim_is_started(bench, tmp_path_factory, monkeypatch):
    """As pyenv has it: a script of the interpreter's name, in a folder that no contained tool sees."""
    shim = tmp_path_factory.mktemp("pyenv") / "shims" / "python3"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="ascii")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(shim.parent), prepend=":")
    assert bench.systems.list_tools("host", COMMAND, ToolSettings()).tools == ("agent_word_count",)
