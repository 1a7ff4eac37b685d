"""The fixtures prove the rules: what each tool breaks is what the golden matrix says, and that is what it is for.

`tests/acceptance/matrix/` examines; the matrix is snapshots/matrix/verdicts.txt. Each tool has a test of its own, so that they
spread over workers.
"""

import importlib.util
import re
import shutil
from collections import Counter

import pytest
from tests.acceptance.matrix import findings, stored
from tests.acceptance.matrix.laboratory import laboratory
from tests.acceptance.matrix.rows import failed_in, row_of
from tests.acceptance.matrix.specimens import FIXTURES, all_specimens
from tests.causes import says_nothing_of

from aptix_conformance.core.contracts import Level, load
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.examine.verdicts import status_of
from aptix_conformance.systems.rulebook import all_rules

SPECIMENS = {specimen.title: specimen for specimen in all_specimens()}
ROWS = stored.read()
NONCONFORMING = {
    title: specimen
    for title, specimen in SPECIMENS.items()
    if specimen.collection.name.endswith("nonconforming")
}
AREAS = (
    "REG",
    "SCH",
    "ARG",
    "RES",
    "CTX",
    "EXC",
    "LOG",
    "USE",
    "CAT",
    "CAN",
    "AMP",
    "ART",
    "MCP",
    "LCT",
    "OAI",
    "AIS",
)
MISSING = {
    "amplifier": importlib.util.find_spec("amplifier_core") is None,
    "langchain": importlib.util.find_spec("langchain_core") is None,
    "pydantic-ai": importlib.util.find_spec("pydantic_ai") is None,
    "openai-agents": importlib.util.find_spec("agents") is None,
    "art": shutil.which("node") is None,
    "ai-sdk": shutil.which("node") is None or not (FIXTURES / "ai-sdk" / "node_modules").is_dir(),
    "mcp-node": shutil.which("node") is None,
    "aptix-cs": shutil.which("mcs") is None,
}
"""Whether this machine lacks what the tools of a system or of a runtime run on."""
RULES = {rule.code: rule for rule in all_rules()}


@pytest.fixture(scope="module")
def opened():
    """Hosts that all tools of a worker share."""
    with laboratory() as own:
        yield own


@pytest.mark.clause("AGN-005.10.1")
@pytest.mark.parametrize("title", SPECIMENS)
def test_a_tool_has_the_verdicts_of_the_matrix(title, opened, request):
    """Every rule, in every edition; and whatever is stored, a nonconforming tool breaks its own rule and no other.

    The few that show that one breach hides no other name the second rule, `Breaks besides: RES012`.
    """
    specimen = SPECIMENS[title]
    collection = specimen.collection
    runs_on = (
        "mcp-node" if collection.name.startswith("mcp/node/") else collection.runtime or collection.system
    )
    if MISSING.get(runs_on):
        pytest.skip(f"what {runs_on} tools run on is not installed")
    if title in NONCONFORMING and request.config.getoption("--further-python"):
        assert_breaks_its_own_rules(specimen, opened)
        return
    examined = opened.examine(specimen)
    rows = {found.title: row_of(found) for found in examined}
    if title in NONCONFORMING:
        code = specimen.name.partition("_")[0]
        # A server's entries are one for each revision, and its fault may be of one.
        broken = [found for found in examined if failed_in(rows[found.title])]
        assert set().union(*(failed_in(row) for row in rows.values())) == {code, *breaks_besides(specimen)}, (
            rows
        )
        for edition, verdicts in (each for found in broken for each in found.verdicts.items()):
            is_must = RULES[code].level(load().edition(edition)) is Level.MUST
            assert (status_of(verdicts) == "nonconforming") is is_must
    assert unsaid_causes(examined) == []
    assert without_obstacle(examined) == []
    hint = f"if that is meant: {stored.COMMAND} '{title}'"
    known = stored.rows_of(ROWS, specimen)
    assert "\n".join(map(rows.get, sorted(rows))) == "\n".join(map(known.get, sorted(known))), hint


def assert_breaks_its_own_rules(specimen, opened):
    """Rows are compared on one Python; on a further one, whether the fault of a tool shows is all that can differ."""
    code = specimen.name.partition("_")[0]
    examined = opened.examine(specimen, rules=frozenset({code, *breaks_besides(specimen)}))
    broken = {found.title: set(failed_in(row_of(found))) for found in examined}
    assert broken == {title: set(failed_in(row)) for title, row in stored.rows_of(ROWS, specimen).items()}
    assert unsaid_causes(examined) == []


