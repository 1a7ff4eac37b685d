"""`Run` over hosts in memory: what it finds, how it judges, and which conditions a replay takes from a report."""

import ast
import json
import sys
from pathlib import Path

import pytest
from tests.unit.present.reports.conftest import full_tool

import aptix_conformance
from aptix_conformance import Run, RunOptions
from aptix_conformance.app.run.requests import ToolExamined
from aptix_conformance.core.errors import ConfigurationError, ContainmentError, HostError, TargetError
from aptix_conformance.core.model import Constant, Declaration, Member, SchemaReading
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.report import RunReport, SuiteReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.hosts import Listing
from aptix_conformance.hosts.host import Hosts as RealHosts
from aptix_conformance.present.reports import failed_target_report, make_report
from aptix_conformance.systems.aptix.traits import TRAITS

SCHEMA = {"type": "function", "name": "agent_a", "parameters": {"type": "object", "properties": {"city": {}}}}


def declaration(name):
    reading = SchemaReading("returned", json.dumps(SCHEMA))
    return Declaration(
        class_name="Tool",
        module="pkg",
        when="start",
        tool_name=Constant("TOOL_NAME", "plain", name, "str"),
        usage_text=Constant("TOOL_USAGE_METADATA", "plain", "Text.", "str"),
        get_schema=Member("get_schema", "static_method"),
        schema=reading,
        schema_again=reading,
        name=Member("name", "property", value=name, value_type="str"),
        is_tool_fully_executed_on_server=Member("is_tool_fully_executed_on_server", "property", value=True),
        execute=Member("execute", "method", is_async=True),
        constructor=(),
        construction_error=None,
        traits=TRAITS,
    )


class Hosts(RealHosts):
    """Tools by target; a name that is an exception is raised. Modules are importable by `python` alone, where given."""

    def __init__(self, tools, python=None):
        self.tools = tools
        self.python = python
        self.opened = []
        self.closed = 0

    def list_tools(self, system, module, settings):
        if settings.python != self.python:
            raise TargetError(f"{module} cannot be imported")
        return Listing(tuple(spec for spec in self.tools if spec.startswith(f"{module}:")))

    def open(self, target, settings):
        self.opened.append((target.spec, settings))
        name = self.tools[target.spec]
        if isinstance(name, Exception):
            raise name
        return Host(name)

    def close(self):
        self.closed += 1


class Host:
    containment = Containment("partial", ("no namespaces",))

    def __init__(self, name):
        self.name = name

    def describe(self):
        return declaration(self.name)

    def close(self):
        pass


def opened(folder, hosts, table="", **options):
    (folder / "pyproject.toml").write_text(f"[tool.aptix-conformance]\n{table}", encoding="utf-8")
    run = Run.open(folder, RunOptions(limited=False, **options))
    run.local._hosts = hosts
    return run


def report(*sys_path, **suite):
    told = SuiteReport(version="0", seed=7, examples=12, complete=True, isolated=True)
    return make_report([], replace(told, **suite), RunReport(sys_path=sys_path))


def test_the_package_gives_run_and_nothing_that_is_not_public():
    assert aptix_conformance.Run is Run
    with pytest.raises(AttributeError, match="no attribute 'Walk'"):
        _ = aptix_conformance.Walk


def test_tools_come_with_their_settings_and_what_judges_them(tmp_path):
    hosts = Hosts({"pkg:A": "agent_a", "pkg:B": "agent_b"})
    table = 'tools = ["pkg"]\n[tool.aptix-conformance.tool.agent_a]\ntimeout = 2.0\n'
    found = opened(tmp_path, hosts, table).list_tools()
    assert [(tool.name, tool.settings.timeout) for tool in found.tools] == [
        ("agent_a", 2.0),
        ("agent_b", None),
    ]
    assert {tool.suite.edition.name for tool in found.tools} == {"aptix-tul-011"}


GRANTED = '[tool.aptix-conformance.tool.agent_trusted]\nside_effects = "none"\nenv = { TOKEN = "x" }\n'


def granted(tools):
    return [(tool.target.spec, tool.settings.side_effects, dict(tool.settings.env)) for tool in tools]


def test_a_stranger_that_takes_a_trusted_name_gets_nothing(tmp_path):
    hosts = Hosts({"stranger:Tool": "agent_trusted"})
    run = opened(tmp_path, hosts, f'tools = ["pkg"]\n{GRANTED}', tools=("stranger",))
    assert granted(run.find("stranger:Tool").tools) == [("stranger:Tool", "contained", {})]


