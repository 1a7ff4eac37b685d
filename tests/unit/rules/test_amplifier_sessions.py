"""What an Amplifier module does in the application around it: output, events, cleanup."""

import pytest
from tests.unit.rules import amplifier_builders as a


def test_a_module_that_prints_is_found_with_what_it_printed():
    assert "mounted notes" in a.judge("AMP025", a.module(printed="mounted notes\n"))


def test_a_module_that_prints_nothing_is_not():
    assert a.judge("AMP025", a.module()) is None


def test_a_module_without_a_mount_to_be_called_is_not_judged_by_what_it_prints():
    assert not a.is_for("AMP025", a.module(function="missing", printed="loaded\n"))
    assert not a.is_for("AMP025", a.of_another_system())


def test_what_a_cleanup_raises_is_found():
    assert "KeyError: 'x'" in a.judge("AMP022", a.cleaned(faults=["KeyError: 'x'"]))


def test_each_fault_of_a_cleanup_is_a_finding():
    found = a.RULES["AMP022"].findings(a.cleaned(faults=["KeyError: 'x'", "OSError: closed"]))
    assert len(found) == 2


def test_what_is_left_after_the_cleanup_is_found():
    assert "the task beat" in a.judge("AMP023", a.cleaned(left=["the task beat"]))


@pytest.mark.parametrize("code", ["AMP022", "AMP023"])
def test_a_clean_end_is_not(code):
    assert a.judge(code, a.cleaned()) is None


@pytest.mark.parametrize("code", ["AMP022", "AMP023"])
def test_a_module_that_was_not_cleaned_up_is_not_judged(code):
    assert not a.is_for(code, a.seen(a.call()))
    assert not a.is_for(code, a.seen(a.call(), declarations=(a.of_another_system(),)))


def test_an_event_that_is_not_declared_is_found_once():
    emitting = a.call(logs=(a.emitted("tool-notes:started"), a.emitted("tool-notes:lost")))
    found = a.RULES["AMP024"].findings(a.seen(emitting, emitting))
    assert [finding.message for finding in found] == ["The event 'tool-notes:lost' was emitted."]


def test_declared_events_are_not():
    assert a.judge("AMP024", a.seen(a.call(logs=(a.emitted("tool-notes:completed"),)))) is None


def test_events_are_declared_by_the_first_mounting():
    """That a later one declares others is not for this rule to say."""
    started, lost = a.module(events=("started",)), a.module(events=("lost",))
    emitting = a.call(logs=(a.emitted("lost"),))
    assert "'lost'" in a.judge("AMP024", a.seen(emitting, declarations=(started, lost)))
    assert a.judge("AMP024", a.seen(emitting, declarations=(lost, started))) is None


def test_where_nothing_is_declared_another_rule_says_so():
    silent = a.module(events=())
    assert a.judge("AMP024", a.seen(a.call(logs=(a.emitted("x:y"),)), declarations=(silent,))) is None


def test_calls_that_emit_nothing_are_not_judged():
    assert not a.is_for("AMP024", a.seen(a.call(logs=(a.logged("INFO"),))))


def test_an_event_among_other_logs_is_judged():
    assert a.is_for("AMP024", a.seen(a.call(logs=(a.logged("INFO"), a.emitted("x:y")))))
