import pytest

from aptix_harness.strict_json import is_strict_json


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        "null",
        '"text"',
        "0",
        ' {"a": [1, 2.5, -1e400]}\r\n',
        "9" * 5000,
        '"\\ud800"',
        '{"a":1,"a":2}',
    ],
    ids=lambda text: text[:20],
)
def test_documents_of_rfc_8259_are_strict_json(text):
    """Scalars, long numbers, escaped surrogates and double keys are all in the grammar."""
    assert is_strict_json(text)


@pytest.mark.parametrize(
    "text",
    ["", " ", "{", "{'a': 1}", "NaN", "[Infinity]", '{"a": -Infinity}', "{} {}", "{}x", "\ufeff{}", '"\ud800"', '"\x00"',
     "01", "[1,]", "{a: 1}", "// c\n{}", '"\\x"', "\u00a0{}"],
    ids=ascii,
)  # fmt: skip
def test_everything_else_is_not(text):
    """What json.loads forgives, and what UTF-8 cannot carry, is refused too."""
    assert not is_strict_json(text)


def test_bottomless_nesting_is_not():
    """100,000 open brackets give an answer and no RecursionError."""
    assert not is_strict_json("[" * 100_000 + "]" * 100_000)
