"""`aptix-conformance schema diff` and `schema export`, as they are called."""

import json
import re
import subprocess

import jsonschema_rs
import pytest

from aptix_conformance.app.cli import main
from aptix_conformance.core.model.report import DeclaredReport, RunReport, SuiteReport, ToolReport
from aptix_conformance.core.schemas import lock_record
from aptix_conformance.core.schemas.forms import FORMS
from aptix_conformance.present.reports import make_report, write_report


def function(name="agent_weather", properties=None, **members):
    properties = {"city": {"type": "string", "description": "A city."}} if properties is None else properties
    parameters = {"type": "object", "properties": properties, "required": []}
    return {"type": "function", "name": name, "description": "Tells.", "parameters": parameters, **members}


WIDER = {
    "city": {"type": "string", "description": "A city."},
    "unit": {"type": "string", "description": "Which."},
}


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return str(path)


def lock(path, schema, usage_text="usage", shape=None):
    return write(path, lock_record(schema["name"], schema, usage_text, shape).text())


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def schema(here, capsys):
    """Runs the command; gives its exit status and what it printed."""

    def run(*arguments):
        status = main(["schema", *map(str, arguments)])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


# ---- diff


def test_one_tool_is_one_object_with_exactly_the_keys_of_the_contract(here, schema):
    """Class, changes, witness; and of each change code, path, class, message."""
    old, new = write(here / "old.json", function(properties=WIDER)), write(here / "new.json", function())
    status, out, _ = schema("diff", old, new, "--format", "json")
    found = json.loads(out)
    assert status == 1
    assert list(found) == ["class", "changes", "witness"]
    assert found["class"] == "breaking"
    assert [list(change) for change in found["changes"]] == [["code", "path", "class", "message"]]
    assert found["changes"][0]["code"] == "argument-removed"
    assert found["changes"][0]["path"] == "parameters.properties.unit"
    assert jsonschema_rs.is_valid(function(properties=WIDER)["parameters"], found["witness"])
    assert "unit" in found["witness"]


def test_several_tools_are_a_list_with_their_names(here, schema):
    """Folders of locks, whatever they hold."""
    for side, properties in (("old", None), ("new", WIDER)):
        lock(here / side / "agent_weather.json", function(properties=properties))
        lock(here / side / "agent_news.json", function("agent_news"))
    status, out, _ = schema("diff", "old", "new", "--format", "json")
    assert status == 0
    assert [(found["tool"], found["class"]) for found in json.loads(out)] == [
        ("agent_news", "identical"),
        ("agent_weather", "compatible"),
    ]


def test_what_is_compatible_exits_with_0_and_what_breaks_with_1(here, schema):
    """One direction is fine and the other is not."""
    narrow, wide = write(here / "a.json", function()), write(here / "b.json", function(properties=WIDER))
    assert schema("diff", narrow, wide)[0] == 0
    status, out, _ = schema("diff", wide, narrow)
    assert status == 1
    assert "argument-removed at parameters.properties.unit" in out
    assert "was allowed and is refused now: {" in out


def test_what_cannot_be_told_gates_unless_it_is_allowed(here, schema):
    """A pattern inside of another is beyond the rules and the algebra."""
    sides = [
        write(here / f"{index}.json", function(properties={"code": {"type": "string", "pattern": pattern}}))
        for index, pattern in enumerate(("^(a|b)$", "^[ab]$"))
    ]
    status, out, _ = schema("diff", *sides)
    assert (status, out.split()[0]) == (1, "unknown")
    assert schema("diff", *sides, "--allow-unknown")[0] == 0


