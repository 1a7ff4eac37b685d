"""`pytest --aptix-conformance` as a user runs it, in a scratch project with real tools in real processes."""

import json
import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from aptix_conformance.cli import main

COMMAND = str(Path(sys.executable).with_name("aptix-conformance"))
QUICK = ["--aptix-conformance", "--aptix-examples", "5", "-p", "no:cacheprovider", "-p", "no:asyncio"]


@pytest.fixture
def project(pytester, examined_once, tool_source, monkeypatch):
    """A project with one conforming tool, configured."""
    monkeypatch.delenv("CI", raising=False)
    pytester.makepyfile(weather_tools=tool_source("weather"))
    pytester.makepyprojecttoml(
        """
        [tool.aptix-conformance]
        tools = ["weather_tools"]
        [tool.aptix-conformance.tool.agent_weather]
        examples = [{ city = "Oslo" }]
        """
    )
    return pytester


def break_tool(project, old, new):
    """Put a fault into the project's tool."""
    path = project.path / "weather_tools.py"
    source = path.read_text(encoding="utf-8")
    assert old in source
    path.write_text(source.replace(old, new), encoding="utf-8")


def only_read(project, *others):
    """Have the project's tools read and not called, which is quicker where no call has anything to prove."""
    path = project.path / "pyproject.toml"
    harmful = 'side_effects = "destructive"\n'
    tables = [f"[tool.aptix-conformance.tool.{name}]\n{harmful}" for name in others]
    path.write_text("".join([path.read_text(encoding="utf-8"), "\n", harmful, *tables]), encoding="utf-8")


def waive(project, key, rule):
    """Waive a rule in the table of a tool, module or package; gives the place in the configuration."""
    path = project.path / "pyproject.toml"
    place = f"tool.aptix-conformance.tool.{key}.waive"
    waiver = f'[[{place}]]\nrule = "{rule}"\nowner = "us"\nreason = "none"\nexpires = 2999-01-01\n'
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{waiver}", encoding="utf-8")
    return place


def run(project, *arguments):
    """A session in this process."""
    return project.runpytest_inprocess(*QUICK, *arguments)


def run_apart(project, *arguments):
    """A session in a fresh interpreter, as a user starts it."""
    return project.runpytest_subprocess(*QUICK, *arguments)


def report_of(project):
    return json.loads((project.path / "report.json").read_text(encoding="utf-8"))


def test_a_conforming_tool_passes_the_summary_says_so_and_nothing_is_left_but_the_report(project):
    """Every item green, one line for the tool; no caches of ours or of Hypothesis's beside the user's files."""
    result = run_apart(project, "--aptix-report", "report.json")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["conforming    agent_weather *"])
    (tool,) = report_of(project)["tools"]
    assert (tool["status"], tool["edition"]) == ("conforming", "aptix-tul-011")
    assert not [v for v in tool["verdicts"] if v["level"] == "MUST" and v["verdict"] == "inconclusive"]
    left = {path.name for path in project.path.iterdir() if not path.name.startswith(("runpytest", "std"))}
    assert left == {"weather_tools.py", "pyproject.toml", "report.json"}


