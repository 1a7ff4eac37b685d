"""One fault of a tool breaks one rule: a model tool with one thing broken at a time, seen by every rule."""

import contextlib
import json

import pytest
from tests.unit.rules import builders as b

ON_DISTURBED_CALLS = (
    {f"CAN00{number}" for number in range(1, 10)}
    | {f"EXC01{number}" for number in range(4)}
    | {"LOG010", "SCH018", "SCH019"}
)


def test_the_model_tool_breaks_no_rule():
    assert b.breaches(b.explore()) == {}


def test_every_rule_that_concerns_the_model_tool_is_examined():
    concerned = {code for code, rule in b.RULES.items() if not rule.applies(b.declaration())}
    unseen = concerned - b.examined(b.explore())
    assert {code for code in unseen if code not in ON_DISTURBED_CALLS} == {
        "ARG016",
        "ARG017",
        "EXC015",
        "EXC016",
        "EXC017",
        "EXC018",
        "LOG001",
        "LOG002",
        "RES009",
        "RES011",
        "RES012",
        "RES017",
        "RES018",
        "RES019",
        "RES020",
        "RES021",
        "RES022",
        "RES023",
        "RES024",
    }


def unguarded_parse(text, context):
    json.loads(text)
    return b.greet(text, context)


def unguarded_root(text, context):
    with contextlib.suppress(ValueError):
        json.loads(text or "{}").get("name")
    return b.greet(text, context)


def catches_too_little(text, context):
    if text and text.startswith("[["):
        raise RecursionError("maximum recursion depth exceeded")
    return b.greet(text, context)


def unguarded_key(text, context):
    result = b.greet(text, context)
    if isinstance(result, b.Result) and reads(text):
        json.loads(text)["name"]["first"]
    return result


def reads(text):
    try:
        return isinstance(json.loads(text or ""), dict)
    except (ValueError, RecursionError):
        return False


def happy_path_raises(text, context):
    result = b.greet(text, context)
    return 1 / 0 if isinstance(result, dict) else result


def needs_context(text, context):
    result = b.greet(text, context)
    return {**result, "turn": context["current_turn_id"]} if isinstance(result, dict) else result


def refuses_without_context(text, context):
    return b.greet(text, context) if context else b.failure("There is no session.")


def defaults_the_name(text, context):
    return b.greet(filled(text, "name", "friend"), context)


def null_name_is_friend(text, context):
    arguments = json.loads(text) if reads(text) else {}
    return b.greet(filled(text, "name", "friend") if "name" in arguments else text, context)


def filled(text, name, value):
    if text and not reads(text):
        return text
    arguments = json.loads(text) if text else {}
    return json.dumps({**arguments, name: value if arguments.get(name) is None else arguments[name]})


def any_name_type(text, context):
    arguments = json.loads(text) if reads(text) else {}
    name = arguments.get("name")
    known = name is None or isinstance(name, str)
    return b.greet(text if known else json.dumps({**arguments, "name": str(name)}), context)


def unknown_mood_is_kind(text, context):
    arguments = json.loads(text) if reads(text) else {}
    known = arguments.get("mood") in (None, "kind", "curt")
    return b.greet(text if known else json.dumps({**arguments, "mood": "kind"}), context)


def clamps_count(text, context):
    arguments = json.loads(text) if reads(text) else {}
    large = type(arguments.get("count")) is int and arguments["count"] > 3
    return b.greet(json.dumps({**arguments, "count": 3}) if large else text, context)


def ignores_garbage(text, context):
    garbage = text is not None and text.startswith("Please")
    return b.greet('{"name": "nobody"}' if garbage else text, context)


def array_is_a_name(text, context):
    return b.greet('{"name": "nobody"}' if text == "[1]" else text, context)


def blank_is_a_greeting(text, context):
    return b.greet(text or '{"name": "nobody"}', context)


def optional_is_required(text, context):
    if reads(text) and "Ada" in text and json.loads(text).get("count") is None and "mood" in text:
        return b.failure("count is missing.")
    return b.greet(text, context)


def null_count_raises(text, context):
    if reads(text) and "count" in json.loads(text) and json.loads(text)["count"] is None:
        raise TypeError("'>' not supported")
    return b.greet(text, context)


def refuses_long_names(text, context):
    if reads(text) and json.loads(text).get("name") == "A":
        return b.failure("Initials are politely declined here.")
    return b.greet(text, context)


