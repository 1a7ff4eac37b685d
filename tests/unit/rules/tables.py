"""Tables of observations by rule. The name of a row says what holds; it is part of the test's id."""

import pytest


def observations(table):
    """A parameter set of a code and an observation for each row; a row that is a list has one for each item."""
    return [
        pytest.param(code, observation, id=f"{code}: {name}{number}")
        for codes, rows in table.items()
        for name, row in rows.items()
        for code in codes
        for number, observation in _numbered(row)
    ]


def findings(table):
    """A parameter set of a code, an observation and words of the finding for each row, which is a pair of the last two."""
    return [
        pytest.param(code, observation, words, id=f"{code}: {name}")
        for codes, rows in table.items()
        for name, (observation, words) in rows.items()
        for code in codes
    ]


def _numbered(row):
    if not isinstance(row, list):
        return [("", row)]
    return [(f", {number}", observation) for number, observation in enumerate(row, 1)]
