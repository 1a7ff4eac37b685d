"""The corpus of real servers: its list, its locks and its judgements can be read, and its page says what was judged."""

import re
import tomllib

import pytest
from corpus.examine import _configuration, revisions_to_examine
from corpus.fleet import LIST, PAGE
from corpus.judgements import Judgement, read_judgements
from corpus.page import HEADS, PAGES, Broken, judgement_of, render, unjudged
from corpus.results import Result
from corpus.servers import LISTS, Server, read_servers
from corpus.standard_tests.results import read_results, section

from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import (
    FindingReport,
    OtherCauseReport,
    UnreachedReport,
    VerdictReport,
)
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import failed_target_report
from aptix_conformance.systems.fleet import read_fleet
from aptix_conformance.systems.registry import installed

SERVERS = [server for path in LISTS for server in read_servers(path)]
TRUE = Judgement("time*", "EXC003", "true", "it shows a path", tool="get_*")


def test_a_name_stands_for_one_server_of_all_lists():
    assert len({server.name for server in SERVERS}) == len(SERVERS)


@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.name)
def test_everything_that_a_server_needs_is_locked_by_hashes(server):
    text = server.lock.read_text(encoding="utf-8")
    name, version = server.requirement
    pin = f"{name.lower().replace('.', '-')}=={version} " if server.is_python else f'"{name}": "{version}"'
    assert pin in text
    hashes = re.findall(r"--hash=sha256:[0-9a-f]{64}|\"integrity\": \"sha512-", text)
    pinned = re.findall(r"^\S+==|\"version\": ", text, re.MULTILINE)
    assert len(hashes) >= len(pinned) > 0
    assert "registry." not in text


def test_the_judgements_can_be_read_and_each_has_a_reason():
    assert all(each.reason for each in read_judgements())


@pytest.mark.parametrize(
    ("server", "tool", "rule", "judged"),
    [
        ("time-0.6.2", "get_current_time", "EXC003", True),
        ("time", "convert_time", "EXC003", False),
        ("time", "get_current_time", "EXC002", False),
        ("git", "get_current_time", "EXC003", False),
    ],
)
def test_a_judgement_is_about_what_its_patterns_match(server, tool, rule, judged):
    assert (judgement_of(Broken(server, tool, rule, "a path", ""), [TRUE]) is TRUE) is judged


@pytest.mark.parametrize(("sdk", "judged"), [("mcp 1.30.0", True), ("mcp 2.3.0", False), ("", False)])
def test_a_judgement_of_one_sdk_is_not_about_another(sdk, judged):
    judgement = Judgement("*", "MCP026", "sdk", "it logs", sdk="mcp 1.30.0")
    assert (judgement_of(Broken("a", "mcp:a", "MCP026", "", "", sdk), [judgement]) is not None) is judged


def test_a_cause_that_the_report_only_names_is_judged_too():
    named = replace(broken_rule("ARG008"), other_causes=(OtherCauseReport("invalid type name"),))
    results = [Result(Server("a", "pypi:a==1.0"), [entry(named, inherited={})])]
    assert unjudged(results, [Judgement("a", "ARG008", "true", "it does", cause="")]) == [
        "a mcp:notes ARG008 (invalid type name): "
    ]
    assert "| ARG008 | `invalid type name` | not judged |" in render(results, [])


def test_each_list_has_a_page_that_names_the_other():
    names = [path.stem for path in LISTS]
    assert names == list(PAGES) == list(HEADS)
    for name, other in zip(names, [*names[1:2], *names[:1], *names[:1]], strict=True):
        page = render([], [], HEADS[name])
        assert f"corpus/{name}.toml" in page
        assert f"]({PAGES[other].name})" in page


def test_a_server_without_a_report_is_no_conforming_one():
    server = Server("notes", "pypi:notes-mcp==1.0", needs="network")
    page = render([Result(server, None)], [])
    assert "| `notes-mcp==1.0` |  | not examined |" in page
    assert "- 0 tools: none" in page
    assert unjudged([Result(server, None)], []) == []


@pytest.mark.parametrize("package", ["notes==1.0", "npm:notes", "pypi:==1.0"])
def test_a_package_without_a_version_is_refused(tmp_path, package):
    path = tmp_path / "servers.toml"
    path.write_text(f'[[server]]\nname = "notes"\npackage = "{package}"\n')
    with pytest.raises(ValueError, match="write the package as"):
        read_servers(path)


