"""ARG: what is right, what is just wrong, and what is another rule's."""

import json

import pytest

from aptix_conformance.model import Exploration, ResultError
from aptix_conformance.model.codec import replace


def explored(b, *calls, declared=None):
    return Exploration((declared or b.declaration(),), calls)


def invalid(b, label, result=None, demand="refused", arguments="{}", **changes):
    return b.call(label, arguments, "invalid", demand, result, **changes)


KINDS = {
    "ARG006": ["missing:name"],
    "ARG007": ["null:name"],
    "ARG008": ["type:name:object"],
    "ARG009": ["enum:mood", "const:mood"],
    "ARG010": ["bounds:count:maximum", "length:name:minLength"],
}

LABELS = [label for labels in KINDS.values() for label in labels] + ["combined:null:name+enum:mood"]


def context(session=None, conversation=None, inner=None):
    return {"session_id": session, "request": {"conversation_id": conversation, "session_id": inner}}


def given(b, payload, session=None, conversation=None, inner=None, arguments="{}"):
    return b.call(
        arguments=arguments, context=context(session, conversation, inner), result=b.success(payload)
    )


def emitted(b, **changes):
    return b.declaration(b.parameters(**changes))


@pytest.mark.parametrize("code", KINDS)
@pytest.mark.parametrize("label", LABELS)
def test_an_object_that_should_be_refused_is_for_the_rule_of_its_kind(b, code, label):
    rule = b.RULES[code]

    def seen(call):
        return call if rule.over is not Exploration else explored(b, call)

    accepted = invalid(b, label)
    assert rule.when(seen(accepted)) is (label in KINDS[code])
    if label not in KINDS[code]:
        return
    assert rule.check(seen(accepted))
    assert rule.check(seen(invalid(b, label, b.failure()))) is None
    assert not rule.when(seen(invalid(b, label, demand="either")))
    assert not rule.when(seen(invalid(b, label, raised="KeyError")))
    assert not rule.when(seen(b.call(label, "{}", "valid", "refused")))


def test_arg007_leaves_an_argument_that_is_not_looked_for_to_arg006(b):
    null, absent = invalid(b, "null:name"), invalid(b, "missing:name")
    assert b.judge("ARG007", explored(b, null)).call == null
    assert b.judge("ARG007", explored(b, null, absent)) is None
    assert b.judge("ARG007", explored(b, null, invalid(b, "missing:other")))
    assert b.judge("ARG007", explored(b, null, invalid(b, "missing:name", b.failure())))


def test_a_refusal_that_is_labelled_as_a_success_is_mcp087s_and_never_arg006s(b):
    wrong = invalid(b, "missing:name", b.success({"success": False, "error": "name is missing"}))
    (found,) = b.RULES["ARG006"].findings(explored(b, wrong))
    assert (found.gives_way_to, found.not_its_own) == ("MCP087", True)


@pytest.mark.parametrize("kind", ["enum", "const"])
def test_arg008_leaves_an_argument_whose_value_is_not_looked_at_to_arg009(b, kind):
    typed = invalid(b, "type:mood:array")
    assert b.judge("ARG008", explored(b, typed, invalid(b, f"{kind}:mood"))) is None
    assert b.judge("ARG008", explored(b, typed, invalid(b, f"{kind}:name")))


@pytest.mark.parametrize("code", ["ARG007", "ARG008"])
def test_they_do_not_mind_what_the_contract_lets_through(b, code):
    label = {"ARG007": "null:name", "ARG008": "type:name:object"}[code]
    refused, lenient = invalid(b, label, b.failure()), invalid(b, label, demand="either")
    assert b.judge(code, explored(b, refused, lenient)) is None