@pytest.mark.parametrize("listed", ['["pkg"]', '["pkg", "stranger"]'])
def test_neither_of_two_tools_with_one_name_gets_what_is_bound_to_it(tmp_path, listed):
    """Also in a replay, which looks at one of them alone; and the neighbours keep theirs."""
    hosts = Hosts({"pkg:A": "agent_trusted", "pkg:B": "agent_b", "stranger:Tool": "agent_trusted"})
    table = f"tools = {listed}\n{GRANTED}[tool.aptix-conformance.tool.agent_b]\ntimeout = 2.0\n"
    run = opened(tmp_path, hosts, table, tools=("stranger",))
    trusted, neighbour, stranger = run.list_tools().tools
    for tool in (trusted, stranger, run.find_reported("pkg:A"), run.find_reported("stranger:Tool")):
        assert (tool.settings.side_effects, tool.settings.env) == ("contained", {})
        assert (
            "env, side_effects under [tool.aptix-conformance.tool.agent_trusted]" in tool.settings.withheld[0]
        )
    assert (neighbour.settings.timeout, neighbour.settings.withheld) == (2.0, ())


def test_a_name_that_one_listed_tool_has_grants_what_is_bound_to_it(tmp_path):
    hosts = Hosts({"pkg:A": "agent_trusted", "pkg:B": "agent_b"})
    run = opened(tmp_path, hosts, f'tools = ["pkg"]\n{GRANTED}')
    for tool in (run.list_tools().tools[0], run.find("pkg:A").tools[0]):
        assert granted([tool]) == [("pkg:A", "none", {"TOKEN": "x"})]


def test_a_replay_is_always_contained(tmp_path):
    """The author of the report chose the arguments, which the project's word on harmless calls was not about."""
    run = opened(tmp_path, Hosts({"pkg:A": "agent_trusted"}), f'tools = ["pkg"]\n{GRANTED}')
    tool = run.find_reported("pkg:A")
    assert granted([tool]) == [("pkg:A", "contained", {"TOKEN": "x"})]
    assert "does not count in a replay" in tool.settings.withheld[0]
    assert "--allow-side-effects" in tool.settings.withheld[0]


def test_a_replay_of_a_trusted_report_has_the_projects_word_on_harmless_calls(tmp_path):
    run = opened(tmp_path, Hosts({"pkg:A": "agent_trusted"}), f'tools = ["pkg"]\n{GRANTED}')
    tool = run.find_reported("pkg:A", allow_side_effects=True)
    assert granted([tool]) == [("pkg:A", "none", {"TOKEN": "x"})]
    assert tool.settings.withheld == ()


@pytest.mark.parametrize(
    ("least", "table", "option", "said"),
    [
        ("full", "", None, r"pkg:A is partial \(no namespaces\)"),
        ("none", "", "full", r"pkg:A is partial \(no namespaces\)"),
        ("partial", GRANTED, None, "pkg:A is none .*remove that setting"),
    ],
)
def test_less_containment_than_is_required_ends_the_run_before_anything_is_examined(
    tmp_path, least, table, option, said
):
    tools = Hosts({"pkg:A": "agent_trusted"})
    run = opened(tmp_path, tools, f'tools = ["pkg"]\ncontainment = "{least}"\n{table}', containment=option)
    with pytest.raises(ContainmentError, match=said):
        run.list_tools()


@pytest.mark.parametrize(("least", "option"), [("partial", None), ("full", "partial"), ("full", "none")])
def test_as_much_containment_as_is_required_is_enough(tmp_path, least, option):
    table = f'tools = ["pkg"]\ncontainment = "{least}"\n'
    run = opened(tmp_path, Hosts({"pkg:A": "agent_a"}), table, containment=option)
    assert [tool.name for tool in run.list_tools().tools] == ["agent_a"]


def test_the_test_process_contains_nothing(tmp_path):
    with pytest.raises(ContainmentError, match="remove that option"):
        opened(tmp_path, Hosts({}), inline=True, containment="partial")


def test_other_tools_are_read_for_a_replay_only_where_a_name_grants_something(tmp_path):
    hosts = Hosts({"pkg:A": "agent_trusted", "pkg:B": "agent_b"})
    run = opened(tmp_path, hosts, f'tools = ["pkg"]\n{GRANTED}')
    run.find_reported("pkg:B")
    assert [spec for spec, _ in hosts.opened] == ["pkg:B"]


