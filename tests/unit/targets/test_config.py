"""The table [tool.aptix-conformance]: what it may say, and how a mistake is reported."""

import datetime as dt
import os
import sys
from pathlib import Path

import pytest
from jsonschema_specifications import REGISTRY

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import Example, Settings, ToolSettings, Waiver, settings_from

HEAD = "[tool.aptix-conformance]\n"
KEYS = "the keys are baseline, containment, deadline, edition, entry_points, schema_gate, server_store, snapshots, tool, tools"
TOOL = "[tool.aptix-conformance.tool.agent_weather]\n"
WAIVER = """[[tool.aptix-conformance.tool.agent_weather.waive]]
rule = "CAN003"
owner = "weather team"
reason = "the upstream client cannot be interrupted"
expires = 2027-03-31
"""


@pytest.fixture
def read(tmp_path):
    def load(text):
        path = tmp_path / "pyproject.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return OURS.load_settings(path)

    return load


@pytest.fixture
def refusal(read):
    def refused(text):
        with pytest.raises(ConfigurationError) as error:
            read(text)
        return str(error.value)

    return refused


def test_without_a_file_the_defaults_hold(tmp_path):
    assert OURS.load_settings(tmp_path / "pyproject.toml") == Settings()


@pytest.mark.parametrize("text", ["", "[project]\nname = 'x'", "[tool.ruff]", HEAD])
def test_without_a_table_the_defaults_hold(read, text):
    assert read(text) == Settings()


def test_paths_of_a_compiled_project_start_at_the_files_own_folder(read, tmp_path):
    """Wildcards stay as they are: the files need not be there yet."""
    table = TOOL + 'references = ["bin/*.dll"]\nsources = ["/src"]\nruntime = "mono"\nadapter = "A.B:C"'
    found = read(table + '\nexecute = "ExecuteAsync(string, IContext)"').tool["agent_weather"]
    assert found.references == (str(tmp_path / "bin/*.dll"),)
    assert found.sources == ("/src",)
    assert (found.runtime, found.adapter) == ("mono", "A.B:C")
    assert found.execute == "ExecuteAsync(string, IContext)"


TABLE = f"""
[tool.aptix-conformance]
tools = ["my_pkg.tools", "other:Tool"]
edition = "aptix-agn-005-1.1"
snapshots = "locks"
schema_gate = "breaking"
[tool.aptix-conformance.tool.agent_weather]
examples = [{{ city = "Oslo" }}, {{ arguments = {{ city = "Rome" }}, result = {{ celsius = 21 }} }}]
arguments = {{ city = {{ enum = ["Oslo", "Rome"] }} }}
services = {{ catalog = "my_pkg.testing:make_catalog" }}
env = {{ WEATHER_REGION = "test", EMPTY = "" }}
side_effects = "none"
long_running = true
timeout = 2
python = "{sys.executable}"
{WAIVER}"""
WEATHER = {
    "examples": (Example({"city": "Oslo"}), Example({"city": "Rome"}, {"celsius": 21}, has_result=True)),
    "arguments": {"city": {"enum": ["Oslo", "Rome"]}},
    "services": {"catalog": "my_pkg.testing:make_catalog"},
    "env": {"WEATHER_REGION": "test", "EMPTY": ""},
    "side_effects": "none",
    "long_running": True,
    "timeout": 2.0,
    "python": sys.executable,
    "waivers": (
        Waiver("CAN003", "weather team", "the upstream client cannot be interrupted", dt.date(2027, 3, 31)),
    ),
}
"""What the tool's table says, by the fields of its settings."""


def test_every_key_is_read(read):
    assert read(TABLE) == Settings(
        tools=("my_pkg.tools", "other:Tool"),
        edition="aptix-agn-005-1.1",
        snapshots="locks",
        schema_gate="breaking",
        tool={"agent_weather": ToolSettings(**WEATHER, given=frozenset(WEATHER))},
    )


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("{}", Example({})),
        ("{ arguments = {} }", Example({})),
        ("{ arguments = { a = 1 }, result = 0 }", Example({"a": 1}, 0, has_result=True)),
        ("{ result = 3 }", Example({"result": 3})),
        ("{ arguments = 'x' }", Example({"arguments": "x"})),
        ("{ arguments = { a = 1 }, city = 2 }", Example({"arguments": {"a": 1}, "city": 2})),
        ("{ arguments = { arguments = { a = 1 } } }", Example({"arguments": {"a": 1}})),
    ],
)
def test_an_example_is_an_argument_object_or_the_long_form(read, entry, expected):
    assert read(f"{TOOL}examples = [{entry}]").tool["agent_weather"].examples == (expected,)


