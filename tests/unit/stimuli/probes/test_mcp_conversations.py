"""The probe of two conversations: what the first sends, that the second shares nothing with it, and when a restart is made."""

import json

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Outcome, Result
from aptix_conformance.core.model.codec import replace
from aptix_conformance.systems.mcp.conversations import CONVERSATIONS
from aptix_conformance.systems.mcp.facts import McpResult, McpTool

TEXT = {"type": "string"}
OWN, NAMING = "aptixtext", "aptixname"


def of(required=(), **properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


NOTE = of(["note"], note=TEXT)


def answered(plan, text=""):
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}})
    return Call(plan, Outcome.RETURNED, 0.001, Result("CallToolResult", True, True, facts=McpResult(message)))


REFUSED = Result("CallToolResult", True, False)


@pytest.fixture
def run(make_subject):
    """Runs the probe behind calls that worked; `answer` gives the text of a call by its arguments and those before, None to refuse."""

    def go(schema, *worked, answer=lambda *_: "", revision="2026-07-28", seed=1):
        subject = make_subject(schema, seed=seed)
        facts = McpTool(revision, "{}", "{}")
        subject = replace(subject, declaration=replace(subject.declaration, facts=facts))
        seen = [answered(stimulus("valid", "minimal", json.dumps(each), {})) for each in worked]
        before = []
        for plan in CONVERSATIONS.fixed(subject, seen):
            text = answer(json.loads(plan.arguments), before)
            before.append(json.loads(plan.arguments))
            call = answered(plan, text or "")
            seen.append(call if text is not None else replace(call, result=REFUSED))
        return [(call.plan.label, json.loads(call.plan.arguments)) for call in seen[len(worked) :]]

    return go


def remembering(_arguments, before):
    return json.dumps(before)


def test_a_call_with_a_text_of_its_own_comes_before_one_that_works(run):
    (told, first), (asked, second) = run(NOTE, {"note": "text"})
    assert (told, asked) == ("one-conversation", "another-conversation")
    assert first["note"].startswith(OWN)
    assert second == {"note": "text"}


def test_the_second_call_finds_the_files_of_the_first():
    assert CONVERSATIONS.in_sequence


def test_a_restart_follows_where_the_second_call_shows_what_the_first_sent(run):
    assert [label for label, _ in run(NOTE, {"note": "text"}, answer=remembering)] == [
        "one-conversation",
        "another-conversation",
        "wire:restarted-call",
    ]


def test_what_a_property_named_for_an_identifier_holds_is_not_looked_for(run):
    schema = of(["notebook", "note"], notebook=TEXT, note=TEXT)
    made = run(schema, {"notebook": "a", "note": "b"}, answer=lambda given, _: given["notebook"])
    assert made[0][1]["notebook"].startswith(NAMING)
    assert len(made) == 2
    assert run(of(["bookId"], bookId=TEXT), {"bookId": "a"}) == []


def test_the_second_call_shares_no_value_with_the_first(run):
    schema = of(
        ["n", "kind", "note", "done"],
        n={"type": "integer"},
        kind={"enum": ["a", "b"]},
        note=TEXT,
        done={},
        lines={"type": "array", "items": of(["text", "at"], text=TEXT, at={"type": "number"})},
    )
    worked = {"n": 1, "kind": "a", "note": "x", "done": True, "lines": [{"text": "y", "at": 2}]}
    (_, told), (_, asked) = run(schema, worked)
    assert asked == worked
    assert told["done"] is True
    assert told["kind"] == "b"
    assert told["n"] not in (1, 2)
    assert told["lines"][0]["text"].startswith(OWN)
    assert told["lines"][0]["at"] not in (1, 2)


def test_a_value_that_both_would_have_to_send_ends_it_unless_it_names_nothing(run):
    worked = {"shelf": "s-1", "note": "x"}
    assert run(of(["shelf", "note"], shelf={**TEXT, "pattern": "^s-1$"}, note=TEXT), worked) == []
    (_, told), _ = run(of(["shelf", "note"], shelf={"enum": ["s-1"]}, note=TEXT), worked)
    assert told["shelf"] == "s-1"


def test_an_optional_value_that_both_would_send_is_left_out_of_both(run):
    (_, told), (_, asked) = run(
        of(["note"], shelf={**TEXT, "pattern": "^s-1$"}, note=TEXT), {"shelf": "s-1", "note": "x"}
    )
    assert list(told) == ["note"]
    assert asked == {"note": "x"}


def test_a_value_of_another_call_that_worked_stands_in_where_no_own_text_may(run):
    schema = of(["shelf", "note"], shelf={**TEXT, "pattern": "^s-[0-9]$"}, note=TEXT)
    (_, told), _ = run(schema, {"shelf": "s-1", "note": "x"}, {"shelf": "s-2", "note": "y"})
    assert told["shelf"] == "s-2"


def test_a_refused_text_is_followed_by_others(run):
    made = run(
        of(["place", "note"], place=TEXT, note=TEXT),
        {"place": "Oslo", "note": "x"},
        {"place": "Bergen", "note": "y"},
        answer=lambda given, _: None if given["place"].startswith(OWN) else "",
    )
    assert [(label, given["place"]) for label, given in made[-2:]] == [
        ("one-conversation", "Bergen"),
        ("another-conversation", "Oslo"),
    ]
    assert made[-2][1]["note"].startswith(OWN)


def test_an_optional_text_is_sent_where_the_call_that_works_has_none(run):
    (_, told), (_, asked) = run(of(remark=TEXT, name=TEXT), {})
    assert list(told) == ["remark"]
    assert asked == {}


@pytest.mark.parametrize(
    ("schema", "worked", "revision"),
    [
        (NOTE, [{"note": "text"}], "2025-11-25"),
        (NOTE, [], "2026-07-28"),
        (of(["n"], n={"type": "integer"}), [{"n": 1}], "2026-07-28"),
        (of(["kind"], kind={"enum": ["a", "b"]}), [{"kind": "a"}], "2026-07-28"),
    ],
    ids=["the earlier revision", "nothing works", "a number", "listed values"],
)
def test_there_is_nothing_to_compare(run, schema, worked, revision):
    assert run(schema, *worked, revision=revision) == []


def test_texts_are_the_same_in_each_run_of_one_seed_and_of_no_other(run):
    one, again, other = (run(NOTE, {"note": "text"}, seed=seed)[0][1] for seed in (1, 1, 2))
    assert one == again != other
