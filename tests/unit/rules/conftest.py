"""What holds for each finding of a rule, whatever the test."""

import pytest
from tests.causes import says_nothing_of

from aptix_conformance.rules import Rule


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