def test_an_interpreter_is_found_from_the_files_own_folder_and_its_links_are_kept(
    read, tmp_path, monkeypatch
):
    link = tmp_path / "venv" / "python"
    link.parent.mkdir()
    link.symlink_to(sys.executable)
    monkeypatch.chdir("/")
    assert read(f'{TOOL}python = "venv/python"').tool["agent_weather"].python == str(link)


@pytest.mark.parametrize(
    ("text", "read_as"), [("true", True), ("false", False), ("['my-tools']", ("my-tools",))]
)
def test_entry_points_are_everybodys_nobodys_or_those_of_some(read, text, read_as):
    assert read(f"{HEAD}entry_points = {text}").entry_points == read_as


def test_what_a_tool_reads_is_found_from_the_files_own_folder(read, tmp_path, monkeypatch):
    (tmp_path / "models").mkdir()
    monkeypatch.chdir("/")
    assert read(TOOL + 'reads = ["models"]').tool["agent_weather"].reads == (str(tmp_path / "models"),)


def test_a_folder_of_files_is_found_from_the_files_own_folder(read, tmp_path, monkeypatch):
    (tmp_path / "testdata").mkdir()
    monkeypatch.chdir("/")
    assert read(f'{TOOL}files = "testdata"').tool["agent_weather"].files == str(tmp_path / "testdata")


