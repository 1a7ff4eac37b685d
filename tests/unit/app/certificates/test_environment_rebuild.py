"""The recorded environment, set up again: what is installed, what is not, and what no installer ever gets."""

import hashlib
import sys
from pathlib import Path

import pytest

from aptix_conformance.app.certificates import environment_rebuild
from aptix_conformance.app.certificates.environment_rebuild import find_interpreter, interpreter_here, set_up
from aptix_conformance.app.certificates.statement import DistributionPart, EnvironmentPart
from aptix_conformance.core.errors import CertificateError


def _files(name):
    return {f"{name}.py": b"code", f"{name}-1.dist-info/METADATA": f"Name: {name}\nVersion: 1\n".encode()}


def _digest(files):
    lines = sorted(f"{name}\n" for name in files)
    text = "".join(f"{hashlib.sha256(files[line[:-1]]).hexdigest()}  {line}" for line in lines)
    return hashlib.sha256(text.encode()).hexdigest()


def _part(name, digest=None):
    return DistributionPart(name, "1", digest or _digest(_files(name)))


class Machine:
    """Runs no program: makes the folders of environments, and installs what its index has."""

    def __init__(self, *index):
        self.index = index
        self.commands = []

    def __call__(self, command, folder):
        self.commands.append([str(word) for word in command])
        named = [word.partition("==")[0] for word in command if "==" in word]
        if "venv" in command:
            (Path(command[-1]) / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
        elif "download" in command and not set(named) <= set(self.index):
            return None
        elif "install" in command:
            for name in named:
                self._install(Path(command[command.index("--target") + 1]), name)
        return ""

    def _install(self, site, name):
        files = {
            **_files(name),
            f"{name}-1.dist-info/RECORD": "\n".join(f"{one},," for one in _files(name)).encode(),
        }
        for file, content in files.items():
            (site / file).parent.mkdir(exist_ok=True)
            (site / file).write_bytes(content)


@pytest.fixture
def made(tmp_path):
    """A function that sets up an environment of some distributions, on a machine whose index has some names."""

    def make(parts, *index, excluded=()):
        machine = Machine(*index)
        recorded = EnvironmentPart(interpreter_here(), "Linux x86_64", tuple(parts))
        return set_up(tmp_path, recorded, excluded=excluded, run=machine), machine

    return make


def _installed(found):
    return sorted(path.name for path in found.site.glob("*.py"))


def test_what_the_index_has_with_the_recorded_digest_is_installed(made):
    found, _ = made([_part("one"), _part("two")], "one", "two")
    assert (found.missing, _installed(found)) == ((), ["one.py", "two.py"])


def test_what_has_another_digest_leaves_no_file_behind(made):
    found, _ = made([_part("one"), _part("two", "0" * 64)], "one", "two")
    assert _installed(found) == ["one.py"]
    assert found.missing == ("two 1 has another digest in the configured index: it is not installed",)


def test_what_the_index_does_not_have_is_named_and_the_rest_is_installed(made):
    found, _ = made([_part("one"), _part("two")], "two")
    assert _installed(found) == ["two.py"]
    assert found.missing == ("one 1 has no wheel in the configured index: it is not installed",)


def test_what_was_editable_cannot_be_had(made):
    found, machine = made([DistributionPart("one", "1", None)], "one")
    assert "one 1 has no digest in the certificate" in found.missing[0]
    assert len(machine.commands) == 1


@pytest.mark.parametrize(
    "part",
    [
        DistributionPart("--index-url=https://x", "1", "0" * 64),
        DistributionPart("one @ https://x/one.whl #", "1", "0" * 64),
        DistributionPart("one", "1 --pre", "0" * 64),
        DistributionPart("one", "../1", "0" * 64),
    ],
)
def test_an_installer_gets_names_and_versions_alone(made, part):
    found, machine = made([part], "one")
    assert len(found.missing) == 1
    assert all("pip" not in command for command in machine.commands)


def test_the_suite_and_the_tools_own_distribution_are_not_installed(made):
    found, machine = made([_part("aptix-conformance"), _part("mine")], excluded=["mine"])
    assert (found.missing, len(machine.commands)) == ((), 1)


def test_only_wheels_are_installed_by_a_pip_outside_of_the_environment(made, tmp_path):
    _, machine = made([_part("one")], "one")
    pips = [command for command in machine.commands if "pip" in command]
    assert len(pips) == 2
    for command in pips:
        assert command[0] == str(tmp_path / "installer" / "bin" / "python")
        assert "--no-deps" in command
        assert command[command.index("--only-binary") + 1] == ":all:"
    assert "--no-index" in pips[1]


def test_a_machine_that_makes_no_environment_is_an_error_in_a_line(tmp_path):
    with pytest.raises(CertificateError, match="makes no virtual environment"):
        set_up(tmp_path, EnvironmentPart(interpreter_here(), "Linux"), excluded=[], run=lambda *_: None)


def test_the_interpreter_of_this_process_is_taken_where_it_is_the_recorded_one():
    assert find_interpreter(interpreter_here(), Machine()) == sys.executable


@pytest.mark.parametrize(
    ("says", "found"), [("CPython 3.99.1\n", "/bin/python3.99"), ("CPython 3.99.2\n", None)]
)
def test_another_interpreter_is_taken_where_it_says_that_it_is_the_recorded_one(monkeypatch, says, found):
    monkeypatch.setattr(environment_rebuild.shutil, "which", lambda name: f"/bin/{name}")
    assert find_interpreter("CPython 3.99.1", lambda *_: says) == (found or sys.executable)


@pytest.mark.parametrize("recorded", ["CPython 3.99.1", "Jython", "CPython ; rm"])
def test_without_the_recorded_interpreter_that_of_this_process_is_taken(monkeypatch, recorded):
    monkeypatch.setattr(environment_rebuild.shutil, "which", lambda _: None)
    assert find_interpreter(recorded, Machine()) == sys.executable