def test_a_broken_rule_fails_its_item_with_a_text_for_a_person(project):
    """The contract, the tool, the call, the command to reproduce it and the fix, and no traceback of the suite."""
    break_tool(project, "(ValueError, RecursionError)", "ZeroDivisionError")
    break_tool(project, "except Exception as error:", "except ZeroDivisionError as error:")
    result = run_apart(project, "--aptix-report", "report.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "*agent_weather breaks ARG002 malformed-json-never-raises (MUST: *",
            "*the contract*",
            "*the tool*",
            "*the call*",
            "*reproduce*aptix-conformance replay report.json#agent_weather/ARG002",
            "*the fix*",
            "nonconforming agent_weather *",
        ]
    )
    result.stdout.no_fnmatch_line("*aptix_conformance/*.py:*")


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "xdist"])
def test_a_run_writes_its_report_in_several_formats_and_none_knows_its_path(project, capsys, workers):
    """What `report` makes of the JSON later is the same; what the run shows has the path, what it writes does not."""
    break_tool(project, "(ValueError, RecursionError)", "ZeroDivisionError")
    break_tool(project, "except Exception as error:", "except ZeroDivisionError as error:")
    asked = ("--aptix-report=summary=made/summary.txt", "--aptix-report=made/of-today.json")
    result = run(project, *workers, *asked)
    result.stdout.fnmatch_lines(["*replay made/of-today.json#agent_weather/ARG002", "nonconforming*"])
    result.stdout.fnmatch_lines(["report        made/of-today.json", "report        made/summary.txt"])
    assert "of-today" not in (project.path / "made" / "of-today.json").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["report", "summary", "made/of-today.json"]) == 0
    assert capsys.readouterr().out == (project.path / "made" / "summary.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "xdist"])
def test_under_github_actions_findings_are_annotations_and_the_job_has_a_summary(
    project, monkeypatch, workers
):
    """Once, whatever the workers; added to what the step has written already. `--aptix-format plain` switches it off."""
    only_read(project)
    break_tool(project, '"type": "object"', '"type": "array"')
    summary = project.path / "summary.md"
    summary.write_text("# Before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    plain = run(project, "--aptix-format=plain", *workers)
    assert (plain.ret, summary.read_text(encoding="utf-8")) == (1, "# Before\n")
    plain.stdout.no_fnmatch_line("::error*")
    result = run(project, *workers)
    (command,) = [line for line in result.outlines if line.startswith("::error file=weather_tools.py,line=")]
    assert "agent_weather" in command
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("# Before\n## Aptix conformance\n")
    assert text.count("| `agent_weather` | nonconforming |") == 1


def test_elsewhere_there_are_neither_unless_they_are_asked_for(project, monkeypatch):
    """A summary that cannot be written is a note."""
    only_read(project)
    break_tool(project, '"type": "object"', '"type": "array"')
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "none" / "summary.md"))
    run(project).stdout.no_fnmatch_line("::error*")
    asked = run(project, "--aptix-format=github")
    asked.stdout.fnmatch_lines(
        ["note *the summary of the job cannot be written to *: No such file*", "::error file=*"]
    )


def test_another_seed_makes_no_new_alert(project):
    """Neither does a line above the tool; the alert stands at the tool's line."""
    break_tool(project, "(ValueError, RecursionError)", "ZeroDivisionError")
    break_tool(project, "except Exception as error:", "except ZeroDivisionError as error:")
    first = alerts_of(project, "--aptix-seed=1")
    break_tool(project, "import json\n", "import json\n\n\n")
    second = alerts_of(project, "--aptix-seed=2")
    assert first
    assert [alert[0] for alert in first] == [alert[0] for alert in second]
    assert {after[1] - before[1] for before, after in zip(first, second, strict=True)} == {2}


