"""Malformed input from strangers: 2,700 inputs are each refused in one clear line, and the fuzzer sees what is not."""

import pytest
from tests.acceptance.fuzzing.kinds import KINDS
from tests.acceptance.fuzzing.trial import Kind, NotRefusedWellError, try_kind

INPUTS = {
    "report": 40,
    "schema": 100,
    "configuration": 300,
    "judging": 3,
    "journal": 30,
    "index": 30,
    "baseline": 200,
    "recording": 150,
    "policy": 300,
    "revocations": 100,
    "certificate": 150,
    "cache-entry": 60,
    "stored-result": 60,
    "costs": 60,
}
"""Of the kinds that take long: up to a tenth of a second an input, and for `judging`, where every rule judges a text, seconds."""
OF_OTHERS = 370
"""Of each other kind, so that there are 2,693 in all."""


@pytest.mark.parametrize("name", KINDS)
def test_malformed_input_is_refused_in_one_line_and_nothing_else_happens(name, tmp_path):
    inputs = INPUTS.get(name, OF_OTHERS)
    figures = try_kind(KINDS[name], inputs, 0, tmp_path)
    assert figures.faults == []
    assert figures.tried == inputs
    assert figures.accepted > 0
    assert figures.refused > figures.accepted or name == "judging"


def _raises(_data, _scratch):
    raise KeyError("a traceback")


def _refuses_badly(_data, _scratch):
    raise NotRefusedWellError("two lines")


def _never_ends(_data, _scratch):
    while True:
        pass


@pytest.mark.parametrize(
    ("read", "reason"),
    [(_raises, "KeyError"), (_refuses_badly, "two lines"), (_never_ends, "more than 0.1 s")],
)
def test_the_fuzzer_reports_a_reading_that_ends_badly(read, reason, tmp_path):
    valid = b"{}"

    def reading(data, scratch):
        return data == valid or read(data, scratch)

    figures = try_kind(Kind("toy", lambda: (valid,), reading, seconds=0.1), 20, 0, tmp_path)
    assert figures.faults
    assert all(reason in fault.reason for fault in figures.faults)


def test_a_valid_document_that_is_refused_is_an_error_of_the_fuzzer(tmp_path):
    with pytest.raises(AssertionError, match="was refused"):
        try_kind(Kind("toy", lambda: (b"{}",), lambda *_: False), 1, 0, tmp_path)
