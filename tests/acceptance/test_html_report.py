"""The HTML report in a real browser: Debian's Chromium, driven by Playwright, from a file and without a network."""

import datetime
import importlib.util
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, sync_playwright
from tests.pages import read_page

from aptix_conformance.core.model import Change, Kind, Outcome, Stimulus
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import (
    CallReport,
    DeclaredReport,
    FindingReport,
    KnownReport,
    ResultReport,
    StepReport,
    UnreachedReport,
    VerdictReport,
)
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import failed_target_report, make_report
from aptix_conformance.present.reports.html import changes_html, render
from aptix_conformance.present.reports.report_changes import changes

CHECKOUT = Path(__file__).parents[2]
LARGE = CHECKOUT / "benchmarks" / "programs" / "large_report.py"
VIEWS = ("", "#/rules", "#/rule/ARG002", "#/clause/TUL-011.3.4", "#/tool/{tool}", "#/tool/{tool}/{rule}")
MARKUP = "</script><img src=x onerror=\"document.title='taken'\"><b>bold</b>"
HIDDEN = "in\N{RIGHT-TO-LEFT OVERRIDE}visible\0\x1b[2J\ud800\N{ZERO WIDTH SPACE}\N{HANGUL FILLER}"
MOST_ELEMENTS = 10_000
MOST_BYTES = 8_000_000