@pytest.mark.parametrize(
    ("old", "words"),
    [
        ("missing.json", "not a file"),
        ("broken.json", "not valid JSON"),
        ("empty", "holds no tool"),
        ("list.json", "neither a lock"),
        ("nan.json", "NaN is not a JSON number"),
        ("twice.json", "the key 'type' stands twice"),
        ("two.json", "agent_weather has parameters and input_schema"),
    ],
)
def test_bad_input_exits_with_2_and_says_why(here, schema, old, words):
    """A missing file, broken JSON, an empty folder, JSON of another kind, and what one reads so and another so."""
    write(here / "broken.json", "{")
    write(here / "nan.json", '{"name": "agent_weather", "parameters": {"minimum": NaN}}')
    write(here / "twice.json", '{"name": "agent_weather", "parameters": {"type": "array", "type": "object"}}')
    write(here / "two.json", {**function(), "input_schema": {"type": "object"}})
    write(here / "list.json", [1])
    (here / "empty").mkdir()
    status, out, err = schema("diff", old, write(here / "new.json", function()))
    assert (status, out) == (2, "")
    assert words in err


@pytest.mark.parametrize("parameters", [7, {"type": "strin"}, {"$ref": "#/nowhere"}])
def test_a_schema_that_is_none_is_bad_input_and_hides_no_other_tool(here, schema, parameters):
    """The comparison is printed all the same."""
    old = [function(), function("other", WIDER)]
    new = [{**function(), "parameters": parameters}, function("other")]
    sides = [write(here / f"{index}.json", side) for index, side in enumerate((old, new))]
    status, out, _ = schema("diff", *sides, "--allow-unknown")
    assert status == 2
    assert "the new schema is no JSON Schema" in out
    assert "argument-removed" in out


@pytest.mark.parametrize("form", ["text", "json", "markdown", "github"])
@pytest.mark.parametrize(
    ("member", "place"),
    [
        ({"\ud800": {}}, "parameters.properties"),
        ({"city": {"enum": ["\ud800"]}}, "parameters.properties.city.enum.0"),
    ],
)
def test_half_of_a_character_in_a_schema_is_bad_input_with_its_place(here, schema, member, place, form):
    """In place of the message of a library."""
    new = {**function(), "parameters": {"type": "object", "properties": member}}
    sides = [write(here / "old.json", function()), write(here / "new.json", new)]
    status, out, _ = schema("diff", *sides, "--format", form)
    assert status == 2
    assert f"the new schema cannot be read: a name or text at {place} has half of a character" in out


def test_a_lock_that_was_edited_by_hand_is_bad_input(here, schema):
    """The fingerprint tells."""
    path = lock(here / "a.json", function())
    text = (here / "a.json").read_text(encoding="utf-8").replace("A city.", "A town.")
    write(here / "a.json", text)
    assert schema("diff", path, path)[0] == 2


def test_two_revisions_of_a_scratch_repository_are_compared(here, schema):
    """By branch with the folder of the locks, by relative revision with a path, and from a folder below the root."""
    git(here, "init", "-b", "main")
    lock(here / "snapshots" / "agent_weather.json", function(properties=WIDER), "old words")
    git(here, "add", ".")
    git(here, "commit", "-m", "one")
    lock(here / "snapshots" / "agent_weather.json", function(), "new words")
    lock(here / "snapshots" / "agent_news.json", function("agent_news"))
    git(here, "commit", "-am", "two")
    git(here, "checkout", "-b", "next")
    git(here, "add", ".")
    git(here, "commit", "-m", "three")
    for old, new in (("HEAD~2:snapshots/", "HEAD"), ("main~1", "next"), ("HEAD~2", "snapshots")):
        status, out, _ = schema("diff", old, new, "--format", "json")
        found = {comparison["tool"]: comparison for comparison in json.loads(out)}
        assert status == 1
        assert found["agent_news"]["class"] == "compatible"
        codes = [change["code"] for change in found["agent_weather"]["changes"]]
        assert codes == ["argument-removed", "usage-text-changed"]
    assert schema("diff", "HEAD~2:snapshots/agent_weather.json", "HEAD:snapshots/agent_weather.json")[0] == 1
    status, _, err = schema("diff", "HEAD:elsewhere", "HEAD")
    assert (status, "has no elsewhere" in err) == (2, True)