def returns_a_dict(text, context):
    return b.Result("dict", is_invoke_result=False)


def payload_is_an_object(text, context):
    result = b.greet(text, context)
    return b.replace(b.success(None), payload_type="dict") if isinstance(result, dict) else result


def payload_is_nan(text, context):
    result = b.greet(text, context)
    return '{"message": NaN}' if isinstance(result, dict) else result


def fails_silently(text, context):
    result = b.greet(text, context)
    return b.failure(" ") if isinstance(result, b.Result) else result


def fails_with_a_word(text, context):
    result = b.greet(text, context)
    return b.failure("Error.") if isinstance(result, b.Result) else result


def leaks_a_trace(text, context):
    result = b.greet(text, context)
    trace = 'Traceback (most recent call last):\n  File "/srv/tool.py", line 3, in execute\nValueError: x'
    return b.failure(f"Failed: {trace}") if isinstance(result, b.Result) else result


def leaks_a_canary(text, context):
    result = b.greet(text, context)
    return b.failure("No answer from cnry0123456789abcdef today.") if isinstance(result, b.Result) else result


def says_key_error(text, context):
    result = b.greet(text, context)
    return b.failure("KeyError: 'name' in the request") if isinstance(result, b.Result) else result


def payload_leaks(text, context):
    result = b.greet(text, context)
    return {**result, "env": "cnry0123456789abcdef"} if isinstance(result, dict) else result


def no_identifiers(text, context):
    result = b.greet(text, context)
    return {"message": "Hello"} if isinstance(result, dict) else result


def constant_identifiers(text, context):
    result = b.greet(text, context)
    return {**result, "sessionId": "s", "conversationId": "c"} if isinstance(result, dict) else result


def invents_absent_identifiers(text, context):
    result = b.greet(text, context)
    return {k: v or "unknown" for k, v in result.items()} if isinstance(result, dict) else result


def success_says_error(text, context):
    result = b.greet(text, context)
    return {**result, "success": False} if isinstance(result, dict) else result


def failure_with_payload(text, context):
    result = b.greet(text, context)
    return b.replace(result, payload="{}", payload_type="str") if isinstance(result, b.Result) else result


def encodes_the_name(text, context):
    if reads(text):
        str(json.loads(text).get("name")).encode()
    return b.greet(text, context)


def quotes_the_name(text, context):
    result = b.greet(text, context)
    if "O'Brien" in (text or ""):
        raise LookupError("unterminated")
    return result


def refuses_the_example(text, context):
    refused = text is not None and "Grace Hopper" in text
    return b.failure("Nobody of this name is known.") if refused else b.greet(text, context)


FAULTS = {
    unguarded_parse: "ARG002",
    unguarded_root: "ARG002",
    catches_too_little: "ARG002",
    unguarded_key: "ARG005",
    happy_path_raises: "EXC001",
    null_count_raises: "EXC001",
    needs_context: "CTX001",
    refuses_without_context: "CTX006",
    defaults_the_name: "ARG006",
    null_name_is_friend: "ARG007",
    any_name_type: "ARG008",
    unknown_mood_is_kind: "ARG009",
    clamps_count: "ARG010",
    ignores_garbage: "ARG003",
    array_is_a_name: "ARG004",
    blank_is_a_greeting: "ARG001",
    optional_is_required: "ARG011",
    refuses_long_names: "ARG012",
    returns_a_dict: "RES001",
    payload_is_an_object: "RES002",
    payload_is_nan: "RES003",
    fails_silently: "RES004",
    fails_with_a_word: "RES005",
    refuses_the_example: "RES006",
    success_says_error: "RES007",
    failure_with_payload: "RES008",
    encodes_the_name: "ARG013",
    quotes_the_name: "EXC001",
    leaks_a_trace: "EXC003",
    leaks_a_canary: "EXC004",
    payload_leaks: "EXC005",
    says_key_error: "EXC006",
    no_identifiers: "CTX002",
    constant_identifiers: "CTX003",
    invents_absent_identifiers: "CTX004",
}


@pytest.mark.parametrize(
    ("fault", "code"), FAULTS.items(), ids=lambda value: getattr(value, "__name__", value)
)
def test_a_fault_breaks_its_rule_and_no_other(fault, code):
    found = b.breaches(b.explore(fault))
    assert list(found) == [code], found
