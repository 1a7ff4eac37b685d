"""Makes docs/comparison.md of what was measured."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from corpus.rivals.results import HERE, Examination, Measured, Pair, Results, on_fixed, told_apart

PAGE: Final = HERE.parents[1] / "docs" / "comparison.md"
_HEAD: Final = """# How it compares

{count} pairs of small MCP servers, each examined by {programs} programs. One server of a pair has one fault. The other one is the same
server without it. Each fault is the mechanism of a public report, in code of our own. We searched public issue lists for one report of each of
{count} kinds of fault, and fixed the list before any program examined a server. We chose the faults and wrote the servers, and we know
our own rules: expect the suite to do better here than on faults that others choose. Another page shows [real servers](real-servers.md).

`python -m corpus rivals` installs the programs from PyPI and npm, examines all servers, and writes this page from
`corpus/rivals/results.json`; do not edit it. The servers are in `corpus/rivals/servers/`. Measured on {day}, on {machine}. The machine
had other work, so times can only be compared with one another.

- **found**: the program reports something on the faulty server that it does not report on the fixed one. A program that ends with an
  error message and without a report has reported something. In brackets: how many of these are only advice (a warning, a note or a
  SHOULD). We do not ask whether the report explains the fault.
- **on fixed servers**: how many errors it reports on the {count} fixed servers, and in brackets advice. Each kind counts once for a
  server. As far as we know, the fixed servers conform to MCP. The kinds are listed below, so that you can judge them.
- **seconds**: the median for one server, by the clock and of the processor. The processor time of the suite does not include the servers,
  which run in containers.
- **hangs**: the program did not end within ten minutes.
"""
_TAIL: Final = """
## Not compared

- Schemathesis examines APIs that are described by OpenAPI or GraphQL. It does not speak MCP.
- mcp-evidence-validator compares a declaration with calls that somebody has recorded. It makes no calls.
- langchain-tests examines LangChain tools by a test class that their author writes. It does not speak MCP.
- Suites of assertions (mcp-assert, mcp-rig) are written for one server by its author, who says what is right. They can find each of
  these faults once somebody has thought of it.
"""


def render(results: Results, pairs: Sequence[Pair]) -> str:
    """The page, in Markdown."""
    head = _HEAD.format(
        count=len(pairs), programs=len(results.programs), day=results.day, machine=results.machine
    )
    return "\n".join(
        [
            head,
            "| program | version | found | on fixed servers | seconds |",
            "|---|---|---|---|---|",
            *(_row(program, results.examinations, pairs) for program in results.programs),
            "",
            "## Fault by fault",
            "",
            *_matrix(results, pairs),
            "",
            "## Where another program finds what the suite misses",
            "",
            *(_missed(results, pairs) or ["Nowhere in these pairs."]),
            "",
            "## What is reported on the fixed servers",
            "",
            *(line for program in results.programs for line in _invented(program, results.examinations)),
            "",
            "## The commands",
            "",
            "SERVER and WORDS stand for the command of the server, CALL for a call of its tool, OUT for an empty folder.",
            "",
            *(line for program in results.programs for line in _commands(program)),
            _TAIL,
        ]
    )


def _row(program: Measured, examinations: Sequence[Examination], pairs: Sequence[Pair]) -> str:
    found = [told_apart(program.name, pair.name, examinations) for pair in pairs]
    seen = sum(map(bool, found))
    advice = sum(bool(each) and not any(finding.fails for finding in each) for each in found)
    failing, advised = (len(on_fixed(program.name, examinations, fails=fails)) for fails in (True, False))
    mine = [each for each in examinations if each.program == program.name]
    wall, cpu = median(each.wall for each in mine), median(each.cpu for each in mine)
    cells = f"{seen} of {len(pairs)} ({advice})", f"{failing} ({advised})", f"{wall:.1f}, {cpu:.1f}"
    return f"| {program.name} | {program.version} | {' | '.join(cells)} |"


def _matrix(results: Results, pairs: Sequence[Pair]) -> Iterator[str]:
    """A row for each fault. The programs have numbers, since their names are longer than the cells."""
    numbers = range(1, len(results.programs) + 1)
    named = (f"{number} {program.name}" for number, program in zip(numbers, results.programs, strict=True))
    yield f"{', '.join(named)}."
    yield ""
    yield f"| fault | {' | '.join(map(str, numbers))} |"
    yield "|---" * (len(results.programs) + 1) + "|"
    for pair in pairs:
        cells = " | ".join(
            _cell(program.name, pair.name, results.examinations) for program in results.programs
        )
        yield f"| [{pair.what}]({pair.source}) | {cells} |"


def _cell(program: str, pair: str, examinations: Sequence[Examination]) -> str:
    found = told_apart(program, pair, examinations)
    if found:
        return "found" if any(finding.fails for finding in found) else "advice"
    mine = (each for each in examinations if (each.program, each.pair) == (program, pair) and each.faulty)
    return "no" if all(each.ended for each in mine) else "hangs"


def _missed(results: Results, pairs: Sequence[Pair]) -> list[str]:
    """A line for each fault that another program finds and the suite's first row does not."""
    ours, *others = (program.name for program in results.programs)
    lines = []
    for pair in pairs:
        if told_apart(ours, pair.name, results.examinations):
            continue
        finders = [name for name in others if told_apart(name, pair.name, results.examinations)]
        if finders:
            lines.append(f"- {pair.what}: {', '.join(finders)}")
    return lines


def _invented(program: Measured, examinations: Sequence[Examination]) -> Iterator[str]:
    for fails, word in ((True, "errors"), (False, "advice")):
        kinds = Counter(
            finding.kind for _, finding in on_fixed(program.name, examinations, fails=fails)
        ).most_common()
        if kinds:
            yield f"- {program.name}, {word}: {', '.join(f'{kind} ({count})' for kind, count in kinds)}"


def _commands(program: Measured) -> Iterator[str]:
    yield f"- {program.name}{f': {program.note}' if program.note else ''}"
    yield from (f"  - `{command}`" for command in program.commands)