@pytest.mark.parametrize(
    ("label", "code"), [("garbage:prose", "ARG003"), ("root:array", "ARG004"), ("root:number", "ARG004")]
)
def test_documents_are_told_by_what_they_are(b, label, code):
    sent = b.call(label, "[1]", "malformed", "refused")
    assert b.judge(code, sent)
    other = {"ARG003": "ARG004", "ARG004": "ARG003"}[code]
    assert not b.RULES[other].when(sent)
    for spared in (
        b.call(label, "[1]", "malformed", "either"),
        b.call(label, "[1]", "valid", "refused"),
        b.call(label, "[1]", "malformed", "refused", raised="ValueError"),
    ):
        assert not b.RULES[code].when(spared)


@pytest.mark.parametrize("label", ["blank:null", "blank:empty", "root:null"])
def test_blank_arguments_are_arg001s_alone(b, label):
    blank = b.call(label, None, "malformed", "refused")
    assert not b.RULES["ARG003"].when(blank)
    assert not b.RULES["ARG004"].when(blank)
    assert b.judge("ARG001", explored(b, blank)).call == blank


def test_arg001_leaves_a_tool_that_looks_for_nothing_to_arg006(b):
    blank = b.call("blank:null", None, "malformed", "refused")
    assert b.judge("ARG001", explored(b, blank, invalid(b, "missing:name"))) is None
    assert b.judge("ARG001", explored(b, blank, invalid(b, "missing:other")))
    lenient = b.call("blank:empty", "", "malformed", "either")
    refused = b.call("blank:null", None, "malformed", "refused", b.failure())
    assert b.judge("ARG001", explored(b, refused, lenient)) is None


@pytest.mark.parametrize(
    ("label", "words"), [("omitted-optional:mood", "'mood' left out"), ("null-optional:mood", "'mood' null")]
)
def test_arg011_says_what_was_done_to_the_argument(b, label, words):
    refused = invalid(b, label, b.failure("mood is missing."), "accepted")
    found = b.judge("ARG011", refused).message
    assert words in found
    assert "mood is missing." in found
    assert b.judge("ARG011", invalid(b, label, demand="accepted")) is None
    for spared in (
        invalid(b, label, b.failure(), "either"),
        invalid(b, "additional:x", b.failure(), "accepted"),
        b.call(label, "{}", "valid", "accepted", b.failure()),
        invalid(b, label, demand="accepted", raised="KeyError"),
    ):
        assert not b.RULES["ARG011"].when(spared)


def test_arg005_reports_a_fault_of_its_own_only(b):
    frame = b.Raised("KeyError", "'name'", '  File "/srv/tool.py", line 9, in execute')
    wrong = invalid(b, "type:name:object", raised=frame)
    assert b.judge("ARG005", explored(b, wrong)).call == wrong
    proper = b.call(raised=frame)
    assert b.judge("ARG005", explored(b, wrong, proper)) is None
    elsewhere = b.call(raised=replace(frame, traceback='  File "/srv/tool.py", line 8, in execute'))
    assert b.judge("ARG005", explored(b, wrong, elsewhere))


def test_arg008_finds_true_for_a_number_where_text_for_it_is_refused(b):
    text = invalid(b, "coercible:count:numeric-string", b.failure(), "either")
    true = invalid(b, "coercible:count:true", demand="either")
    assert (
        "true for the number"
        in b.judge(
            "ARG008",
            explored(b, text, true, b.call("type:count:object", "{}", "invalid", "refused", b.failure())),
        ).message
    )
    converts = invalid(b, "coercible:count:numeric-string", demand="either")
    refused = b.call("type:count:object", "{}", "invalid", "refused", b.failure())
    assert b.judge("ARG008", explored(b, converts, true, refused)) is None


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(
            [({"name": "x", "count": "2"}, False)], id="the text was refused beside other arguments"
        ),
        pytest.param([({"count": "4"}, False)], id="the schema forbids the number of the text"),
        pytest.param(
            [({"count": "2"}, False), ({"name": "x", "count": "2"}, True)], id="text was taken elsewhere"
        ),
    ],
)
def test_arg008_takes_no_refusal_for_another_reason_for_strictness(b, texts):
    label = "coercible:count:numeric-string"
    calls = [
        invalid(b, label, None if taken else b.failure(), "either", json.dumps(arguments))
        for arguments, taken in texts
    ]
    true = invalid(b, "coercible:count:true", None, "either", '{"count": true}')
    refused = b.call("type:count:object", "{}", "invalid", "refused", b.failure())
    assert b.judge("ARG008", explored(b, *calls, true, refused)) is None
    strict = invalid(b, label, b.failure(), "either", '{"count": "2"}')
    assert b.judge("ARG008", explored(b, strict, true, refused)) is not None


