"""ARG012 and ARG013: plain values that a tool refuses or raises for."""

import json

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.argument_builders import invalid
from tests.unit.rules.explorations import explored

from aptix_conformance.core.model import ResultError
from aptix_conformance.core.model.codec import replace

HALF = '{"name": "\\ud83d"}'


@pytest.mark.parametrize(
    ("probe", "label"),
    [("malformed", "lenient:surrogate-escaped"), ("extremes", "extreme:name:lone-surrogate")],
)
def test_half_of_a_character_is_arg013s_whoever_sends_it(probe, label):
    wrong = b.call(label, HALF, probe, "either", raised="UnicodeEncodeError")
    assert "UnicodeEncodeError" in b.judge("ARG013", explored(wrong)).message
    assert not b.RULES["EXC001"].when(wrong)
    assert not b.RULES["ARG005"].when(explored(wrong))
    assert b.judge("ARG013", explored(b.call(label, HALF, probe, "either", b.failure()))) is None


def test_arg013_reports_each_place_that_raises():
    places = [
        b.Raised("UnicodeEncodeError", "surrogates", f'  File "/srv/tool.py", line {line}, in execute')
        for line in (9, 30)
    ]
    halves = [
        b.call("lenient:surrogate-escaped", HALF, "malformed", "either", raised=each) for each in places
    ]
    found = b.RULES["ARG013"].findings(explored(*halves, halves[0]))
    assert len({each.cause for each in found}) == 2


def test_a_whole_character_is_not_arg013s():
    whole = b.call("extreme:name:nul", '{"name": "\\ud83d\\ude00"}', "extremes", "either", raised="KeyError")
    assert not b.RULES["ARG013"].when(explored(whole))
    assert b.judge("EXC001", whole)


def test_arg013_is_for_calls_that_came_back():
    hung = b.call("lenient:surrogate-escaped", HALF, "malformed", "either", outcome=b.Outcome.TIMED_OUT)
    assert not b.RULES["ARG013"].when(explored(hung))


def test_arg013_reports_a_fault_of_its_own_only():
    frame = b.Raised("KeyError", "'name'", '  File "/srv/tool.py", line 9, in execute')
    half = b.call("lenient:surrogate-escaped", HALF, "malformed", "either", raised=frame)
    for other in (b.call(raised=frame), invalid("type:name:object", raised=frame)):
        assert b.judge("ARG013", explored(half, other)) is None


@pytest.mark.parametrize(
    ("detail", "found"), [("apostrophe", True), ("percent", True), ("nul", False), ("parent", False)]
)
def test_arg012_minds_plain_writing_and_no_hostile_text(detail, found):
    refused = b.call(
        f"extreme:name:{detail}", '{"name": "x"}', "extremes", "either", b.failure("Not that one.")
    )
    finding = b.judge("ARG012", explored(b.call(), refused))
    assert (finding is not None) is found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("API error: getaddrinfo EAI_AGAIN api.example.com", False),
        ("fetch failed", False),
        (f"{'x' * 500} Connection refused", False),
        ("The network of suppliers is closed.", True),
    ],
)
def test_arg012_leaves_out_a_refusal_for_want_of_the_network_that_no_tool_has_here(said, found):
    refused = b.call("minimal", '{"name": "x"}', result=b.failure(said))
    assert (b.judge("ARG012", explored(refused)) is not None) is found


@pytest.mark.parametrize(
    ("tried", "worked", "found"),
    [
        (("rates.invalid:443",), False, False),
        (("another machine",), False, False),
        (("rates.invalid:443",), True, True),
        (("/run/db.sock",), False, True),
        ((), False, True),
    ],
)
def test_arg012_leaves_out_a_refusal_by_a_call_that_tried_a_network_of_no_use(tried, worked, found):
    """Where a call that tried it succeeded, the network is no reason to refuse another."""
    refused = b.call("minimal", '{"name": "x"}', result=b.failure("The bank is closed."), network=tried)
    other = b.call(arguments='{"name": "y"}', network=tried if worked else ())
    assert (b.judge("ARG012", explored(other, refused)) is not None) is found


@pytest.mark.parametrize("kind", ["example", "again"])
def test_arg012_does_not_ask_it_of_the_authors_own_calls(kind):
    assert b.judge("ARG012", explored(b.call(f"{kind}:1", result=b.failure("Closed.")))) is None


def test_arg012_leaves_an_optional_argument_that_is_required_to_arg011():
    refused = b.call(result=b.failure("The catalogue is closed."))
    optional = invalid("omitted-optional:mood", b.failure(), "accepted")
    assert b.judge("ARG012", explored(refused))
    assert b.judge("ARG012", explored(refused, optional)) is None
    assert b.judge("ARG012", explored(refused, replace(optional, result=b.call().result)))