def test_a_tool_that_cannot_be_read_leaves_the_others(tmp_path):
    hosts = Hosts({"pkg:A": TargetError("it is gone"), "pkg:B": KeyError("ours"), "pkg:C": "agent_c"})
    found = opened(tmp_path, hosts, 'tools = ["pkg"]').list_tools()
    assert [tool.name for tool in found.tools] == ["agent_c"]
    gone, ours = found.failures
    assert (gone.spec, gone.message) == ("pkg:A", "it is gone")
    assert "the tool is not at fault" in ours.message
    with pytest.raises(TargetError, match="it is gone"):
        found.all_found()


def test_tools_of_one_name_are_told_apart_by_their_targets(tmp_path):
    found = opened(tmp_path, Hosts({"pkg:A": "agent_a", "pkg:B": "Agent_A"}), tools=("pkg",)).list_tools()
    assert [tool.name for tool in found.tools] == ["agent_a@A", "Agent_A@B"]
    assert any("is the name of 2 tools" in note for note in found.notes)


WAIVED = """[[tool.aptix-conformance.tool.pkg.waive]]
rule = "ARG002"
owner = "us"
reason = "none"
expires = 2999-01-01
"""


def judged(spec, kind):
    verdict = VerdictReport(
        rule="ARG002",
        name="a-rule",
        level=Level.MUST,
        clauses=(),
        verdict=kind,
        observations=1,
        reason="",
        finding=None,
    )
    return replace(failed_target_report(spec, "aptix", "", ""), error=None, verdicts=(verdict,))


def test_no_waivers_judges_as_if_there_were_none(tmp_path):
    hosts = Hosts({"pkg:A": "agent_a"})
    for waivers in (True, False):
        (tool,) = opened(tmp_path, hosts, f'tools = ["pkg"]\n{WAIVED}', waivers=waivers).list_tools().tools
        assert bool(tool.settings.waivers) is waivers


def test_a_waiver_of_a_module_is_not_needed_where_all_its_tools_keep_the_rule(tmp_path):
    run = opened(tmp_path, Hosts({}), f'tools = ["pkg"]\n{WAIVED}')
    (said,) = run.unneeded_waivers([judged("pkg:A", VerdictKind.PASS), judged("pkg:B", VerdictKind.PASS)])
    assert "pyproject.toml: tool.aptix-conformance.tool.pkg.waive[0] is not needed" in said
    assert not run.unneeded_waivers([judged("pkg:A", VerdictKind.PASS), judged("pkg:B", VerdictKind.WAIVED)])


@pytest.mark.parametrize(("spec", "options"), [("pkg:A", {}), ("pkg", {"waivers": False})])
def test_a_run_that_cannot_know_says_of_no_waiver_that_it_is_not_needed(tmp_path, spec, options):
    run = opened(tmp_path, Hosts({}), f'tools = ["{spec}"]\n{WAIVED}', **options)
    assert run.unneeded_waivers([judged("pkg:A", VerdictKind.PASS)]) == ()


def test_a_run_without_any_spec_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="no tool was found"):
        opened(tmp_path, Hosts({})).list_tools()


def test_an_edition_that_judges_nothing_is_noted(tmp_path):
    run = opened(tmp_path, Hosts({"pkg:A": "agent_a"}), tools=("pkg",), edition="art-0.4.16")
    assert any("no tool of the system art was examined" in note for note in run.list_tools().notes)


@pytest.mark.parametrize("name", ["examples", "budget", "timeout", "memory"])
def test_an_option_that_must_be_positive_is_refused_by_its_name(name):
    with pytest.raises(ConfigurationError, match=f"{name} must be greater than 0"):
        RunOptions(**{name: 0})


def test_a_closed_run_starts_no_process(tmp_path):
    hosts = Hosts({})
    with opened(tmp_path, hosts) as run:
        pass
    assert hosts.closed == 1
    with pytest.raises(HostError, match="the run has ended"):
        run.find("pkg:A")


def test_the_report_keeps_what_a_replay_needs(tmp_path, monkeypatch):
    monkeypatch.setattr("aptix_conformance.app.run.reports.revision_of", lambda _: None)
    run = opened(tmp_path, Hosts({}), seed=3, examples=9, budget=8.0, timeout=0.5, memory=99)
    options = Run.for_replay(run.report([]), tmp_path).options
    assert (options.seed, options.examples, options.budget) == (3, 9, 8.0)
    assert (options.timeout, options.memory) == (0.5, 99)


