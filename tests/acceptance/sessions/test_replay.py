"""The commands that a session prints: `replay` of what a report says, and one more examination where there is none."""

import re
import subprocess
from fnmatch import fnmatch

import pytest
from tests.real_project import FAULT, FEW, FIX

from aptix_conformance.app.cli import main

HARD_NAME = 'it\'s "my" tool'


def test_a_counterexample_replays_until_the_tool_is_fixed(real_project, capsys):
    """`replay` exits 1 while the rule is broken and 0 when it is kept."""
    real_project.change(*FAULT)
    real_project.run("-k", "ARG002", "--aptix-report", "report.json")
    command = ["replay", "report.json#agent_weather/ARG002"]
    capsys.readouterr()
    assert main(command) == 1
    assert "still broken" in capsys.readouterr().out
    real_project.change(FIX)
    assert main(command) == 0
    assert "kept now" in capsys.readouterr().out


WORKS_ALONE = (
    ("import json\n", "import asyncio\nimport json\n"),
    ("except Exception as error:", "except ZeroDivisionError as error:"),
    (
        "            request = context.request if context else None\n",
        """\
            WeatherTool.calls += 1
            try:
                await asyncio.sleep(0.01)
                if WeatherTool.calls > 1:
                    raise ValueError(city)
            finally:
                WeatherTool.calls -= 1
            request = context.request if context else None
""",
    ),
    ('    TOOL_NAME: Final = "agent_weather"\n', '    TOOL_NAME: Final = "agent_weather"\n    calls = 0\n'),
)
"""What makes the real tool raise where it is called twice at the same time."""


def test_what_only_calls_at_the_same_time_show_is_not_said_to_be_kept_by_one_of_them(real_project, capsys):
    real_project.change(*WORKS_ALONE)
    real_project.run("-k", "EXC001", "--aptix-report", "report.json")
    (tool,) = real_project.report()["tools"]
    (call,) = [each["finding"]["call"] for each in tool["verdicts"] if each["verdict"] == "fail"]
    assert call["label"].startswith("together:")
    capsys.readouterr()
    assert main(["replay", "report.json#agent_weather/EXC001"]) == 1
    assert "still broken" in capsys.readouterr().out
    real_project.change(("if WeatherTool.calls > 1:", "if WeatherTool.calls > 1_000:"))
    assert main(["replay", "report.json#agent_weather/EXC001"]) == 0


def test_a_finding_becomes_a_test_that_fails_until_the_tool_is_fixed(real_project, capsys):
    """`--as-test` writes it, and pytest without the suite's option runs it."""
    real_project.change(*FAULT)
    real_project.run("-k", "ARG002 or LOG003", "--aptix-report", "report.json")
    command = ["replay", "report.json#agent_weather/ARG002", "--as-test"]
    capsys.readouterr()
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert main([*command, "-o", "test_kept.py"]) == 0
    assert real_project.path.joinpath("test_kept.py").read_text(encoding="utf-8") == printed
    inner = ["-p", "no:cacheprovider", "test_kept.py"]
    real_project.pytester.runpytest_inprocess(*inner).assert_outcomes(failed=1)
    real_project.change(FIX)
    real_project.pytester.runpytest_inprocess(*inner).assert_outcomes(passed=1)
    assert main(["replay", "report.json#agent_weather/LOG003", "--as-test"]) == 2
    assert main([*command, "-o", "no/such/folder/test_kept.py"]) == 2
    assert main([*command[:2], "-o", "test_other.py"]) == 2
    said = capsys.readouterr().err
    assert "did not break LOG003" in said
    assert "no/such/folder/test_kept.py cannot be written: No such file or directory" in said
    assert "-o is for the test that --as-test writes" in said


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "xdist"])
def test_the_printed_command_works_as_it_is_pasted(pytester, tool_source, monkeypatch, workers):
    """In a folder of the project, without the program on the path, for names that a shell would take apart."""
    broken = tool_source("weather").replace("(ValueError, RecursionError)", "ZeroDivisionError")
    broken = broken.replace("except Exception as error:", "except ZeroDivisionError as error:")
    named = broken.replace('= "agent_weather"', f"= {HARD_NAME!r}")
    (pytester.path / "weather_tools.py").write_text(named, encoding="utf-8")
    pytester.makepyprojecttoml("[tool.pytest.ini_options]\n")
    folder = pytester.mkdir("of today")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    asked = ("--aptix-tools", "weather_tools", "--aptix-edition", "aptix-agn-005-1.1", "-k", "ARG002")
    result = pytester.runpytest_inprocess(*FEW, *workers, *asked, "--aptix-report=my 'report'.json")
    command, *_ = re.findall(r"^  reproduce +(.+)$", result.stdout.str(), re.MULTILINE)
    assert command.startswith("cd .. && ")
    pasted = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert pasted.returncode == 1, pasted.stderr
    assert f"{HARD_NAME} ARG002 malformed-json-never-raises: still broken" in pasted.stdout


