"""The fixtures prove the rules: what each tool breaks is what the golden matrix says, and that is what it is for.

`tests/matrix/` examines; the matrix is snapshots/matrix/verdicts.txt. Each tool has a test of its own, so that they
spread over workers.
"""

import re
import shutil
from collections import Counter

import pytest
from tests.matrix import findings, stored
from tests.matrix.laboratory import laboratory
from tests.matrix.rows import failed_in, row_of
from tests.matrix.specimens import FIXTURES, all_specimens

from aptix_conformance.contracts import Level, load
from aptix_conformance.rules import all_rules
from aptix_conformance.verdicts import status_of

SPECIMENS = {specimen.title: specimen for specimen in all_specimens()}
ROWS = stored.read()
CONFORMING, NONCONFORMING = (
    [specimen.name for specimen in SPECIMENS.values() if specimen.collection.name == name]
    for name in ("conforming", "nonconforming")
)
AREAS = ("REG", "SCH", "ARG", "RES", "CTX", "EXC", "LOG", "USE", "CAT", "CAN")
RULES = {rule.code: rule for rule in all_rules()}


@pytest.fixture(scope="module")
def opened():
    """Hosts that all tools of a worker share."""
    with laboratory() as own:
        yield own


@pytest.mark.clause("AGN-005.10.1")
@pytest.mark.parametrize("title", SPECIMENS)
def test_a_tool_has_the_verdicts_of_the_matrix(title, opened):
    """Every rule, in every edition; and whatever is stored, a nonconforming tool breaks its own rule and no other."""
    specimen = SPECIMENS[title]
    if specimen.collection.system == "art" and shutil.which("node") is None:
        pytest.skip("there is no Node.js on PATH")
    examined = opened.examine(specimen)
    rows = {found.title: row_of(found) for found in examined}
    for found in examined:
        if specimen.collection.name.endswith("nonconforming"):
            code = specimen.name.partition("_")[0]
            assert failed_in(rows[found.title]) == {code}, rows[found.title]
            for edition, verdicts in found.verdicts.items():
                is_must = RULES[code].level(load().edition(edition)) is Level.MUST
                assert (status_of(verdicts) == "nonconforming") is is_must
    mend = f"if that is meant: {stored.COMMAND} '{title}'"
    assert "\n".join(rows.values()) == "\n".join(stored.rows_of(ROWS, specimen).values()), mend


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
@pytest.mark.parametrize("name", ["conforming", "reference"])
def test_no_rule_finds_anything_in_a_model_tool(name):
    """The twins and the reference tools are conforming in every edition, without a word of advice."""
    rows = [row.partition("\n")[0] for title, row in ROWS.items() if title.startswith(f"{name}/")]
    assert rows
    assert [row for row in rows if not row.endswith(": conforming")] == []


@pytest.mark.parametrize("area", AREAS)
def test_an_area_of_rules_has_three_nonconforming_tools_or_more(area):
    """No area goes unproved."""
    assert Counter(module[:3] for module in NONCONFORMING)[area] >= 3


@pytest.mark.parametrize("module", NONCONFORMING)
def test_a_nonconforming_tool_is_named_for_a_rule_and_a_fault_and_names_its_twin(module):
    """A reader finds the rule by the file's name and the conforming tool by its first lines."""
    name = re.fullmatch(r"([A-Z]{3}\d{3})_[a-z0-9_]+", module)
    assert name is not None
    assert name.group(1) in RULES
    text = (FIXTURES / "nonconforming" / f"{module}.py").read_text(encoding="utf-8")
    twin = re.search(r"^Conforming twin: (\w+)\.py$", text, re.MULTILINE)
    assert twin is not None
    assert twin.group(1) in CONFORMING
