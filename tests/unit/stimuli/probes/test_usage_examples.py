"""The example calls that a usage text shows."""

import pytest

from aptix_conformance.stimuli.probes.usage_examples import MOST, good_examples, usage_examples


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Good usage:\n- {"n": 1}\n- {"n": 2}\n\nAnswers {"n": 3}.', [{"n": 1}, {"n": 2}]),
        ('Good: {"n": 1}. Bad: {"n": 2}.', [{"n": 1}]),
        ('## Good\n{"n": 1} works, and {"n": 2}, not {"n": 3}.', [{"n": 1}, {"n": 2}]),
        ('Good: {"n": "..."}, {"n": "<name>"}, {"n": 1}', [{"n": 1}]),
        ('A goodly {"n": 1}. It is a good call: {"n": 2}.', []),
        ('Bad: {"n": 1}', []),
    ],
)
def test_what_a_text_calls_good_ends_at_a_blank_line_or_where_it_speaks_of_the_bad(text, expected):
    assert list(good_examples(text)) == expected
