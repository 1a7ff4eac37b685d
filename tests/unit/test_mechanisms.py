"""The pairs of `python -m corpus mechanisms`: a fault has to be found in the faulty tool, and the fixed one has to conform."""

import re

import pytest
from corpus.mechanisms.page import render
from corpus.mechanisms.pairs import HERE, Pair, Seen, problems, read_pairs

from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import FindingReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import failed_target_report
from aptix_conformance.systems.rulebook import all_rules

PAIR = Pair(
    "art-pair", "https://example.invalid/1", "it is lost", "ART024", "art:./a.mjs#Faulty", "art:./a.mjs#Fixed"
)
MISSED = replace(PAIR, missed="nothing looks for it")


def tool(*rules, level=Level.MUST, kind=VerdictKind.FAIL):
    """The report of a tool with a verdict for each rule."""
    finding = (
        FindingReport("It was.", None, (), reproduced=True, replay="") if kind is VerdictKind.FAIL else None
    )
    verdicts = tuple(VerdictReport(rule, "a-rule", level, (), kind, 1, "", finding) for rule in rules)
    made = failed_target_report("a_tool", "art", "art-0.4.16", "")
    return [replace(made, tool="a_tool", kind="tool", error=None, verdicts=verdicts)]


PASSED = tool("ART024", kind=VerdictKind.PASS)
OPEN = tool("ART024", kind=VerdictKind.INCONCLUSIVE)


@pytest.mark.parametrize("pair", read_pairs(), ids=lambda pair: pair.name)
def test_a_pair_has_a_rule_a_public_source_and_two_tools(pair):
    assert pair.rule in {rule.code for rule in all_rules(others=())}
    assert pair.source.startswith("https://github.com/")
    assert pair.faulty != pair.fixed
    for target in (pair.faulty, pair.fixed):
        path, _, name = target.partition(":")[2].partition("#")
        place = HERE / "tools" / path
        texts = [
            each.read_text(encoding="utf-8") for each in ([place] if place.is_file() else place.glob("*.cs"))
        ]
        assert any(re.search(rf"class {name.rpartition('.')[2]}\b", text) for text in texts)


@pytest.mark.parametrize(
    ("pair", "faulty", "fixed", "lines"),
    [
        (PAIR, tool("ART024"), PASSED, []),
        (PAIR, PASSED, PASSED, ["ART024 is not found in the faulty tool"]),
        (PAIR, tool("ART024"), OPEN, ["ART024 is not examined in the fixed tool"]),
        (PAIR, tool("ART024"), tool("ART024"), ["ART024 is found in the fixed tool", "ART024 in the fixed one"]),
        (PAIR, tool("ART024", "EXC001"), PASSED, ["EXC001 in the faulty one"]),
        (PAIR, [*tool("ART024"), *tool("ARG012", level=Level.SHOULD)], PASSED, []),
        (MISSED, PASSED, PASSED, []),
        (MISSED, tool("ART024"), PASSED, ["ART024 is found in the faulty tool"]),
    ],
)  # fmt: skip
def test_what_is_not_as_the_list_says_has_a_line(pair, faulty, fixed, lines):
    assert list(problems(Seen(pair, faulty, fixed))) == [f"art-pair: {line}" for line in lines]


def test_the_page_counts_what_is_found_and_says_why_the_rest_is_missed():
    page = render([Seen(PAIR, tool("ART024"), PASSED), Seen(MISSED, PASSED, PASSED)])
    assert "- 2 pairs, 1 of them found\n" in page
    assert "| art-pair | [it is lost](https://example.invalid/1) | ART024 | found | not found |" in page
    assert "- art-pair (ART024): nothing looks for it.\n" in page