def test_a_report_without_limits_leaves_the_defaults(tmp_path):
    options = Run.for_replay(report(), tmp_path).options
    assert (options.seed, options.examples) == (7, 12)
    assert (options.timeout, options.memory, options.budget) == (5.0, 1024, 600.0)


@pytest.mark.parametrize(
    ("member", "asked", "given"),
    [
        ("timeout", 604_800.0, 600.0),
        ("timeout", 0, 0.01),
        ("budget", 1e300, 3600.0),
        ("memory", 2**40, 65_536),
        ("memory", -1, 16),
        ("examples", 10**12, 10_000),
    ],
)
def test_a_forged_report_asks_for_no_more_than_the_bounds(tmp_path, member, asked, given):
    options = Run.for_replay(report(**{member: asked}), tmp_path).options
    assert getattr(options, member) == given


def test_the_reports_paths_are_not_obeyed(tmp_path):
    forged = report("/forged")
    assert "/forged" not in Run.for_replay(forged, tmp_path, RunOptions(sys_path=("/mine",))).sys_path


@pytest.mark.parametrize("target", ["evil:Tool", "host:/bin/sh -c evil", "no spec at all"])
def test_a_reported_target_that_the_project_does_not_configure_is_refused(tmp_path, target):
    hosts = Hosts({target: "agent_a"})
    run = opened(tmp_path, hosts, 'tools = ["pkg"]\n')
    with pytest.raises(TargetError, match="does not configure"):
        run.find_reported(target)
    assert not hosts.opened


def test_a_reported_target_that_is_named_is_taken(tmp_path):
    run = opened(tmp_path, Hosts({"evil:Tool": "agent_a"}), tools=("evil:Tool",))
    assert run.find_reported("evil:Tool").name == "agent_a"


def test_a_reported_tool_keeps_the_interpreter_that_the_project_gives_its_neighbour(tmp_path):
    """Which module a tool is in shows only after an import, so any configured interpreter may be the module's."""
    hosts = Hosts({"pkg:A": "agent_a", "pkg:B": "agent_b"}, python=sys.executable)
    table = f'tools = ["pkg"]\n[tool.aptix-conformance.tool.agent_b]\npython = "{sys.executable}"\n'
    tool = opened(tmp_path, hosts, table).find_reported("pkg:A")
    assert tool.settings.python == sys.executable


COMPOSING = {
    "Systems",
    "suites",
    "program_pool",
    "Environment",
    "LocalExaminer",
    "Worker",
    "examine",
    "Ledger",
    "Scan",
}
"""What puts contracts, hosts and examinations together, by the names under which the suite's modules export it."""
COMPOSERS = {
    "conformance/aptix_conformance/app/run/composer.py",
    "conformance/aptix_conformance/app/run/setup.py",  # what the environment of the hosts is made of
    "conformance/aptix_conformance/app/run/local_examiner.py",  # what `Run` and its worker have in common
    "conformance/aptix_conformance/app/run/comparison.py",  # compares schemas in a worker, and examines nothing
    "conformance/aptix_conformance/systems/mcp/installing/command.py",  # starts a server once, and examines nothing
    "benchmarks/programs/ours_calls.py",  # measures the inner loop of an examination, without what is around it
    "tests/acceptance/fuzzing/host_messages.py",  # damages messages of hosts, and examines nothing
    "tests/acceptance/test_whole_host_checks.py",  # checks hosts, and examines nothing
}


def composed_in(tree):
    """What a module imports of `COMPOSING` from the suite, and calls."""
    imported = {
        each.asname or each.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("aptix_conformance")
        for each in node.names
        if each.name in COMPOSING
    }
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return imported & called


