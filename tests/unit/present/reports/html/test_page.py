"""The HTML report as a text: what a browser gets to read."""

import base64
import gzip
import hashlib
import html.parser
import json
import re

import pytest

from aptix_conformance.core.model.codec import replace, to_json
from aptix_conformance.core.model.report import KnownReport, Report
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports.html import render
from aptix_conformance.present.reports.html.overview import LETTERS, columns_of
from aptix_conformance.systems.rulebook import all_rules

HOSTILE = "</script></noscript><img src=x onerror=alert(1)>\N{RIGHT-TO-LEFT OVERRIDE}\x1b\ud800"


@pytest.fixture
def hostile(report):
    """The report, its tool's texts hostile."""
    ape, owl, zoo = report.tools
    verdict = replace(owl.verdicts[0], reason=HOSTILE, rule=HOSTILE, name=HOSTILE, clauses=(HOSTILE,))
    owl = replace(owl, tool=HOSTILE, target=HOSTILE, edition=HOSTILE, verdicts=(verdict, owl.verdicts[1]))
    return replace(report, tools=(replace(ape, error=HOSTILE), owl, zoo), unneeded_waivers=(HOSTILE,))


@pytest.fixture(scope="module")
def page():
    """Renders once for each report of the module."""
    known = {}

    def rendered(report: Report) -> str:
        text = repr(report)
        if text not in known:
            known[text] = render(report)
        return known[text]

    return rendered


def held(page, name):
    """The lines of data under a name."""
    (text,) = re.findall(rf'<script type="text/plain" id="{name}">(.*?)</script>', page, re.DOTALL)
    return [json.loads(gzip.decompress(base64.b64decode(line))) for line in text.split("\n")]


class Tags(html.parser.HTMLParser):
    """The elements of a page by name, with their attributes, and the policy."""

    def __init__(self, text):
        super().__init__()
        self.found, self.policy = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        attributes = dict(attrs)
        assert not [name for name in attributes if name.startswith("on")]
        assert "src" not in attributes
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]


def test_a_page_is_ascii_and_loads_nothing(page, report):
    text = page(report)
    assert text.isascii()
    assert {"link", "img", "iframe", "object", "base", "form"}.isdisjoint(Tags(text).found)
    assert "://" not in re.sub(r"<script type=.text/plain.*?</script>", "", text, flags=re.DOTALL)


def test_the_policy_allows_this_script_and_this_style_only(page, report):
    text = page(report)
    (script,) = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)

    def source(content):
        return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"

    policy = dict(part.split(" ", 1) for part in Tags(text).policy.split("; "))
    assert policy == {
        "default-src": "'none'",
        "script-src": source(script),
        "style-src": source(style),
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }


def test_no_text_of_a_tool_makes_an_element_or_shows_as_it_is(page, report, hostile):
    text = page(hostile)
    assert set(Tags(text).found) - {"bdi", "ul", "li", "br", "h2"} <= set(Tags(page(report)).found)
    assert "<img" not in text
    assert not set(text) & {"\x1b", "\N{RIGHT-TO-LEFT OVERRIDE}"}
    assert "&lt;/script&gt;&lt;/noscript&gt;&lt;img src=x onerror=alert(1)&gt;\\u202e\\x1b\\ud800" in text


def test_the_page_holds_every_verdict_whole(page, report):
    (overview,) = held(page(report), "overview-data")
    tools = held(page(report), "tool-data")
    letters = {letter: (kind, level) for (kind, level), letter in LETTERS.items()}
    for tool, row, detail in zip(report.tools, overview["tools"], tools, strict=True):
        assert row["name"] == detail["tool"] == tool.tool
        found = iter(detail.pop("verdicts"))
        for column, letter in zip(overview["rules"], row["cells"], strict=True):
            if letter == " ":
                continue
            kind, level = letters[letter]
            verdict = {"name": column["name"], "clauses": column["clauses"], "verdict": kind, "level": level}
            wanted = json.loads(json.dumps(to_json(tool.verdicts[0 if column["code"] == "ARG001" else 1])))
            held_ = verdict | next(found)
            assert held_ == {name: wanted[name] for name in held_}
            assert not any(wanted[name] for name in wanted.keys() - held_.keys())
        whole = json.loads(json.dumps(to_json(tool)))
        assert detail == {name: value for name, value in whole.items() if name != "verdicts"}


def test_the_first_screen_counts_as_the_terminal_does(page, report):
    """Servers are no tools, a quick plan has its own status, and what only the SDK breaks is nothing to fix."""
    _, owl, _ = report.tools
    broken = replace(owl.verdicts[0], level=Level.MUST, verdict=VerdictKind.FAIL)
    another = replace(broken, rule="EXC001", follows_from=broken.rule)
    server = replace(
        owl, kind="server", verdicts=(replace(broken, rule="MCP033"),), inherited={"MCP033": "sdk 1"}
    )
    left = replace(owl, status="incomplete", quick=True)
    tools = (server, replace(owl, verdicts=(broken, another)), left)
    (shown,) = held(page(replace(report, tools=tools)), "overview-data")
    assert (shown["kinds"], shown["broken"]) == ("tools and servers", 2)
    assert [each["rule"] for each in shown["to_fix"]] == [broken.rule]

    assert shown["tools"][2]["status"] == "incomplete (quick)"