@pytest.mark.parametrize(
    ("usage", "message", "is_announced"),
    [
        ("Numbers above hundred fail.", "Numbers above hundred.", True),
        ("Nothing.", "Numbers above hundred.", False),
        ("Numbers.", "Numbers above hundred.", False),
        ("Numbers above.", "Numbers above hundred.", True),
        ("Nothing.", "", False),
    ],
)
def test_arg012_takes_most_of_the_words_for_an_announcement(usage, message, is_announced):
    refused = b.call(arguments="{}", result=b.failure(message))
    declared = b.declaration(usage=usage)
    assert (b.judge("ARG012", explored(refused, declared=declared)) is None) is is_announced


@pytest.mark.parametrize(
    ("message", "logged", "network", "is_announced"),
    [
        ("testing_greeter failed. Try again later.", True, (), False),
        ("testing_greeter failed. Try again later.", False, (), True),
        ("testing_greeter failed. Try again later.", True, ("rates.invalid:443",), True),
        ("The greeting failed: the name is unknown.", True, (), True),
    ],
)
def test_arg012_takes_a_logged_failure_without_a_reason_for_no_refusal(
    message, logged, network, is_announced
):
    logs = (b.LogRecord("add_exception", "[Greeter_Execute]"),) if logged else ()
    failed = b.call(arguments='{"name": "Bo"}', result=b.failure(message), logs=logs, network=network)
    declared = b.declaration(
        usage="A greeting failed with a message: the name is unknown, or the greeter testing it."
    )
    assert (b.judge("ARG012", explored(b.call(), failed, declared=declared)) is None) is is_announced


def test_arg012_takes_the_name_of_an_argument_for_the_tools_own_word():
    refused = b.call(arguments='{"entry": " "}', result=b.failure("The entry must not be blank."))
    declared = b.declaration(usage="A failed result when the entry is blank.")
    assert b.judge("ARG012", explored(refused, declared=declared)) is None


def test_arg012_takes_the_name_of_an_argument_for_announced_by_the_schema():
    refused = b.call(arguments='{"query": "Bread"}', result=b.failure("query has to be a text."))
    assert b.judge("ARG012", explored(refused, declared=b.declaration(usage="Searches for a text."))) is None
    assert b.judge("ARG012", explored(refused, declared=b.declaration(usage="Searches for a word.")))


@pytest.mark.parametrize("first", ["minimal", "again:minimal", "generated"])
def test_arg012_tells_what_a_tool_says_of_its_state_from_what_it_says_of_arguments(first):
    """A tool that gives each badge away once refuses it the second time, and with another name on it, too."""

    def refused(arguments, said, label="generated"):
        return b.call(label, arguments, result=b.failure(said))

    given = b.call("minimal", '{"n": 1, "m": 2}')
    taken = refused('{"m": 2, "n": 1}', "Badge 1 has left the front desk.", first)
    assert b.judge("ARG012", explored(given, taken)) is None
    assert (
        b.judge("ARG012", explored(given, taken, refused('{"n": 7}', "Badge 7 has left the front desk.")))
        is None
    )
    other = refused('{"n": 7}', "Numbers like these bring bad luck.")
    assert b.judge("ARG012", explored(given, taken, other)).call is other


def test_arg012_needs_the_same_arguments_to_believe_in_a_state():
    refused = b.call("generated", '{"n": 1}', result=b.failure("Closed."))
    assert b.judge("ARG012", explored(b.call("minimal", '{"n": 2}'), refused))
    unread = b.call("generated", None, result=b.failure("Closed."))
    assert b.judge("ARG012", explored(b.call("minimal", "{}"), unread))
    bare = replace(b.failure(""), error_message=None, errors=())
    assert (
        b.judge(
            "ARG012", explored(b.call("minimal", '{"n": 1}'), b.call("generated", '{"n":1}', result=bare))
        )
        is None
    )


def test_arg012_does_not_take_an_array_that_was_accepted_for_no_arguments():
    refused = b.call("generated", None, result=b.failure("Closed."))
    assert b.judge("ARG012", explored(b.call("root:array", "[1]", "malformed"), refused))


@pytest.mark.parametrize(
    ("said", "is_alike"), [("alpha bravo carol delta emily", True), ("alpha bravo emily", False)]
)
def test_arg012_knows_a_message_again_by_three_of_five_words(said, is_alike):
    taken = b.call("again:minimal", '{"n": 1}', result=b.failure("alpha bravo carol frank gamma"))
    other = b.call("generated", '{"n": 2}', result=b.failure(said))
    found = b.judge("ARG012", explored(b.call("minimal", '{"n": 1}'), taken, other))
    assert (found is None) is is_alike


