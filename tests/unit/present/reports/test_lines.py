"""A report in JSON lines is the report; what was cut or changed is refused; HTML and SARIF are made of it by pages."""

import json
import re
import weakref
from types import SimpleNamespace

import pytest
from tests.unit.present.reports.conftest import SUITE, full_tool

from aptix_conformance.app.cli import main
from aptix_conformance.app.run.output_files import prove, read_outputs
from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import RunReport, ShardReport
from aptix_conformance.present.reports import lines as module
from aptix_conformance.present.reports import make_report, pages, read_report, write_report
from aptix_conformance.present.reports.html import page as page_module


@pytest.fixture
def written(tmp_path, report, monkeypatch):
    """The path of a report of three tools in JSON lines, two of which make a page."""
    monkeypatch.setattr(module, "PAGE", 2)
    write_report(tmp_path / "report.jsonl", report, "jsonl")
    return tmp_path / "report.jsonl"


def test_it_is_read_back_as_it_was_written(written, report):
    assert read_report(written) == report


def test_a_report_without_tools_is_one(tmp_path):
    empty = make_report([], SUITE, RunReport(), None)
    write_report(tmp_path / "report.jsonl", empty, "jsonl")
    assert read_report(tmp_path / "report.jsonl") == empty
    assert list(module.Lines.read(tmp_path / "report.jsonl").pages()) == [empty]


def test_a_page_is_read_without_the_others(written, report):
    """The third line is no JSON any more, and the page of the first two does not have it."""
    data = bytearray(written.read_bytes())
    data[module.Lines.read(written).entries[2].start] = ord("!")
    written.write_bytes(data)
    read = module.Lines.read(written).pages()
    assert next(read).tools == report.tools[:2]
    with pytest.raises(ReportError, match=r"report\.jsonl is malformed in line 3: "):
        next(read)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: b"", "no index in its last line, perhaps because it was cut"),
        (lambda data: data[:-1], "no index in its last line, perhaps because it was cut: the last line does"),
        (lambda data: data[: data.rindex(b"\n", 0, -1) + 1], "no index in its last line"),
        (lambda data: data[: data.index(b"\n") + 1] + data, "does not fit its lines"),
        (lambda data: data.replace(b'"nonconforming": 1', b'"nonconforming": 2'), "do not match its tools"),
        (lambda data: data.replace(b'"tool": "owl"', b'"tool": "elk"', 1), "another tool in line 2"),
        (lambda data: data.replace(b'{"pass": 0', b'{"pass": 9', 1), "do not match its tools"),
        (lambda data: data.replace(b'"seconds": 0.5', b'"seconds": NaN', 1), "NaN is not a JSON number"),
        (
            lambda data: data.replace(b'"seconds": 0.0, ', b'"seconds":1e999,', 1),
            "line 1: 1e999 is too large",
        ),
    ],
    ids=[
        "empty",
        "no end",
        "no index",
        "more lines",
        "status",
        "name",
        "verdicts",
        "no number",
        "large number",
    ],
)
def test_what_is_not_whole_is_refused_in_one_line(written, change, message):
    data = written.read_bytes()
    changed = change(data)
    assert changed != data
    written.write_bytes(changed)
    with pytest.raises(ReportError, match=message) as caught:
        read_report(written)
    assert "\n" not in str(caught.value)


@pytest.fixture
def paged(written, monkeypatch):
    """The commands by pages of two tools; the HTML of a page is canned."""
    monkeypatch.setattr("aptix_conformance.app.commands.report.PAGE", 2)
    shown = {"html": lambda report, _: " ".join(tool.tool for tool in report.tools)}
    monkeypatch.setattr(pages, "PAGED", {**pages.PAGED, **shown})
    return written


def test_html_of_many_tools_is_a_file_for_each_page_and_one_that_links_to_them(paged, tmp_path):
    assert main(["report", "html", str(paged), "-o", str(tmp_path / "all.html")]) == 0
    assert [(tmp_path / f"all-{number}.html").read_text() for number in (1, 2)] == ["ape owl", "zoo"]
    overview = (tmp_path / "all.html").read_text(encoding="ascii")
    assert re.findall(r'<a href="(.*?)">', overview) == ["./all-1.html", "./all-2.html"]
    assert "<script" not in overview


class Followed(SimpleNamespace):
    """A page that a weak reference can follow."""


def test_no_page_is_kept_while_the_next_one_is_read(report, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "PAGED", {"html": lambda _page, _name: ""})
    made, kept = [], []

    def read():
        for _ in range(3):
            kept.extend(each for each in made if each() is not None)
            page = [Followed(tools=report.tools, totals=report.totals)]
            made.append(weakref.ref(page[0]))
            yield page.pop()

    pages.write_pages(SimpleNamespace(pages=read, report=report), "html", tmp_path / "all.html")
    assert (len(made), kept) == (3, [])


