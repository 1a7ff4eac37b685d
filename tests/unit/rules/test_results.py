"""RES: results that are just right, results that are just wrong, and what is another rule's."""

import json

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.explorations import disturbed, explored

from aptix_conformance.core.model import CancellationPoint, Exploration, ResultError
from aptix_conformance.core.model.codec import replace

TRACEBACK = 'Traceback (most recent call last):\n  File "/srv/notes.py", line 3, in run\n    x[0]\nIndexError: no item'


def example(expected, payload):
    made = b.call("example:1", result=b.success(json.dumps(payload)))
    return replace(made, plan=replace(made.plan, expected=json.dumps(expected)))


def test_res006_tells_a_refused_example_and_what_it_said():
    example = b.call("example:1", demand="accepted", result=b.failure("Closed."))
    assert "Closed." in b.judge("RES006", explored(b.call(), example)).message
    assert b.judge("RES006", explored(b.call("example:1"))) is None
    drawn = b.call("generated", result=b.failure())
    assert b.judge("RES006", explored(b.call(), drawn)) is None
    again = b.call("example:1", probe="repeat", result=b.failure())
    assert b.judge("RES006", explored(b.call(), again)) is None


def test_res006_is_for_successes_and_answered_examples():
    assert b.RULES["RES006"].when(explored(b.call()))
    assert b.RULES["RES006"].when(explored(b.call("example:1", result=b.failure())))
    assert not b.RULES["RES006"].when(explored(b.call(result=b.failure())))
    assert not b.RULES["RES006"].when(explored(b.call("example:1", raised="KeyError")))


def test_res006_judges_each_example_by_itself_and_the_other_calls_together():
    """It passes only if it could judge every example."""
    kinds = [
        b.RULES["RES006"].kind(b.call(label)) for label in ("example:1", "example:2", "generated", "minimal")
    ]
    assert len(set(kinds)) == 3
    assert kinds[2:] == [None, None]


@pytest.mark.parametrize(
    ("key", "bad"), [("success", False), ("successful", False), ("IsSuccess", False), ("is_error", True)]
)
def test_res007_reports_a_success_that_says_that_it_is_none(key, bad):
    assert b.judge("RES007", b.call(result=b.success({key: bad, "n": 1})))
    for fine in (not bad, None, 0):
        assert b.judge("RES007", b.call(result=b.success({key: fine, "n": 1}))) is None


