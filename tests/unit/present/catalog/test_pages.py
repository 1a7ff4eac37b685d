"""A rule's page says all that is known of the rule, whole, in Markdown and in the terminal."""

import re

import pytest
from tools.pages import all_pages, broken_links, write

from aptix_conformance.core.contracts import load
from aptix_conformance.core.model import Call, Declaration, Exploration
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine.prove import MOST_CAUSES
from aptix_conformance.present.catalog import (
    AREAS,
    rule_page,
    to_markdown,
    to_terminal,
)
from aptix_conformance.present.catalog.markdown import cell, prose
from aptix_conformance.present.catalog.page import DIFFERENCE
from aptix_conformance.present.evidence import Evidence, Example, find_evidence
from aptix_conformance.rules import rule
from aptix_conformance.systems.rulebook import all_rules

EXAMPLE = Example(
    name="ARG777_loads",
    says="Loads outside of try.",
    path="nonconforming/ARG777_loads.py",
    source="class Odd: ...\n",
    twin="conforming/sound.py",
    counterpart_form="parts",
    counterpart="class Sound: ...",
    failure="odd breaks ARG777",
)
EVIDENCE = Evidence({}, {"ARG777": ("ARG777_loads", "ARG777_loads_twice")}, {"ARG777": EXAMPLE})


@pytest.fixture
def made():
    @rule(
        "ARG777",
        "AGN-005.7.19",
        "AGN-005.3.2",
        remedy="Load inside of try.",
        unseen_reason="no call was made",
    )
    def loads_inside(_call: Call):
        """A tool loads <inside> of `try`.

        Because *everything* else raises.
        """

    return loads_inside


def markdown(page):
    return to_markdown(page, "../../fixtures")


@pytest.mark.parametrize("render", [markdown, to_terminal])
def test_a_page_says_all_that_is_known_of_a_rule(made, render):
    text = render(rule_page(made, load(), EVIDENCE)).replace("\\", "").replace("&lt;", "<")
    for part in (
        "ARG777 loads-inside",
        "A tool loads <inside> of `try`.",
        "Because *everything* else raises.",
        "aptix-tul-011: MUST",
        "AGN-005.3.2 (MUST): never throws on a deserialisation error",
        "Loads outside of try.",
        "nonconforming/ARG777_loads.py",
        "class Odd: ...",
        "ARG777_loads_twice",
        "class Sound: ...",
        "conforming/sound.py",
        "odd breaks ARG777",
        "Load inside of try.",
        "inconclusive: no call was made.",
        'rule = "ARG777"',
    ):
        assert part in text, part


def test_a_third_partys_rule_has_a_page_without_an_example(made):
    text = markdown(rule_page(made, load(), Evidence({}, {}, {})))
    assert "## How to fix it" in text
    assert "breaks it" not in text


def difference_of(found):
    """What the page says of the difference between two findings; the section follows the fix."""
    sections = rule_page(found, load(), EVIDENCE).sections
    (place,) = [place for place, section in enumerate(sections) if section.heading == DIFFERENCE]
    assert sections[place - 1].heading == "How to fix it"
    (block,) = sections[place].blocks
    return block.text


@pytest.mark.parametrize(
    ("over", "shown"),
    [
        (Call, ", each with its smallest call"),
        (Exploration, ", each with its smallest call where calls show it"),
        (Declaration, ""),
    ],
)
def test_a_page_says_what_makes_two_findings_different(made, over, shown):
    """And how many causes a report shows: those that are proved."""
    found = replace(made, over=over, differs_by="the <argument>")
    said = f"The <argument>. Up to five are reported{shown}; the rest are counted."
    assert difference_of(found) == said
    assert MOST_CAUSES == 5
    assert f"## {DIFFERENCE}\n\nThe &lt;argument>. Up to five" in markdown(rule_page(found, load(), EVIDENCE))