def text_for_a_number(b, arguments):
    return invalid(b, "coercible:count:numeric-string", b.failure(), "either", json.dumps(arguments))


def true_for_a_number(b, arguments):
    return invalid(b, "coercible:count:true", None, "either", json.dumps(arguments))


REFUSES_OBJECTS = ("type:count:object", "{}", "invalid", "refused")


def judged_with_count(b, count, text, *later):
    """What ARG008 finds where "4" was refused and true was taken, by the schema of `count` at the first reading."""
    readings = [b.declaration(b.with_property(count=each)) for each in (count, *later)]
    calls = (
        b.call(*REFUSES_OBJECTS, b.failure()),
        text_for_a_number(b, {"count": text}),
        true_for_a_number(b, {"count": True}),
    )
    return b.judge("ARG008", Exploration(tuple(readings), calls))


def test_arg008_compares_calls_whose_other_arguments_are_equal_in_any_order(b):
    calls = (
        b.call(*REFUSES_OBJECTS, b.failure()),
        text_for_a_number(b, {"name": "Ada", "mood": "kind", "count": "2"}),
        true_for_a_number(b, {"mood": "kind", "name": "Ada", "count": True}),
    )
    assert b.judge("ARG008", explored(b, *calls))


def test_arg008_asks_the_first_reading_of_the_schema_what_number_is_allowed(b):
    few, many = ({"type": "integer", "maximum": most} for most in (3, 9))
    assert judged_with_count(b, few, "4", many) is None
    assert judged_with_count(b, many, "4", few)


def test_arg008_follows_a_reference_to_learn_what_number_is_allowed(b):
    readings = [
        b.declaration(
            b.parameters(
                **{"$defs": {"few": {"type": "integer", "maximum": most}}},
                properties={**b.PARAMETERS["properties"], "count": {"$ref": "#/$defs/few"}},
            )
        )
        for most in (3, 4)
    ]
    calls = (
        b.call(*REFUSES_OBJECTS, b.failure()),
        text_for_a_number(b, {"count": "4"}),
        true_for_a_number(b, {"count": True}),
    )
    forbidden, allowed = (Exploration((reading,), calls) for reading in readings)
    assert b.judge("ARG008", forbidden) is None
    assert b.judge("ARG008", allowed)


def test_arg008_fetches_no_schema_and_takes_the_number_for_allowed(b, tmp_path):
    elsewhere = tmp_path / "few.json"
    elsewhere.write_text('{"maximum": 3}', encoding="utf-8")
    assert judged_with_count(b, {"type": "integer", "maximum": 3}, "4") is None
    assert judged_with_count(b, {"$ref": elsewhere.as_uri()}, "4")


def test_arg008_takes_a_text_that_is_no_number_for_refused_as_text(b):
    assert judged_with_count(b, {"type": "integer", "maximum": 3}, "four")


def test_arg008_finds_nothing_where_true_is_refused_like_the_text_of_a_number(b):
    refused = invalid(b, "coercible:count:true", b.failure(), "either", '{"count": true}')
    calls = (b.call(*REFUSES_OBJECTS, b.failure()), text_for_a_number(b, {"count": "2"}), refused)
    assert b.RULES["ARG008"].findings(explored(b, *calls)) == ()