@pytest.mark.parametrize(
    ("payload", "is_broken"),
    [
        ({"error": "no"}, True),
        ({"errors": ["no"]}, True),
        ({"error": None}, False),
        ({"errors": []}, False),
        ({"error": "no", "n": 1}, False),
        ({"error": "no", "sessionId": "s", "conversation_id": "c"}, True),
        ({"errorMessage": "no", "code": 7}, True),
        ({"status": "error", "capital": None}, True),
        ({"State": "FAILED", "error": "no"}, True),
        ({"outcome": "failure"}, False),
        ({"status": "failed", "job": 12, "output": None}, False),
        ({"status": "ok", "valid": False, "error": "no"}, False),
        ({"status": "ok", "error": "no"}, False),
        ({"n": 1}, False),
        ([{"error": "no"}], True),
        ([{"success": False, "error": "no"}], True),
        ([{"isError": True}], True),
        ([{"name": "Ada", "success": False, "error": "no"}], False),
        ([{"error": "no"}, {"error": "no"}], False),
        ([{"id": 7, "status": "error", "message": "The disk is full."}], False),
        ({"result": {"success": False, "message": "no"}, "sessionId": "s"}, True),
        ({"result": {"success": False, "n": 1}}, False),
        ({"job": {"error": "no"}}, False),
        ({"ok": False}, True),
        ({"OK": False, "code": "NOT_FOUND", "results": []}, True),
        ({"ok": False, "problems": ["no title"]}, False),
        ({"status": "error", "message": "no"}, True),
        ({"status": "failed", "message": "no"}, False),
        ({"id": 7, "status": "error", "message": "no"}, False),
        ({"name": "Ada", "status": "error", "message": "no"}, False),
        ({"status": "error"}, True),
        ([{"status": "error"}], True),
        ({"status": "error", "code": 404}, True),
        ({"status": "error", "timestamp": "2026-01-02T03:04:05Z", "duration_ms": 3, "count": 0}, True),
        ({"status": "error", "results": []}, True),
        ({"status": "error", "results": [1]}, False),
        ({"status": "error", "exitCode": 3}, False),
        ({"state": "error"}, False),
        ({"state": "error", "message": "no"}, True),
        ({"state": "error", "message": 7}, False),
        ({"state": "failed", "result": None}, True),
        ({"status": "failed"}, False),
        ({"ok": False, "duration_ms": 3}, True),
        ([{"ok": False, "elapsed": 0.5}], True),
        ({"ok": False, "rows": [1]}, False),
        ({"error": "no", "timestamp": "2026-01-02T03:04:05Z"}, True),
        ({"error": {"type": "x"}, "count": 3}, True),
        ([{"error": "no", "took": 7}], True),
        ({"error": "no", "count": 3, "items": [1, 2, 3]}, False),
        ({"error": "no", "count": True}, False),
        ({"error": 5}, False),
        ({"error": "", "count": 3}, False),
        ({"error": "no", "statusCode": 404}, False),
        ({"errors": ["line 3"], "count": 1}, False),
        ({"name": "Ada", "error": "no"}, True),
        ({"error": "no", "results": [], "count": 0}, True),
        ({"error": {"code": 7}}, True),
        ({"error": True, "message": "no"}, True),
        ({"valid": False, "error": "no"}, False),
        ({"errors": 3, "warnings": 0}, False),
        ({"errors": ["line 3"], "warnings": []}, False),
        ({"statusCode": 500, "message": "no"}, False),
        ("error", False),
        ({"status": {"code": 7}, "error": "no"}, True),
        ({"status": {"code": 7}, "n": 1}, False),
    ],
)
def test_res007_reports_nothing_but_an_error(payload, is_broken):
    given = b.success(json.dumps(payload))
    assert (b.judge("RES007", b.call(result=given)) is not None) is is_broken


def test_res007_reports_a_success_with_errors():
    both = replace(b.success({"n": 1}), errors=(ResultError("It broke."),))
    assert "It broke." in b.judge("RES007", b.call(result=both)).message
    unreadable = b.call(result=replace(both, payload=None))
    assert b.RULES["RES007"].when(b.alone(unreadable))
    assert "It broke." in b.judge("RES007", unreadable).message
    assert not b.RULES["RES007"].when(b.alone(b.call(result=replace(both, payload=None, errors=()))))


def test_res007_leaves_a_refusal_that_is_labelled_as_a_success_to_mcp087():
    said = b.success({"success": False, "error": "name is missing"})
    (found,) = b.RULES["RES007"].findings(b.alone(b.call("missing:name", "{}", "invalid", "refused", said)))
    assert (found.defers_to, found.cause) == ("MCP087", "refusal")


def test_res007_is_for_successes_that_were_not_cancelled():
    assert not b.RULES["RES007"].when(b.alone(disturbed(b.call(), "catalog:hangs")))
    assert not b.RULES["RES007"].when(b.alone(b.call(result=b.failure())))


@pytest.mark.parametrize(
    ("payload", "type_name", "is_broken"),
    [(None, "NoneType", False), ("", "str", False), ("{}", "str", True), (None, "dict", True)],
)
def test_res008_takes_nothing_and_the_empty_text_for_no_payload(payload, type_name, is_broken):
    failed = replace(b.failure(), payload=payload, payload_type=type_name)
    assert (b.judge("RES008", b.call(result=failed)) is not None) is is_broken


def test_res008_leaves_agent_list_modes_to_its_own_contract():
    assert "CAT009" in b.RULES["RES008"].applies(b.declaration(name="agent_list_modes"))
    assert b.RULES["RES008"].applies(b.declaration()) is None


@pytest.mark.parametrize(("type_name", "words"), [("NoneType", "returned None"), ("dict", "of type dict")])
def test_res001_says_what_came_instead(type_name, words):
    assert words in b.judge("RES001", b.call(result=b.Result(type_name, False))).message


