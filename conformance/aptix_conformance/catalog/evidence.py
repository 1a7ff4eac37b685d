"""What proves the rules and the clauses, as one record: gathered in a checkout, shipped as `evidence.json`."""

import json
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from aptix_conformance.catalog.checkout import Checkout
from aptix_conformance.catalog.counterpart import Form, counterpart
from aptix_conformance.catalog.fixtures import Fixture, by_rule, read_fixtures
from aptix_conformance.catalog.markers import read_marks
from aptix_conformance.errors import ContractDataError, RecordError
from aptix_conformance.model.codec import Record, from_json, to_json
from aptix_conformance.rules import Rule


class Example(Record, frozen=True):
    """A nonconforming tool as the page of its rule shows it. Paths are relative to the folder of the fixtures."""

    name: str
    says: str
    path: str
    source: str
    twin: str
    counterpart_form: Form
    counterpart: str
    """What of the twin to show; empty where nothing short tells it."""
    failure: str
    """The failure text that its examination printed, from the golden matrix; empty where that does not have it."""


class Evidence(Record, frozen=True):
    """Node ids of tests by clause, names of nonconforming tools by rule, and an example for each such rule."""

    tests: Mapping[str, tuple[str, ...]]
    fixtures: Mapping[str, tuple[str, ...]]
    examples: Mapping[str, Example]


def gather(checkout: Checkout, rules: Iterable[Rule]) -> Evidence:
    """What the files of a checkout prove. Nothing is run: failure texts are those that the golden matrix stores.

    Raises:
        ContractDataError: a fixture or a marker is malformed, or the matrix is.
    """
    tests: dict[str, list[str]] = {}
    for mark in read_marks(checkout.tests):
        tests.setdefault(mark.clause, []).append(mark.test)
    fixtures = by_rule(read_fixtures(checkout.fixtures))
    failures = _failures(checkout.findings)
    codes = {rule.code for rule in rules}
    return Evidence(
        tests={clause: tuple(found) for clause, found in tests.items()},
        fixtures={code: tuple(fixture.name for fixture in some) for code, some in fixtures.items()},
        examples={code: _example(some, failures) for code, some in fixtures.items() if code in codes},
    )


def shipped() -> Evidence:
    """The evidence that is shipped with the package.

    Raises:
        ContractDataError: the file is missing or malformed.
    """
    return _parse(resources.files(__package__).joinpath("evidence.json").read_text(encoding="utf-8"))


def text_of(evidence: Evidence) -> str:
    """The evidence as its file holds it."""
    data: Any = to_json(evidence)
    return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _parse(text: str) -> Evidence:
    try:
        return from_json(Evidence, json.loads(text))
    except (ValueError, RecordError) as error:
        raise ContractDataError(
            f"evidence.json is malformed ({error}); delete it and make it anew with `aptix-conformance docs --write`"
        ) from error


def _example(fixtures: Iterable[Fixture], failures: Mapping[str, Mapping[str, str]]) -> Example:
    """The one of a rule's nonconforming tools that is shown: an examined one, one of Aptix's, the shortest to read."""

    def failure(fixture: Fixture) -> str:
        return failures.get(fixture.name, {}).get(fixture.rule, "")

    def order(fixture: Fixture) -> tuple[bool, bool, int, str]:
        return not failure(fixture), "/" in fixture.name, len(fixture.source.splitlines()), fixture.name

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
            f"{path} is malformed ({error}); make it anew with `python -m tests.acceptance.matrix --write`"
        ) from error


def _named(title: str) -> str:
    """The name of the fixture that a title of the matrix is about: `amplifier/nonconforming/AMP003_returns_true`."""
    collection, _, name = title.partition(":")[0].rpartition("/")
    system = collection.replace("nonconforming", "").strip("/-_ ")
    return f"{system}/{name}" if system else name
