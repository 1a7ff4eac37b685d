"""`aptix-conformance check --fleet`, for real: from an index on this machine to a summary, and once more from the store."""

from pathlib import Path

from tests.acceptance.package_index import wheel

from aptix_conformance.app.cli import main
from aptix_conformance.present.reports import read_report

ENDS = "def main():\n    raise SystemExit('no key')\n"


def test_a_fleet_is_installed_contained_examined_and_summarised(index, capsys):
    index.add(wheel(), wheel("keyless", files={"keyless.py": ENDS}))
    Path("list").write_text("uvx notes==1.0\nuvx keyless==1.0\nuvx absent==1.0\n")
    words = ["check", "--fleet", "list", "--budget", "5", "--timeout", "1"]
    assert main(words) == 1
    shown = capsys.readouterr().out
    for status in ("nonconforming", "not started", "not installed"):
        assert f"| {status} | 1 |" in shown
    (folder,) = Path(".aptix-fleet").glob("python-notes==1.0-*")
    report = read_report(folder / "report.json")
    assert {tool.containment for tool in report.tools} != {None}
    assert [tool.tool for tool in report.tools if tool.kind == "tool"] == ["note"]
    assert [path.name for path in (folder / "project/.aptix-servers/python/notes").iterdir()] != []
    assert not list(Path(".aptix-fleet").rglob("env-*"))
    index.asked.clear()
    Path("list").write_text("uvx notes==1.0\n")
    assert main(words) == 1
    assert "(from the store)" in capsys.readouterr().err
    assert not index.asked
