"""The proofs of the rules and the clauses: the project's own tests and nonconforming tools.

A wheel holds it as `evidence.json`, which the build made. An editable install has no such file: `tools/` of its checkout
gathers it from the files as they are.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Final, Literal

from aptix_conformance.core.errors import ContractDataError, RecordError
from aptix_conformance.core.model.codec import from_json, to_text

_BUILT: Final = Path(__file__).with_suffix(".json")
_GATHERING: Final = Path(__file__).parents[3] / "tools" / "evidence" / "__init__.py"

Form = Literal["parts", "difference", "whole", "none"]
"""The form in which a twin is shown: the parts that differ, a unified diff, the whole file, or nothing, because all of these are too long."""


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


def find_evidence() -> Evidence:
    """The evidence of this installation.

    Raises:
        ContractDataError: there is no evidence, or it is malformed.
    """
    if _BUILT.is_file():
        return _parse(_BUILT.read_text(encoding="utf-8"))
    if not _GATHERING.is_file():
        raise ContractDataError(f"{_BUILT} is missing; reinstall the package from a wheel or a checkout")
    return _gathered()


def text_of(evidence: Evidence) -> str:
    """The evidence as `evidence.json` holds it."""
    return to_text(replace(evidence, examples=dict(evidence.examples))) + "\n"


def _gathered() -> Evidence:
    """The evidence in the checkout of an editable install. It is loaded by its path: many projects have modules named `tools`."""
    name = "aptix_conformance_checkout_evidence"
    spec = spec_from_file_location(name, _GATHERING)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    evidence: Evidence = module.gather(module.CHECKOUT)
    return evidence


def _parse(text: str) -> Evidence:
    try:
        return from_json(Evidence, json.loads(text), "$")
    except (ValueError, RecordError) as error:
        raise ContractDataError(f"{_BUILT} is malformed ({error}); reinstall the package") from error