def alerts_of(project, seed):
    """The fingerprint and the line of each result of a SARIF report."""
    run(project, seed, "--aptix-report=sarif=report.sarif")
    (found,) = json.loads((project.path / "report.sarif").read_text(encoding="utf-8"))["runs"]
    return sorted(
        (
            result["partialFingerprints"]["primaryLocationLineHash"],
            result["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for result in found["results"]
    )


def test_a_counterexample_replays_until_the_tool_is_fixed(project):
    """`replay` exits 1 while the rule is broken and 0 when it is kept."""
    break_tool(project, "(ValueError, RecursionError)", "ZeroDivisionError")
    break_tool(project, "except Exception as error:", "except ZeroDivisionError as error:")
    run(project, "--aptix-report", "report.json")
    command = [COMMAND, "replay", "report.json#agent_weather/ARG002"]
    broken = project.run(*command)
    assert broken.ret == 1
    broken.stdout.fnmatch_lines(["*still broken*"])
    break_tool(project, "except ZeroDivisionError as error:", "except Exception as error:")
    fixed = project.run(*command)
    assert fixed.ret == 0
    fixed.stdout.fnmatch_lines(["*kept now*"])


def test_a_finding_becomes_a_test_that_fails_until_the_tool_is_fixed(project, capsys):
    """`--as-test` writes it, and pytest without the suite's option runs it."""
    break_tool(project, "(ValueError, RecursionError)", "ZeroDivisionError")
    break_tool(project, "except Exception as error:", "except ZeroDivisionError as error:")
    run(project, "-k", "ARG002 or LOG003", "--aptix-report", "report.json")
    command = ["replay", "report.json#agent_weather/ARG002", "--as-test"]
    capsys.readouterr()
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert main([*command, "-o", "test_kept.py"]) == 0
    assert project.path.joinpath("test_kept.py").read_text(encoding="utf-8") == printed
    inner = ["-p", "no:cacheprovider", "test_kept.py"]
    project.runpytest_inprocess(*inner).assert_outcomes(failed=1)
    break_tool(project, "except ZeroDivisionError as error:", "except Exception as error:")
    project.runpytest_inprocess(*inner).assert_outcomes(passed=1)
    assert main(["replay", "report.json#agent_weather/LOG003", "--as-test"]) == 2
    assert main([*command, "-o", "no/such/folder/test_kept.py"]) == 2
    assert main([*command[:2], "-o", "test_other.py"]) == 2
    said = capsys.readouterr().err
    assert "did not break LOG003" in said
    assert "no/such/folder/test_kept.py cannot be written: No such file or directory" in said
    assert "-o is for the test that --as-test writes" in said


HARD_NAME = 'it\'s "my" tool'


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
    result = run(pytester, *workers, *asked, "--aptix-report=my 'report'.json")
    command, *_ = re.findall(r"^  reproduce +(.+)$", result.stdout.str(), re.MULTILINE)
    assert command.startswith("cd .. && ")
    pasted = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert pasted.returncode == 1, pasted.stderr
    assert f"{HARD_NAME} ARG002 malformed-json-never-raises: still broken" in pasted.stdout


def test_without_a_report_the_printed_command_examines_the_rule_once_more(project, monkeypatch):
    break_tool(project, "(ValueError, RecursionError)", "ZeroDivisionError")
    break_tool(project, "except Exception as error:", "except ZeroDivisionError as error:")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    result = run(project, "-k", "ARG002")
    command, *_ = re.findall(r"^  reproduce +(.+)$", result.stdout.str(), re.MULTILINE)
    pasted = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert pasted.returncode == 1, pasted.stderr
    assert "FAILED aptix::agent_weather::ARG002-malformed-json-never-raises" in pasted.stdout


def test_a_replay_under_other_settings_does_not_say_that_a_rule_is_kept(project):
    """`side_effects = "none"` does not count in a replay, so what is not seen there may still happen without containment."""
    break_tool(project, "(ValueError, RecursionError)", "ZeroDivisionError")
    break_tool(project, "except Exception as error:", "except ZeroDivisionError as error:")
    settings = project.path / "pyproject.toml"
    written = settings.read_text(encoding="utf-8")
    table = "[tool.aptix-conformance.tool.agent_weather]\n"
    assert table in written
    settings.write_text(written.replace(table, f'{table}side_effects = "none"\n'), encoding="utf-8")
    run(project, "--aptix-report", "report.json")
    break_tool(project, "except ZeroDivisionError as error:", "except Exception as error:")
    replayed = project.run(COMMAND, "replay", "report.json#agent_weather/ARG002")
    assert replayed.ret == 2
    replayed.stdout.fnmatch_lines(
        ["*ARG002*: not seen, but the replay ran without settings*", "note: side_effects*"]
    )


def test_a_report_brings_no_code_to_a_replay(pytester, tool_source):
    """The modules lie where the project's own `pythonpath` says, and a target that it does not configure is named."""
    source = pytester.mkdir("src")
    faulty = tool_source("weather").replace("(ValueError, RecursionError)", "ZeroDivisionError")
    faulty = faulty.replace("except Exception as error:", "except ZeroDivisionError as error:")
    (source / "weather_tools.py").write_text(faulty, encoding="utf-8")
    pytester.makepyprojecttoml('[tool.pytest.ini_options]\npythonpath = ["src"]\n')
    result = run(pytester, "--aptix-tools", "weather_tools", "--aptix-report", "report.json")
    command = "replay report.json#agent_weather/ARG002 --aptix-tools weather_tools:WeatherTool"
    result.stdout.fnmatch_lines([f"*{command}"])
    assert pytester.run(COMMAND, *command.split()).ret == 1
    refused = pytester.run(COMMAND, "replay", "report.json#agent_weather/ARG002")
    assert refused.ret == 2
    refused.stderr.fnmatch_lines(
        ["*weather_tools:WeatherTool, which this project does not configure*--aptix-tools*"]
    )


def test_replay_refuses_a_truncated_report(project, capsys):
    """Bad input: one clear error and exit status 2."""
    project.path.joinpath("report.json").write_text('{"format": "aptix-conf', encoding="utf-8")
    assert main(["replay", "report.json#agent_weather/ARG002"]) == 2
    told = capsys.readouterr().err
    assert fnmatch(told, "aptix-conformance: the report *report.json is not JSON, perhaps truncated*")


def test_without_the_option_nothing_happens(project):
    """The plugin is asleep: ordinary tests only."""
    project.makepyfile(test_mine="def test_mine(): pass")
    result = project.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*aptix conformance*")


def test_without_a_path_only_conformance_items_are_collected(project):
    """A CI step of its own."""
    project.makepyfile(test_mine="def test_mine(): assert False")
    result = run(project, "--co", "-q")
    result.stdout.fnmatch_lines(["aptix::agent_weather::ARG002-malformed-json-never-raises"])
    result.stdout.no_fnmatch_line("*test_mine*")


def test_with_a_path_both_kinds_run_together(project):
    """Beside ordinary tests in one run."""
    project.makepyfile(test_mine="def test_mine(): pass")
    result = run(project, "-v", "test_mine.py")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["test_mine.py::test_mine PASSED*", "aptix::agent_weather::status PASSED*"])


def test_a_printed_id_pasted_back_selects_that_item(project):
    """An id is an argument."""
    result = run(project, "-v", "aptix::agent_weather::ARG002-malformed-json-never-raises")
    result.assert_outcomes(passed=1)


def test_an_id_that_names_nothing_is_a_usage_error(project):
    """Not a green run of nothing."""
    result = run(project, "aptix::agent_wether")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*not found: aptix::agent_wether*"])


def test_a_deselected_must_keeps_the_status_from_passing(project):
    """A deselected MUST makes the tool incomplete."""
    rule = "aptix::agent_weather::ARG002-malformed-json-never-raises"
    result = run(project, "--deselect", rule)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["*agent_weather is incomplete: 1 of its MUST rules*", "*ARG002: deselected*"]
    )


