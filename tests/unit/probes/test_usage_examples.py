"""The example calls that a usage text shows."""

import pytest

from aptix_conformance.probes.usage_examples import MOST, usage_examples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Good usage:\n- {"city": "Oslo"}\n', [{"city": "Oslo"}]),
        ('When asked for Oslo, call it with {"city": "Oslo", "days": 3}.', [{"city": "Oslo", "days": 3}]),
        ('Use weather({"city": {"name": "Oslo"}}) for it.', [{"city": {"name": "Oslo"}}]),
        ('- {"city": "Oslo"}\n- {"city": "Rome"}', [{"city": "Oslo"}, {"city": "Rome"}]),
        ('- {"city": "Oslo"}\n- { "city" : "Oslo" }', [{"city": "Oslo"}]),
        ('Good usage:\n- {"a": 1}\n\nBad usage:\n- {"a": ""}\n', [{"a": 1}]),
        ('Bad usage:\n- {"a": ""}\n\nGood usage:\n- {"a": 1}\n', [{"a": 1}]),
        ('## Good usage\n{"a": 1}\n## Wrong usage\n{"a": ""}', [{"a": 1}]),
        ('**Bad example**: {"a": ""}', []),
        ('Fill {name} in: {\'a\': 1}, {}, [1], {"a": NaN}, {"a":', []),
        ('Half of a character: {"a": "\\ud800"}', []),
        ("", []),
    ],
)
def test_the_objects_that_a_text_shows_as_good_are_its_examples(text, expected):
    assert list(usage_examples(text)) == expected


def test_only_the_first_few_are_taken():
    text = "\n".join(f'- {{"number": {number}}}' for number in range(20))
    assert usage_examples(text) == tuple({"number": number} for number in range(MOST))


@pytest.mark.parametrize(
    "text", ["{" * 1_000_000, '{"a":' * 100_000, "\n" * 1_000_000, '{"a": ' + "9" * 5_000 + "}"]
)
def test_a_hostile_text_shows_nothing_and_costs_little(text):
    assert usage_examples(text) == ()