def test_the_overview_of_a_shard_counts_its_entries(paged, report, tmp_path):
    shard = ShardReport(1, 2, f"sha256:{'0' * 64}", 3)
    write_report(paged, replace(report, suite=replace(report.suite, shard=shard)), "jsonl")
    assert main(["report", "html", str(paged), "-o", str(tmp_path / "all.html")]) == 0
    assert "This is shard 1 of 2, with 3 entries" in (tmp_path / "all.html").read_text(encoding="ascii")


def test_pages_never_replace_the_report_that_they_are_made_of(paged, capsys):
    before = paged.read_bytes()
    assert main(["report", "html", str(paged), "-o", str(paged)]) == 2
    assert "name another file" in capsys.readouterr().err
    assert paged.read_bytes() == before


def test_each_sarif_file_has_a_category_of_its_own(paged, tmp_path):
    """GitHub replaces the results of a category by those of a further file."""
    assert main(["report", "sarif", str(paged), "-o", str(tmp_path / "all.sarif")]) == 0
    files = [json.loads((tmp_path / f"all-{number}.sarif").read_text()) for number in (1, 2)]
    ids = [each["runs"][0]["automationDetails"]["id"] for each in files]
    assert ids == ["aptix-conformance/page-1/", "aptix-conformance/page-2/"]
    assert not (tmp_path / "all.sarif").exists()


def test_pages_of_an_earlier_report_that_had_more_are_removed(paged, tmp_path):
    """Whoever uploads all-*.sarif would upload results of both; a file that is no page stays."""
    own, earlier = tmp_path / "all-5.sarif", [tmp_path / f"all-{number}.sarif" for number in (3, 4)]
    main(["report", "sarif", str(paged), "-o", str(tmp_path / "all.sarif")])
    for path in earlier:
        path.write_bytes((tmp_path / "all-1.sarif").read_bytes())
    own.write_text("mine, about aptix-conformance")
    assert main(["report", "sarif", str(paged), "-o", str(tmp_path / "all.sarif")]) == 0
    assert sorted(tmp_path.glob("all-*")) == [tmp_path / "all-1.sarif", tmp_path / "all-2.sarif", own]


def test_many_pages_are_not_printed(paged, capsys):
    assert main(["report", "html", str(paged)]) == 2
    assert "has 3 tools, which are several files: name one by -o" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("form", "name", "said"), [("jsonl", "r.txt", "must end"), ("json", "r.jsonl", "must not")]
)
def test_a_name_of_the_other_format_is_refused_before_anything_is_written(
    paged, tmp_path, capsys, form, name, said
):
    """Readers know the format by the name."""
    assert main(["report", form, str(paged), "-o", str(tmp_path / name)]) == 2
    assert f"the name of a report of the format {form} {said} " in capsys.readouterr().err
    with pytest.raises(ReportError, match=said):
        prove(read_outputs([f"{form}={name}"], tmp_path, "--report"))
    assert not (tmp_path / name).exists()


def test_nothing_is_left_of_a_file_that_cannot_be_made(tmp_path, report):
    endless = replace(report, tools=(replace(report.tools[0], seconds=float("inf")),))
    with pytest.raises(ReportError, match="the renderer jsonl failed"):
        write_report(tmp_path / "r.jsonl", endless, "jsonl")
    assert not list(tmp_path.iterdir())


def test_a_name_of_a_tool_or_a_file_is_no_markup(tmp_path):
    hostile = replace(full_tool(), tool='"><script>alert(1)</script>')
    write_report(tmp_path / "report.jsonl", make_report([hostile], SUITE, RunReport(), None), "jsonl")
    (page,) = module.Lines.read(tmp_path / "report.jsonl").pages()
    row = pages._row('a"<b>:c.html', page)
    assert row.count("<script") == 0
    assert 'href="./a%22%3Cb%3E%3Ac.html"' in row
    assert "script-src" not in page_module.tables_page("t", [row], "1")


def test_shards_in_lines_join_to_lines(tmp_path, report):
    """As `report merge` joins those in JSON."""
    for number, tools in ((1, report.tools[:1]), (2, report.tools[1:])):
        shard = ShardReport(number, 2, f"sha256:{'0' * 64}", len(tools))
        half = make_report(tools, replace(report.suite, shard=shard), report.run, report.revision)
        write_report(tmp_path / f"{number}.jsonl", half, "jsonl")
    names = [str(tmp_path / name) for name in ("1.jsonl", "2.jsonl", "whole.jsonl")]
    assert main(["report", "merge", *names[:2], "-o", names[2]]) == 1
    assert read_report(tmp_path / "whole.jsonl").tools == report.tools
