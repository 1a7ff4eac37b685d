"""What changed between two reports."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from tests.unit.present.reports.conftest import SUITE, full_tool
from tests.unit.present.reports.test_ci_formats import HOSTILE, hostile_tool

from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import OtherCauseReport, RunReport
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import failed_target_report, make_report
from aptix_conformance.present.reports.changes_texts import changes_markdown, changes_text
from aptix_conformance.present.reports.html import changes_html
from aptix_conformance.present.reports.html.changes_page import MOST
from aptix_conformance.present.reports.report_changes import ChangeKind, changes

PASS, FAIL, OPEN = VerdictKind.PASS, VerdictKind.FAIL, VerdictKind.INCONCLUSIVE
NONE, WAIVED = VerdictKind.NOT_APPLICABLE, VerdictKind.WAIVED


def verdict(kind, *causes, rule="ARG001", level=Level.MUST, **members):
    known = full_tool().verdicts[0]
    shown = [replace(known.finding, cause=cause) for cause in causes or [""]] if kind is FAIL else []
    finding, further = (shown[0], tuple(shown[1:])) if shown else (None, ())
    found = replace(
        known, rule=rule, level=level, verdict=kind, finding=finding, further=further, causes=len(shown)
    )
    return replace(found, **members)


def owl(*verdicts, **members):
    return replace(full_tool(), **{"verdicts": verdicts, "status": "conforming", **members})


def report_of(*tools, **suite):
    return make_report(tools, replace(SUITE, **suite), RunReport(), None)


def found(old, new):
    """(kind, rule's code, whether it is worse) of each change between the verdicts of a tool."""
    listed = changes(report_of(owl(*old)), report_of(owl(*new)))
    return [(change.kind, change.rule[:6], change.is_worse) for change in listed]


@pytest.mark.parametrize(
    ("old", "new", "kind", "is_worse"),
    [
        (PASS, FAIL, ChangeKind.BROKEN, True),
        (OPEN, FAIL, ChangeKind.BROKEN, True),
        (WAIVED, FAIL, ChangeKind.BROKEN, True),
        (NONE, FAIL, ChangeKind.BROKEN, True),
        (PASS, OPEN, ChangeKind.UNSEEN, True),
        (FAIL, OPEN, ChangeKind.UNSEEN, True),
        (FAIL, PASS, ChangeKind.FIXED, False),
        (FAIL, WAIVED, ChangeKind.TURNED, False),
        (FAIL, NONE, ChangeKind.TURNED, False),
        (OPEN, PASS, ChangeKind.TURNED, False),
    ],
)
def test_a_verdict_that_turned(old, new, kind, is_worse):
    assert found([verdict(old)], [verdict(new)]) == [(kind, "ARG001", is_worse)]
    should = Level.SHOULD
    assert found([verdict(old, level=should)], [verdict(new, level=should)]) == [(kind, "ARG001", False)]


@pytest.mark.parametrize("kind", VerdictKind)
def test_what_is_the_same_is_no_change(kind):
    assert found([verdict(kind)], [verdict(kind, observations=9)]) == []


def test_a_rule_that_the_suite_added_is_not_newly_broken():
    old, new = (
        report_of(owl(verdict(PASS))),
        report_of(owl(verdict(PASS), verdict(FAIL, rule="ARG099"), verdict(PASS, rule="ARG098"))),
    )
    (change,) = changes(old, new)
    assert (change.kind, change.rule, change.is_worse) == (ChangeKind.ADDED, "ARG099 a-rule", False)
    assert "rules added   ARG098, ARG099\n" in changes_text(old, new, [change])
    assert "rules removed ARG098, ARG099\n" in changes_text(new, old, changes(new, old))
    assert not changes(new, old)


def test_a_broken_rule_with_another_cause_has_one_new_and_one_fixed():
    assert found([verdict(FAIL, "wings")], [verdict(FAIL, "beak")]) == [
        (ChangeKind.CAUSE, "ARG001", True),
        (ChangeKind.FIXED, "ARG001", False),
    ]


def test_causes_that_a_report_does_not_name_are_not_compared():
    """Neither is one new nor one gone that the other report may have had."""
    many = verdict(FAIL, "wings", causes=9)
    assert found([many], [verdict(FAIL, "wings", "beak")]) == []
    assert found([verdict(FAIL, "wings", "beak")], [many]) == []
    others = (OtherCauseReport("beak"),)
    assert (
        found([verdict(FAIL, "wings", causes=2, other_causes=others)], [verdict(FAIL, "wings", "beak")]) == []
    )


def test_what_is_masked_by_a_breach_is_not_worse_itself():
    masked = verdict(OPEN, rule="ARG002", masked_by=("ARG001",))
    assert found([verdict(PASS), verdict(PASS, rule="ARG002")], [verdict(FAIL), masked]) == [
        (ChangeKind.BROKEN, "ARG001", True),
        (ChangeKind.UNSEEN, "ARG002", False),
    ]


def test_tools_that_are_new_or_gone_or_were_not_examined():
    tit, wren = (
        owl(target="birds:Tit", tool="tit"),
        owl(target="birds:Wren", tool="wren", status="nonconforming"),
    )
    lost = replace(failed_target_report("birds:Owl", "aptix", "aptix-tul-011", "it hung"), tool="owl")
    lost = replace(lost, verdicts=(verdict(OPEN),))
    listed = changes(report_of(owl(verdict(PASS)), tit), report_of(lost, wren))
    assert [(change.kind, change.tool, change.is_worse) for change in listed] == [
        (ChangeKind.GONE, "tit", True),
        (ChangeKind.STATUS, "owl", True),
        (ChangeKind.NEW, "wren", True),
    ]
    assert not changes(report_of(), report_of(tit))[0].is_worse


def test_a_tool_judged_by_another_edition_is_another():
    listed = changes(report_of(owl(verdict(PASS))), report_of(owl(verdict(FAIL), edition="other")))
    assert [change.kind for change in listed] == [ChangeKind.GONE, ChangeKind.NEW]


def test_the_level_of_a_broken_rule_counts():
    ((kind, _, _),) = found([verdict(FAIL, level=Level.SHOULD)], [verdict(FAIL)])
    assert kind is ChangeKind.TURNED


def test_the_text_says_how_the_runs_differ_and_counts():
    old, new = (
        report_of(owl(verdict(PASS)), version="0.9"),
        report_of(owl(verdict(FAIL)), examples=1, complete=False),
    )
    lines = changes_text(old, new, changes(old, new)).splitlines()
    assert lines == [
        "suite         1.0, 0.9 before",
        "examples      1, 5 before",
        "note          the new report: The run ended before every tool was examined.",
        "newly broken  owl: ARG001 a-rule (MUST): fail: it failed (pass before)",
        "1 newly broken",
    ]
    assert changes_text(old, old, []) == "nothing changed\n"


def test_what_a_tool_said_is_no_markup_and_no_command():
    old, new = report_of(), report_of(replace(hostile_tool(), error=HOSTILE))
    listed = changes(old, new)
    text, markdown = changes_text(old, new, listed), changes_markdown(old, new, listed)
    for said in (text, markdown):
        assert "\x1b" not in said
        assert "\u202e" not in said
        assert not re.search(r"(?m)^::", said)
        said.encode()
    (row,) = [line for line in markdown.splitlines() if line.startswith("| ") and "tool |" not in line]
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", row)
    assert not re.search(r"<img|\]\(|@all", outside)


def test_the_markdown_stays_within_its_size():
    """All its tables together."""
    kept, broken = verdict(PASS), verdict(FAIL)
    both = (replace(kept, rule="ARG002"), replace(broken, rule="ARG002"))
    old = report_of(*[owl(kept, both[1], target=f"t{number}") for number in range(500)])
    new = report_of(*[owl(broken, both[0], target=f"t{number}") for number in range(500)])
    markdown = changes_markdown(old, new, changes(old, new), 5_000)
    assert len(markdown.encode()) <= 5_000
    assert "more rows are left out here" in markdown
    assert markdown.startswith("## Aptix conformance: what changed\n\n500 newly broken, 500 fixed\n")


class Seen(HTMLParser):
    """The elements of a page, in order, with their attributes, and its texts."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.texts = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


def test_the_page_has_a_table_for_each_kind_and_says_what_is_worse():
    old = report_of(owl(verdict(PASS), verdict(FAIL, rule="ARG002")))
    new = report_of(owl(verdict(FAIL), verdict(PASS, rule="ARG002")))
    page = changes_html(old, new, changes(old, new))
    seen = Seen(page)
    tags = [tag for tag, _ in seen.elements]
    assert (tags.count("table"), tags.count("a"), tags.count("strong")) == (2, 2, 1)
    ids = [attributes["id"] for _, attributes in seen.elements if "id" in attributes]
    assert [f"#{name}" for name in ids] == [given["href"] for tag, given in seen.elements if tag == "a"]
    assert "1 newly broken, 1 fixed" in seen.texts
    assert "How the runs differ" not in seen.texts
    assert "nothing changed" in changes_html(old, old, [])


def test_what_a_tool_said_makes_no_element_of_the_page():
    """Neither an element nor an attribute more than a harmless tool makes, and no character that acts."""
    harmless, hostile = (
        changes_html(report_of(), new, changes(report_of(), new))
        for new in (
            report_of(replace(hostile_tool(), tool="owl", error="it hung")),
            report_of(replace(hostile_tool(), tool=HOSTILE, error=HOSTILE)),
        )
    )
    assert Seen(hostile).elements == Seen(harmless).elements
    assert hostile.isascii()
    assert not re.search("[\\x00-\\x08\\x0b-\\x1f\\x7f]|&#8238;|&#8294;", hostile)


def test_the_page_runs_nothing_and_loads_nothing():
    page = changes_html(report_of(), report_of(owl(verdict(FAIL))), [])
    assert "default-src 'none'; style-src 'sha256-" in page
    assert not {"script", "link", "img", "iframe", "form"} & {tag for tag, _ in Seen(page).elements}
    style = re.search("<style>(.*?)</style>", page, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in page


def test_a_page_of_very_many_changes_says_how_many_it_leaves_out():
    new = report_of(*[owl(target=f"t{number}") for number in range(MOST + 5)])
    page = changes_html(report_of(), new, changes(report_of(), new))
    assert page.count("<tr>") == MOST + 1
    assert "5 more are not listed here" in page