def test_nothing_but_run_puts_contracts_hosts_and_examinations_together():
    """`replay`, the commands, the matrix, the other acceptance tests and the benchmarks open a `Run`.

    The tests of hosts open hosts and examine nothing. An examination makes its own ledger and scan.
    """
    root = Path(__file__).parents[4]
    own = root / "conformance" / "aptix_conformance" / "examine"
    files = [
        *(
            each
            for each in (root / "conformance" / "aptix_conformance").rglob("*.py")
            if own not in each.parents
        ),
        *(each for each in (root / "tests" / "acceptance").rglob("*.py") if each.parent.name != "hosts"),
        *(each for name in ("benchmarks", "corpus", "mutation") for each in (root / name).rglob("*.py")),
    ]
    found = {
        path.relative_to(root).as_posix()
        for path in files
        if any(name in (source := path.read_text(encoding="utf-8")) for name in COMPOSING)
        and composed_in(ast.parse(source))
    }
    assert found == COMPOSERS


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("from aptix_conformance.examine import examine\nexamine(hosts)", {"examine"}),
        ("from aptix_conformance.hosts import Environment as Around\nAround(root)", {"Around"}),
        ("from corpus.examine import examine\nexamine(server)", set()),
        ("from aptix_conformance.hosts import Environment\ndef pool(around: Environment): ...", set()),
    ],
)
def test_the_search_for_composers_finds_what_is_imported_and_called(code, names):
    assert composed_in(ast.parse(code)) == names


@pytest.mark.parametrize("counts", [True, False])
def test_a_machine_that_does_not_count_waits_for_a_processor_is_told_of_once(tmp_path, monkeypatch, counts):
    """In the notes of the run, and in its report."""
    for module in ("target_resolution", "reports"):
        monkeypatch.setattr(f"aptix_conformance.app.run.{module}.is_measured", lambda: counts)
    monkeypatch.setattr("aptix_conformance.app.run.reports.revision_of", lambda _root: None)
    run = opened(tmp_path, Hosts({"pkg:A": "agent_a", "pkg:B": "agent_b"}), tools=("pkg",))
    notes = run.list_tools().notes
    assert sum("time limits go by the clock" in note for note in notes) == (not counts)
    assert run.report([]).suite.own_time is counts


def test_an_examination_uses_the_host_that_wrap_gives(tmp_path, monkeypatch):
    run = opened(tmp_path, Hosts({"pkg:A": "agent_a"}))
    (tool,) = run.find("pkg:A").all_found()
    monkeypatch.setattr(
        "aptix_conformance.app.run.composer.examine",
        lambda hosts, target, settings, _suite, options, _watch: (hosts.open(target, settings), options.seed),
    )
    own, seed = run.examine(tool)
    assert (own.name, seed) == ("agent_a", 0)
    assert run.examine(tool, wrap=lambda host: ("wrapped", host.name), seed=7) == (("wrapped", "agent_a"), 7)


def test_a_server_that_cannot_be_asked_has_the_name_that_it_has_where_it_is_examined(tmp_path):
    """Its item keeps its id then, and of a URL no end is a name."""
    servers = ["mcp:http://127.0.0.1:9/mcp", "mcp:python -m notes"]
    run = opened(tmp_path, Hosts({}, python="other"), f"tools = {json.dumps([*servers, 'pkg'])}")
    found = run.reports.failed_reports(run.list_tools())
    assert [(each.tool, each.kind) for each in found] == [
        *((spec, "server") for spec in servers),
        ("pkg", "tool"),
    ]


@pytest.mark.parametrize(
    ("codes", "restarts"), [(["SCH009"], False), (["SCH009", "SCH017"], True), (None, True)]
)
def test_other_processes_read_a_declaration_only_for_chosen_rules_that_compare_them(
    tmp_path, monkeypatch, codes, restarts
):
    run = opened(tmp_path, Hosts({"pkg:A": "agent_a"}), 'tools = ["pkg"]')
    (tool,) = run.list_tools().tools
    asked = []

    def examine(_self, request, _watch):
        asked.append(request)
        return ToolExamined(full_tool(), None)

    monkeypatch.setattr(type(run.local), "examine", examine)
    rules = None if codes is None else [rule for rule in tool.suite.rules if rule.code in codes]
    run.examine_and_report(tool, rules=rules)
    assert [request.restarts for request in asked] == [restarts]


def test_reports_of_a_run_hold_equal_verdicts_once(tmp_path):
    """A run of a thousand tools has a hundred thousand verdicts; those with a finding are each tool's own."""
    reports = opened(tmp_path, Hosts({})).reports
    passed = VerdictReport("ARG001", "a", Level.MUST, (), VerdictKind.PASS, 3, "", None)
    failed = replace(passed, verdict=VerdictKind.FAIL, finding=full_tool().verdicts[0].finding)
    given = [replace(full_tool(), verdicts=(replace(passed), replace(failed))) for _ in range(2)]
    first, second = map(reports.sharing, given)
    assert [first, second] == given
    assert first.verdicts[0] is second.verdicts[0]
