"""The builders of observations, as a fixture: modules beside tests cannot be imported under importlib mode."""

import importlib.util
import sys
from pathlib import Path

import pytest
from tests.causes import says_nothing_of

from aptix_conformance.rules import Rule


def _builders():
    spec = importlib.util.spec_from_file_location("rules_builders", Path(__file__).with_name("builders.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and pickling look a module up by its name
    spec.loader.exec_module(module)
    return module


_BUILDERS = _builders()


@pytest.fixture
def b():
    """The module of builders."""
    return _BUILDERS


@pytest.fixture(autouse=True)
def every_cause_is_said(monkeypatch):
    """Whatever a test makes a rule find: the rule says what its causes are."""
    find = Rule.findings

    def checked(self, observation):
        found = find(self, observation)
        unsaid = says_nothing_of(self, [each.cause for each in found])
        assert not unsaid, (
            f"{self.code} does not say in `differs_by` what its causes are, such as {unsaid[0]!r}"
        )
        return found

    monkeypatch.setattr(Rule, "findings", checked)