def test_the_project_of_a_server_names_its_command_its_tools_and_its_examples(tmp_path):
    server = Server(
        "n",
        "pypi:n==1",
        files={"a": "b"},
        tools=["t"],
        examples={"t": [{"x": [1, {"y": "z"}]}]},
        timeout=15,
    )
    found = tomllib.loads(_configuration(server, tmp_path))["tool"]["aptix-conformance"]
    assert found["tools"] == ["mcp:n#t"]
    assert found["tool"]["mcp:n"] == {"command": [f"{tmp_path}/venv/bin/n"], "files": "files", "timeout": 15}
    assert found["tool"]["mcp:n#t"] == {"examples": [{"x": [1, {"y": "z"}]}]}


def test_the_project_of_a_package_with_tools_names_its_interpreter(tmp_path):
    package = Server("n", "pypi:n==1", target="langchain:makes_n", tools=["t"])
    found = tomllib.loads(_configuration(package, tmp_path))["tool"]["aptix-conformance"]
    assert found["tools"] == ["langchain:makes_n#t"]
    assert found["tool"] == {"langchain:makes_n": {"python": f"{tmp_path}/venv/bin/python"}}


def test_langchains_tests_ran_on_each_langchain_tool_and_the_page_shows_them():
    """Fix: `python -m corpus standard-tests`, then `python -m corpus --page --list frameworks`."""
    packages = [each for each in read_servers(LISTS[2]) if each.target.startswith("langchain:")]
    results = read_results()
    assert [(each.package, each.tool) for each in results.tools] == [
        (package.name, tool) for package in packages for tool in package.examples
    ]
    assert "\n".join(section(results)) in PAGES["frameworks"].read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("newest", "examined"),
    [
        ("2026-07-28", ["2026-07-28", "2025-11-25"]),
        ("2025-11-25", ["2025-11-25"]),
        ("2025-06-18", ["2025-06-18"]),
        ("2024-11-05", ["2024-11-05"]),
        ("", []),
    ],
)
def test_a_server_is_examined_in_its_newest_revision_however_old(newest, examined):
    assert revisions_to_examine(newest) == examined


def entry(*verdicts, inherited):
    made = failed_target_report("mcp:notes", "mcp", "mcp-2025-11-25", "")
    return replace(
        made, kind="server", status="nonconforming", error=None, verdicts=verdicts, inherited=inherited
    )


def test_a_tool_that_no_rule_leaves_open_and_that_never_worked_says_why():
    """Its calls return successes, and none of them reached what the tool needs."""
    why = UnreachedReport("It needs a network.", said="", remedy="", settings="", in_vain=True)
    found = replace(entry(inherited={}), kind="tool", status="incomplete", unreached=why)
    page = render([Result(Server("a", "pypi:a==1.0", needs="network"), [found])], [])
    assert (
        "| incomplete |  |  |  | never seen to work: its calls need what is not here (network): `It needs a network.` |"
        in page
    )


def broken_rule(rule):
    finding = FindingReport("It was.", None, (), reproduced=True, replay="")
    return VerdictReport(rule, "a-rule", Level.MUST, (), VerdictKind.FAIL, 1, "It was.", finding)


def test_what_an_sdk_breaks_is_one_line_for_all_servers_on_it_and_no_part_of_the_share():
    found = entry(broken_rule("MCP033"), inherited={"MCP033": "mcp 1.30.0"})
    results = [Result(Server(name, f"pypi:{name}==1.0"), [found]) for name in ("a", "b")]
    own = entry(broken_rule("MCP048"), inherited={})
    judgements = [
        Judgement("*", "MCP033", "sdk", "the SDK"),
        Judgement("*", "MCP048", "false", "the suite"),
    ]
    page = render([*results, Result(Server("c", "pypi:c==1.0"), [own])], judgements)
    assert (
        "- 3 servers in a revision that they speak: 1 nonconforming, 2 nonconforming by its SDK alone" in page
    )
    assert "- 3 findings of MUST rules: 1 false, 2 true, its SDK's" in page
    assert "- false: 100.0%" in page
    assert page.count("| all on mcp 1.30.0 | 2 servers | MCP033 |") == 1
    assert "| `a==1.0` | `mcp:notes` | nonconforming by its SDK alone |  |  | MCP033 |  |" in page


def test_the_list_of_the_fleet_can_be_read_and_the_page_shows_no_other_server():
    named = {server.command for server in read_fleet(LIST, installed().specs)}
    text = PAGE.read_text(encoding="utf-8")
    shown = set(re.findall(r"^\| `((?:uvx|npx) [^`]+)` \|", text, re.MULTILINE))
    assert len(named) >= 100
    assert shown
    assert shown <= named
    assert (len(shown) == len(named)) != (f"Only {len(shown)} of the {len(named)} servers" in text)