def test_without_a_report_the_printed_command_examines_the_rule_once_more(real_project, monkeypatch):
    real_project.change(*FAULT)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    result = real_project.run("-k", "ARG002")
    command, *_ = re.findall(r"^  reproduce +(.+)$", result.stdout.str(), re.MULTILINE)
    pasted = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert pasted.returncode == 1, pasted.stderr
    assert "FAILED aptix::agent_weather::ARG002-malformed-json-never-raises" in pasted.stdout


def test_a_replay_under_other_settings_does_not_say_that_a_rule_is_kept(real_project, capsys):
    """`side_effects = "none"` does not count in a replay, so what is not seen there may still happen without containment."""
    real_project.change(*FAULT)
    settings = real_project.path / "pyproject.toml"
    written = settings.read_text(encoding="utf-8")
    table = "[tool.aptix-conformance.tool.agent_weather]\n"
    assert table in written
    settings.write_text(written.replace(table, f'{table}side_effects = "none"\n'), encoding="utf-8")
    real_project.run("-k", "ARG002", "--aptix-report", "report.json")
    real_project.change(FIX)
    capsys.readouterr()
    assert main(["replay", "report.json#agent_weather/ARG002"]) == 2
    said = capsys.readouterr().out
    assert re.search("ARG002.*: not seen, but the replay ran without settings.*\nnote: side_effects", said)
    assert main(["replay", "--allow-side-effects", "report.json#agent_weather/ARG002"]) == 0
    assert re.search("ARG002.*: kept now", capsys.readouterr().out)


def test_a_report_brings_no_code_to_a_replay(pytester, tool_source, capsys):
    """The modules lie where the project's own `pythonpath` says, and a target that it does not configure is named."""
    source = pytester.mkdir("src")
    faulty = tool_source("weather").replace("(ValueError, RecursionError)", "ZeroDivisionError")
    faulty = faulty.replace("except Exception as error:", "except ZeroDivisionError as error:")
    (source / "weather_tools.py").write_text(faulty, encoding="utf-8")
    pytester.makepyprojecttoml('[tool.pytest.ini_options]\npythonpath = ["src"]\n')
    result = pytester.runpytest_inprocess(
        *FEW, "-k", "ARG002", "--aptix-tools", "weather_tools", "--aptix-report", "report.json"
    )
    command = "replay report.json#agent_weather/ARG002 --aptix-tools weather_tools:WeatherTool"
    result.stdout.fnmatch_lines([f"*{command}"])
    assert main(command.split()) == 1
    capsys.readouterr()
    assert main(["replay", "report.json#agent_weather/ARG002"]) == 2
    said = capsys.readouterr().err
    assert "weather_tools:WeatherTool, which this project does not configure" in said
    assert "--aptix-tools" in said


def test_replay_refuses_a_truncated_report(real_project, capsys):
    """Bad input: one clear error and exit status 2."""
    real_project.path.joinpath("report.json").write_text('{"format": "aptix-conf', encoding="utf-8")
    assert main(["replay", "report.json#agent_weather/ARG002"]) == 2
    told = capsys.readouterr().err
    assert fnmatch(told, "aptix-conformance: the report *report.json is not JSON, perhaps truncated*")