def test_arg012_says_what_was_said():
    bare = replace(b.failure(""), error_message=None, errors=())
    assert "without a message" in b.judge("ARG012", explored(b.call(result=bare))).message
    inner = replace(bare, errors=(ResultError(None), ResultError("Closed today.")))
    assert "Closed today." in b.judge("ARG012", explored(b.call(result=inner))).message


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ('Traceback (most recent call last):\n  File "/srv/tool.py", line 9, in execute', "EXC003"),
        ("cannot connect to postgres://svc:hunter2x@db.internal:5432/orders", "EXC004"),
        ("invalid literal for int() with base 10", "EXC006"),
        ("Closed today.", ""),
    ],
)
def test_arg012_leaves_a_message_that_leaks_to_the_rule_on_the_leak(said, code):
    (found,) = b.RULES["ARG012"].findings(explored(b.call(result=b.failure(said))))
    assert found.defers_to == code


def test_arg012_takes_the_code_of_an_error_for_announced():
    refused = b.call(result=b.failure("Closed today.", "E_SHUT"))
    for usage, is_announced in (("It may fail with E_SHUT.", True), ("It may fail with E_OPEN.", False)):
        declared = b.declaration(usage=usage)
        assert (b.judge("ARG012", explored(refused, declared=declared)) is None) is is_announced


@pytest.mark.parametrize(
    ("asked", "message", "is_asked_for"),
    [
        ("Fail", "Fail now", False),
        ("Fail no", "Fail now", True),
        ("F", "F", False),
        ("Fa", "Fa", True),
        ("abcdef", "abcdef ghij", True),
    ],
)
def test_arg012_takes_what_is_most_of_the_message_for_what_was_asked_for(asked, message, is_asked_for):
    refused = b.call(arguments=json.dumps({"x": asked}), result=b.failure(message))
    declared = b.declaration(usage="Nothing.")
    assert (b.judge("ARG012", explored(refused, declared=declared)) is None) is is_asked_for


def test_arg012_takes_three_words_of_five_for_an_announcement():
    refused = b.call(arguments="{}", result=b.failure("alpha bravo gamma delta lambda"))
    for usage, is_announced in (("alpha bravo gamma", True), ("alpha bravo", False)):
        declared = b.declaration(usage=usage)
        assert (b.judge("ARG012", explored(refused, declared=declared)) is None) is is_announced


@pytest.mark.parametrize(
    ("said", "is_absence"),
    [
        ("There is no such file.", True),
        ("The city is not known. Known are: Oslo, Rome.", True),
        ("Order 'Bo' not found", True),
        ("Nobody knows this article.", True),
        ("Bo does not exist.", True),
        ("No user with this id.", True),
        ("Couldn't find it", True),
        ("There is no station named Bo.", True),
        ("ENOENT: a.txt", True),
        ("The city is not known: write it with a capital letter, at least three characters.", False),
        ("No such format: it has to be like 2026-11-28.", False),
        ("Only words of the catalogue can be found.", False),
        ("There is no need of it.", False),
        ("An unknown error occurred.", False),
        ("No.", False),
        ("The value is odd.", False),
    ],
)
def test_arg012_takes_what_a_look_up_does_not_have_for_no_advice(said, is_absence):
    refused = b.call(arguments='{"name": "Bo"}', result=b.failure(said))
    assert (
        b.judge("ARG012", explored(refused, declared=b.declaration(usage="Nothing."))) is None
    ) is is_absence


def test_arg012_takes_no_word_of_the_caller_for_that_of_a_look_up():
    for name in ("unknown", "not found"):
        refused = b.call(
            arguments=json.dumps({"name": name}), result=b.failure(f"The hall is closed to {name}.")
        )
        assert b.judge("ARG012", explored(refused, declared=b.declaration(usage="Nothing.")))


def test_arg012_still_reports_a_look_up_that_broke():
    broke = b.call(
        arguments='{"name": "Bo"}',
        result=b.failure("Unknown error."),
        logs=(b.LogRecord("add_exception", "[Greeter_Execute]"),),
    )
    assert b.judge("ARG012", explored(b.call(), broke, declared=b.declaration(usage="Nothing.")))


def test_arg012_does_not_count_the_callers_own_words():
    """They are in the message because they were sent, and no text could announce them."""
    refused = b.call(arguments='{"name": "lambda"}', result=b.failure("unlucky name: lambda"))
    assert (
        b.judge("ARG012", explored(refused, declared=b.declaration(usage="An unlucky name fails."))) is None
    )
    other = b.declaration(usage="The lambda calculus.")
    assert b.judge("ARG012", explored(refused, declared=other))


def test_arg012_is_for_calls_that_the_schema_allows():
    assert not b.RULES["ARG012"].when(explored(invalid("missing:name", b.failure())))
    assert b.RULES["ARG012"].when(explored(b.call()))
