"""Gathers the evidence in the files of a checkout."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from aptix_conformance.core.errors import ContractDataError
from aptix_conformance.present.evidence import Evidence, Example

from .checkout import Checkout
from .counterpart import counterpart
from .fixtures import Fixture, by_rule, read_fixtures
from .markers import read_marks


def gather(checkout: Checkout) -> Evidence:
    """The evidence in the files of a checkout. Nothing is run: failure texts come from the golden matrix.

    Raises:
        ContractDataError: a fixture, a marker or the matrix is malformed.
    """
    tests: dict[str, list[str]] = {}
    for mark in read_marks(checkout.tests):
        tests.setdefault(mark.clause, []).append(mark.test)
    fixtures = by_rule(read_fixtures(checkout.fixtures))
    failures = _failures(checkout.findings)
    return Evidence(
        tests={clause: tuple(found) for clause, found in tests.items()},
        fixtures={code: tuple(fixture.name for fixture in some) for code, some in fixtures.items()},
        examples=_Examples(fixtures, failures),
    )


class _Examples(Mapping[str, Example]):
    """The examples by the code of their rule, each made when it is asked for: most commands show one or none."""

    def __init__(
        self, fixtures: Mapping[str, tuple[Fixture, ...]], failures: Mapping[str, Mapping[str, str]]
    ) -> None:
        self._fixtures = fixtures
        self._failures = failures

    def __getitem__(self, code: str) -> Example:
        return _example(self._fixtures[code], self._failures)

    def __iter__(self) -> Iterator[str]:
        return iter(self._fixtures)

    def __len__(self) -> int:
        return len(self._fixtures)


def _example(fixtures: Iterable[Fixture], failures: Mapping[str, Mapping[str, str]]) -> Example:
    """The nonconforming tool of a rule to show: prefers one with a failure text, then one of Aptix, then one in Python, of whose twin parts can be shown, then the shortest."""

    def failure(fixture: Fixture) -> str:
        return failures.get(fixture.name, {}).get(fixture.rule, "")

    def order(fixture: Fixture) -> tuple[bool, bool, bool, int, str]:
        is_in_python = fixture.path.endswith(".py")
        length = len(fixture.source.splitlines())
        return not failure(fixture), "/" in fixture.name, not is_in_python, length, fixture.name

    fixture = min(fixtures, key=order)
    form, text = counterpart(fixture.source, fixture.twin_source, fixture.twin_bases)
    return Example(
        name=fixture.name,
        says=fixture.says,
        path=fixture.path,
        source=fixture.source,
        twin=fixture.twin,
        counterpart_form=form,
        counterpart=text,
        failure=failure(fixture),
    )


def _failures(path: Path) -> dict[str, dict[str, str]]:
    """The failure texts of the matrix: by the name of a nonconforming tool, then by the code of a rule."""
    if not path.is_file():
        return {}
    try:
        stored: dict[str, dict[str, list[str]]] = json.loads(path.read_text(encoding="utf-8"))
        return {
            _named(title): {code: "\n".join(lines) for code, lines in found.items()}
            for title, found in stored.items()
            if "nonconforming" in title
        }
    except (ValueError, AttributeError, TypeError) as error:
        raise ContractDataError(
            f"{path} is malformed ({error}); rebuild it with `python -m tests.acceptance.matrix --write`"
        ) from error


def _named(title: str) -> str:
    """The name of the fixture that a title of the matrix is about: `amplifier/nonconforming/AMP003_returns_true`."""
    collection, _, name = title.partition(":")[0].rpartition("/")
    system = collection.replace("nonconforming", "").strip("/-_ ")
    return f"{system}/{name}" if system else name
