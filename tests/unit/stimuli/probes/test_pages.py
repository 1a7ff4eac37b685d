"""The probe pages: a next page that a result names is asked for, and so on to the end."""

import json

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Outcome, Result
from aptix_conformance.stimuli.probes import PagesProbe

PROBE = PagesProbe()


def returned(plan, payload, seconds=0.001):
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return Call(plan, Outcome.RETURNED, seconds, Result("InvokeResult", True, True, text, "str"))


@pytest.fixture
def followed(make_subject):
    """Plays a tool that answers by its arguments; gives the arguments of the calls that follow, with their labels."""

    def play(answer, *documents, schema="string", argument="cursor", seconds=0.001):
        limit = {"type": "integer", "minimum": 1, "maximum": 3}
        properties = {argument: {"type": schema}, "limit": limit}
        subject = make_subject({"type": "object", "properties": properties})
        seen = [
            returned(stimulus("valid", "generated", json.dumps(one), {}), answer(one))
            for one in documents or ({},)
        ]
        made = []
        for plan in PROBE.fixed(subject, seen):
            document = json.loads(plan.arguments)
            made.append((plan.label, document))
            seen.append(returned(plan, answer(document), seconds))
        return made

    return play


def test_each_page_is_asked_for_until_none_is_named(followed):
    after = {None: "b", "b": "c", "c": None}
    assert followed(lambda sent: {"items": [1], "next_cursor": after[sent.get("cursor")]}) == [
        ("varied:cursor:next-page:1", {"cursor": "b"}),
        ("varied:cursor:next-page:2", {"cursor": "c"}),
    ]


def test_the_other_arguments_stay_and_the_shortest_page_is_followed_too(followed):
    made = followed(
        lambda sent: {"items": ["x"] * sent["limit"], "nextCursor": None if "cursor" in sent else "b"},
        {"limit": 3},
        {"limit": 2},
        {"limit": 1},
    )
    assert [document for _, document in made] == [{"limit": 3, "cursor": "b"}, {"limit": 1, "cursor": "b"}]


@pytest.mark.parametrize(
    ("argument", "key"),
    [
        ("cursor", "nextCursor"), ("page_token", "nextPageToken"), ("page", "next_page"), ("after", "endCursor"),
        ("pageToken", "next"), ("offset", "next_offset"), ("continuation", "continuationToken"),
    ],
)  # fmt: skip
def test_what_names_the_next_page_goes_by_many_names(followed, argument, key):
    (made,) = followed(lambda sent: {} if argument in sent else {"paging": {key: "b"}}, argument=argument)
    assert made[1] == {argument: "b"}


def test_a_page_that_names_itself_ends_the_listing(followed):
    assert len(followed(lambda sent: {"next_cursor": "same"})) == 1


def test_a_listing_without_an_end_is_left_after_twenty_pages(followed):
    made = followed(lambda sent: {"next_page": sent.get("page", 1) + 1}, schema="integer", argument="page")
    assert len(made) == 20


@pytest.mark.parametrize(
    "payload",
    [{"next_cursor": 5}, {"next_cursor": ""}, {"next_cursor": True}, {"next_limit": "a"}, {"items": [{"next": "a"}]}, "no JSON", [], "[" * 9999],
)  # fmt: skip
def test_what_is_no_next_page_is_not_followed(followed, payload):
    assert followed(lambda sent: payload) == []


def test_a_tool_without_an_argument_for_a_page_is_not_asked(followed):
    assert followed(lambda sent: {"next": "b"}, argument="name") == []
