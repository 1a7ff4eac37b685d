"""What the commands print and exit with, and the checks of `tools/` on a spoiled checkout."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tools.evidence import Checkout

from aptix_conformance.app.cli import main
from aptix_conformance.app.commands.wiring import COMMANDS
from aptix_conformance.core.contracts import load
from aptix_conformance.systems.rulebook import all_rules
from tools import clauses, pages

ROOT = Path(__file__).parents[4]
GROUPS = {
    "schema": ("schema diff", "schema export"),
    "baseline": ("baseline write", "baseline prune"),
    "mcp": ("mcp install",),
    "cache": ("cache recheck",),
    "certificate": tuple(f"certificate {name}" for name in ("keygen", "issue", "verify", "revoke")),
}
LEAVES = [leaf for name in COMMANDS for leaf in GROUPS.get(name, (name,))]
PROGRAM = "import sys; from aptix_conformance.app.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture
def run(capsys):
    def run_command(*arguments):
        status = main(arguments)
        return status, capsys.readouterr().out

    return run_command


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", LEAVES)
def test_the_help_of_a_command_has_an_example_and_its_exit_statuses(command, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([*command.split(), "--help"])
    text = capsys.readouterr().out
    assert stopped.value.code == 0
    assert f"  aptix-conformance {command} " in text
    assert "Exit status" in text


def test_clauses_lists_every_clause(run, elsewhere):
    status, out = run("clauses", "--format", "json")
    listed = json.loads(out)
    assert status == 0
    assert [clause["id"] for clause in listed] == list(load().clauses)
    by_id = {clause["id"]: clause for clause in listed}
    assert "ARG002" in by_id["AGN-005.3.2"]["rules"]
    assert any(name.startswith("ARG002_") for name in by_id["AGN-005.3.2"]["fixtures"])
    assert by_id["AGN-005.1.1"]["status"] == "open"
    assert by_id["AGN-005.1.1"]["why"]
    assert by_id["TUL-011.2.9"]["status"] == "harness"
    assert any("test_registry.py::" in test for test in by_id["TUL-011.2.9"]["tests"])


def test_clauses_can_be_chosen_and_have_the_levels_of_an_edition(run, elsewhere):
    _, out = run("clauses", "--edition", "aptix-tul-011", "--document", "AGN-005", "--format", "json")
    levels = {clause["id"]: clause["level"] for clause in json.loads(out)}
    assert levels["AGN-005.5.1"] == "SHOULD"
    assert not [clause for clause in levels if not clause.startswith("AGN-005")]
    _, out = run("clauses", "--status", "open", "--system", "aptix")
    assert "needs knowledge of intent" in out
    assert out.rstrip().endswith("clauses: 6 open")


def test_clauses_as_markdown_are_tables(run, elsewhere):
    _, out = run("clauses", "--document", "TUL-010", "--format", "markdown")
    assert "## TUL-010" in out
    assert "| TUL-010.3.1 | MUST | covered |" in out


@pytest.fixture
def copy(tmp_path):
    """A copy of what the checks read, to be spoiled."""
    for folder in ("fixtures", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.fixture
def check(copy, capsys):
    """Run a command of `tools/` on the copy: its exit status and its output."""

    def run_check(command, *arguments):
        return command.main(arguments, Checkout(copy)), capsys.readouterr().out

    return run_check


def test_the_check_tells_each_fault_of_a_checkout(check, copy):
    only, *others = sorted((copy / "fixtures/nonconforming").glob("CTX002_*.py"), reverse=True)
    for other in others:
        other.unlink()
    _, before = check(clauses, "--system", "aptix")
    only.rename(only.with_name("CTX952_forgets_the_conversation.py"))
    registry = copy / "tests/unit/aptix_harness/test_registry.py"
    text = registry.read_text(encoding="utf-8")
    registry.write_text(text.replace("TUL-011.2.9", "TUL-011.2.99"), encoding="utf-8")
    status, out = check(clauses, "--system", "aptix")
    assert status == 1
    assert "TUL-011.2.9 is unaccounted for (harness)" in out
    assert "CTX952_forgets_the_conversation is named for the rule CTX952, which does not exist" in out
    assert "CTX002 result-carries-the-identifiers has no nonconforming tool" in out
    assert "is marked with the clause TUL-011.2.99, which clauses.yaml does not have" in out
    assert len(set(out.splitlines()) - set(before.splitlines())) == 4


def test_the_check_tells_of_a_fixture_that_cannot_be_read(check, copy):
    (copy / "fixtures/nonconforming/broken.py").write_text("", encoding="utf-8")
    status, out = check(clauses, "--system", "aptix")
    assert (status, out) == (
        1,
        "fixtures/nonconforming/broken.py is not named <CODE>_<fault>, as ARG002_loads_outside_try is\n",
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["clauses", "--document", "TUL-11"], "did you mean TUL-011?"),
        (["clauses", "--edition", "none"], "unknown edition"),
        (["clauses", "--system", "nobody"], "unknown system"),
        (["rules", "--area", "XYZ"], "unknown area"),
        (["rules", "--edition", "none"], "unknown edition"),
        (["explain", "ARG02"], "did you mean ARG0"),
        (["explain", "ARG002", "\x1b[31m"], "there is no rule '\\x1b[31m'"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_told_with_status_2(elsewhere, capsys, arguments, told):
    assert main(arguments) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["clauses", "--status", "done"], ["nothing"], []])
def test_what_does_not_parse_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2


def test_rules_lists_every_rule_with_its_demand(run, elsewhere):
    status, out = run("rules")
    assert status == 0
    for rule in all_rules():
        assert f"{rule.code}  " in out
        assert f"{rule.name}: {rule.demand}" in out


def test_rules_can_be_chosen(run, elsewhere):
    _, out = run(
        "rules", "--area", "reg", "--edition", "aptix-agn-005-1.1", "--level", "must", "--format", "json"
    )
    found = {rule["code"]: rule for rule in json.loads(out)}
    assert found["REG004"]["levels"] == {
        "aptix-tul-011": "SHOULD",
        "aptix-agn-005-1.1": "MUST",
        "langchain-1.8": "SHOULD",
    }
    assert {code[:3] for code in found} == {"REG"}
    assert {rule["level"] for rule in found.values()} == {"MUST"}
    assert "REG010" not in found
    _, out = run("rules", "--source", "suite", "--format", "json")
    assert {rule["source"] for rule in json.loads(out)} == {"suite"}


@pytest.mark.parametrize("word", ["ARG002", "arg002", "malformed-json-never-raises"])
def test_explain_prints_the_page_of_a_rule(run, elsewhere, word):
    status, out = run("explain", word)
    assert status == 0
    for part in (
        "ARG002 malformed-json-never-raises",
        "AGN-005.3.2",
        "breaks ARG002",
        "the fix",
        "Conforming twin",
    ):
        assert part in out


def test_explain_prints_pages_in_the_order_asked_for(run, elsewhere):
    _, out = run("explain", "RES001", "ARG002")
    assert -1 < out.index("RES001 ") < out.index("ARG002 ")


def test_a_broken_link_is_told(copy, check):
    shutil.copytree(ROOT / "snapshots", copy / "snapshots")
    (copy / "docs").mkdir()
    (copy / "docs" / "page.md").write_text("[nothing](gone.md)", encoding="utf-8")
    assert check(pages, "--check") == (1, "docs/page.md: the link to gone.md leads nowhere\n")


def test_a_tool_that_the_matrix_does_not_have_is_told(copy, check):
    status, out = check(pages, "--write", str(copy / "site"))
    assert status == 1
    assert (
        "for fixtures/nonconforming/ARG002_loads_outside_try.py; to fix it: python -m tests.acceptance.matrix --write '*/ARG002_*'"
        in out
    )
    assert (copy / "site/rules/ARG002.md").is_file()


def test_the_command_can_be_called_as_a_program(tmp_path):
    command = [sys.executable, "-c", PROGRAM, "explain", "NOPE"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("aptix-conformance: there is no rule 'NOPE'")


def test_the_package_can_be_called_as_a_program(tmp_path):
    command = [sys.executable, "-m", "aptix_conformance", "rules", "--area", "REG"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert "REG001" in result.stdout


def test_the_help_imports_no_command(tmp_path):
    """All of them take twenty times as long to import as the help takes to print."""
    program = (
        "import sys; from aptix_conformance.app.cli import main\n"
        "try: main(['--help'])\n"
        "finally: print(sorted(name for name in sys.modules if name.startswith('aptix_')))"
    )
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    app = ["", ".app", ".app.cli", ".app.commands", ".app.commands.command", ".app.commands.wiring"]
    names = [*app, ".core", ".core.errors", ".systems", ".systems.named_commands"]
    assert result.stdout.splitlines()[-1] == str([f"aptix_conformance{name}" for name in names])


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["rep"], {"replay", "report"}),
        (["certificate", "re"], {"revoke"}),
        (["explain", "ARG00"], {f"ARG00{number}" for number in range(1, 10)}),
        (["rules", "--format", ""], {"text", "json"}),
        (["check", "ser"], {"server.py"}),
    ],
)
def test_bash_completes_commands_codes_choices_and_files(run, elsewhere, tmp_path, words, completed):
    (tmp_path / "server.py").touch()
    (tmp_path / "script").write_text(run("completion", "bash")[1])
    line = shlex.join(["aptix-conformance", *words])
    program = f"source ./script; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _shtab_aptix_conformance; echo ${{COMPREPLY[@]}}"
    result = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert set(result.stdout.split()) == completed


def test_who_has_read_enough_may_stop(tmp_path):
    """As `| head -1` does: no traceback, and the exit status that other programs have then."""
    command = [sys.executable, "-c", PROGRAM, "clauses", "--format", "json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout.readline() == b"[\n"
        program.stdout.close()
        assert program.stderr.read() == b""
    assert program.returncode == 141


def test_an_error_of_the_suite_is_no_answer(monkeypatch, capsys):
    """An exit with 1 would say that the check failed."""

    def fail(*_):
        raise KeyError("process")

    monkeypatch.setattr("aptix_conformance.app.commands.rules.run", fail)
    assert main(["rules"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(
        "aptix-conformance: harness error: the suite failed while running the command: KeyError"
    )
    assert 'raise KeyError("process")' in said