def test_allow_incomplete_relaxes_the_status(project):
    """For development."""
    rule = "aptix::agent_weather::ARG002-malformed-json-never-raises"
    result = run(project, "--deselect", rule, "--aptix-allow-incomplete")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["incomplete    agent_weather *"])


def test_no_tool_named_anywhere_is_an_error_that_lists_the_places(pytester):
    """Never a green run."""
    result = run(pytester)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--aptix-tools*"])


def test_a_typo_in_the_configuration_names_the_key_and_the_nearest(project):
    """Bad input to us: exit status 4."""
    path = project.path / "pyproject.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("examples", "exampels"), encoding="utf-8")
    result = run(project)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*exampels*examples*"])


def test_a_target_that_fails_to_import_fails_alone(project):
    """One clear failure; the other tool is still examined."""
    project.makepyfile(broken_tools="import no_such_module_at_all")
    result = run(project, "--aptix-tools", "broken_tools", "--aptix-report", "report.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*broken_tools was not examined*", "*no_such_module_at_all*"])
    statuses = {tool["tool"]: tool["status"] for tool in report_of(project)["tools"]}
    assert statuses == {"agent_weather": "conforming", "broken_tools": "incomplete"}
    assert [tool["source"]["file"] for tool in report_of(project)["tools"]] == [
        "weather_tools.py",
        "broken_tools.py",
    ]