def breaks_besides(specimen):
    """The rules that a nonconforming tool says it breaks besides its own."""
    path = specimen.collection.folder / f"{specimen.name}{specimen.collection.suffix}"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return re.findall(r"^\W*Breaks besides: (\w+)$", text, re.MULTILINE)


def without_obstacle(examined):
    """The rules whose verdicts do not say what kept them from one, and those that say it of a verdict that was reached."""
    unreached = {VerdictKind.INCONCLUSIVE, VerdictKind.NOT_APPLICABLE}
    verdicts = (verdict for found in examined for verdict in found.examination.verdicts)
    return [each.rule for each in verdicts if (each.obstacle is None) == (each.verdict in unreached)]


def unsaid_causes(examined):
    """The causes of findings of which their rules do not say in `differs_by` what they are."""
    verdicts = (each for found in examined for those in found.verdicts.values() for each in those)
    return [
        (verdict.rule, cause)
        for verdict in verdicts
        for cause in says_nothing_of(RULES[verdict.rule], [each.cause for each in verdict.findings])
    ]


def test_the_matrix_has_rows_of_no_tools_that_are_gone():
    """A row is removed with its fixture, so that the file tells of nothing that nobody examines."""
    assert stored.stale(ROWS, SPECIMENS.values()) == [], (
        f"remove them: {stored.COMMAND} 'reference/hello_world'"
    )


def test_every_finding_of_the_matrix_has_its_text():
    """What the rules' pages show is of the same tools, and of no other."""
    failed = {title: set(failed_in(row)) for title, row in ROWS.items() if failed_in(row)}
    assert {title: set(found) for title, found in findings.read().items()} == failed, stored.COMMAND


def test_the_matrix_counts_the_rules_that_there_are():
    """A rule that is added or lost is a line of the diff, though every tool keep it."""
    assert stored.rules_line() in stored.PATH.read_text(encoding="utf-8").splitlines(), stored.COMMAND


@pytest.mark.clause("AGN-005.10.1")
@pytest.mark.parametrize(
    "name",
    [
        "conforming",
        "ai-sdk/conforming",
        "art/conforming",
        "mcp/conforming",
        "mcp/http/conforming",
        "mcp/node/conforming",
        "mcp/node/http/conforming",
        "amplifier/conforming",
        "csharp/conforming",
        "reference",
    ],
)
def test_no_rule_finds_anything_in_a_model_tool(name):
    """The twins and the reference tools are conforming in every edition, without a word of advice."""
    rows = [row.partition("\n")[0] for title, row in ROWS.items() if title.startswith(f"{name}/")]
    assert rows
    assert [row for row in rows if not row.endswith(": conforming")] == []


def test_a_tool_of_which_every_breach_is_waived_conforms_with_waivers():
    """What the waived rule hides is waived with it, though no call could be made."""
    rows = [row for title, row in ROWS.items() if title.startswith("waived/")]
    assert rows
    assert all(row.partition("\n")[0].endswith(": conforming-with-waivers") for row in rows)
    assert not any("inconclusive" in row for row in rows)


def test_a_tool_of_which_a_must_cannot_be_judged_is_incomplete_and_breaks_nothing():
    """What was not seen is never green."""
    rows = [
        row
        for title, row in ROWS.items()
        if title.startswith("mcp/incomplete/") and not title.endswith(":server")
    ]
    assert rows
    assert all(row.partition("\n")[0].endswith(": incomplete") for row in rows)


@pytest.mark.parametrize("area", AREAS)
def test_an_area_of_rules_has_three_nonconforming_tools_or_more(area):
    """No area goes unproved. One of fewer rules has one for each."""
    rules = sum(code.startswith(area) for code in RULES)
    assert Counter(specimen.name[:3] for specimen in NONCONFORMING.values())[area] >= min(3, rules) > 0


@pytest.mark.parametrize("title", NONCONFORMING)
def test_a_nonconforming_tool_is_named_for_a_rule_and_a_fault_and_names_its_twin(title):
    """A reader finds the rule by the file's name and the conforming tool by its first lines."""
    specimen = NONCONFORMING[title]
    folder, suffix = specimen.collection.folder, specimen.collection.suffix
    name = re.fullmatch(r"([A-Z]{3}\d{3})_[a-z0-9_]+", specimen.name)
    assert name is not None
    assert name.group(1) in RULES
    text = (folder / f"{specimen.name}{suffix}").read_text(encoding="utf-8")
    twin = re.search(rf"^\W*Conforming twin: (\w+{re.escape(suffix)})$", text, re.MULTILINE)
    assert twin is not None
    assert (folder.parent / "conforming" / twin.group(1)).exists()