def test_arg008_does_not_count_the_object_around_a_changed_argument_as_another_argument(b):
    calls = (
        b.call(*REFUSES_OBJECTS, b.failure()),
        invalid(b, "coercible:size.width:numeric-string", b.failure(), "either", '{"size": {"width": "2"}}'),
        invalid(b, "coercible:size.width:true", None, "either", '{"size": {"width": true}}'),
    )
    assert "size.width" in b.judge("ARG008", explored(b, *calls)).message


@pytest.mark.parametrize(
    ("label", "broken"),
    [
        ("bounds:count:maximum", "maximum"),
        ("length:name:minLength", "minLength"),
        ("pattern:name:behind", "pattern"),
        ("pattern:name", "pattern"),
    ],
)
def test_arg010_names_the_constraint(b, label, broken):
    assert b.judge("ARG010", explored(b, invalid(b, label))).message.endswith(f"breaks its {broken}.")


HALF = '{"name": "\\ud83d"}'


@pytest.mark.parametrize(
    ("probe", "label"),
    [("malformed", "lenient:surrogate-escaped"), ("extremes", "extreme:name:lone-surrogate")],
)
def test_half_of_a_character_is_arg013s_whoever_sends_it(b, probe, label):
    wrong = b.call(label, HALF, probe, "either", raised="UnicodeEncodeError")
    assert "UnicodeEncodeError" in b.judge("ARG013", explored(b, wrong)).message
    assert not b.RULES["EXC001"].when(wrong)
    assert not b.RULES["ARG005"].when(explored(b, wrong))
    assert b.judge("ARG013", explored(b, b.call(label, HALF, probe, "either", b.failure()))) is None


def test_arg013_reports_each_place_that_raises(b):
    places = [
        b.Raised("UnicodeEncodeError", "surrogates", f'  File "/srv/tool.py", line {line}, in execute')
        for line in (9, 30)
    ]
    halves = [
        b.call("lenient:surrogate-escaped", HALF, "malformed", "either", raised=each) for each in places
    ]
    found = b.RULES["ARG013"].findings(explored(b, *halves, halves[0]))
    assert len({each.cause for each in found}) == 2


def test_a_whole_character_is_not_arg013s(b):
    whole = b.call("extreme:name:nul", '{"name": "\\ud83d\\ude00"}', "extremes", "either", raised="KeyError")
    assert not b.RULES["ARG013"].when(explored(b, whole))
    assert b.judge("EXC001", whole)


def test_arg013_is_for_calls_that_came_back(b):
    hung = b.call("lenient:surrogate-escaped", HALF, "malformed", "either", outcome=b.Outcome.TIMED_OUT)
    assert not b.RULES["ARG013"].when(explored(b, hung))


def test_arg013_reports_a_fault_of_its_own_only(b):
    frame = b.Raised("KeyError", "'name'", '  File "/srv/tool.py", line 9, in execute')
    half = b.call("lenient:surrogate-escaped", HALF, "malformed", "either", raised=frame)
    for other in (b.call(raised=frame), invalid(b, "type:name:object", raised=frame)):
        assert b.judge("ARG013", explored(b, half, other)) is None


@pytest.mark.parametrize(
    ("detail", "found"), [("apostrophe", True), ("percent", True), ("nul", False), ("parent", False)]
)
def test_arg012_minds_plain_writing_and_no_hostile_text(b, detail, found):
    refused = b.call(
        f"extreme:name:{detail}", '{"name": "x"}', "extremes", "either", b.failure("Not that one.")
    )
    finding = b.judge("ARG012", explored(b, b.call(), refused))
    assert (finding is not None) is found


def test_arg005_judges_what_a_parser_makes_an_object_of_and_arg002_the_rest(b):
    lenient = b.call("lenient:nan", '{"n": NaN}', "malformed", "either", raised="KeyError")
    broken = b.call("truncated:open", '{"n":', "malformed", "either", raised="KeyError")
    assert b.judge("ARG005", explored(b, lenient))
    assert b.judge("ARG002", explored(b, lenient)) is None
    assert b.judge("ARG002", explored(b, broken))
    assert not b.RULES["ARG005"].when(explored(b, broken))
    accepted = invalid(b, "omitted-optional:mood", demand="accepted", raised="KeyError")
    assert not b.RULES["ARG005"].when(explored(b, accepted))


