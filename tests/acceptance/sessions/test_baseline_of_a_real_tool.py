"""`--aptix-baseline` over two examinations of a real tool."""

import json

from tests.real_project import FAULT

from aptix_conformance.app.cli import main


def test_another_seed_moved_lines_and_workers_make_no_new_finding(real_project, capsys):
    """Every known finding is expected, the run succeeds, and the report says nonconforming.

    An alert that is made of the report stands at the tool's line, and is the same one.
    """
    real_project.change(*FAULT)
    assert real_project.run("--aptix-seed=1", "--aptix-report=report.json").ret == 1
    first = alerts_of("report.json", capsys)
    assert first
    assert main(["baseline", "write", "report.json", "-o", "known.json", "--reason", "issue 12"]) == 0
    real_project.change(("import json\n", "import json\n\n\n"))
    real_project.change(("tools = ", 'baseline = "known.json"\ntools = '), name="pyproject.toml")
    result = real_project.run("--aptix-seed=2", "-n", "1", "-rx", "--aptix-report=report.json")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "nonconforming agent_weather *",
            "baseline      [1-9]* known, 0 new, 0 stale",
            "XFAIL *::ARG002-* - known to the baseline: issue 12",
            "XFAIL aptix::agent_weather::status - nonconforming, known to the baseline: ARG002*: issue 12",
        ]
    )
    report = real_project.report()
    assert report["tools"][0]["status"] == "nonconforming"
    assert report["totals"]["tools"]["nonconforming"] == 1
    second = alerts_of("report.json", capsys)
    assert [alert[0] for alert in first] == [alert[0] for alert in second]
    assert {after[1] - before[1] for before, after in zip(first, second, strict=True)} == {2}


def alerts_of(report, capsys):
    """The fingerprint and the line of each result in SARIF."""
    capsys.readouterr()
    assert main(["report", "sarif", report]) == 0
    (found,) = json.loads(capsys.readouterr().out)["runs"]
    return sorted(
        (
            result["partialFingerprints"]["primaryLocationLineHash"],
            result["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for result in found["results"]
    )
