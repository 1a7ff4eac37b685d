"""Whatever a report's texts hold, in no form of it do they act: no escape, no mark that hides text, no link, no command.

The report is made of the types of the format, so that a text of a new member is tried by itself.
"""

import dataclasses
import datetime
import enum
import json
import re
import types
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest

from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import BaselineReport, Report
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.present.reports.baseline.baseline_texts import (
    baseline_lines,
    known_status_text,
    new_text,
    stale_text,
)
from aptix_conformance.present.reports.changes_texts import changes_markdown, changes_text
from aptix_conformance.present.reports.html.changes_page import changes_html
from aptix_conformance.present.reports.renderers import all_renderers
from aptix_conformance.present.reports.report_changes import changes
from aptix_conformance.present.reports.terminal import finding_lines, summary_lines
from aptix_conformance.present.reports.totals import totals

ACTS = (
    "a\x1b[2J\x9b1m\x07\r\u202eb\u2066\u200bc\u2028\u061c\n::error::forged\n##vso[task.complete]\n"
    "[x](https://evil.example) ![i](//evil.example/p) https://evil.example www.evil.example @someone owner/name#17 "
    "<script>alert(1)</script> | `tick` **bold** </title>]]> &amp;"
)
DIGEST = "sha256:" + "0" * 64
PLAIN = {
    str: ACTS,
    object: ACTS,
    Any: ACTS,
    int: 2,
    float: 1.5,
    bool: True,
    datetime.date: datetime.date(2026, 1, 1),
    datetime.datetime: datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
}


def filled(of, inside=()):
    """A value of a type, whose texts all act where nothing escapes them; None for a record inside of one of its own type."""
    if get_origin(of) is not None:
        return filled_generic(get_origin(of), get_args(of), inside)
    if of in PLAIN:
        return PLAIN[of]
    if issubclass(of, enum.Enum):
        return next(iter(of))
    if of in inside:
        return None
    members = (msgspec.structs if issubclass(of, msgspec.Struct) else dataclasses).fields(of)
    hints = get_type_hints(of, include_extras=True)
    return of(**{member.name: filled(hints[member.name], (*inside, of)) for member in members})


def filled_generic(origin, parts, inside):
    """The same of a type with parameters."""
    if origin is Literal:
        return parts[0]
    if origin is tuple:
        each = [filled(part, inside) for part in parts if part is not ...]
        return tuple(each) if None not in each else ()
    if origin in (Union, types.UnionType):
        return filled(next(part for part in parts if part is not type(None)), inside)
    if origin is Annotated:
        is_digest = any(getattr(meta, "pattern", None) for meta in parts[1:])
        return DIGEST if is_digest else filled(parts[0], inside)
    assert issubclass(origin, Mapping)
    return {filled(parts[0], inside): filled(parts[1], inside)}


@pytest.fixture(scope="module")
def report():
    """A report with a tool of each verdict of a rule, and with a baseline."""
    one = filled(Report)
    (tool,) = one.tools
    (verdict,) = tool.verdicts
    verdicts = tuple(replace(verdict, verdict=kind) for kind in VerdictKind)
    tools = [replace(tool, verdicts=verdicts, error=""), replace(tool, target=f"{ACTS}2")]
    return replace(one, tools=tuple(tools), totals=totals(tools))


def acting(text):
    """What of a text for a terminal or a log acts there."""
    found = [repr(character) for character in text if character != "\n" and not character.isprintable()]
    return found + re.findall(r"##vso\[|^::error::forged", text, re.MULTILINE)


def acting_in_markdown(text):
    """What of a Markdown text acts, besides: anything outside of code spans that is no table and no heading of ours."""
    outside = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    return acting(text) + re.findall(r"\]\(|://|www\.|@\w|#\d|<\w|</|\*\*bold", outside)


FORMS = [
    "badge",
    "github",
    "github-summary",
    "gitlab",
    "html",
    "json",
    "jsonl",
    "junit",
    "sarif",
    "shields",
    "summary",
]


def test_all_forms_are_tried():
    assert sorted(all_renderers(others=())) == FORMS


@pytest.mark.parametrize("form", FORMS)
def test_no_text_of_a_report_acts_in_a_form_of_it(form, report):
    text = all_renderers(others=())[form].render(report)
    if form == "github-summary":
        assert acting_in_markdown(text) == []
    elif form in ("json", "sarif", "gitlab", "shields"):
        assert text.isascii()
        json.loads(text)
        assert acting(text) == [] or form == "json"
    elif form == "jsonl":
        assert text.isascii()
        assert len([json.loads(line) for line in text.splitlines()]) == len(report.tools) + 1
    else:
        assert acting(text) == []
    if form in ("html", "badge"):
        assert "<script>alert" not in text
        assert 'evil.example"' not in text
    if form == "badge":
        assert "evil" not in text
    if form == "junit":
        assert ET.fromstring(text).tag == "testsuites"


@pytest.mark.parametrize("form", ["gitlab", "sarif"])
def test_no_text_acts_in_what_a_viewer_shows_of_the_json(form, report):
    shown = list(texts_of(json.loads(all_renderers(others=())[form].render(report))))
    assert [text for _, text in shown if acting(text)] == []
    assert [
        text for name, text in shown if name in ("text", "description", "justification") and "](" in text
    ] == []


def texts_of(value, name=""):
    """Every text of a JSON value, with the name of its member."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, list):
        for each in value:
            yield from texts_of(each, name)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from texts_of(each, key)


def test_no_text_acts_in_the_lines_of_a_run(report):
    lines = [
        *summary_lines(report.tools, 80),
        *summary_lines(report.tools, whole=True),
        *finding_lines(report.tools, "--advice", whole=True),
    ]
    assert [line for line in lines if "\n" in line or acting(line)] == []


def test_no_text_acts_in_a_comparison_of_reports(report):
    other = replace(report, tools=(replace(report.tools[0], verdicts=()),))
    for old, new in ((report, other), (other, report)):
        found = changes(old, new)
        assert found
        assert acting(changes_text(old, new, found)) == []
        assert acting_in_markdown(changes_markdown(old, new, found)) == []
        page = changes_html(old, new, found)
        assert acting(page) == []
        assert "<script>alert" not in page


def test_no_text_acts_in_what_is_said_of_a_baseline(report):
    tool = report.tools[0]
    texts = [
        *baseline_lines(filled(BaselineReport), report.tools),
        known_status_text(tool),
        stale_text(tool, tool.stale),
    ]
    assert acting("\n".join([*texts, *map(new_text, tool.verdicts)])) == []


def test_what_acts_is_seen():
    """The tests above can fail."""
    assert len(acting(ACTS)) > 10
    assert len(acting_in_markdown(ACTS)) > 15
    assert acting_in_markdown("`@someone` <b>") == ["<b"]