def test_what_the_baseline_has_is_nothing_to_fix_on_the_first_screen(page, report):
    _, owl, _ = report.tools
    broken = replace(owl.verdicts[0], level=Level.MUST, verdict=VerdictKind.FAIL)
    known = replace(broken, rule="EXC001", finding=replace(broken.finding, known=KnownReport("old")))
    broken = replace(broken, follows_from=known.rule)
    tools = (replace(owl, verdicts=(broken, known)),)
    (shown,) = held(page(replace(report, tools=tools)), "overview-data")
    assert (shown["broken"], shown["known"]) == (1, 1)
    assert [each["rule"] for each in shown["to_fix"]] == [broken.rule]


def test_clauses_that_differ_from_tool_to_tool_are_kept(page, report):
    """Two editions may cite different clauses for one rule."""
    ape, owl, zoo = report.tools
    other = replace(owl, tool="owl2", verdicts=(replace(owl.verdicts[0], clauses=("AGN-005.1",)),))
    bare = replace(owl, tool="owl3", verdicts=(replace(owl.verdicts[0], clauses=()),))
    changed = replace(report, tools=(ape, owl, other, bare, zoo))
    clauses = [
        [verdict.get("clauses") for verdict in tool["verdicts"] if verdict["rule"] == "ARG001"]
        for tool in held(page(changed), "tool-data")
    ]
    assert clauses == [[], [None], [["AGN-005.1"]], [[]], []]


def test_each_verdict_and_level_has_a_letter_of_its_own():
    assert set(LETTERS) == {(kind, level) for kind in VerdictKind for level in Level}
    assert len(set(LETTERS.values())) == len(LETTERS)


def test_the_columns_are_the_rules_that_judged_a_tool_by_area(report):
    ape, owl, zoo = report.tools
    verdicts = [
        replace(owl.verdicts[0], rule=code) for code in ("XYZ001", "EXC001", "SCH002", "ARG001", "odd")
    ]
    tools = (ape, replace(owl, verdicts=tuple(verdicts)), zoo)
    assert list(columns_of(tools)) == ["SCH002", "ARG001", "EXC001", "XYZ001", "odd"]


def test_the_page_of_a_rule_is_there_with_its_clauses(page, report):
    (catalog,) = held(page(report), "catalog-data")
    rule = next(rule for rule in all_rules() if rule.code == "ARG001")
    assert catalog["pages"].keys() == {"ARG001", "ARG002"}
    assert catalog["pages"]["ARG001"]["lead"][0] == {"kind": "text", "text": rule.demand}
    assert set(rule.clauses) <= catalog["clauses"].keys()
    kinds = {
        block["kind"] for section in catalog["pages"]["ARG001"]["sections"] for block in section["blocks"]
    }
    assert kinds == {"text", "items", "code", "file"}


def test_a_rule_that_the_installation_does_not_know_has_no_page(page, hostile):
    (catalog,) = held(page(hostile), "catalog-data")
    assert catalog["pages"].keys() == {"ARG002"}
    (overview,) = held(page(hostile), "overview-data")
    assert [(rule["code"], rule["demand"]) for rule in overview["rules"] if not rule["demand"]] == [
        (HOSTILE, "")
    ]


def test_a_fix_is_there_in_the_words_of_the_tools_system_as_on_the_terminal(page, report):
    broken = replace(report.tools[1].verdicts[0], rule="EXC003", verdict=VerdictKind.FAIL)
    owl = replace(report.tools[1], system="mcp", verdicts=(broken,))
    (seen,) = held(page(replace(report, tools=(owl,))), "overview-data")
    (column,) = seen["rules"]
    assert list(column["remedies"]) == ["mcp"]
    assert "add_exception" in column["remedy"]
    assert "add_exception" not in column["remedies"]["mcp"]


def test_the_same_report_gives_the_same_bytes(report):
    assert render(report) == render(report)


def test_without_scripts_the_summary_names_each_tool_and_what_it_broke(page, report):
    (summary,) = re.findall(r"<noscript>(.*?)</noscript>", page(report), re.DOTALL)
    assert "<p>3 tools: 2 incomplete, 1 nonconforming.</p>" in summary
    assert "partial for 1 tool: no namespaces (Operation not permitted)" in summary
    assert (
        "<th><bdi>owl</bdi></th><td>nonconforming</td><td><bdi>ARG001</bdi></td><td><bdi>ARG002</bdi></td>"
        in summary
    )
    assert "<th><bdi>ape</bdi><br><bdi>no such module</bdi></th><td>incomplete</td>" in summary
    assert "<li><bdi>owl</bdi> breaks <bdi>ARG001 a-rule</bdi>: <bdi>it failed</bdi></li>" in summary
