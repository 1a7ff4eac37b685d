"""The evidence as one record: gathered in a checkout, read from `evidence.json` where the suite is installed."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from aptix_conformance.errors import ContractDataError
from aptix_conformance.evidence.checkout import Checkout, checkout_around
from aptix_conformance.evidence.counterpart import Form, counterpart
from aptix_conformance.evidence.fixtures import Fixture, by_rule, read_fixtures
from aptix_conformance.evidence.markers import read_marks

_BUILT: Final = Path(__file__).with_name("evidence.json")
"""The evidence in a wheel; a checkout has no such file."""


@dataclass(frozen=True, slots=True)
class Example:
    """A nonconforming tool as the page of its rule shows it. Paths are relative to the folder of the fixtures."""

    name: str
    says: str
    path: str
    source: str
    twin: str
    counterpart_form: Form
    counterpart: str
    """The text of the twin to show; empty where every form is too long."""
    failure: str
    """The failure text of its examination, from the golden matrix; empty where the matrix has none."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Node ids of tests by clause, names of nonconforming tools by rule, and an example for each such rule."""

    tests: Mapping[str, tuple[str, ...]]
    fixtures: Mapping[str, tuple[str, ...]]
    examples: Mapping[str, Example]


def find_evidence(directory: Path) -> Evidence:
    """The evidence of the checkout that contains `directory`; without a checkout, that of the installed suite.

    An editable install has no evidence of its own: its checkout is read.

    Raises:
        ContractDataError: there is no evidence, or it is malformed.
    """
    checkout = checkout_around(directory)
    if checkout is None and _BUILT.is_file():
        return _parse(_BUILT.read_text(encoding="utf-8"))
    checkout = checkout or checkout_around(Path(__file__).parent)
    if checkout is None:
        raise ContractDataError(f"{_BUILT} is missing; reinstall the package from a wheel or a checkout")
    return gather(checkout)


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


def text_of(evidence: Evidence) -> str:
    """The evidence as `evidence.json` holds it."""
    made = replace(evidence, examples=dict(evidence.examples))
    return json.dumps(asdict(made), ensure_ascii=True) + "\n"


def _parse(text: str) -> Evidence:
    try:
        data: dict[str, dict[str, Any]] = json.loads(text)
        return Evidence(
            tests={clause: tuple(tests) for clause, tests in data["tests"].items()},
            fixtures={code: tuple(names) for code, names in data["fixtures"].items()},
            examples={code: Example(**example) for code, example in data["examples"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ContractDataError(f"{_BUILT} is malformed ({error}); reinstall the package") from error


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
