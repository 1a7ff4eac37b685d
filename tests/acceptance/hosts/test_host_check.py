"""Certifying a host: each check finds the host that breaks it. tests/acceptance/test_whole_host_checks.py has those that keep all."""

import dataclasses
import shutil
from pathlib import Path

import pytest

from aptix_conformance.app.cli import main
from aptix_conformance.hosts import Environment, protocol
from aptix_conformance.hosts.check.host_checks import CHECKS, check_host
from aptix_conformance.hosts.program_pool import ProgramHostPool
from aptix_conformance.systems.registry import OURS

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "docs" / "examples"
NAMES = [check.__name__.removeprefix("_").replace("_", "-") for check in CHECKS]

READ = "while line := await reader.readline():"
RUN = "running.add(asyncio.ensure_future(host.fulfil(json.loads(line))))"
DESCRIBE = 'return describe("after_calls" if self.served else "start")'
FAULTS = {
    "silent-until-asked": ("    while line :=", "    host.send(id=1, result={})\n    while line :="),
    "initializes": ('["log", "together"]', '"log, together"'),
    "reads-in-pieces": (READ, "while line := await reader.read(1 << 20):"),
    "reads-several-at-once": (READ, "while line := await reader.read(1 << 20):"),
    "refuses-unknown-methods": ("-32601", "-32600"),
    "refuses-unknown-tools": ('params.get("qualname", NAME) != NAME', "False"),
    "lists-its-tools": ('{"tools": [NAME]}', '{"tools": [NAME, "ghost"]}'),
    "describes-its-tool": (DESCRIBE, 'return {**describe("start"), "source": os.urandom(4).hex()}'),
    "returns-what-a-tool-returns": ('if kind == "returns":', 'if kind == "never":'),
    "tells-failure": ('if kind == "refuses" else', 'if kind == "never" else'),
    "tells-exceptions": ("raise ValueError(arguments)", "raise KeyError(arguments)"),
    "keeps-odd-characters": (
        '**message}).encode("ascii")',
        '**message}).replace("\\\\u0000", "").encode("ascii")',
    ),
    "carries-large-messages": ("limit=1 << 26", "limit=1 << 16"),
    "keeps-output-apart": ("sys.stdout.flush()", "pass"),
    "serves-while-a-call-waits": (RUN, "await host.fulfil(json.loads(line))"),
    "answers-calls-made-together": ("await asyncio.gather(*calls)", "(await asyncio.gather(*calls))[1:]"),
    "cancels": ('["log", "together"]', '["log", "together", "cancel"]'),
    "ends-when-it-is-told": ("os._exit(0)", "os._exit(3)"),
    "ends-when-nobody-listens": (RUN, RUN + "\n    await asyncio.sleep(60)"),
    "starts-again-the-same": (DESCRIBE, 'return {**describe("start"), "source": str(TOKEN)}'),
}
"""What to replace in the example, and by what, so that it breaks a check."""


@pytest.fixture
def checked(tmp_path):
    """Check the example, changed or not; gives the outcomes by name."""
    shutil.copy(EXAMPLES / "word_count.py", tmp_path)
    source = (EXAMPLES / "word_count_host.py").read_text(encoding="utf-8")

    def run(only, old="", new=""):
        assert old in source
        changed = source.replace(old, new) if old else source
        file = tmp_path / "host.py"
        file.write_text(
            changed.replace("import asyncio\n", "import asyncio\nimport os\nTOKEN = os.urandom(4)\n", 1)
        )
        with ProgramHostPool(Environment(rootdir=tmp_path, sys_path=(), systems=OURS.traits)) as pool:
            subject = dataclasses.replace(pool.subject("python3 host.py", None), patience=3.0)
            return {found.name: found for found in check_host(subject, only)}

    return run


@pytest.mark.parametrize("name", NAMES)
def test_a_check_finds_the_host_that_breaks_it(name, checked):
    """Each check is shown able to fail, with words that tell what was wrong."""
    found = checked({name}, *FAULTS[name])
    assert found[name].outcome == "broken"
    assert found[name].words


def test_the_command_exits_by_what_it_found(tmp_path, monkeypatch, capsys):
    """A host that ends at once breaks the checks: exit status 1; no program: 2."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "host.py").write_text("print('no host')\n")
    assert main(["host-check", "--", "python3", "host.py"]) == 1
    out = capsys.readouterr().out
    assert "closed the channel" in out
    assert "no host" in out
    assert main(["host-check", "--", "no-such-program-7c1f"]) == 2
    assert main(["host-check"]) == main(["host-check", "--target", "art:./a.mjs", "--", "node"]) == 2
    assert "install it" in capsys.readouterr().err


def test_a_host_that_never_answers_is_waited_for_once(checked):
    """Without a first answer no other check can be kept."""
    found = checked((), READ, "while await asyncio.sleep(60) or (line := b''):")
    assert list(found) == ["silent-until-asked"]
    assert "the other checks are left out" in found["silent-until-asked"].words


def test_a_line_without_an_end_is_not_read_for_ever(checked, monkeypatch):
    monkeypatch.setattr(protocol, "LONGEST_LINE", 2**20)
    found = checked(
        {"initializes"},
        READ,
        "while not (writer.write(bytes(65536)) or await writer.drain()):\n        continue\n    while line := b'':",
    )
    assert found["initializes"].words == "a line has more than 1 MiB"


def test_the_example_is_under_a_hundred_lines():
    """A host is an afternoon's work."""
    assert len((EXAMPLES / "word_count_host.py").read_text(encoding="utf-8").splitlines()) < 100