def test_a_revision_cannot_be_an_option_of_git(here, schema):
    """What begins with a hyphen is no revision."""
    git(here, "init")
    assert schema("diff", "--", "--output=stolen", write(here / "a.json", function()))[0] == 2
    assert not (here / "stolen").exists()


def test_a_lock_is_compared_with_the_tool_as_it_is_now(here, schema, tool_source):
    """The tool of a target spec is read and not called."""
    write(here / "weather_tools.py", tool_source("weather"))
    _, out, _ = schema("export", "weather_tools:WeatherTool")
    now = json.loads(out)["tools"][0]["schema"]
    assert schema("diff", write(here / "now.json", now), "weather_tools:WeatherTool")[0] == 0
    now["parameters"]["properties"]["unit"] = {"type": "string"}
    status, out, _ = schema("diff", write(here / "then.json", now), "weather_tools")
    assert status == 1
    assert "argument-removed" in out


def test_reports_are_compared_by_what_they_keep(here, schema):
    """The member `declared`; a tool that was not examined has none, and is bad input."""

    def report(name, schema=None):
        declared = DeclaredReport(schema, "usage", {"$": "object"}) if schema else None
        tool = ToolReport(
            "agent_weather", "weather", "aptix", "", "conforming", None, 0, 0.0, (), (), declared
        )
        suite = SuiteReport("", 0, 1, complete=True, isolated=True)
        write_report(here / name, make_report([tool], suite, RunReport()))
        return str(here / name)

    assert schema("diff", report("a", function(properties=WIDER)), report("b", function()))[0] == 1
    assert schema("diff", report("c"), report("b", function()))[0] == 2
    other = write(here / "other", {"format": "aptix-conformance-report/1", "tools": []})
    assert "not a report of the format" in schema("diff", other, report("b", function()))[2]


def test_markdown_is_a_table_and_github_an_annotation_of_the_lock(here, schema):
    """A hostile description forges no line of either."""
    evil = "a | b\n::error::forged `x`"
    old = lock(here / "old" / "agent_weather.json", function(properties=WIDER))
    new = lock(here / "new" / "agent_weather.json", function(description=evil))
    _, table, _ = schema("diff", old, new, "--format", "markdown")
    rows = [line for line in table.splitlines() if line.startswith("| `agent_weather`")]
    assert len(rows) == 2
    assert any("**breaking**" in row for row in rows)
    _, out, _ = schema("diff", old, new, "--format", "github")
    lines = out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(f"::error file={new},title=agent_weather%3A breaking%3A argument-removed::")
    assert lines[1].startswith("::notice ")


def test_markdown_takes_no_markup_from_a_tool(here, schema):
    """Whatever is between the code spans is plain words, also where a name tries to end one, or a cell."""
    for evil in ("a` ![x](http://x.example) @you `b", "a\\|` <img> ", "``` **b** `", "`|`"):
        old = write(here / "old.json", function(properties={evil: {"type": "string"}}))
        new = write(here / "new.json", function(properties={}))
        _, table, _ = schema("diff", old, new, "--format", "markdown")
        (row,) = table.splitlines()[2:3]
        _, *cells, _ = cells_of(row)
        assert len(cells) == 4
        for cell in cells:
            outside = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", cell)
            assert re.fullmatch(r"[\w ,.:;'?()*-]*", outside.replace("**breaking**", "")), outside
            assert "![" not in outside


def cells_of(row):
    """The cells of a row as GitHub splits it: a backslash takes what follows it along."""
    return re.split(r"\|", re.sub(r"\\.", "~", row))