def test_the_baseline_is_found_from_the_files_own_folder(read, tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    assert read(f'{HEAD}baseline = "known.json"').baseline == str(tmp_path / "known.json")


@pytest.mark.parametrize(
    ("line", "key", "hint"),
    [
        ("tool = {}\ntols = []", "tols", "did you mean `tools`?"),
        ("editon = 'x'", "editon", "did you mean `edition`?"),
        ("zzz = 1", "zzz", KEYS),
        ("'a b' = 1", "'a b'", KEYS),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_valid_one(refusal, tmp_path, line, key, hint):
    message = refusal(HEAD + line)
    assert message == f"{tmp_path}/pyproject.toml: tool.aptix-conformance.{key}: unknown key; {hint}"


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("argument = {}", "did you mean `arguments`?"),
        ("time_out = 1", "did you mean `timeout`?"),
        ("waivers = []", "did you mean `waive`?"),
        ("colour = []", "the keys are adapter, arguments, "),
    ],
)
def test_an_unknown_key_of_a_tool_is_named_likewise(refusal, line, hint):
    message = refusal(TOOL + line)
    assert (
        f"tool.aptix-conformance.tool.agent_weather.{line.partition(' ')[0]}: unknown key; {hint}" in message
    )


@pytest.mark.parametrize(
    ("text", "key", "wrong"),
    [
        (
            HEAD + "tools = 'a.b'",
            ".tools",
            "expected an array of strings, not a string 'a.b'; for example `tools =",
        ),
        (HEAD + "tools = ['a', 3]", ".tools[1]", "expected a string that is not blank, not an integer 3"),
        (HEAD + "tools = ['']", ".tools[0]", "not blank"),
        (HEAD + "edition = 3", ".edition", "expected a string"),
        (HEAD + "edition = 'aptix-tul-11'", ".edition", "did you mean `aptix-tul-011`? the editions are"),
        (HEAD + "snapshots = ''", ".snapshots", "not blank"),
        (HEAD + "baseline = true", ".baseline", "a string that is not blank"),
        (HEAD + "schema_gate = 'all'", ".schema_gate", "one of any, breaking, off"),
        (HEAD + "tool = 3", ".tool", "expected a table, not an integer 3"),
        ("[tool]\naptix-conformance = 3", "tool.aptix-conformance", "expected a table"),
        ("[[tool.aptix-conformance]]", "tool.aptix-conformance", "expected a table, not an array"),
        ("tool = 3", "pyproject.toml", "`tool` is not a table"),
        ("[tool.aptix_conformance]", "tool.aptix_conformance", "did you mean `[tool.aptix-conformance]`"),
        (TOOL + "examples = {}", ".examples", "expected an array of tables, not a table; for example"),
        (TOOL + "examples = [1]", ".examples[0]", "expected a table, not an integer 1"),
        (TOOL + "examples = [{ d = 2027-01-01 }]", ".examples[0].d", 'between quotes, "2027-01-01"'),
        (TOOL + "examples = [{ d = [nan] }]", ".examples[0].d[0]", "JSON has no number nan"),
        (TOOL + "arguments = { city = 'x' }", ".arguments.city", "expected a table"),
        (
            TOOL + "arguments = { city = { type = 'text' } }",
            ".arguments.city",
            "no valid JSON schema at type",
        ),
        (
            TOOL + "arguments = { city = { pattern = '(' } }",
            ".arguments.city",
            "no valid JSON schema at pattern",
        ),
        (
            TOOL + "arguments = { city = { maxLenght = 4 } }",
            ".arguments.city.maxLenght",
            "no keyword of this name; did you mean `maxLength`?",
        ),
        (
            TOOL + "arguments = { a = { anyOf = [{ properties = { b = { dependencies = {} } } }] } }",
            ".arguments.a.anyOf[0].properties.b.dependencies",
            "no keyword of this name",
        ),
        (TOOL + "arguments = { n = { maximum = inf } }", ".arguments.n.maximum", "JSON has no number inf"),
        (
            TOOL + "services = { catalog = 'my_pkg.make' }",
            ".services.catalog",
            "a factory as `module:factory`",
        ),
        (TOOL + "services = { catalog = 'a:b:c' }", ".services.catalog", "module:factory"),
        (TOOL + "services = { catalog = 3 }", ".services.catalog", "not an integer 3"),
        (TOOL + "services = { 'a b' = 'a:b' }", ".services.'a b'", "no constructor parameter"),
        (
            HEAD + 'entry_points = "all"',
            "entry_points",
            "expected true, false or an array of distributions' names",
        ),
        (HEAD + "entry_points = [1]", "entry_points[0]", "expected a string that is not blank"),
        (TOOL + "files = 1", ".files", "expected a string that is not blank, not an integer 1"),
        (TOOL + 'reads = ["nowhere"]', ".reads", "nowhere is not there; name a file or folder"),
        (TOOL + 'reads = "models"', ".reads", "models"),
        (TOOL + 'files = "nowhere"', ".files", "nowhere is not there; name a folder"),
        (TOOL + 'files = "pyproject.toml"', ".files", "pyproject.toml is no folder"),
        *(
            (TOOL + f'confined_to = "{path}"', ".confined_to", "is not a folder within `files`")
            for path in ("../notes", "a/../../b", "/notes", ".", "./")
        ),
        (TOOL + "env = { A = 1 }", ".env.A", "expected a string without NUL, not an integer 1"),
        (TOOL + "env = { 'A=B' = 'x' }", ".env.'A=B'", "no environment variable"),
        (TOOL + 'env = { A = "\\u0000" }', ".env.A", "without NUL"),
        (
            TOOL + "side_effects = 'some'",
            ".side_effects",
            "one of none, contained, destructive, not a string 'some'",
        ),
        (TOOL + "side_effects = []", ".side_effects", "not an array"),
        (TOOL + 'command = ["a", "\\u0000"]', ".command[1]", "a string without NUL"),
        (TOOL + "long_running = 'yes'", ".long_running", "expected true or false"),
        (TOOL + "timeout = 0", ".timeout", "above 0, not 0"),
        (TOOL + "timeout = -1.5", ".timeout", "above 0, not -1.5"),
        (TOOL + "timeout = inf", ".timeout", "a finite number of seconds"),
        (TOOL + "timeout = nan", ".timeout", "a finite number of seconds"),
        (TOOL + f"timeout = 1{'0' * 400}", ".timeout", "a number of seconds above 0, not an integer 1000"),
        (TOOL + "timeout = true", ".timeout", "not a boolean True"),
        (TOOL + "timeout = '5'", ".timeout", "a number of seconds above 0, not a string '5'"),
        (TOOL + "python = 'none/python'", ".python", "there is no interpreter at "),
        (TOOL + "python = '.'", ".python", "there is no interpreter at "),
        (TOOL + "python = 'pyproject.toml'", ".python", "pyproject.toml is not executable"),
        (TOOL + "python = 3", ".python", "expected a string"),
        (TOOL + "references = 'x.dll'", ".references", "an array of strings"),
        (TOOL + "runtime = 'net8.0'", ".runtime", "one of coreclr, mono, not a string 'net8.0'"),
        (TOOL + "execute = 'Execute Async'", ".execute", "a method's name"),
        (TOOL + "adapter = 'Make'", ".adapter", "a method as `class:method`"),
        (TOOL + "waive = {}", ".waive", "`[[tool.aptix-conformance.tool.agent_weather.waive]]`"),
        (TOOL + "waive = [1]", ".waive[0]", "expected a table"),
        (WAIVER.replace("owner", "ownr"), ".waive[0].ownr", "did you mean `owner`?"),
        (WAIVER.replace('owner = "weather team"', ""), ".waive[0]", "the key `owner` is missing"),
        (WAIVER.replace("expires = 2027-03-31", ""), ".waive[0]", "add `expires = 2027-03-31`"),
        (WAIVER.replace("weather team", " "), ".waive[0].owner", "not blank"),
        (WAIVER.replace("CAN003", "cancel-is-quick"), ".waive[0].rule", "a rule's code"),
        (WAIVER.replace("CAN003", "CAN003\\n"), ".waive[0].rule", "a rule's code"),
        (WAIVER.replace("2027-03-31", "'2027-03-31'"), ".waive[0].expires", "a day, without quotes"),
        (WAIVER.replace("2027-03-31", "2027-03-31T10:00:00"), ".waive[0].expires", "without a time"),
        (WAIVER + WAIVER, ".waive[1]", "the rule CAN003 is waived twice"),
    ],
)
def test_a_wrong_value_is_told_with_file_and_key(refusal, tmp_path, text, key, wrong):
    message = refusal(text)
    assert message.startswith(f"{tmp_path}/pyproject.toml: ")
    assert key in message
    assert wrong in message


def test_a_syntax_error_is_told_with_file_and_line(refusal, tmp_path):
    message = refusal(HEAD + "tools = [\n  'a'\n  'b'\n]")
    assert message.startswith(f"{tmp_path}/pyproject.toml: no valid TOML: ")
    assert "line 4" in message


def test_what_cannot_be_read_is_told(refusal, tmp_path):
    assert "no valid TOML" in refusal(b"\xff\xfe")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigurationError, match="it is not a regular file"):
        OURS.load_settings(tmp_path / "pipe")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        OURS.load_settings(tmp_path)