def test_res002_says_what_the_payload_is():
    odd = replace(b.success(None), payload_type="dict")
    assert "of type dict" in b.judge("RES002", b.call(result=odd)).message
    assert "is None" in b.judge("RES002", b.call(result=b.success(None))).message
    assert not b.RULES["RES003"].when(b.call(result=odd))
    assert not b.RULES["RES003"].when(b.call(result=b.failure()))


@pytest.mark.parametrize(
    ("message", "errors", "is_broken"),
    [
        ("Closed.", (), False),
        (None, (ResultError("Closed."),), False),
        (None, (ResultError(None), ResultError(" ")), True),
        (" ", (), True),
        (None, (), True),
    ],
)
def test_res004_wants_a_text_anywhere(message, errors, is_broken):
    failed = replace(b.failure(), error_message=message, errors=errors)
    assert (b.judge("RES004", b.call(result=failed)) is not None) is is_broken


@pytest.mark.parametrize("code", ["RES004", "RES005", "RES008", "EXC003", "EXC004", "EXC006"])
def test_what_a_tool_keeps_only_by_failing_is_not_for_one_that_never_fails(code):
    assert b.RULES[code].is_optional
    assert not b.RULES[code].when(b.call())


@pytest.mark.parametrize(
    ("message", "name", "is_broken"),
    [(" ", " ", False), ("", " ", False), (" ", "Ada", True), ("", "Ada", True), ("\x1f", "Ada", False)],
)
def test_res004_leaves_the_callers_own_white_space_and_what_another_runtime_prints(message, name, is_broken):
    refused = b.call(arguments=json.dumps({"name": name}), result=b.failure(message))
    assert (b.judge("RES004", refused) is not None) is is_broken


def test_res005_leaves_a_message_that_the_caller_sent():
    refused = b.call(arguments='{"name": "Error"}', result=b.failure("Error"))
    assert b.judge("RES005", refused) is None
    assert b.judge("RES005", b.call(result=b.failure("Error")))


@pytest.mark.parametrize(
    ("message", "is_broken"),
    [("Error", True), ("An unknown error occurred.", True), ("ValueError", True), ("No such city.", False)],
)
def test_res005_wants_more_than_that_it_failed(message, is_broken):
    assert (b.judge("RES005", b.call(result=b.failure(message))) is not None) is is_broken


def test_res005_takes_one_clear_text_for_enough_and_leaves_none_to_res004():
    two = replace(b.failure("Error"), errors=(ResultError("No such city."),))
    assert b.judge("RES005", b.call(result=two)) is None
    assert b.judge("RES005", b.call(result=replace(b.failure(" "), errors=()))) is None
    assert not b.RULES["RES005"].when(b.call(probe="fault", result=b.failure("Error")))


def test_res009_is_for_examples_with_a_result():
    made = b.call("example:1")
    named = replace(made, plan=replace(made.plan, expected="{}"))
    assert b.RULES["RES009"].when(named)
    assert not b.RULES["RES009"].when(replace(named, plan=replace(named.plan, probe="repeat")))
    assert not b.RULES["RES009"].when(replace(named, result=b.failure()))


@pytest.mark.parametrize(
    ("expected", "payload"), [({"a": 1}, ["a"]), (["a"], {"a": 1}), ({}, []), ([], {}), ([1], [1, 2])]
)
def test_res009_tells_an_object_from_an_array(expected, payload):
    made = b.call("example:1", result=b.success(json.dumps(payload)))
    seen = replace(made, plan=replace(made.plan, expected=json.dumps(expected)))
    assert b.judge("RES009", seen).message.startswith("the payload is ")


@pytest.mark.parametrize(
    ("payload", "words"),
    [("{} {}", "has a fault: Extra data"), ('"\ud800"', "has an unescaped lone surrogate")],
)
def test_res003_says_what_is_wrong_with_the_payload(payload, words):
    assert words in b.judge("RES003", b.call(result=b.success(payload))).message


def test_res009_compares_the_items_of_arrays():
    assert b.judge("RES009", example({"a": [1, 2]}, {"a": [1, 2]})) is None
    found = b.judge("RES009", example({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}))
    assert "the payload.a[1].b is 3 and not 2" in found.message