def test_tools_of_two_systems_are_judged_in_one_run_each_by_its_own_edition(project):
    """An edition that is named is that of its own system; the other system's tools have their own."""
    only_read(project)
    glossary = Path(__file__).parents[3] / "reference_tools" / "amplifier-module-tool-glossary"
    result = run(
        project,
        *("--aptix-tools", "weather_tools", "--aptix-tools", f"amplifier:{glossary}"),
        *("--aptix-edition", "aptix-agn-005-1.1", "--aptix-report", "report.json"),
    )
    tools = report_of(project)["tools"]
    assert {tool["tool"]: tool["edition"] for tool in tools} == {
        "agent_weather": "aptix-agn-005-1.1",
        "glossary_list": "amplifier-1.0.0",
        "glossary_lookup": "amplifier-1.0.0",
    }
    cited = {
        tool["tool"]: {clause[:3] for v in tool["verdicts"] for clause in v["clauses"]} for tool in tools
    }
    assert (cited["agent_weather"], cited["glossary_list"]) == ({"AGN", "TUL"}, {"AMP"})
    result.stdout.fnmatch_lines(["*aptix conformance, edition amplifier-1.0.0 and aptix-agn-005-1.1*"])


def test_a_report_says_what_an_orchestrator_cannot_pass_on(project):
    """Amplifier's hooks raise for half of a character, so no tool is sent one. The terminal is silent: there is nothing to do."""
    glossary = Path(__file__).parents[3] / "reference_tools" / "amplifier-module-tool-glossary"
    result = run(
        project,
        *("--aptix-tools", f"amplifier:{glossary}", "-k", "AMP002", "--aptix-examples", "1"),
        *("--aptix-report", "report.json"),
    )
    tools = report_of(project)["tools"]
    assert [tool["tool"] for tool in tools] == ["glossary_list", "glossary_lookup"]
    for tool in tools:
        (said,) = [each for each in tool["shortfalls"] if each["probe"] == "calls"]
        assert "half of a character" in said["reason"]
        assert said["expected"]
    result.stdout.no_fnmatch_line("*half of a character*")


def test_exit_first_stops_and_the_report_says_what_was_not_examined(project, tool_source):
    """-x: nothing already found is lost, and what was not reached is incomplete."""
    break_tool(project, "(ValueError, RecursionError)", "ZeroDivisionError")
    break_tool(project, "except Exception as error:", "except ZeroDivisionError as error:")
    project.makepyfile(zoo_tools=tool_source("weather").replace("agent_weather", "agent_zoo"))
    result = run(project, "-x", "--aptix-tools", "zoo_tools", "--aptix-report", "report.json")
    assert result.ret == 1
    report = report_of(project)
    assert {t["tool"]: t["status"] for t in report["tools"]} == {
        "agent_weather": "nonconforming",
        "agent_zoo": "incomplete",
    }
    assert report["suite"]["complete"] is False
    unreached = report["tools"][1]
    assert unreached["source"]["file"] == "zoo_tools.py"
    assert unreached["containment"] == report["tools"][0]["containment"] is not None


def test_last_failed_runs_the_failed_items_again(project):
    """--lf works on conformance items."""
    break_tool(project, '"city": city,', '"city": float("nan"),')
    arguments = ["--aptix-conformance", "--aptix-examples", "5", "-p", "no:asyncio"]
    first = project.runpytest_inprocess(*arguments)
    failed = first.parseoutcomes()["failed"]
    again = project.runpytest_inprocess(*arguments, "--lf")
    outcomes = again.parseoutcomes()
    assert outcomes["failed"] == failed
    assert "passed" not in outcomes


def test_junit_properties_carry_rule_level_and_clauses(project):
    """--junitxml."""
    only_read(project)
    run(project, "-k", "ARG002", "--junitxml", "junit.xml")
    text = (project.path / "junit.xml").read_text(encoding="utf-8")
    assert '<property name="aptix.rule" value="ARG002" />' in text
    assert '<property name="aptix.level" value="MUST" />' in text
    assert "AGN-005.3.2" in text


def test_junit_has_no_character_of_a_tool_that_acts(project):
    """In names, properties and messages: the name of the tool and its schema are hostile."""
    only_read(project)
    hostile = "agent_\\u202eweather\\x9b##vso[x]"
    for old, new in (
        ('"agent_weather"', f'"{hostile}"'),
        ('"required": ["city"]', f'"required": ["{hostile}"]'),
    ):
        break_tool(project, old, new)
    run(project, "-k", "SCH or REG or lock or status", "--junitxml", "junit.xml")
    text = (project.path / "junit.xml").read_text(encoding="utf-8")
    assert {character for character in text if not character.isprintable()} <= {"\n"}
    assert "##vso[" not in text
    assert 'name="aptix.tool" value="agent_\\u202eweather\\x9b\\x23#vso[x]"' in text
    assert "<failure" in text


