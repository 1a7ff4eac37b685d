"""A client's mcp.json: what it says of servers, and what is wrong with one, in a line."""

import json

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.systems.mcp.client_files import client_specs, disabled_servers, with_file
from aptix_conformance.targets import ToolSettings

NOTES = {
    "command": "python",
    "args": ["-m", "notes", "--db", "${NOTES_DB:-notes.db}"],
    "env": {"A": "${NOTES_A}"},
}
HOSTED = {
    "type": "http",
    "url": "https://example.com/${TENANT:-a}/mcp",
    "headers": {"Authorization": "Bearer ${KEY}"},
}


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Gives the settings of a place, with a file that says something."""
    monkeypatch.setenv("NOTES_A", "b")

    def settle(said, place="@mcp.json:notes", settings=None):
        text = said if isinstance(said, str) else json.dumps({"mcpServers": said})
        (tmp_path / "mcp.json").write_text(text)
        return with_file(settings or ToolSettings(), place, tmp_path, {"NOTES_A"})

    return settle


def test_a_server_that_is_started_has_its_command_variables_and_folder(read, tmp_path):
    found = read({"notes": {**NOTES, "cwd": ".", "disabled": False}})
    assert found.command == ("python", *NOTES["args"])
    assert (found.env, found.directory) == (NOTES["env"], str(tmp_path))


def test_a_server_with_a_url_has_it_and_its_headers_and_no_secret_is_read(read):
    found = read({"hosted": HOSTED, "notes": NOTES}, "@mcp.json:hosted")
    assert (found.url, found.headers, found.command) == (HOSTED["url"], HOSTED["headers"], ())


def test_a_file_with_one_server_needs_no_name_and_a_table_goes_before_it(read):
    found = read({"notes": NOTES}, "@mcp.json", ToolSettings(env={"A": "c"}, timeout=3.0))
    assert (found.env, found.timeout) == ({"A": "c"}, 3.0)


def test_a_disabled_server_is_examined_where_its_name_is_written(read, tmp_path):
    servers = {"notes": {**NOTES, "disabled": True}, "hosted": HOSTED}
    assert read(servers).command == ("python", *NOTES["args"])
    assert disabled_servers("mcp.json", tmp_path) == {"notes"}
    with pytest.raises(
        TargetError, match=r"notes is disabled there: not examined; to examine it, write mcp:@mcp\.json:notes"
    ):
        read({"notes": servers["notes"]}, "@mcp.json")


@pytest.mark.parametrize(
    ("key", "said", "to"),
    [
        ("args[0]", {"command": "notes", "args": ["--key=${GIT_KEY}"]}, "notes"),
        ("env.A", {"command": "notes", "env": {"A": "${env:GIT_KEY}"}}, "notes"),
        ("cwd", {"command": "notes", "cwd": "${GIT_KEY:-.}"}, "notes"),
        ("url", {"url": "https://a.example:444/${GIT_KEY}"}, "a.example:444"),
        ("headers.X", {"url": "https://a.example/mcp", "headers": {"X": "${GIT_KEY}"}}, "a.example"),
    ],
)
def test_a_variable_that_is_not_allowed_is_held_back_with_the_line_that_allows_it(
    read, monkeypatch, tmp_path, key, said, to
):
    """Another person may have written the file, and its servers would get what it names."""
    monkeypatch.setenv("GIT_KEY", str(tmp_path))
    with pytest.raises(TargetError) as caught:
        read({"notes": said})
    assert f"mcpServers.notes.{key}: your variable GIT_KEY is held back from '{to}'" in str(caught.value)
    assert "--variable GIT_KEY" in str(caught.value)
    assert str(tmp_path) not in str(caught.value)
    allowed = read({"notes": said}, settings=ToolSettings(variables=("GIT_KEY",)))
    assert allowed.command or allowed.url


def test_another_place_has_no_file():
    assert with_file(ToolSettings(), "python -m notes", None) == ToolSettings()


OF_VS_CODE = """// Servers of this workspace
{
  "inputs": [{"type": "promptString", "id": "key"}],
  "servers": {
    /* started
       here */ "notes": {"type": "stdio", "command": "python", "args": ["-m", "notes", "http://a.b/*c*/,]"],},
    "hosted": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${env:KEY}"}}, // elsewhere
  }, // the last
}
"""


def test_the_file_of_vs_code_is_read_with_its_comments_commas_and_variables(read, tmp_path):
    assert read(OF_VS_CODE).command == ("python", "-m", "notes", "http://a.b/*c*/,]")
    assert read(OF_VS_CODE, "@mcp.json:hosted").headers == {"Authorization": "Bearer ${KEY}"}
    assert list(client_specs("mcp.json", tmp_path)) == ["notes", "hosted"]


@pytest.mark.parametrize("piece", ["/*", '"\\"', '"', "//", ",", "/*\n", ", "])
def test_a_file_of_pieces_that_do_not_end_is_refused_at_once(read, piece):
    with pytest.raises(TargetError, match="not readable JSON"):
        read(piece * ((1 << 20) // len(piece)))


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("[" * 100_000, "not readable JSON: too deep"),
        ("{", "not readable JSON"),
        ("[]", "has no object `mcpServers`"),
        ('{"mcpServers": []}', "has no object `mcpServers`"),
        ('{"mcpServers": {"notes": {}, "notes": {}}}', "has the name 'notes' twice"),
        (" " * ((1 << 20) + 1), "it has more than 1,048,576 bytes"),
        ({}, "has no server 'notes'$"),
        ({"other": NOTES}, "has no server 'notes'; write one of mcp:@mcp.json:other"),
        ({"notes": 5}, "mcpServers.notes is not an object"),
        ({"notes": {**NOTES, "argz": []}}, "unknown key 'argz'; did you mean `args`"),
        ({"notes": {**NOTES, "disabled": "true"}}, "mcpServers.notes.disabled is not true or false"),
        ({"notes": {**NOTES, "args": "x"}}, "mcpServers.notes.args is not an array of strings"),
        ({"notes": {**NOTES, "env": {"A": 1}}}, "mcpServers.notes.env is not an object of strings"),
        ({"notes": {**NOTES, "cwd": "nowhere"}}, "there is no folder"),
        ({"notes": {**NOTES, "url": "http://a.b/"}}, "needs either `command` or `url`"),
        ({"notes": {"command": ["a"]}}, "mcpServers.notes.command is not a string"),
        ({"notes": {"url": "ftp://a.b/"}}, "mcpServers.notes.url is not a URL"),
        ({"notes": {"url": "http://a.b/", "type": "sse"}}, "the suite speaks no transport 'sse'"),
        ({"notes": {**NOTES, "env": {"A": "${input:key}"}}}, r"mcpServers.notes.env.A: only the client knows \$\{input:key\}"),
        ({"notes": {"command": "${workspaceFolder}/notes"}}, "command: only the client knows .*name an environment variable"),
        ('{"servers": {"notes": {"commend": "a"}}}', "servers.notes: unknown key 'commend'; did you mean `command`"),
        ({"notes": {"command": "a\ud800"}}, "mcpServers.notes.command has half of a character .*: remove it"),
        ({"notes": {"command": "a\0"}}, "mcpServers.notes.command has a NUL, which no program can be given: remove it"),
        ({"notes": {**NOTES, "args": ["a", "\0"]}}, r"mcpServers.notes.args\[1\] has a NUL"),
        ({"notes": {**NOTES, "cwd": "\ud800"}}, "mcpServers.notes.cwd has half of a character"),
        ({"notes": {**NOTES, "env": {"A": "\udc80"}}}, "mcpServers.notes.env.A has half of a character"),
        ({"notes": {**NOTES, "env": {"A=B": "c"}}}, "notes.env: no environment variable can have the name 'A=B'; rename it"),
        ({"notes": {**NOTES, "env": {"": "c"}}}, "notes.env: no environment variable can have the name ''"),
        ({"notes": {**NOTES, "env": {"A\0": "c"}}}, "notes.env: no environment variable can have the name"),
        ({"notes": {"url": "http://a.b/\ud800"}}, "mcpServers.notes.url has half of a character"),
        ({"notes": {"url": "http://a.b/", "headers": {"A": "\0"}}}, "mcpServers.notes.headers.A has a NUL"),
        ({"notes": {"url": "http://a.b/", "headers": {"A B": ""}}}, "notes.headers: no header can have the name 'A B'"),
        ({"notes": {"command": "${NOT_SET_AT_ALL}"}}, "notes.command needs the environment variable NOT_SET_AT_ALL"),
        ({"notes": {**NOTES, "args": ["a", "${NOT_SET}"]}}, r"notes.args\[1\] needs the environment variable NOT_SET"),
        ({"notes": {**NOTES, "headers": {"A": "b"}}}, "notes: `headers` are sent to a `url`, and a `command` has none: remove them"),
        ({"notes": {**NOTES, "envFile": ".env"}}, "notes: `envFile` is not read; write its variables under `env`"),
        ({"notes": {"url": "http://a.b/", "type": "sse"}}, "'sse'; it speaks stdio, http, "),
        ('{"mcpServer": {}}', "unknown key 'mcpServer'; did you mean `mcpServers`"),
        ('{"server": {}, "mcpServers": {}}', "unknown key 'server'; did you mean `servers`"),
        ('{"mcpServers": {}, "servers": 5}', "has no object `mcpServers`, `servers`"),
        ('{"mcpServers": {"a": {}}, "servers": {"a": {}}}', "has the server 'a' under `mcpServers` and under `servers`"),
        ({"notes#1": NOTES}, "has a `#` in the name 'notes#1', and a tool's name follows a `#`: rename the server"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(read, said, wrong):
    with pytest.raises(TargetError, match=rf"^mcp\.json: .*{wrong}") as caught:
        read(said)
    assert "\n" not in str(caught.value)


def test_a_file_with_several_servers_or_none_at_all_is_named(read):
    with pytest.raises(
        TargetError, match=r"names 2 servers; write one of mcp:@mcp\.json:a, mcp:@mcp\.json:b"
    ):
        read({"b": NOTES, "a": NOTES}, "@mcp.json")
    with pytest.raises(TargetError, match=r"^gone\.json: cannot be read: No such file"):
        read({}, "@gone.json")


def test_servers_under_both_keys_are_read_and_each_is_named_by_its_own(read, tmp_path):
    both = json.dumps({"theme": "dark", "mcpServers": {"notes": NOTES}, "servers": {"more": 5}})
    assert read(both).command == ("python", *NOTES["args"])
    assert list(client_specs("mcp.json", tmp_path)) == ["notes", "more"]
    with pytest.raises(TargetError, match=r"^mcp\.json: servers\.more is not an object"):
        read(both, "@mcp.json:more")


def test_the_servers_of_a_file_have_a_target_each_in_its_order(read, tmp_path):
    read({"notes": NOTES, "hosted": HOSTED})
    expected = {"notes": "mcp:@mcp.json:notes", "hosted": "mcp:@mcp.json:hosted"}
    assert list(client_specs("mcp.json", tmp_path).items()) == list(expected.items())