def test_the_shape_of_results_and_the_usage_text_of_locks_are_compared(here, schema):
    """A key that is gone breaks, and there is no call to show for it."""
    old = lock(here / "a.json", function(), "one", {"$": "object", "$.city": "string"})
    new = lock(here / "b.json", function(), "two", {"$": "object"})
    status, out, _ = schema("diff", old, new, "--format", "json")
    found = json.loads(out)
    assert (status, found["class"], found["witness"]) == (1, "breaking", None)
    assert [change["code"] for change in found["changes"]] == ["result-key-removed", "usage-text-changed"]


# ---- export


def test_an_export_has_every_form_and_they_all_read_back_as_the_same_tool(here, schema):
    """What is written for a provider can be compared with what it was written from."""
    source = write(here / "source.json", function(properties=WIDER))
    _, out, _ = schema("export", source)
    (tool,) = json.loads(out)["tools"]
    assert tool["forms"].keys() == FORMS.keys()
    assert tool["fingerprint"].startswith("sha256:")
    assert tool["refused"] == []
    for form in FORMS:
        _, written, _ = schema("export", source, "--form", form)
        again = write(here / f"{form}.json", written)
        _, out, _ = schema("diff", source, again, "--format", "json")
        found = json.loads(out)
        assert {change["code"] for change in found["changes"]} <= {"strict-changed"}


def test_parameters_that_gemini_does_not_know_go_as_json_schema(here, schema):
    """A union of types is not of its dialect."""
    plain, union = {"a": {"type": "string"}}, {"a": {"type": ["string", "null"]}}
    keys = []
    for properties in (plain, union):
        source = write(here / "source.json", function(properties=properties))
        _, out, _ = schema("export", source, "--form", "gemini")
        keys.append(set(json.loads(out)[0]["functionDeclarations"][0]) - {"name", "description"})
    assert keys == [{"parameters"}, {"parametersJsonSchema"}]


def test_an_export_says_what_a_provider_would_refuse(here, schema):
    """In the JSON with its providers, and for one form on the standard error."""
    source = write(here / "source.json", function(properties={"size": {"enum": [1, 2]}}))
    _, out, _ = schema("export", source)
    (refused,) = json.loads(out)["tools"][0]["refused"]
    assert refused["providers"] == ["Gemini"]
    assert refused["sources"] == ["https://github.com/microsoft/vscode/pull/328147 (2026-07-30)"]
    assert "Gemini would refuse" in schema("export", source, "--form", "gemini")[2]
    assert schema("export", source, "--form", "mcp")[2] == ""


def test_an_export_to_clients_says_what_clients_refuse(here, schema):
    """For MCP they are named, and for a provider those who offer its models."""
    source = write(here / "source.json", function(properties={"sizes": {"type": "array"}}))
    assert "VS Code would refuse" in schema("export", source, "--form", "mcp")[2]
    assert "Gemini would refuse" in schema("export", source, "--form", "gemini")[2]
    assert schema("export", source, "--form", "anthropic")[2] == ""


def test_an_export_says_that_there_are_too_many_tools_for_one_request(here, schema):
    """From the 129th on, to those who have that limit."""
    for number in range(129):
        write(here / "many" / f"tool_{number}.json", function(name=f"tool_{number}"))
    assert "129 tools: OpenAI would refuse" in schema("export", here / "many", "--form", "openai-chat")[2]
    assert schema("export", here / "many", "--form", "anthropic")[2] == ""
    to_clients = schema("export", here / "many", "--form", "mcp")[2]
    assert "Trae would refuse more than 40 at once" in to_clients
    assert "Gemini" not in to_clients
    (here / "many" / "tool_0.json").unlink()
    assert schema("export", here / "many", "--form", "openai-chat")[2] == ""


def test_an_export_says_that_nobody_takes_what_is_no_schema(here, schema):
    """With the validator's reason."""
    source = write(here / "source.json", {**function(), "parameters": 7})
    (refused,) = json.loads(schema("export", source)[1])["tools"][0]["refused"]
    assert refused["providers"] == ["OpenAI", "Anthropic", "Mistral", "Windsurf"]