def large_report(tools):
    """The report that the benchmarks measure, on so many tools."""
    spec = importlib.util.spec_from_file_location("large_report", LARGE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.large_report(tools)


@pytest.fixture(scope="module")
def report():
    """Thirty generated tools, one that waives a rule, one that could not be loaded."""
    made = large_report(30)
    waiving = made.tools[0]
    verdicts = (
        replace(waiving.verdicts[0], verdict=VerdictKind.WAIVED, reason="waived by Ann"),
        *waiving.verdicts[1:],
    )
    broken = failed_target_report("zoo.tools:Zebra", "amplifier", "amplifier-1.0", "no such module")
    return make_report([replace(waiving, verdicts=verdicts), *made.tools[1:], broken], made.suite, made.run)


@pytest.fixture(scope="module")
def first(report):
    """A tool, and a MUST that it breaks: the first in the order of the matrix."""

    def worst(tool):
        kinds = ("blocks", "is_advice")
        inconclusive = sum(verdict.verdict is VerdictKind.INCONCLUSIVE for verdict in tool.verdicts)
        return *(sum(getattr(verdict, kind) for verdict in tool.verdicts) for kind in kinds), inconclusive

    tool = max(report.tools, key=worst)
    return tool, next(verdict for verdict in tool.verdicts if verdict.blocks)


@pytest.fixture(scope="module")
def browser():
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    assert executable, "Debian's package chromium is needed"
    with sync_playwright() as playwright:
        # As root, as in a container, Chromium has no sandbox.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def file(report, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render(report), encoding="ascii")
    return path


@pytest.fixture
def opened(browser, file):
    """Opens a page at an address of a report; whatever it loads, logs as an error or raises fails the test."""
    faults, contexts = [], []

    def open_page(address="", file=file, *, is_a_report=True, **options):
        context = browser.new_context(viewport={"width": 1440, "height": 900}, **options)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: request.url.startswith("file:") or faults.append(request.url))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: message.type == "error" and faults.append(message.text))
        page.goto(f"{file.as_uri()}{address}")
        if is_a_report and options.get("java_script_enabled", True):
            page.wait_for_selector("html[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


def rows(page):
    """The names of the tools in the visible part of the matrix."""
    return [name.strip() for name in page.locator(".body .tool-name").all_inner_texts()]


def cells(page):
    """The classes and the sign of each cell in the visible part of the matrix."""
    return page.evaluate(
        "[...document.querySelectorAll('.body .cell')].map((cell) => [[...cell.classList], cell.innerText])"
    )


def elements(page):
    return page.evaluate("document.querySelectorAll('*').length")


def addressed(view, first):
    tool, verdict = first
    return view.format(tool=tool.tool, rule=verdict.rule)


# ---- the matrix


def test_the_matrix_has_a_row_for_each_tool_and_says_how_many_there_are(opened, report):
    page = opened()
    grid = page.get_by_role("grid")
    assert grid.get_attribute("aria-rowcount") == str(len(report.tools) + 1)
    assert grid.get_attribute("aria-colcount") == str(len(report.tools[0].verdicts) + 1)
    assert set(rows(page)) <= {tool.tool for tool in report.tools}
    count = len(report.tools[0].verdicts)
    assert page.get_by_role("status").inner_text() == f"31 of 31 tools, {count} of {count} rules"


def test_the_totals_are_the_reports_and_filter_by_status(opened, report):
    page = opened()
    labels = [text.split()[-1] for text in page.locator(".tile .label").all_inner_texts()]
    values = map(int, page.locator(".tile .value").all_inner_texts())
    assert dict(zip(labels, values, strict=True)) == report.totals.tools
    page.locator(".tile.inconclusive").click()
    assert page.locator(".tile.inconclusive").get_attribute("aria-pressed") == "true"
    wanted = {tool.tool for tool in report.tools if tool.status == "incomplete"}
    assert set(rows(page)) == wanted
    assert "status=incomplete" in page.url


def test_the_first_screen_leads_with_what_to_fix(opened, report):
    """By rule, that of the most tools first, with a tool, what it did, the call and the fix."""
    page = opened()
    broken = Counter(
        verdict.rule
        for tool in report.tools
        for verdict in tool.verdicts
        if verdict.blocks and not verdict.follows_from
    )
    shown = page.locator(".to-do ol > li:not(:has(> .more))")
    assert shown.count() == 3
    most = max(broken.values())
    code = shown.first.locator("b").inner_text()
    assert broken[code] == most
    words = shown.first.inner_text()
    assert (" others: " if most > 2 else " 1 other: " if most == 2 else ": ") in words
    assert "\nSent " in words
    assert "\nFix " in words
    shown.first.locator("a").first.click()
    assert f"/{code}" in page.url


def test_what_has_no_verdict_says_why_on_the_first_screen(opened):
    assert "zoo.tools:Zebra: no such module" in opened().locator(".to-do ul").inner_text()


def test_broken_rules_have_the_first_columns(opened, report):
    page = opened()
    broken = {
        verdict.rule
        for tool in report.tools
        for verdict in tool.verdicts
        if verdict.verdict is VerdictKind.FAIL
    }
    first = page.locator('.head .rule[aria-colindex="2"]').get_attribute("aria-label")
    assert first.split()[0] in broken
    last = len(report.tools[0].verdicts) + 1
    page.get_by_role("grid").focus()
    page.keyboard.press("End")
    assert (
        page.locator(f'.head .rule[aria-colindex="{last}"]').get_attribute("aria-label").split()[0]
        not in broken
    )


def test_a_server_that_only_its_sdk_breaks_is_no_failure_and_names_it(opened, report, tmp_path):
    tool = report.tools[1]
    verdicts = tuple(
        replace(verdict, verdict=VerdictKind.FAIL if verdict.rule == "ARG001" else VerdictKind.PASS)
        for verdict in tool.verdicts
    )
    server = replace(
        tool,
        tool="srv",
        target="srv",
        kind="server",
        status="nonconforming",
        verdicts=verdicts,
        inherited={"ARG001": "mcp 1.30.0"},
    )
    path = tmp_path / "report.html"
    path.write_text(render(make_report([server], report.suite, report.run)), encoding="ascii")
    page = opened(file=path)
    words = page.locator(".to-do").inner_text()
    assert "No tool breaks a MUST of its own" in words
    assert "mcp 1.30.0: ARG001" in words
    assert page.locator(".tile.fail .value").inner_text() == "0"
    assert page.locator(".tile.advice").inner_text().split() == [
        "1",
        "!",
        *["nonconforming", "by", "its", "SDK", "alone"],
    ]


@pytest.mark.parametrize(
    ("label", "choice", "kept"),
    [
        ("Status", "nonconforming", lambda tool, verdict: tool.status == "nonconforming"),
        ("System", "aptix", lambda tool, verdict: tool.system == "aptix"),
        ("Level", "SHOULD", lambda tool, verdict: verdict.level is Level.SHOULD),
        ("Area", "CAN", lambda tool, verdict: verdict.rule.startswith("CAN")),
        ("Verdict", "waived", lambda tool, verdict: verdict.verdict is VerdictKind.WAIVED),
        ("Verdict", "fail", lambda tool, verdict: verdict.verdict is VerdictKind.FAIL),
        ("Rule", "exc00 MALFORMED", lambda tool, verdict: False),
        ("Rule", "arg002", lambda tool, verdict: verdict.rule == "ARG002"),
        ("Tool", "AGENT_0007", lambda tool, verdict: tool.tool.startswith("agent_0007")),
    ],
)
def test_a_filter_leaves_the_tools_and_rules_that_it_is_for(opened, report, label, choice, kept):
    page = opened()
    field = page.get_by_label(label, exact=True)
    if field.evaluate("element => element.tagName") == "SELECT":
        field.select_option(choice)
    else:
        field.fill(choice)
    pairs = [(tool, verdict) for tool in report.tools for verdict in tool.verdicts if kept(tool, verdict)]
    tools, rules = {tool.tool for tool, _ in pairs}, {verdict.rule for _, verdict in pairs}
    count = len(report.tools[0].verdicts)
    said = f"{len(tools)} of 31 tools, {len(rules)} of {count} rules"
    assert page.get_by_role("status").inner_text() == said
    assert set(rows(page)) <= tools
    page.reload()  # the address holds the choice
    page.wait_for_selector("html[data-ready]")
    assert page.get_by_role("status").inner_text().startswith(f"{len(tools)} of 31 tools")
    page.get_by_role("button", name="Reset").click()
    assert page.get_by_role("status").inner_text().startswith("31 of 31 tools")


def test_a_hidden_verdict_cannot_be_opened(opened, report):
    page = opened("#/?verdict=fail&sort=name")
    kinds = {name for names, _ in cells(page) for name in names}
    assert kinds <= {"cell", "fail", "advice", "none", "first"}
    page.locator(".body .cell.none").first.click()
    assert "#/?" in page.url


def test_every_mark_is_a_sign_and_a_label_never_a_colour_alone(opened):
    page = opened()
    found = {(names[1], sign) for names, sign in cells(page) if "none" not in names}
    assert len(found) > 2
    assert len({sign for _, sign in found}) == len(found)
    assert page.locator(".body .cell.fail").first.get_attribute("aria-label").endswith("fail, MUST")


def test_back_returns_to_the_matrix_as_it_was_left(opened):
    page = opened("#/?level=MUST")
    page.locator(".body .cell.fail").first.click()
    page.wait_for_selector("article h1")
    page.go_back()
    page.wait_for_selector("#matrix")
    assert page.get_by_label("Level", exact=True).input_value() == "MUST"
    assert page.evaluate("document.activeElement.id") == "matrix"


# ---- the keyboard


def test_the_whole_way_to_a_finding_and_back_works_without_a_mouse(opened, first):
    tool, verdict = first
    page = opened()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "matrix":
            break
    page.keyboard.press("Control+Home")
    assert page.evaluate("document.getElementById('cursor').innerText").startswith("\N{MULTIPLICATION X}")
    column = [cell.rule for cell in sorted(tool.verdicts, key=lambda cell: order(page, cell.rule))].index(
        verdict.rule
    )
    for _ in range(column + 1):
        page.keyboard.press("ArrowRight")
    cursor = page.locator("#cursor")
    assert cursor.get_attribute("aria-label") == f"{verdict.rule} fail, {verdict.level}"
    assert page.get_by_role("grid").get_attribute("aria-activedescendant") == "cursor"
    assert cursor.bounding_box()["x"] + cursor.bounding_box()["width"] <= 1440
    page.keyboard.press("Enter")
    page.wait_for_selector("article h1")
    assert page.evaluate("document.activeElement.tagName") == "H1"
    assert page.locator("h1").inner_text() == f"{verdict.rule} {verdict.name}"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")  # the first link of the trail
    page.wait_for_selector("#matrix")
    assert page.locator("#cursor").get_attribute("aria-label") == f"{verdict.rule} fail, {verdict.level}"


def order(page, rule):
    """The place of a rule in the order of the page."""
    if not hasattr(page, "codes"):
        page.codes = page.evaluate(
            """async () => {
              const text = atob(document.getElementById("overview-data").textContent);
              const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
              const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
              const { rules, tools, cells } = await new Response(stream).json();
              const isBroken = (number) => tools.some((tool) => cells[tool.cells[number]]?.verdict === "fail");
              const order = [...rules.keys()];
              return [...order.filter(isBroken), ...order.filter((number) => !isBroken(number))].map((number) => rules[number].code);
            }"""
        )
    return page.codes.index(rule)


def test_the_cursor_reaches_every_corner_and_stays_in_the_matrix(opened, report):
    page = opened("#/?sort=name")
    grid = page.get_by_role("grid")
    grid.focus()
    page.keyboard.press("Control+End")
    assert page.locator("#cursor").get_attribute("aria-colindex") == str(len(report.tools[0].verdicts) + 1)
    assert page.locator(".row:has(> #cursor)").get_attribute("aria-rowindex") == "32"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("PageDown")
    assert page.locator(".row:has(> #cursor)").get_attribute("aria-rowindex") == "32"
    page.keyboard.press("Home")
    assert page.locator("#cursor").get_attribute("role") == "rowheader"
    for _ in range(9):
        page.keyboard.press("PageUp")
    page.keyboard.press("ArrowUp")
    assert page.locator("#cursor").get_attribute("role") == "columnheader"


# ---- what is behind a cell


def test_a_finding_has_what_the_contract_says_and_what_the_suite_and_the_tool_did(opened, first):
    tool, verdict = first
    page = opened(addressed("#/tool/{tool}/{rule}", first))
    text = page.locator("article").inner_text()
    call = verdict.finding.call
    for wanted in (
        verdict.reason,
        call.plan.arguments,
        call.suite,
        call.result.payload,
        verdict.finding.replay,
        *verdict.clauses,
    ):
        assert wanted in text
    assert "How to fix it" in text
    page.get_by_text("the context").click()
    assert call.plan.context["user"]["id"] in page.locator("article").inner_text()
    page.locator(".clauses a").first.click()
    page.wait_for_selector("p.clause")
    page.get_by_role("link", name=verdict.rule).click()
    page.wait_for_selector("text=A tool that breaks it")
    assert page.get_by_role("heading", name="In this report").is_visible()
    assert tool.tool in page.locator(".tools").first.inner_text()


def test_a_tool_has_its_schema_what_was_tried_and_what_was_left_out(opened, first):
    tool, _ = first
    page = opened(addressed("#/tool/{tool}", first))
    text = page.locator("article").inner_text()
    wanted = [tool.target, tool.source.file, tool.schema_fingerprint, tool.declared.usage_text]
    wanted += [site.at for site in tool.examined.fault_sites] + [
        place.at for place in tool.examined.suspensions
    ]
    wanted += [shortfall.reason for shortfall in tool.shortfalls] + list(
        tool.examined.fault_sites_out_of_reach
    )
    wanted += [*tool.declared.schema["parameters"]["properties"], "Asia/Kathmandu"]
    assert [part for part in wanted if part not in text] == []


def test_a_tool_that_was_not_examined_says_why(opened):
    page = opened("#/tool/zoo.tools%3AZebra")
    assert "no such module" in page.locator(".box").inner_text()
    assert "No rule judged this tool." in page.locator("article").inner_text()


@pytest.mark.parametrize(
    "address",
    ["#/tool/nobody", "#/rule/NIL001", "#/clause/NIL", "#/else/where", "#/tool/%E0", "#/rule/__proto__"],
)
def test_an_address_of_nothing_says_so(opened, address):
    assert opened(address).locator("h1").inner_text() == "There is nothing here"


def test_the_list_of_rules_begins_with_the_most_broken(opened, report):
    page = opened("#/rules")
    cells = page.locator("tbody tr td:nth-child(2)").all_inner_texts()
    numbers = [int(cell.replace(",", "")) for cell in cells]
    assert len(numbers) == len(report.tools[0].verdicts)
    assert numbers == sorted(numbers, reverse=True)
    fails = sum(verdict.verdict is VerdictKind.FAIL for tool in report.tools for verdict in tool.verdicts)
    assert sum(numbers) == fails


@pytest.mark.parametrize(
    ("expired", "said"), [(False, "knows it until 2099-01-31"), (True, "knew it until 2099-01-31")]
)
def test_a_finding_says_what_the_baseline_knows_of_it(opened, report, first, tmp_path, expired, said):
    tool, verdict = first
    known = KnownReport("issue 12", datetime.date(2099, 1, 31), expired)
    marked = replace(verdict, finding=replace(verdict.finding, known=known))
    made = make_report([replace(tool, verdicts=(marked,))], report.suite, report.run)
    path = tmp_path / "report.html"
    path.write_text(render(made), encoding="ascii")
    page = opened(addressed("#/tool/{tool}/{rule}", first), file=path)
    assert f"{said}: issue 12" in page.locator("article").inner_text()


# ---- hostile texts


@pytest.fixture(scope="module")
def hostile_file(report, tmp_path_factory):
    """A report whose every text is markup, hidden characters, or the name of something in JavaScript."""
    text = f"{MARKUP} {HIDDEN}"
    plan = Stimulus("valid", Change(Kind.GENERATED), text * 2_000, {text: text})
    result = ResultReport(
        text, is_invoke_result=False, payload="\N{RIGHT-TO-LEFT OVERRIDE}a" * 10_000, error_message=text
    )
    call = CallReport(plan=plan, label=text, outcome=Outcome.RETURNED, result=result, suite=text)
    finding = FindingReport(
        text,
        call,
        (plan,),
        reproduced=False,
        replay=f"aptix-conformance replay '{text}'",
        known=KnownReport(text),
    )
    rules = ("ARG002", "__proto__", "a/b?c#d", text)
    verdicts = tuple(
        VerdictReport(
            code,
            text,
            Level.MUST,
            (text, "constructor"),
            VerdictKind.FAIL,
            1,
            text,
            finding,
            masked_by=("toString",),
        )
        for code in rules
    )
    tool = replace(
        report.tools[5],
        verdicts=verdicts,
        target=text,
        edition=text,
        declared=DeclaredReport({"__proto__": {text: text}}, text * 500, {text: text}),
        steps=(StepReport(text, 1, 1.0),),
        unreached=UnreachedReport(text, text, text, text),
    )
    names = (text, text, "", " ", "constructor", "a~2", "a", "a", "../..#/rules")
    tools = [replace(tool, tool=name, status="nonconforming") for name in names]
    made = make_report([*tools, failed_target_report(text, text, text, text)], report.suite, report.run)
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    path.write_text(render(replace(made, unneeded_waivers=(text,))), encoding="ascii")
    return path


def test_hostile_texts_are_shown_as_texts_on_every_page(opened, hostile_file):
    page = opened(file=hostile_file)
    many = page.locator(".body [role=rowheader]").count()
    assert many == 10
    for number in range(many):
        page.goto(f"{hostile_file.as_uri()}#/?sort=name")
        page.wait_for_selector("#matrix")
        page.locator(".body [role=rowheader]").nth(number).click()
        page.wait_for_selector("article h1")
        harmless(page)
        assert page.locator("h1").inner_text() != "There is nothing here"
        for link in page.evaluate("[...document.querySelectorAll('tbody th a')].map((link) => link.hash)"):
            page.evaluate("address => { location.hash = address; }", link)
            page.wait_for_selector("h2:has-text('What shows it')")
            harmless(page)


def test_a_hidden_character_is_shown_with_its_code(opened, hostile_file):
    page = opened("#/tool/a", file=hostile_file)
    boxes = page.locator(".box .hidden-character").all()
    assert [box.inner_text() for box in boxes[:6]] == [
        "\\u202e",
        "\\x00",
        "\\x1b",
        "\\ud800",
        "\\u200b",
        "\\u3164",
    ]
    assert boxes[0].get_attribute("title") == "U+202E, changes the direction of text"


def test_equal_names_have_pages_of_their_own(opened, hostile_file):
    """The second tool `a` is not the tool `a~2`."""
    assert opened("#/tool/a~2", file=hostile_file).locator("h1").inner_text() == "a"
    assert opened("#/tool/a%7E2", file=hostile_file).locator("h1").inner_text() == "a~2"


def test_a_command_with_hidden_characters_cannot_be_copied(opened, hostile_file, first):
    """What is pasted into a shell is what was read."""
    assert opened("#/tool/a/ARG002", file=hostile_file).locator(".copy").count() == 0
    assert opened(addressed("#/tool/{tool}/{rule}", first)).locator(".copy").count() == 1


def harmless(page):
    """Nothing of a text became an element, and no raw character of it is in the page."""
    assert page.locator("img, article b").count() == 0
    assert page.title() != "taken"
    assert elements(page) <= MOST_ELEMENTS
    shown = page.evaluate("document.body.innerText")
    assert not set("\N{RIGHT-TO-LEFT OVERRIDE}\0\x1b\ud800\N{ZERO WIDTH SPACE}\N{HANGUL FILLER}") & set(shown)


def test_the_policy_refuses_a_script_that_gets_into_the_page(browser, file, tmp_path):
    injected = tmp_path / "injected.html"
    text = file.read_text(encoding="ascii")
    script = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"
    injected.write_text(text.replace("<main", f"{script}<main"), encoding="ascii")
    page = browser.new_page()
    page.goto(injected.as_uri())
    page.wait_for_selector("html[data-ready]")
    assert page.title() == "Tools and rules \N{EN DASH} Conformance report"
    with pytest.raises(Error, match="TrustedHTML"):
        page.evaluate("document.getElementById('main').innerHTML = '<b>x</b>'")
    page.close()


# ---- for everybody


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(opened, first, view, scheme):
    page = opened(addressed(view, first), color_scheme=scheme, bypass_csp=True)
    found = Axe().run(page)
    assert [
        (problem["id"], [node["html"][:200] for node in problem["nodes"]])
        for problem in found.response["violations"]
    ] == []


@pytest.fixture(scope="module")
def changes_file(report, tmp_path_factory):
    """What changed between a report whose every second tool conforms, of an older suite, and the report; a hostile tool is new."""
    calm = [
        replace(tool, verdicts=tool.verdicts[:1], status="conforming") if number % 2 else tool
        for number, tool in enumerate(report.tools)
    ]
    old = make_report(calm, replace(report.suite, version="0.9", seed=3), report.run)
    hostile = failed_target_report(MARKUP * 9, "aptix", HIDDEN, MARKUP + HIDDEN)
    new = make_report([*report.tools, hostile], report.suite, report.run)
    path = tmp_path_factory.mktemp("changes") / "changes.html"
    path.write_text(changes_html(old, new, changes(old, new)), encoding="ascii")
    return path


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 400)])
def test_the_page_of_changes_is_for_everybody(opened, changes_file, scheme, width):
    """In both schemes axe finds nothing, no level breaks in two, and nothing is outside of a wide window."""
    page = opened(file=changes_file, java_script_enabled=False, color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    assert page.locator("img, td b").count() == 0
    levels = page.locator("tbody td:nth-of-type(3)")
    assert {"MUST", "SHOULD"} <= set(levels.all_inner_texts())
    lines = """cells => cells.map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return range.getClientRects().length;
    })"""
    assert max(levels.evaluate_all(lines)) == 1
    if width == 1280:
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    checked = opened(file=changes_file, color_scheme=scheme, bypass_csp=True, is_a_report=False)
    checked.set_viewport_size({"width": width, "height": 900})
    assert Axe().run(checked).response["violations"] == []


def test_without_scripts_there_is_a_summary(opened, report, first):
    page = opened(java_script_enabled=False)
    text = page.locator("main").inner_text()
    assert f"{len(report.tools)} tools" in text
    assert [tool.tool for tool in report.tools if tool.tool not in text] == []
    assert first[1].reason in text


def test_a_print_lists_every_tool_that_is_chosen_with_its_broken_rules(opened, report):
    page = opened("#/?status=nonconforming")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    head, *lines = page.locator(".printed").inner_text().splitlines()
    assert head.split("\t") == ["Tool", "Status", "MUST broken", "Other rules broken", "Inconclusive"]
    printed = {name: set(codes.split()) for name, _, codes, *_ in (line.split("\t") for line in lines)}
    assert printed == {
        tool.tool: {verdict.rule for verdict in tool.verdicts if verdict.blocks}
        for tool in report.tools
        if tool.status == "nonconforming"
    }
    assert not page.locator("#matrix").is_visible()
    assert len(page.pdf()) > 10_000
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".printed").count() == 0