def test_arg002_gives_way_to_the_rule_on_calls_that_a_model_may_make(b):
    same = b.call(raised=b.Raised("KeyError", "'x'", 'File "tool.py", line 3'))
    other = b.call(raised=b.Raised("KeyError", "'x'", 'File "tool.py", line 4'))
    broken = b.call("truncated:open", '{"n":', "malformed", "either", raised=same.raised)
    (finding,) = b.RULES["ARG002"].findings(explored(b, same, broken))
    assert (finding.gives_way_to, finding.call) == ("EXC001", broken)
    (finding,) = b.RULES["ARG002"].findings(explored(b, other, broken))
    assert finding.gives_way_to == ""
    assert finding.cause == ("KeyError", "tool.py:3")


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("API error: getaddrinfo EAI_AGAIN api.example.com", False),
        ("fetch failed", False),
        (f"{'x' * 500} Connection refused", False),
        ("The network of suppliers is closed.", True),
    ],
)
def test_arg012_leaves_out_a_refusal_for_want_of_the_network_that_no_tool_has_here(b, said, found):
    refused = b.call("minimal", '{"name": "x"}', result=b.failure(said))
    assert (b.judge("ARG012", explored(b, refused)) is not None) is found


@pytest.mark.parametrize("kind", ["example", "again"])
def test_arg012_does_not_ask_it_of_the_authors_own_calls(b, kind):
    assert b.judge("ARG012", explored(b, b.call(f"{kind}:1", result=b.failure("Closed.")))) is None


def test_arg012_leaves_an_optional_argument_that_is_required_to_arg011(b):
    refused = b.call(result=b.failure("The catalogue is closed."))
    optional = invalid(b, "omitted-optional:mood", b.failure(), "accepted")
    assert b.judge("ARG012", explored(b, refused))
    assert b.judge("ARG012", explored(b, refused, optional)) is None
    assert b.judge("ARG012", explored(b, refused, replace(optional, result=b.call().result)))


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
def test_arg012_takes_most_of_the_words_for_an_announcement(b, usage, message, is_announced):
    refused = b.call(arguments="{}", result=b.failure(message))
    declared = b.declaration(usage=usage)
    assert (b.judge("ARG012", explored(b, refused, declared=declared)) is None) is is_announced


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
    b, message, logged, network, is_announced
):
    logs = (b.LogRecord("add_exception", "[Greeter_Execute]"),) if logged else ()
    failed = b.call(arguments='{"name": "Bo"}', result=b.failure(message), logs=logs, network=network)
    declared = b.declaration(
        usage="A greeting failed with a message: the name is unknown, or the greeter testing it."
    )
    assert (b.judge("ARG012", explored(b, b.call(), failed, declared=declared)) is None) is is_announced


def test_arg012_takes_the_name_of_an_argument_for_the_tools_own_word(b):
    refused = b.call(arguments='{"entry": " "}', result=b.failure("The entry must not be blank."))
    declared = b.declaration(usage="A failed result when the entry is blank.")
    assert b.judge("ARG012", explored(b, refused, declared=declared)) is None


def test_arg012_takes_the_name_of_an_argument_for_announced_by_the_schema(b):
    refused = b.call(arguments='{"query": "Bread"}', result=b.failure("query has to be a text."))
    assert (
        b.judge("ARG012", explored(b, refused, declared=b.declaration(usage="Searches for a text."))) is None
    )
    assert b.judge("ARG012", explored(b, refused, declared=b.declaration(usage="Searches for a word.")))


