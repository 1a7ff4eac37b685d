"""A call that works is made once for each form of broken files, where the host can break them."""

import pytest

from aptix_conformance.core.model import BrokenFiles
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.probes import BrokenFilesProbe
from aptix_conformance.stimuli.probes.broken_files import FORMS


@pytest.fixture
def subject(five_fields):
    return replace(five_fields, disturbances=frozenset({"files"}))


@pytest.fixture
def seen(subject, host, explore):
    return explore(subject, host(subject), "valid")


def test_the_first_call_that_worked_is_made_once_a_form(subject, seen):
    plans = list(BrokenFilesProbe().fixed(subject, seen))
    assert [plan.disturbance for plan in plans] == [BrokenFiles(form) for form in FORMS]
    assert {plan.arguments for plan in plans} == {seen[0].plan.arguments}
    assert [plan.label for plan in plans] == [f"files:{form}" for form in FORMS]


def test_without_a_call_that_worked_or_a_host_that_breaks_files_none_is_made(subject, seen):
    assert list(BrokenFilesProbe().fixed(subject, [])) == []
    assert list(BrokenFilesProbe().fixed(replace(subject, disturbances=frozenset()), seen)) == []