def test_res009_tells_texts_as_they_are_written():
    found = b.judge("RES009", example({"a": "Grüße"}, {"a": "Gruß"}))
    assert '"Gruß" and not "Grüße"' in found.message


def test_res010_and_ctx005_and_res011_are_for_calls_that_were_repeated():
    def seen(*calls):
        return Exploration((), calls)

    one = b.call("idempotent:A:1", probe="repeat")
    assert not b.RULES["RES010"].when(seen(one))
    assert b.RULES["RES010"].when(seen(one, one))
    for other in (
        replace(one, result=b.failure()),
        replace(one, plan=replace(one.plan, probe="context")),
        replace(one, plan=replace(one.plan, disturbance=CancellationPoint("watch"))),
        replace(one, plan=replace(one.plan, arguments='{"name": "Bob"}')),
    ):
        assert not b.RULES["RES010"].when(seen(one, other))
    assert b.RULES["CTX005"].when(seen(one))
    assert not b.RULES["CTX005"].when(seen(b.call()))
    thrown = b.call("idempotent:A:1", probe="repeat", raised="KeyError")
    assert not b.RULES["CTX005"].when(seen(thrown))
    assert not b.RULES["RES011"].when(seen(thrown))


def causes(code, *calls):
    """The causes that a rule tells apart in some calls."""
    return {
        finding.cause
        for call in calls
        for finding in b.RULES[code].findings(b.alone(call) if code == "RES007" else call)
    }


def test_res003_counts_the_numbers_that_json_does_not_know_as_one_cause():
    numbers = [b.call(result=b.success(f'{{"n": {n}}}')) for n in ("NaN", "Infinity", "-Infinity")]
    assert len(causes("RES003", *numbers)) == 1
    halves = [b.call(result=b.success(f'["{"x" * n}{chr(0xD800 + n)}"]')) for n in (1, 5)]
    assert len(causes("RES003", *halves)) == 1, "which half of a character it is, and where, is no cause"
    assert len(causes("RES003", *numbers, *halves, b.call(result=b.success("{'n': 1}")))) == 3
    extra = [b.call(result=b.success(text)) for text in ("{} {}", "[1] x")]
    assert len(causes("RES003", *extra)) == 1, "where it stands is no cause"
    assert len(causes("RES003", *extra, b.call(result=b.success("[1")))) == 2


def test_res004_and_res008_tell_apart_what_was_refused():
    refused = [
        b.call("missing:name", "{}", "invalid", "refused", b.failure(None)),
        b.call("type:mood:integer", "{}", "invalid", "refused", b.failure(None)),
        b.call("garbage:prose", "hello", "malformed", "refused", b.failure(None)),
        b.call("garbage:html", "<p>", "malformed", "refused", b.failure(None)),
        b.call(result=b.failure(None)),
    ]
    assert len(causes("RES004", *refused)) == 4
    with_payload = [
        replace(call, result=replace(call.result, payload="[]", payload_type="str")) for call in refused
    ]
    assert len(causes("RES008", *with_payload)) == 4


def test_res005_tells_apart_what_was_said():
    said = [b.call(result=b.failure(text)) for text in ("Error", "error", "Invalid")]
    assert len(causes("RES005", *said)) == 2
    two = b.call(result=replace(b.failure("Failed"), errors=(ResultError("Error"), ResultError("Invalid"))))
    (finding,) = b.RULES["RES005"].findings(two)
    assert repr(finding.cause) in finding.message.casefold()


def test_res007_tells_apart_the_forms_of_what_was_returned():
    values = ({"error": "no"}, {"error": "never"}, {"success": False, "note": "no"}, [{"error": "no"}])
    assert len(causes("RES007", *(b.call(result=b.success(json.dumps(value))) for value in values))) == 3