@pytest.mark.parametrize("first", ["minimal", "again:minimal", "generated"])
def test_arg012_tells_what_a_tool_says_of_its_state_from_what_it_says_of_arguments(b, first):
    """A tool that gives each badge away once refuses it the second time, and with another name on it, too."""

    def refused(arguments, said, label="generated"):
        return b.call(label, arguments, result=b.failure(said))

    given = b.call("minimal", '{"n": 1, "m": 2}')
    taken = refused('{"m": 2, "n": 1}', "Badge 1 has left the front desk.", first)
    assert b.judge("ARG012", explored(b, given, taken)) is None
    assert (
        b.judge("ARG012", explored(b, given, taken, refused('{"n": 7}', "Badge 7 has left the front desk.")))
        is None
    )
    other = refused('{"n": 7}', "Numbers like these bring bad luck.")
    assert b.judge("ARG012", explored(b, given, taken, other)).call is other


def test_arg012_needs_the_same_arguments_to_believe_in_a_state(b):
    refused = b.call("generated", '{"n": 1}', result=b.failure("Closed."))
    assert b.judge("ARG012", explored(b, b.call("minimal", '{"n": 2}'), refused))
    unread = b.call("generated", None, result=b.failure("Closed."))
    assert b.judge("ARG012", explored(b, b.call("minimal", "{}"), unread))
    bare = replace(b.failure(""), error_message=None, errors=())
    assert (
        b.judge(
            "ARG012", explored(b, b.call("minimal", '{"n": 1}'), b.call("generated", '{"n":1}', result=bare))
        )
        is None
    )


def test_arg012_does_not_take_an_array_that_was_accepted_for_no_arguments(b):
    refused = b.call("generated", None, result=b.failure("Closed."))
    assert b.judge("ARG012", explored(b, b.call("root:array", "[1]", "malformed"), refused))


@pytest.mark.parametrize(
    ("said", "is_alike"), [("alpha bravo carol delta emily", True), ("alpha bravo emily", False)]
)
def test_arg012_knows_a_message_again_by_three_of_five_words(b, said, is_alike):
    taken = b.call("again:minimal", '{"n": 1}', result=b.failure("alpha bravo carol frank gamma"))
    other = b.call("generated", '{"n": 2}', result=b.failure(said))
    found = b.judge("ARG012", explored(b, b.call("minimal", '{"n": 1}'), taken, other))
    assert (found is None) is is_alike


def test_arg012_says_what_was_said(b):
    bare = replace(b.failure(""), error_message=None, errors=())
    assert "without a message" in b.judge("ARG012", explored(b, b.call(result=bare))).message
    inner = replace(bare, errors=(ResultError(None), ResultError("Closed today.")))
    assert "Closed today." in b.judge("ARG012", explored(b, b.call(result=inner))).message


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ('Traceback (most recent call last):\n  File "/srv/tool.py", line 9, in execute', "EXC003"),
        ("cannot connect to postgres://svc:hunter2x@db.internal:5432/orders", "EXC004"),
        ("invalid literal for int() with base 10", "EXC006"),
        ("Closed today.", ""),
    ],
)
def test_arg012_leaves_a_message_that_leaks_to_the_rule_on_the_leak(b, said, code):
    (found,) = b.RULES["ARG012"].findings(explored(b, b.call(result=b.failure(said))))
    assert found.gives_way_to == code


def test_arg012_takes_the_code_of_an_error_for_announced(b):
    refused = b.call(result=b.failure("Closed today.", "E_SHUT"))
    for usage, is_announced in (("It may fail with E_SHUT.", True), ("It may fail with E_OPEN.", False)):
        declared = b.declaration(usage=usage)
        assert (b.judge("ARG012", explored(b, refused, declared=declared)) is None) is is_announced


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
def test_arg012_takes_what_is_most_of_the_message_for_what_was_asked_for(b, asked, message, is_asked_for):
    refused = b.call(arguments=json.dumps({"x": asked}), result=b.failure(message))
    declared = b.declaration(usage="Nothing.")
    assert (b.judge("ARG012", explored(b, refused, declared=declared)) is None) is is_asked_for