def test_a_hostile_value_does_not_reach_the_terminal_as_it_is(refusal):
    message = refusal(TOOL + 'side_effects = "\\u001B[2J' + "x" * 10_000 + '"')
    assert message.isprintable()
    assert len(message) < 500


def test_this_checkouts_own_configuration_is_valid():
    own = Path(__file__).parents[3] / "pyproject.toml"
    assert OURS.load_settings(own).tools == ("aptix_reference_tools",)


def test_every_keyword_of_json_schema_may_narrow(tmp_path):
    """The keywords are those of the meta-schemas; each takes one of these values."""
    documents = [REGISTRY.contents(uri) for uri in REGISTRY if "draft/2020-12/meta/" in uri]
    keywords = {keyword for document in documents for keyword in document.get("properties", {})}
    assert {"maxLength", "then", "$anchor", "description", "contentSchema"} <= keywords
    values = ({}, "string", True, 1, [], [{}])
    taken = {
        keyword for keyword in keywords for value in values if is_narrowing_taken({keyword: value}, tmp_path)
    }
    assert taken == keywords


def test_what_is_no_schema_inside_of_a_narrowing_may_hold_any_key(tmp_path):
    """Values, and the names of properties and definitions."""
    fragment = {"enum": [{"maxLenght": 1}], "properties": {"maxLenght": True}, "$defs": {"maxLenght": {}}}
    assert is_narrowing_taken(fragment, tmp_path)


def is_narrowing_taken(fragment, directory):
    """Whether an argument may be narrowed by a schema."""
    try:
        settings_from({"tool": {"x": {"arguments": {"a": fragment}}}}, "pyproject.toml", directory, ())
    except ConfigurationError:
        return False
    return True
