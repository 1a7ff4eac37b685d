"""A tool that never worked is tried with what other tools of its server list."""

import pytest
from tests.process.hosts.mcp.servers import COMMAND

from aptix_conformance.core.model import canaries
from aptix_conformance.systems.mcp.served_tools import listing_tools
from aptix_conformance.targets import Target, ToolSettings

SERVES = """
listed['tools'] = [TOOL, *({'name': name, 'inputSchema': {'type': 'object', 'required': required}} for name, required in
                           (('list_notes', []), ('get_note', ['name']), ('show_all', []), ('write_note', [])))]
answers = {'list_notes': os.environ.get('A_TOKEN', 'milk.txt'), 'show_all': 'salt.txt'}
def call(params):
    text = answers.get(params['name'])
    return {'content': [{'type': 'text', 'text': text or 'no'}], 'isError': text is None}
def answer(method, params):
    if method == 'tools/list':
        return listed
    return call(params) if method == 'tools/call' else known.get(method)
"""


@pytest.fixture
def asked(bench):
    """What the tool `echo` of the server can learn from its listing tools, with some settings."""

    def ask(settings, changes=""):
        return (
            bench(f"{SERVES}{changes}")
            .open(Target(f"mcp:{COMMAND}#echo", "mcp", COMMAND, "echo"), settings)
            .ask_listing_tools()
        )

    return ask


def test_tools_that_list_something_and_need_nothing_are_asked(asked):
    assert asked(ToolSettings()) == ("milk.txt", "salt.txt")


def test_no_secret_is_in_what_they_answer(asked, monkeypatch):
    monkeypatch.setenv("A_PAT", "a1b2c3d4e5f6")
    assert asked(ToolSettings(env={"A_TOKEN": "${A_PAT}"}))[0] == canaries.standing_for("A_PAT")


def test_nothing_is_asked_where_calls_reach_more_than_their_container(asked):
    assert asked(ToolSettings(side_effects="none")) == ()


def test_one_that_the_project_calls_destructive_is_not_asked(bench):
    pool = bench(SERVES, uncalled=(f"mcp:{COMMAND}#list_notes",))
    host = pool.open(Target(f"mcp:{COMMAND}#echo", "mcp", COMMAND, "echo"), ToolSettings())
    assert host.ask_listing_tools() == ("salt.txt",)


def test_one_that_is_listed_no_more_costs_its_own_answer_only(asked):
    """Its host cannot be made, and the tool under test still can."""
    changing = "\nlisted['tools'][1]['name'] = f'list_{os.urandom(4).hex()}'\n"
    assert asked(ToolSettings(), changing) == ("salt.txt",)


def test_one_that_ends_or_hangs_costs_its_own_answer_only(asked):
    ends = "\nanswered = call\ndef call(params):\n    return sys.exit(3) if params['name'] == 'list_notes' else answered(params)\n"
    assert asked(ToolSettings(), ends) == ("salt.txt",)


def test_the_likeliest_are_asked_first_and_not_many():
    names = (
        "get_note",
        "find_note",
        "noteList",
        "delete_note",
        "delete_all",
        "clear_list",
        "search.notes",
        "show_me",
        "",
    )
    assert listing_tools(names, "show_me") == ["noteList", "get_note", "find_note"]