def test_the_tools_own_coverage_is_counted(project):
    """pytest-cov sees what ran in the host's process."""
    measured = ["--cov=weather_tools", "--cov-report=term-missing", "-p", "no:xdist"]
    # The last calls are made in a process that is killed; those before a probe that wants a fresh process are counted.
    result = run_apart(project, *measured, "-k", "EXC011")
    result.stdout.re_match_lines([r"weather_tools\.py +\d+ +\d+ +(9\d|8\d|100)%.*"])


def test_a_waived_rule_is_an_expected_failure_and_an_expired_waiver_is_none(project):
    """Waived is xfailed, with its reason."""
    break_tool(project, "(ValueError, RecursionError)", "ZeroDivisionError")
    break_tool(project, "except Exception as error:", "except ZeroDivisionError as error:")
    waiver = """
[[tool.aptix-conformance.tool.agent_weather.waive]]
rule = "ARG002"
owner = "weather team"
reason = "the parser is being replaced"
expires = {}
"""
    config = project.path / "pyproject.toml"
    before = config.read_text(encoding="utf-8")
    config.write_text(before + waiver.format("2999-01-01"), encoding="utf-8")
    waived = run(project, "-v", "-k", "ARG002")
    waived.stdout.fnmatch_lines(["*ARG002-malformed-json-never-raises XFAIL*"])
    config.write_text(before + waiver.format("2020-01-01"), encoding="utf-8")
    expired = run(project, "-k", "ARG002")
    assert expired.ret == 1
    expired.stdout.fnmatch_lines(["*ran out on 2020-01-01*"])


def test_a_tool_with_a_waived_must_is_conforming_with_waivers(project):
    """The run succeeds, and nothing made from it says plainly `conforming`; --aptix-no-waivers takes no waiver."""
    break_tool(project, '"name": WeatherTool.TOOL_NAME', '"name": "agent_rain"')
    waive(project, "agent_weather", "SCH004")
    waived = run(project, "--junitxml", "junit.xml", "--aptix-report", "report.json")
    assert waived.ret == 0
    waived.stdout.fnmatch_lines(
        [
            "status * waived *",
            "conforming-with-waivers agent_weather * 0      1 *",
            "1 tool: 1 conforming-with-waivers",
        ]
    )
    report = report_of(project)
    assert report["tools"][0]["status"] == "conforming-with-waivers"
    assert report["totals"]["tools"]["conforming-with-waivers"] == 1
    junit = (project.path / "junit.xml").read_text(encoding="utf-8")
    assert 'name="aptix.status" value="conforming-with-waivers"' in junit
    strict = run(project, "--aptix-no-waivers")
    assert strict.parseoutcomes()["failed"] == 2
    strict.stdout.fnmatch_lines(["nonconforming agent_weather * 1 *"])


@pytest.mark.parametrize("key", ["agent_weather", "weather_tools"])
def test_a_waiver_that_nothing_needs_fails_by_its_own_name(project, key):
    """The failure speaks of the waiver: of a tool by the rule's item, of a module at the end of the run."""
    table = waive(project, key, "ARG002")
    result = run(project, "--aptix-report", "report.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"*pyproject.toml: {table}?0?*"])
    assert result.parseoutcomes().get("failed", 0) == (2 if key == "agent_weather" else 0)
    assert len(report_of(project)["unneeded_waivers"]) == (key == "weather_tools")


def test_a_broken_should_is_advice_unless_the_level_says_otherwise(project):
    """Advice passes and is listed; --aptix-level should makes it fail."""
    break_tool(project, '"agent_weather"', '"AgentWeather"')
    lenient = run(project)
    assert lenient.ret == 0
    lenient.stdout.fnmatch_lines(["advice        AgentWeather: REG*snake*"])
    assert run(project, "--aptix-level", "should").ret == 1


def test_a_report_path_that_pytest_would_mistake_is_refused_with_the_mend(project, tmp_path_factory):
    """An existing file elsewhere, behind a space: pytest would look for its root directory there."""
    only_read(project)
    path = tmp_path_factory.mktemp("elsewhere") / "report.json"
    path.write_text("{}", encoding="utf-8")
    result = run(project, "--aptix-report", str(path))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*write --aptix-report={path}*"])
    assert run(project, f"--aptix-report={path}", "-k", "REG001").ret == 0
    assert json.loads(path.read_text(encoding="utf-8"))["tools"]


def test_inline_says_that_isolation_is_off_and_is_never_conforming(project):
    """--aptix-inline warns; what needs processes of its own was not examined."""
    result = run(project, "--aptix-inline", "--aptix-allow-incomplete")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["ISOLATION IS OFF*", "incomplete    agent_weather *"])


