"""The conditions of another process: what a report can name can be made again."""

import pytest

from aptix_conformance.hosts import conditions
from aptix_conformance.hosts.conditions import CONDITIONS, in_words, naming, obeys_moved_clock, realise
from aptix_conformance.stimuli.probes.restart import RESTARTS

VALUES = {name: value for restart in RESTARTS for name, value in restart.items()} | {"process": "another"}


def test_every_condition_of_the_probe_is_in_the_table():
    assert set(VALUES) == set(CONDITIONS)


@pytest.mark.parametrize("name", CONDITIONS)
def test_what_a_report_names_can_be_made_again(name):
    reported = realise({name: VALUES[name]}).actual
    assert in_words(reported) not in ("in another process", "in a fresh process with ")
    assert realise(reported).actual == reported


def test_what_differs_with_nothing_changed_needs_only_another_process():
    assert in_words({"process": "another"}) == "in each process"
    assert not realise({"process": "another"}).env
    assert in_words({}) == "in another process"


@pytest.mark.parametrize("use", [in_words, realise])
def test_an_unknown_condition_has_neither_words_nor_a_way(use):
    with pytest.raises(KeyError):
        use({"moon": "full"})


@pytest.mark.parametrize(
    ("library", "changed", "patched", "moved"),
    [
        ("libfaketime", {"clock"}, False, " (libfaketime)"),
        ("libfaketime", {"clock"}, True, " (libfaketime)"),
        ("libfaketime", set(), True, " (patched time and datetime)"),
        ("libfaketime", set(), False, None),
        (None, {"clock"}, True, " (patched time and datetime)"),
        (None, {"clock"}, False, None),
    ],
)
def test_a_process_has_the_conditions_that_its_launcher_and_its_runner_set_up(
    monkeypatch, library, changed, patched, moved
):
    monkeypatch.setattr(conditions, "_faketime", lambda: library)
    made = realise(VALUES).in_effect(changed, patched=patched)
    unmade = {"host name", "PID"} | (set() if patched else {"file times"}) | (set() if moved else {"clock"})
    assert made.keys() == VALUES.keys() - unmade
    assert moved is None or made["clock"] == f"366 days ahead{moved}"


def test_only_names_of_variables_are_taken_from_a_process():
    """It may send anything."""
    looked_for = ["REGION", "A=1, B", "\x1b[0m", "é", "N" * 61, *(f"V{number}" for number in range(40))]
    named = naming("variables such as STAGE=1", looked_for).split(", ")
    assert named[:2] == ["REGION=1", "V0=1"]
    assert (len(named), named[-1]) == (21, "variables such as STAGE=1")
    assert naming("REGION=1", looked_for) == "REGION=1"


def test_a_clock_is_moved_by_minutes_too():
    assert realise({"clock": "3 minutes"}).patches == {"clock": 180}


@pytest.mark.parametrize(
    ("name", "first", "obeys"),
    [
        ("python3.11", b"\x7fELF", True),
        ("node", b"\x7fELF", True),
        ("server", b"#!/usr/bin/env node\n", True),
        ("server", b"#!/opt/venv/bin/python3 -I\n", True),
        ("server", b"#!/bin/sh\n", False),
        ("server", b"\x7fELF", False),
    ],
)
def test_a_moved_clock_is_believed_of_known_interpreters_only(tmp_path, name, first, obeys):
    """A program in Go asks the kernel for the time."""
    program = tmp_path / name
    program.write_bytes(first)
    assert obeys_moved_clock(str(program)) is obeys


def test_a_program_that_is_not_there_obeys_nothing(tmp_path):
    assert not obeys_moved_clock(str(tmp_path / "python3"))