@pytest.mark.parametrize(
    ("payload", "is_broken"),
    [
        ("Error: no such note", True),
        ("ERROR: no such note", True),
        ("[error] : no such note", False),
        ("KeyError: 'title'", True),
        ("Error searching libraries: TypeError: fetch failed", True),
        ("Error while reading notes.txt: no such file", True),
        ("Error codes of HTTP: 404 is for what is not there", False),
        ("Error handling in Go: a book", False),
        ("Could not save: ENOENT: no such file or directory", True),
        ("Failed to fetch price for Z: <urlopen error>", True),
        ("Unable to open the note: permission denied", True),
        ("Can't read it: it is locked", True),
        ("EACCES: permission denied, open 'a.txt'", True),
        ("No error found", False),
        ("Could not find Ada.", False),
        ("Failed to Launch: a film", False),
        ("Failed tests: 3", False),
        ("Cannot: a grammar of the verb", False),
        ("Could not save: ENOENT\n2026-11-24 10:00 INFO started", False),
        (["Error: no such note"], True),
        ({"result": "Error: no such note", "sessionId": "s"}, True),
        ({"message": "Exception: the disk is full"}, True),
        ({"result": "Error: no such note", "count": 3}, False),
        ({"title": "Error: a novel"}, False),
        ("error: 0.02", False),
        ("Errors: none that we know", False),
        ("Margin error: three percent", False),
        ("Failed: 3 of 12 tests of the build", False),
        ("Error: no such note\nTry another title.", True),
        ("Error: no such note\n\nHint:\n  - list the notes first", True),
        (f"Error: no such note\n{TRACEBACK}", True),
        (TRACEBACK, True),
        (TRACEBACK.replace("/srv/notes.py", "<string>"), False),
        (f"Notes on crashes\n{TRACEBACK}", False),
        ("Error: disk full\nWarning: retrying", False),
        ("Error: disk full\n2026-01-02 restarted", False),
        ("Error: disk full\n10:31:02 restarted", False),
        ("Error: disk full\n" + "a line\n" * 7, True),
        ("Error: disk full\n" + "a line\n" * 8, False),
        ("Error: " + "x" * 293, True),
        ("Error: " + "x" * 294, False),
        ("No error: all is well", False),
    ],
)
def test_res007_takes_a_text_that_begins_with_error_for_one(payload, is_broken):
    seen = b.call(result=b.success(json.dumps(payload)))
    assert bool(b.RULES["RES007"].findings(b.alone(seen))) is is_broken


def test_res007_leaves_what_a_program_of_the_caller_says_alone():
    seen = b.call(arguments='{"code": "run()"}', result=b.success(json.dumps(TRACEBACK)))
    assert b.judge("RES007", seen) is None


@pytest.mark.parametrize(
    ("payload", "sent", "is_broken"),
    [
        ("ERROR:root:the disk is full", {"lines": 1}, False),
        ("ERROR: the disk is full", {"lines": 1}, True),
        ("ERROR: the disk is full", {"file": "/srv/app.log", "lines": 1}, False),
        ("ERROR: the disk is full", {"source": "syslog"}, False),
        ("ERROR: the disk is full", {"log_name": "app"}, False),
        ("ERROR: the disk is full", {"logIndex": 3}, False),
        ("Error: no such file: /srv/app.log", {"file": "/srv/app.log"}, True),
        ("Error: app is not known", {"log_name": "app"}, True),
        ("Error: the disk is full", {"topic": "catalogue", "user": "login"}, True),
    ],
)
def test_res007_takes_a_line_of_a_log_for_what_was_asked_for(payload, sent, is_broken):
    call = b.call(arguments=json.dumps(sent), result=b.success(json.dumps(payload)))
    assert (b.judge("RES007", call) is not None) is is_broken


def test_res007_leaves_a_text_that_the_caller_sent_alone():
    sent = json.dumps({"text": "12:00 Error: disk full"})
    assert b.judge("RES007", b.call(arguments=sent, result=b.success('"Error: disk full"'))) is None
    assert b.judge("RES007", b.call(arguments=sent, result=b.success('"Error: disk fault"')))


def test_res007_is_for_a_text_that_is_no_json_where_it_is_an_error():
    bare = b.call(result=b.success("Error: no such note"))
    (finding,) = b.RULES["RES007"].findings(b.alone(bare))
    assert finding.defers_to == "RES003"
    assert not b.RULES["RES007"].when(b.alone(b.call(result=b.success("No such note"))))
    failed = replace(b.failure(), payload="Error: no such note", payload_type="str")
    assert not b.RULES["RES007"].when(b.alone(b.call(result=failed)))