def test_the_hook_names_targets(pytester, tool_source):
    """pytest_aptix_tools in a conftest."""
    pytester.makepyfile(weather_tools=tool_source("weather"))
    pytester.makeconftest("def pytest_aptix_tools(config): return ['weather_tools:WeatherTool']")
    result = run(pytester, "--co", "-q")
    result.stdout.fnmatch_lines(["aptix::agent_weather::status"])


def test_the_lock_is_made_kept_and_broken_as_a_user_would_expect(project, monkeypatch):
    """No lock: skipped, failed in CI; --snapshot-update makes it; a changed schema fails with a diff."""
    lock = "aptix::agent_weather::lock"
    unlocked = run(project, lock)
    unlocked.assert_outcomes(skipped=1)
    unlocked.stdout.no_fnmatch_line("*snapshot*failed*")
    monkeypatch.setenv("CI", "true")
    missing = run(project, lock)
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["*has no lock*--snapshot-update*"])
    assert run(project, lock, "--snapshot-update").ret == 0
    assert (project.path / "snapshots" / "agent_weather.json").is_file()
    assert run(project, lock).ret == 0
    break_tool(project, "The city's English name.", "The name of the city.")
    changed = run(project, lock)
    assert changed.ret == 1
    words = "*documentation*description-changed*English name*name of the city*"
    changed.stdout.fnmatch_lines([words, "*--snapshot-update*"])


@pytest.mark.clause("AGN-005.11.2")
@pytest.mark.parametrize("is_told", [False, True], ids=["unchanged", "changed"])
def test_a_schema_that_changes_under_an_unchanged_usage_text_is_pointed_out(project, is_told):
    """The lock fails for either, and asks for the usage text where that was left as it was."""
    lock = "aptix::agent_weather::lock"
    only_read(project)
    assert run(project, lock, "--snapshot-update").ret == 0
    break_tool(project, '"description": "The city\'s English name."', '"description": "Its English name."')
    if is_told:
        break_tool(project, 'such as "Oslo"', 'such as "Oslo" or "Rome"')
    changed = run(project, lock)
    assert changed.ret == 1
    note = "note: the schema changed and the usage text did not;*"
    (changed.stdout.no_fnmatch_line if is_told else changed.stdout.fnmatch_lines)(note)


def test_a_hostile_name_stays_inside_of_ids_and_locks(project):
    """A name like a path is escaped in the id and in the lock's file name."""
    break_tool(project, '"agent_weather"', '"../../x"')
    before = set(project.path.parent.rglob("*x*.json"))  # of other tests
    result = run(project, "--snapshot-update", "--aptix-report", "report.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*nonconforming ../../x *"])
    written = set(project.path.parent.rglob("*x*.json")) - before
    assert [path for path in written if project.path not in path.parents] == []
    assert len(list((project.path / "snapshots").iterdir())) == 1


def test_two_tools_that_differ_only_in_case_have_a_lock_each(project, tool_source):
    """Even on a file system that does not tell them apart."""
    only_read(project, "Agent_Weather")
    project.makepyfile(other_tools=tool_source("weather").replace("agent_weather", "Agent_Weather"))
    run(project, "--aptix-tools", "other_tools", "--snapshot-update", "-k", "lock")
    stems = [path.name.casefold() for path in (project.path / "snapshots").iterdir()]
    assert len(stems) == len(set(stems)) == 2


