"""`pytest --aptix-conformance` as a user runs it, in a scratch project with real tools in real processes."""

import json
from pathlib import Path

import pytest
from tests.real_project import FAULT, FEW, QUICK


def test_a_conforming_tool_passes_the_summary_says_so_and_nothing_is_left_but_the_report(real_project):
    """Every item green, one line for the tool; no caches of ours or of Hypothesis's beside the user's files."""
    result = real_project.run_apart("--aptix-report", "report.json")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["conforming    agent_weather *"])
    (tool,) = real_project.report()["tools"]
    assert (tool["status"], tool["edition"]) == ("conforming", "aptix-tul-011")
    assert not [v for v in tool["verdicts"] if v["level"] == "MUST" and v["verdict"] == "inconclusive"]
    left = {
        path.name for path in real_project.path.iterdir() if not path.name.startswith(("runpytest", "std"))
    }
    assert left == {"weather_tools.py", "pyproject.toml", "report.json"}


def test_a_broken_rule_fails_its_item_with_a_text_for_a_person(real_project):
    """The contract, the tool, the call, the command to reproduce it and the fix, and no traceback of the suite."""
    real_project.change(*FAULT)
    result = real_project.run_apart("--aptix-report", "report.json")
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


def test_tools_of_two_systems_are_judged_in_one_run_each_by_its_own_edition(real_project):
    """An edition that is named is that of its own system; the other system's tools have their own."""
    real_project.only_read()
    glossary = Path(__file__).parents[3] / "reference_tools" / "amplifier-module-tool-glossary"
    result = real_project.run(
        *("--aptix-tools", "weather_tools", "--aptix-tools", f"amplifier:{glossary}"),
        *("--aptix-edition", "aptix-agn-005-1.1", "--aptix-report", "report.json"),
    )
    tools = real_project.report()["tools"]
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


def test_a_report_says_what_an_orchestrator_cannot_pass_on(real_project):
    """Amplifier's hooks raise for half of a character, so no tool is sent one. The terminal is silent: there is nothing to do."""
    glossary = Path(__file__).parents[3] / "reference_tools" / "amplifier-module-tool-glossary"
    result = real_project.run(
        *("--aptix-tools", f"amplifier:{glossary}", "-k", "AMP002", "--aptix-examples", "1"),
        *("--aptix-report", "report.json"),
    )
    tools = real_project.report()["tools"]
    assert [tool["tool"] for tool in tools] == ["glossary_list", "glossary_lookup"]
    for tool in tools:
        (said,) = [each for each in tool["shortfalls"] if each["probe"] == "calls"]
        assert "half of a character" in said["reason"]
        assert said["expected"]
    result.stdout.no_fnmatch_line("*half of a character*")


def test_junit_has_no_character_of_a_tool_that_acts(real_project):
    """In names, properties and messages: the name of the tool and its schema are hostile."""
    real_project.only_read()
    hostile = "agent_\\u202eweather\\x9b##vso[x]"
    real_project.change(
        ('"agent_weather"', f'"{hostile}"'), ('"required": ["city"]', f'"required": ["{hostile}"]')
    )
    real_project.run("-k", "SCH or REG or lock or status", "--junitxml", "junit.xml")
    text = (real_project.path / "junit.xml").read_text(encoding="utf-8")
    assert {character for character in text if not character.isprintable()} <= {"\n"}
    assert "##vso[" not in text
    assert 'name="aptix.tool" value="agent_\\u202eweather\\x9b\\x23#vso[x]"' in text
    assert "<failure" in text


def test_the_tools_own_coverage_is_counted(real_project):
    """pytest-cov sees what ran in the host's process, and takes all its files."""
    measured = ["--cov=weather_tools", "--cov-report=term-missing", "-p", "no:xdist"]
    # The last calls are made in a process that is killed; those before a probe that wants a fresh process are counted.
    result = real_project.run_apart(*measured, "-k", "EXC011")
    result.stdout.re_match_lines([r"weather_tools\.py +\d+ +\d+ +(9\d|8\d|100)%.*"])
    assert not list(real_project.path.glob(".coverage.*"))


def test_inline_says_that_isolation_is_off_and_is_never_conforming(real_project):
    """--aptix-inline warns; what needs processes of its own was not examined."""
    result = real_project.run("--aptix-inline", "--aptix-allow-incomplete")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["ISOLATION IS OFF*", "incomplete    agent_weather *"])