@pytest.mark.parametrize(
    ("of", "what"), [(("tool",), "tool"), (("server",), "server"), (("tool", "server"), "tool or server")]
)
def test_a_page_of_a_rule_that_finds_one_thing_says_that_all_counts_as_one(made, of, what):
    said = f"All that this rule finds in one {what} counts as one finding."
    assert difference_of(replace(made, of=of)) == said


def test_every_page_of_the_suite_says_what_its_rule_says_of_findings():
    for found in all_rules(()):
        wanted = (
            f"{found.differs_by[:1].upper()}{found.differs_by[1:]}. Up to five" if found.differs_by else ""
        )
        assert difference_of(found).startswith(wanted or "All that this rule finds in one "), found.code


def test_the_level_of_each_edition_is_told(made):
    inventory = load()
    (usage,) = [found for found in all_rules(()) if found.code == "REG004"]
    text = to_terminal(rule_page(usage, inventory, find_evidence()))
    assert "- aptix-tul-011: SHOULD" in text
    assert "- aptix-agn-005-1.1: MUST" in text
    assert "amplifier" not in text.partition("Levels by edition")[2].partition("Clauses")[0]


@pytest.mark.parametrize("text", ["a <b> & c", "*x* | y", "`", "__init__", "[<T>_ExecuteAsync__Exception]"])
def test_prose_holds_no_markup(text):
    escaped = prose(text)
    assert escaped.replace("\\", "").replace("&lt;", "<").replace("&amp;", "&") == text
    assert not re.search(r"<|(?<!\\)[*|`]|(?<!\\)__", escaped)


def test_what_stands_between_backticks_is_code():
    assert prose("the `a*b | <c>` of *all*") == "the `a*b | <c>` of \\*all\\*"
    assert cell("`a | b` or c | d") == "`a \\| b` or c \\| d"


def test_a_fence_is_longer_than_any_in_the_code(made):
    example = Example(
        **{name: getattr(EXAMPLE, name) for name in EXAMPLE.__slots__} | {"failure": "```\n````"}
    )
    text = markdown(rule_page(made, load(), Evidence({}, {}, {"ARG777": example})))
    assert "`````text\n```\n````\n`````" in text


def test_there_is_a_page_for_every_rule_an_index_and_the_clauses():
    rules = all_rules(())
    pages = all_pages(rules, load(), find_evidence())
    assert set(pages) == {f"rules/{found.code}.md" for found in rules} | {"rules/README.md", "clauses.md"}
    assert all(f"({found.code}.md)" in pages["rules/README.md"] for found in rules)
    assert all(f"| {clause} |" in pages["clauses.md"] for clause in load().clauses)
    assert {found.code[:3] for found in rules} <= set(AREAS)


def test_pages_are_written_where_they_are_stale_and_deleted_where_they_are_of_no_rule(tmp_path):
    pages = {"rules/ARG001.md": "one\n", "clauses.md": "all\n"}
    assert write(tmp_path, pages) == ["clauses.md", "rules/ARG001.md"]
    assert write(tmp_path, pages) == []
    (tmp_path / "rules/ARG001.md").write_text("edited\n", encoding="utf-8")
    (tmp_path / "rules/ARG000.md").write_text("gone\n", encoding="utf-8")
    assert write(tmp_path, pages) == ["rules/ARG000.md", "rules/ARG001.md"]
    assert sorted(path.name for path in tmp_path.rglob("*.md")) == ["ARG001.md", "clauses.md"]


def test_links_lead_from_the_folder_of_the_pages_to_the_checkout(made):
    pages = all_pages([made], load(), EVIDENCE, root="../../elsewhere")
    assert "(../../../elsewhere/fixtures/nonconforming/ARG777_loads.py)" in pages["rules/ARG777.md"]


def test_a_link_that_leads_nowhere_is_found_and_code_is_no_link(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "[a](page.md#part) [b](gone.md) [c](https://example.org/x) `d[0](e)` [f](#part)\n```\n[g](h)\n```\n",
        encoding="utf-8",
    )
    assert broken_links(page) == ["gone.md"]