def test_updating_one_tools_lock_leaves_the_others_alone(project, tool_source):
    """--snapshot-update with one tool selected deletes nothing."""
    only_read(project, "agent_other")
    project.makepyfile(other_tools=tool_source("weather").replace("agent_weather", "agent_other"))
    both = ["--aptix-tools", "other_tools", "--snapshot-update"]
    run(project, *both, "-k", "lock")
    run(project, *both, "aptix::agent_other::lock")
    assert {path.name for path in (project.path / "snapshots").iterdir()} == {
        "agent_weather.json",
        "agent_other.json",
    }


def test_the_pythonpath_of_pytest_reaches_the_tools_process(pytester, tool_source):
    """The host sees what the tests see."""
    source = pytester.mkdir("src")
    (source / "weather_tools.py").write_text(tool_source("weather"), encoding="utf-8")
    pytester.makepyprojecttoml('[tool.pytest.ini_options]\npythonpath = ["src"]\n')
    result = run(pytester, "--aptix-tools", "weather_tools", "--co", "-q")
    result.stdout.fnmatch_lines(["aptix::agent_weather::status"])


def test_a_class_that_is_no_tool_is_one_clear_error(project):
    """It says what the class is and which tools there are."""
    result = run(project, "--aptix-tools", "weather_tools:InvokeResult")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["InvokeResult was not examined", "*the target*weather_tools:InvokeResult", "*WeatherTool*"]
    )


@pytest.mark.parametrize("services", ["weather_tools:no_such_factory", "weather_tools:raising"])
def test_a_service_factory_that_is_missing_or_raises_is_one_clear_error(project, services):
    """It names the tool's parameter and the factory."""
    break_tool(project, "def __init__(self, logger: Any)", "def __init__(self, logger: Any, catalog: Any)")
    path = project.path / "weather_tools.py"
    path.write_text(
        path.read_text(encoding="utf-8") + "\n\ndef raising():\n    raise OSError('no disk')\n",
        encoding="utf-8",
    )
    config = project.path / "pyproject.toml"
    text = config.read_text(encoding="utf-8") + f'\nservices = {{ catalog = "{services}" }}\n'
    config.write_text(text, encoding="utf-8")
    result = run(project)
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"*catalog*{services}*"])


def test_a_missing_service_leaves_the_tool_incomplete_and_says_what_to_write(project):
    """Never conforming, and the TOML to paste."""
    break_tool(project, "def __init__(self, logger: Any)", "def __init__(self, logger: Any, catalog: Any)")
    result = run(project, "--aptix-report", "report.json")
    assert result.ret == 1
    assert report_of(project)["tools"][0]["status"] == "incomplete"
    result.stdout.fnmatch_lines(["*services = { catalog = *"])


def test_the_suites_modules_are_imported_as_without_pytest(project):
    """The hook of pytest would compile each anew in every run that may not write bytecode."""
    project.makeconftest(
        """
        import sys

        def pytest_collection_finish():
            names = ["aptix_conformance.examination", "aptix_conformance.rules", "hypothesis.core"]
            print("loaders:", {type(sys.modules[name].__loader__).__name__ for name in names})
        """
    )
    result = run_apart(project, "--co", "-q", "-s")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*loaders: {'SourceFileLoader'}"])


def test_a_session_inside_of_a_run_warns_of_nothing(project):
    """It finds the packages that pytest marks for rewriting imported already."""
    project.makepyfile(
        test_inner="""
        pytest_plugins = ["pytester"]

        def test_inner(pytester):
            pytester.makepyfile(test_nothing="def test_nothing(): pass")
            assert pytester.runpytest_inprocess("-W", "error", "-p", "no:asyncio").ret == 0
        """
    )
    result = run_apart(project, "test_inner.py", "-k", "test_inner")
    result.assert_outcomes(passed=1)


def test_where_warnings_are_errors_pytest_starts_beside_the_plugin_that_an_extra_brings(pytester):
    """pytest-asyncio warns where no loop scope is set; who has it by the extra `amplifier` alone has nothing to set."""
    pytest.importorskip("pytest_asyncio")
    pytester.makepyfile("def test_nothing():\n    pass\n")
    pytester.makepyprojecttoml("[tool.pytest.ini_options]\nfilterwarnings = ['error']\n")
    ran = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    ran.assert_outcomes(passed=1)
    assert ran.ret == 0