@pytest.mark.parametrize("size", [(3840, 2160), (400, 800)])
def test_a_thousand_tools_have_few_elements_and_a_small_file(opened, tmp_path_factory, size):
    path, large = tmp_path_factory.getbasetemp() / "large.html", large_report(1_000)
    if not path.exists():
        path.write_text(render(large), encoding="ascii")
    assert path.stat().st_size < MOST_BYTES
    page = opened(file=path)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    grid = page.get_by_role("grid")
    assert grid.get_attribute("aria-rowcount") == "1001"
    grid.focus()
    page.keyboard.press("Control+End")
    assert page.locator("#cursor").get_attribute("aria-colindex") == str(len(large.tools[0].verdicts) + 1)
    assert page.locator(".row:has(> #cursor)").get_attribute("aria-rowindex") == "1001"
    assert 300 < elements(page) <= MOST_ELEMENTS


def test_the_commands_of_the_page_on_it_make_a_report(tmp_path, opened):
    """docs/html-report.md, typed as it is written with fewer examples."""
    with_the_run, later = read_page("docs/html-report.md").commands()
    shutil.copy(CHECKOUT / "tests" / "tools" / "weather.py", tmp_path)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.aptix-conformance]\ntools = ["weather"]\n', encoding="utf-8"
    )
    modules = {"pytest": "pytest", "aptix-conformance": "aptix_conformance"}
    for (program, *words), more in ((with_the_run, ["--aptix-examples=2"]), (later, [])):
        command = [sys.executable, "-m", modules[program], *words, *more]
        environment = {
            name: value for name, value in os.environ.items() if name != "CI"
        }  # there, a lock is demanded
        subprocess.run(command, cwd=tmp_path, env=environment, check=True)
        page = opened(file=tmp_path / "report.html")
        assert rows(page) == ["agent_weather"]
        (tmp_path / "report.html").unlink()