def test_arg012_takes_three_words_of_five_for_an_announcement(b):
    refused = b.call(arguments="{}", result=b.failure("alpha bravo gamma delta lambda"))
    for usage, is_announced in (("alpha bravo gamma", True), ("alpha bravo", False)):
        declared = b.declaration(usage=usage)
        assert (b.judge("ARG012", explored(b, refused, declared=declared)) is None) is is_announced


def test_arg012_does_not_count_the_callers_own_words(b):
    """They are in the message because they were sent, and no text could announce them."""
    refused = b.call(arguments='{"name": "lambda"}', result=b.failure("unknown name: lambda"))
    assert (
        b.judge("ARG012", explored(b, refused, declared=b.declaration(usage="An unknown name fails.")))
        is None
    )
    other = b.declaration(usage="The lambda calculus.")
    assert b.judge("ARG012", explored(b, refused, declared=other))


def test_arg012_is_for_calls_that_the_schema_allows(b):
    assert not b.RULES["ARG012"].when(explored(b, invalid(b, "missing:name", b.failure())))
    assert b.RULES["ARG012"].when(explored(b, b.call()))


def test_a_results_own_message_is_told_before_those_of_its_errors(b):
    said = replace(b.failure("The mood is odd."), errors=(ResultError("E17", None, None),))
    refused = invalid(b, "omitted-optional:mood", said, "accepted")
    assert "The mood is odd." in b.judge("ARG011", refused).message
    silent = invalid(b, "omitted-optional:mood", replace(said, error_message=None), "accepted")
    assert "E17" in b.judge("ARG011", silent).message


@pytest.mark.parametrize(
    ("code", "inner", "concerned"),
    [
        ("ARG009", {"enum": ["a"]}, True),
        ("ARG009", {"const": "a"}, True),
        ("ARG009", {"type": "string"}, False),
        ("ARG009", {"$ref": "#/$defs/kind"}, True),
        ("ARG009", {"$ref": "#/$defs/tree"}, False),
        ("ARG009", {"$ref": "elsewhere.json"}, False),
        ("ARG009", {"type": "string", "allOf": [{"$ref": "#/$defs/kind"}]}, True),
        ("ARG009", {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, True),
        ("ARG009", {"anyOf": [{"type": "string"}, {"const": None}]}, False),
        ("ARG009", {"oneOf": [{"type": "integer"}, {"const": "a"}]}, True),
        ("ARG009", {"type": "array", "items": {"enum": ["a"]}}, True),
        ("ARG009", {"type": "array", "prefixItems": [{"enum": ["a"]}]}, True),
        ("ARG009", {"type": "object", "properties": {"deep": {"enum": ["a"]}}}, True),
        ("ARG009", {"type": "object", "properties": {"enum": {"type": "string"}}}, False),
        ("ARG009", {"type": "object", "additionalProperties": {"enum": ["a"]}}, True),
        ("ARG009", {"type": "string", "default": {"enum": ["a"]}}, False),
        ("ARG010", {"type": "string", "minLength": 1}, True),
        ("ARG010", {"type": "string", "enum": ["a"]}, False),
        ("ARG010", {"type": "string", "title": "x", "$comment": "y"}, False),
    ],
)
def test_rules_on_values_are_for_schemas_that_say_something_of_them(b, code, inner, concerned):
    kept = {"$defs": {"kind": {"enum": ["a"]}, "tree": {"items": {"$ref": "#/$defs/tree"}}}}
    own = emitted(b, properties={"a": inner, "b": True}, required=[], **kept)
    assert (b.RULES[code].applies(own) is None) is concerned


def test_rules_on_types_and_defaults_are_for_schemas_with_such_arguments(b):
    none = emitted(b, properties={}, required=[])
    assert b.RULES["ARG008"].applies(none)
    assert b.RULES["ARG011"].applies(none)
    assert b.RULES["ARG011"].applies(emitted(b, properties={"a": {}}, required=["a"]))
    assert b.RULES["ARG011"].applies(b.declaration()) is None
    assert b.RULES["ARG008"].applies(b.declaration()) is None
