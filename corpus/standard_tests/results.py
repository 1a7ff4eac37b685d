"""What langchain-tests says of each tool, `results.json`, and the section of the page that is made of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

HERE: Final = Path(__file__).parent
RESULTS: Final = HERE / "results.json"


class Tested(msgspec.Struct, frozen=True):
    """One tool: its package's name in `frameworks.toml`, the tests that failed with what they raised, and processor seconds."""

    package: str
    tool: str
    tests: int
    failed: dict[str, str]
    cpu: float


class Results(msgspec.Struct, frozen=True):
    """All that `results.json` has."""

    day: str
    version: str
    tools: tuple[Tested, ...]


def read_results() -> Results:
    """The committed results.

    Raises:
        msgspec.ValidationError: the file has another form.
    """
    return msgspec.json.decode(RESULTS.read_bytes(), type=Results)


_HEAD: Final = """## langchain-tests on the same LangChain tools

`python -m corpus standard-tests` installs langchain-tests {version} with the packages of `corpus/frameworks.toml`, and runs its unit tests
and its integration tests on each LangChain tool, with the first example of the tool as the call. Measured on {day}. They make one call
in four ways, and look at the name, the schema and the type of the answer. They send no wrong arguments, cancel nothing and make nothing
fail. The suite's side is in the tables above; it makes some hundred calls for a tool. Processor time includes the start of pytest.
"""


_FALSE: Final = {
    "write_todos": "The tests do not give the id of the call, which an agent injects, and expect a message where the tool returns a Command.",
}
"""Why the failures of a tool are no fault of the tool."""


def section(results: Results) -> Iterator[str]:
    """The lines of the section."""
    yield _HEAD.format(version=results.version, day=results.day)
    yield "| tool | tests | failed | what it raised | processor seconds | false because |"
    yield "|---|---|---|---|---|---|"
    for each in results.tools:
        raised = " ".join(sorted(set(each.failed.values())))
        cells = (each.tool, str(each.tests), " ".join(sorted(each.failed)), raised and f"`{raised}`")
        why = _FALSE.get(each.tool, "") if each.failed else ""
        yield f"| {' | '.join((*cells, f'{each.cpu:.1f}', why))} |"
    yield ""