def test_a_quick_run_locks_no_shape_of_the_results(real_project):
    """Most of them are missing: the standard plan would see a change in each."""
    result = real_project.pytester.runpytest_inprocess(
        *QUICK, "--aptix-thoroughness=quick", "--snapshot-update"
    )
    assert result.ret == 0
    lock = json.loads((real_project.path / "snapshots" / "agent_weather.json").read_text(encoding="utf-8"))
    assert "schema" in lock
    assert "result_shape" not in lock


def test_the_pythonpath_of_pytest_reaches_the_tools_process(pytester, tool_source):
    """The host sees what the tests see."""
    source = pytester.mkdir("src")
    (source / "weather_tools.py").write_text(tool_source("weather"), encoding="utf-8")
    pytester.makepyprojecttoml('[tool.pytest.ini_options]\npythonpath = ["src"]\n')
    result = pytester.runpytest_inprocess(*FEW, "--aptix-tools", "weather_tools", "--co", "-q")
    result.stdout.fnmatch_lines(["aptix::agent_weather::status"])


def test_a_class_that_is_no_tool_is_one_clear_error(real_project):
    """It says what the class is and which tools there are."""
    result = real_project.run("--aptix-tools", "weather_tools:InvokeResult")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["InvokeResult was not examined", "*the target*weather_tools:InvokeResult", "*WeatherTool*"]
    )


@pytest.mark.parametrize("services", ["weather_tools:no_such_factory", "weather_tools:raising"])
def test_a_service_factory_that_is_missing_or_raises_is_one_clear_error(real_project, services):
    """It names the tool's parameter and the factory."""
    real_project.change(("def __init__(self, logger: Any)", "def __init__(self, logger: Any, catalog: Any)"))
    path = real_project.path / "weather_tools.py"
    path.write_text(
        path.read_text(encoding="utf-8") + "\n\ndef raising():\n    raise OSError('no disk')\n",
        encoding="utf-8",
    )
    config = real_project.path / "pyproject.toml"
    text = config.read_text(encoding="utf-8") + f'\nservices = {{ catalog = "{services}" }}\n'
    config.write_text(text, encoding="utf-8")
    result = real_project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"*catalog*{services}*"])


def test_a_missing_service_leaves_the_tool_incomplete_and_says_what_to_write(real_project):
    """Never conforming, and the TOML to paste."""
    real_project.change(("def __init__(self, logger: Any)", "def __init__(self, logger: Any, catalog: Any)"))
    result = real_project.run("--aptix-report", "report.json")
    assert result.ret == 1
    assert real_project.report()["tools"][0]["status"] == "incomplete"
    result.stdout.fnmatch_lines(["*services = { catalog = *"])


def test_the_suites_modules_are_imported_as_without_pytest(real_project):
    """The hook of pytest would compile each again in every run that may not write bytecode."""
    real_project.pytester.makeconftest(
        """
        import sys

        def pytest_collection_finish():
            names = ["aptix_conformance.examine", "aptix_conformance.rules", "hypothesis.core"]
            print("loaders:", {type(sys.modules[name].__loader__).__name__ for name in names})
        """
    )
    result = real_project.run_apart("--co", "-q", "-s")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*loaders: {'SourceFileLoader'}"])


def test_a_session_inside_of_a_run_warns_of_nothing(real_project):
    """It finds the packages that pytest marks for rewriting imported already."""
    real_project.pytester.makepyfile(
        test_inner="""
        pytest_plugins = ["pytester"]

        def test_inner(pytester):
            pytester.makepyfile(test_nothing="def test_nothing(): pass")
            assert pytester.runpytest_inprocess("-W", "error", "-p", "no:asyncio").ret == 0
        """
    )
    result = real_project.run_apart("test_inner.py", "-k", "test_inner")
    result.assert_outcomes(passed=1)


def test_where_warnings_are_errors_pytest_starts_beside_the_plugin_that_an_extra_brings(pytester):
    """pytest-asyncio warns where no loop scope is set; who has it by the extra `amplifier` alone has nothing to set."""
    pytest.importorskip("pytest_asyncio")
    pytester.makepyfile("def test_nothing():\n    pass\n")
    pytester.makepyprojecttoml("[tool.pytest.ini_options]\nfilterwarnings = ['error']\n")
    ran = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    ran.assert_outcomes(passed=1)
    assert ran.ret == 0
