"""`--aptix-cache`: a real tool is examined once, and each later run says where its results come from."""

import json
from xml.etree import ElementTree as ET

CACHE = ("--aptix-cache=store", "--aptix-report=report.json", "--aptix-report=junit=report.xml")


def examine(project, *options):
    """The run, and what its report says of the tool's cache."""
    result = project.run(*CACHE, *options)
    (tool,) = project.report()["tools"]
    return result, tool


def test_a_tool_is_examined_once_and_a_sample_finds_a_forged_result(real_project):
    """The steps are in one test, since each examination of a real tool takes seconds."""
    examine(real_project, "--snapshot-update")
    _, tool = examine(real_project)  # with the lock, which the tool can read
    assert (tool["status"], tool["cache"]["state"]) == ("conforming", "new")

    whole, tool = examine(real_project)
    whole.assert_outcomes(passed=1)
    whole.stdout.fnmatch_lines(["*cached*", "cache         1 taken from earlier runs*"])
    assert (tool["status"], tool["cache"]["state"]) == ("conforming", "taken")
    cases = ET.parse(real_project.path / "report.xml").iter("testcase")
    marks = {case.find("properties/property").get("value") for case in cases}
    assert marks == {f"cached, examined {tool['cache']['examined']}"}

    for path in real_project.path.glob("store/??/*.json"):
        entry = json.loads(path.read_text(encoding="utf-8"))
        entry["report"]["schema_fingerprint"] = f"sha256:{'0' * 64}"
        path.write_text(json.dumps(entry), encoding="utf-8")
    sample, tool = examine(real_project, "--aptix-recheck=1")
    assert sample.ret == 1
    assert tool["cache"]["state"] == "differs"
    sample.stdout.fnmatch_lines(["*the results are not reproducible*the fingerprint of the schema was*"])
