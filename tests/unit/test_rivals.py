"""docs/comparison.md says what `corpus/rivals/results.json` has, and the results are of all programs, on all servers."""

import pytest
from corpus.rivals.page import PAGE, render
from corpus.rivals.programs import PROGRAMS
from corpus.rivals.results import (
    HERE,
    NO_REPORT,
    Examination,
    Finding,
    Measured,
    Pair,
    Results,
    on_fixed,
    read_pairs,
    read_results,
    told_apart,
)

PAIRS = [
    Pair("crash", "https://example.invalid/1", "it ends"),
    Pair("hang", "https://example.invalid/2", "it hangs"),
]


def examination(pair, *kinds, program="ours", faulty=True, ended=True):
    findings = tuple(Finding(kind.removeprefix("~"), not kind.startswith("~")) for kind in kinds)
    return Examination(program, pair, faulty, 1.0, 0.5, findings, ended)


def page(*examinations):
    programs = tuple(Measured(name, "1.0", (f"{name} SERVER",)) for name in ("ours", "other"))
    return render(Results("2026-11-29", "a machine", programs, examinations), PAIRS)


def test_the_page_is_made_of_the_committed_results():
    """Fix: `python -m corpus rivals --page`."""
    assert PAGE.read_text(encoding="utf-8") == render(read_results(), read_pairs())


def test_each_program_has_examined_each_server_once():
    """Fix: `python -m corpus rivals`, after a program, a version or a pair has changed."""
    results = read_results()
    assert [each.name for each in results.programs] == [each.name for each in PROGRAMS]
    assert sorted((each.program, each.pair, each.faulty) for each in results.examinations) == sorted(
        (program.name, pair.name, faulty)
        for program in PROGRAMS
        for pair in read_pairs()
        for faulty in (True, False)
    )


def test_each_program_has_a_report_on_each_fixed_server():
    """Fix: run the command of the program by hand; it cannot examine the server, or its reader fails."""
    assert [
        each
        for each in read_results().examinations
        if not each.faulty and (not each.ended or NO_REPORT in each.findings)
    ] == []


@pytest.mark.parametrize("pair", read_pairs(), ids=lambda pair: pair.name)
def test_a_pair_has_a_public_source_and_a_server(pair):
    assert pair.source.startswith("https://github.com/")
    assert (HERE / "servers" / f"{pair.name}.py").is_file()


def test_the_suite_finds_each_fault_and_no_error_in_a_fixed_server():
    ours, *_ = PROGRAMS
    results = read_results()
    missed = [
        pair.name for pair in read_pairs() if not told_apart(ours.name, pair.name, results.examinations)
    ]
    assert (missed, on_fixed(ours.name, results.examinations, fails=True)) == ([], [])


def test_what_is_also_reported_on_the_fixed_server_is_not_found():
    both = [examination("crash", "always", "crash"), examination("crash", "always", faulty=False)]
    assert told_apart("ours", "crash", both) == (Finding("crash"),)
    assert on_fixed("ours", both, fails=True) == [("crash", Finding("always"))]


def test_the_page_tells_findings_advice_and_hanging_apart():
    text = page(
        examination("crash", "crash"),
        examination("crash", faulty=False),
        examination("hang", ended=False),
        examination("hang", "~slow", faulty=False),
        examination("crash", "~style", program="other"),
        examination("crash", "broken", program="other", faulty=False),
        examination("hang", "hang", program="other"),
        examination("hang", program="other", faulty=False),
    )
    assert "| [it ends](https://example.invalid/1) | found | advice |" in text
    assert "| [it hangs](https://example.invalid/2) | hangs | found |" in text
    assert "| ours | 1.0 | 1 of 2 (0) | 0 (1) | 1.0, 0.5 |" in text
    assert "| other | 1.0 | 2 of 2 (1) | 1 (0) | 1.0, 0.5 |" in text
    assert "\n- it hangs: other\n" in text
    assert "\n- other, errors: broken (1)\n" in text
