"""RES020 on the calls of the probe `pages`: a listing advances, and no page leads back."""

import json

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Change, Exploration, Kind
from aptix_conformance.stimuli.probes.pages import NEXT_PAGE

RULE = b.RULES["RES020"]


def listing(*pages, argument="cursor", first="t1", earlier=1):
    """The calls of one listing; each page is its payload or its result, and is asked for by what the one before it named."""
    calls, token = [], first
    for number, page in enumerate(pages, start=1):
        result = page if isinstance(page, b.Result) else b.success(page)
        call = b.call(arguments=json.dumps({argument: token}), probe="pages", result=result, earlier=earlier)
        change = Change(Kind.VARIED, argument, NEXT_PAGE, number=number)
        calls.append(b.replace(call, plan=b.replace(call.plan, change=change)))
        if isinstance(page, dict):
            named = {**page, **page.get("paging", {})}
            token = next(
                (value for key, value in named.items() if "next" in key.lower() or key == "endCursor"), token
            )
    return calls


def judged(*calls):
    exploration = Exploration((b.declaration(),), calls)
    return list(RULE.findings(exploration)) if RULE.when(exploration) else None


def page(following, *items, key="next_cursor", **others):
    return {"items": list(items), key: following, **others}


def test_a_page_that_names_itself_is_found():
    calls = listing(page("t2", 1), page("t2", 2))
    (finding,) = judged(*calls)
    assert finding.message == 'A page that holds something names itself, "t2", as the next page.'
    assert finding.call is calls[-1]


def test_a_page_that_names_an_earlier_one_is_found():
    (finding,) = judged(*listing(page("t2", 1), page("t3", 2), page("t1", 3)))
    assert finding.message == 'A page that holds something names an earlier one, "t1", as the next page.'


@pytest.mark.parametrize(
    ("argument", "key"),
    [("offset", "next_offset"), ("page", "nextPage"), ("after", "endCursor"), ("cursor", "next")],
)
def test_it_is_found_by_whatever_name(argument, key):
    again = {"items": [1], "paging": {key: 7}}
    (finding,) = judged(*listing(again, argument=argument, first=7))
    assert finding.cause == "back"


@pytest.mark.parametrize(
    "pages",
    [
        [page("t2", 1), page(None, 2)],
        [page("t2", 1), page("t2")],
        [page("t1")],
        [page("t1", 1, columns=[], has_more=True)],
        [page("t1", 1, has_more=False)],
        [page("t1", 1, paging={"isLast": True})],
        [{"next_cursor": "t1"}],
        [page("t1", 1, key="cursor")],
        [page("t2", 1), b.failure("There is no such page.")],
    ],
    ids=[
        "ends",
        "end of a stream",
        "empty",
        "an empty array",
        "no more",
        "last",
        "no items",
        "an echo",
        "another page is refused",
    ],
)
def test_a_listing_that_ends_or_waits_is_not(pages):
    calls = listing(*pages, earlier=0)
    assert judged(*calls) == []


def test_a_member_called_next_is_a_page_only_beside_an_argument_for_pages():
    assert judged(*listing({"items": [1], "next": 7}, argument="start", first=7)) == []


def test_a_page_that_is_refused_though_it_was_named_is_found():
    (finding,) = judged(*listing(page("t2", 1), b.failure("There is no such page.")))
    assert finding.message == "The tool refused a next page that it had named: There is no such page."


@pytest.mark.parametrize(
    "calls",
    [
        [*listing(page("t2", 1)), *listing(b.failure("Expired."))],
        [
            b.call("minimal"),
            *listing(page("t2", 1), b.failure("Not today.")),
            b.call("again:minimal", result=b.failure("Not today.")),
        ],
        listing(page("t2", 1), b.failure("Too many requests.")),
        listing(page("t2", 1, has_more=False), b.failure("There is none.")),
    ],
    ids=["named long before", "words for any call", "busy", "said that it is the last"],
)
def test_a_refusal_that_may_have_another_reason_is_not(calls):
    assert judged(*calls) == []


def endless(count, item):
    return listing(
        *(page(number + 1, item(number), key="next_page", page=number) for number in range(1, count + 1)),
        argument="page",
        first=1,
    )


def test_twenty_pages_that_are_all_alike_are_found():
    (finding,) = judged(*endless(20, lambda _: "the first"))
    assert finding.message == "20 pages in a row held the same."


@pytest.mark.parametrize(("count", "item"), [(19, lambda _: "the first"), (20, str)])
def test_a_long_listing_is_not(count, item):
    assert judged(*endless(count, item)) == []


def test_each_listing_is_judged_by_itself():
    good, bad = listing(page("t2", 1), page(None, 2)), listing(page("t1", 3))
    assert [finding.call for finding in judged(*good, *bad)] == bad
    assert [finding.call for finding in judged(*bad, *good)] == bad


def test_without_a_next_page_it_has_nothing_to_judge():
    assert judged(b.call()) is None
