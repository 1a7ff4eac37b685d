"""tools/list of hostile servers is read as far as it goes, and what was read stays."""

import json

import pytest

from aptix_conformance.runners.mcp import opening
from aptix_conformance.runners.mcp.connection import Answer, Message
from aptix_conformance.runners.mcp.opening import LEGACY, NotUsableError, Session, list_tools

NO_METHOD = {"error": {"code": -32601, "message": "Method not found"}}


class Pages:
    """A connection whose server answers each cursor with what `page` gives."""

    def __init__(self, page, http=None):
        self.page = page
        self.http = http
        self.asked = 0

    def ask(self, _method, params):
        self.asked += 1
        message = {"jsonrpc": "2.0", "id": self.asked, **self.page(params.get("cursor"))}
        return Answer(Message(json.dumps(message), message, self.http), [])


def listing(page, able=None, http=None):
    said = {"result": {"capabilities": {"tools": {}} if able is None else able}}
    return list_tools(Session(Pages(page, http), LEGACY, json.dumps(said), []))


def tools(*names, cursor=None):
    return {
        "result": {"tools": [{"name": name} for name in names]} | ({"nextCursor": cursor} if cursor else {})
    }


def names(found):
    return [tool["name"] for tool in found.tools]


def test_a_list_with_an_end_has_no_fault():
    found = listing(lambda cursor: tools("b") if cursor else tools("a", cursor="2"))
    assert (names(found), found.fault, found.breach) == (["a", "b"], "", "")


@pytest.mark.parametrize("page", [{"result": {"tools": {}}}, {"result": []}, {"result": {}}, NO_METHOD])
def test_a_page_of_another_form_ends_the_list_and_what_came_before_stays(page):
    found = listing(lambda cursor: page if cursor else tools("a", cursor="2"))
    assert names(found) == ["a"]
    assert found.breach == "form"
    assert found.fault.startswith("gave no list of tools: ")


@pytest.mark.parametrize("cursor", [2, True, {"page": 2}, [1]])
def test_a_cursor_that_is_no_string_is_not_followed(cursor):
    found = listing(lambda _: tools("a", cursor=cursor))
    assert (names(found), found.breach) == (["a"], "form")


def test_a_cursor_that_comes_twice_has_no_end():
    found = listing(lambda cursor: tools(cursor or "first", cursor="b" if cursor == "a" else "a"))
    assert (names(found), found.breach) == (["first", "a", "b"], "end")


def test_pages_without_new_tools_have_no_end():
    found = listing(lambda cursor: tools("a", cursor=f"{cursor}+"))
    assert (len(found.tools), found.breach) == (opening._MOST_PAGES, "end")


def test_more_pages_than_are_read_break_nothing():
    """They may have an end."""
    found = listing(lambda cursor: tools(f"{cursor}", cursor=f"{cursor}+"))
    assert (found.breach, "more than 100 pages" in found.fault) == ("", True)


def test_more_tools_than_anybody_examines_are_refused():
    with pytest.raises(NotUsableError, match="more than 2,000 tools"):
        listing(lambda cursor: tools(*(f"{cursor}{n}" for n in range(4000)), cursor=f"{cursor}+"))


def test_a_list_that_takes_too_long_breaks_nothing(monkeypatch):
    monkeypatch.setattr(opening, "_MOST_SECONDS", -1.0)
    found = listing(lambda _: tools("a", cursor="2"))
    assert (names(found), found.breach, bool(found.fault)) == (["a"], "", True)


def test_a_server_that_declares_no_tools_need_not_list_any():
    with pytest.raises(NotUsableError, match="Method not found"):
        listing(lambda _: NO_METHOD, able={"resources": {}})
    assert listing(lambda _: {"result": {}}, able={}).breach == "form"


def test_an_error_that_http_explains_is_no_fault_of_the_list():
    """Such as a session that ended."""
    with pytest.raises(NotUsableError, match="Method not found"):
        listing(lambda _: NO_METHOD, http={"status": 404})
    assert listing(lambda _: NO_METHOD, http={"status": 200}).breach == "form"
