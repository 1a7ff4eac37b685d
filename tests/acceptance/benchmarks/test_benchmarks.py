"""The benchmarks run, at tiny sizes; what they find is judged nowhere, for a loaded machine is no fault."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture
def benchmarks(monkeypatch):
    """The package, which is no part of the distribution."""
    monkeypatch.syspath_prepend(str(CHECKOUT))
    import benchmarks.__main__
    import benchmarks.rows

    return benchmarks


def test_the_quick_rows_give_figures_as_a_table_and_as_json(benchmarks, monkeypatch, tmp_path, capsys):
    """Calls of both kinds and pytest's start, without the peers, which are not installed for a test."""
    rows, measuring = benchmarks.rows, benchmarks.measuring
    tiny = rows.Sizes(calls=20, rounds=1, repetitions=1, tools=(1, 2), examples=1)
    monkeypatch.setattr(benchmarks.__main__, "QUICK", tiny)
    monkeypatch.setattr(rows, "by_itself", _without_the_peers(measuring.by_itself, measuring.Cost))
    monkeypatch.setattr(benchmarks.environments.Environments, "peers", Path("peers"))
    path = tmp_path / "figures.json"
    options = ["--only", "valid", "--only", "malformed", "--only", "stdio", "--only", "idle"]
    assert benchmarks.__main__.main([*options, "--here", "--quick", "--json", str(path)]) == 0
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["format"] == "aptix-conformance-benchmarks/1"
    ours = {figure["row"]: figure for figure in document["figures"] if figure["subject"] == "ours"}
    assert ours.keys() == {"valid", "malformed", "stdio", "idle"}
    assert ours["valid"]["value"] > 0
    assert ours["valid"]["ratio"] > 0
    assert "Schemathesis WSGI" in capsys.readouterr().out


def test_calls_over_stdio_are_measured_beside_those_of_the_official_client(benchmarks):
    """For real: the tests have that client."""
    here = Path(sys.executable)
    environments = SimpleNamespace(ours=here, peers=here)
    ours, client = benchmarks.rows.stdio(environments, benchmarks.rows.Sizes(calls=20, rounds=1))
    assert (ours.peer, client.subject) == ("client of mcp", "client of mcp")
    assert min(ours.value, ours.cpu, client.value, client.cpu) > 0


def test_each_row_of_the_design_is_measured(benchmarks):
    """Those of the table, with calls over stdio, then the start of the command, a whole server, schema changes and the HTML report."""
    rows = [
        "valid",
        "malformed",
        "stdio",
        "cold",
        "uncached",
        "help",
        "many",
        "contained",
        "server",
        "idle",
        "changes",
        "html",
    ]
    assert list(benchmarks.rows.ROWS) == rows


def test_the_schemas_that_are_compared_have_a_quarter_of_each_class(benchmarks):
    """Identical, with another description, with more, with less."""
    from aptix_conformance.core.schemas.diff import ToolSchema, compare
    from aptix_conformance.stimuli.generate.witness import find_witness

    sides = [benchmarks.rows._schemas(4, is_new=is_new) for is_new in (False, True)]
    found = [compare(ToolSchema(old), ToolSchema(new), find_witness) for old, new in zip(*sides, strict=True)]
    assert [comparison.change_class.label for comparison in found] == [
        "identical",
        "documentation",
        "compatible",
        "breaking",
    ]


def test_a_goal_is_reached_by_processor_time_in_the_right_direction(benchmarks):
    """More is better for calls a second, less for seconds; the clock decides only where there is nothing else."""
    figure = benchmarks.figures.Figure
    assert figure("row", "ours", "calls/s", 900.0, 1100.0, goal=1000, better="more").met
    assert not figure("row", "ours", "s", 1.0, 3.0, goal=2.0).met
    assert figure("row", "ours", "MiB", 400.0, goal=500).met
    assert figure("row", "ours", "s", 1.0).met is None


def test_a_ratio_says_how_many_times_as_good_as_the_peer(benchmarks):
    """Above one is better, whichever direction the unit has."""
    figure, ratio = benchmarks.figures.Figure, benchmarks.figures.ratio
    fast = figure("row", "ours", "calls/s", 1.0, 1000.0, better="more", peer="peer")
    assert ratio(fast, [fast, figure("row", "peer", "calls/s", 1.0, 250.0, better="more")]) == 4
    short = figure("row", "ours", "s", 1.0, 2.0, peer="peer")
    assert ratio(short, [short, figure("row", "peer", "s", 1.0, 3.0)]) == 1.5
    assert ratio(short, [short]) is None


def test_a_program_that_fails_is_shown(benchmarks):
    """Not a figure."""
    with pytest.raises(SystemExit, match="there is no probe"):
        benchmarks.measuring.by_itself(Path(sys.executable), "ours_calls.py", "no-such-probe", 1, 0)


def test_a_row_that_cannot_be_measured_loses_no_other(benchmarks, monkeypatch, tmp_path, capsys):
    """What was found is shown and written, and the exit status tells."""

    def broken(_environments, _sizes):
        raise SystemExit("the peer failed")
        yield

    figure = benchmarks.figures.Figure("help", "ours", "s", 1.0)
    monkeypatch.setattr(benchmarks.__main__, "ROWS", {"cold": broken, "help": lambda *_: iter([figure])})
    assert benchmarks.__main__.main(["--quick", "--json", str(tmp_path / "figures.json")]) == 1
    assert len(json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["figures"]) == 1
    said = capsys.readouterr()
    assert "ours" in said.out
    assert "cold: the peer failed" in said.err
    assert said.err.endswith("not measured: cold\n")


def test_what_a_server_uses_is_not_what_the_suite_uses(benchmarks, tmp_path):
    """Also where it is killed, and nobody has waited for it."""
    (tmp_path / "busy.py").write_text("while True: pass")
    (tmp_path / "suite.py").write_text(
        "import subprocess, sys, time\n"
        "server = subprocess.Popen([sys.executable, 'busy.py'])\n"
        "time.sleep(1)\n"
        "server.kill()\n"
    )
    ours, theirs = benchmarks.measuring.of_tree([sys.executable, "suite.py"], tmp_path, "busy.py")
    assert 0 < ours.cpu < theirs.cpu <= ours.wall == theirs.wall


def _without_the_peers(by_itself, cost):
    def measure(python, program, *arguments):
        return by_itself(python, program, *arguments) if program == "ours_calls.py" else cost(1.0, 1.0, 100)

    return measure
