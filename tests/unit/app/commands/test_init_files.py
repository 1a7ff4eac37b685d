"""The files that `aptix-conformance init` writes: what is there stays, and what is added is read as it was meant."""

import json
import os
import tomllib

import pytest

from aptix_conformance.app.commands import init_workflow
from aptix_conformance.app.commands.init_configuration import ToolLines, fits_toml, with_tools
from aptix_conformance.app.commands.init_workflow import PLACE, workflow_for
from aptix_conformance.core.errors import ConfigurationError

EXISTING = """\
# the head
[project]
name = "x"   # the name

[tool.aptix-conformance]
tools = [
  "my_tools",   # ours
]

[tool.aptix-conformance.tool.'my_tools:A']
timeout = 3

[tool.mypy]
strict = true
"""
LINES = [
    ToolLines("my_tools:A", {"city": "Oslo"}),
    ToolLines("my_tools:B", {"at": {"x": [1, {"y": 'a "b"\n'}]}}),
    ToolLines("mcp:python s.py#c", None, ('env = { TOKEN = "…" }',)),
    ToolLines("my_tools:D", None),
]


@pytest.mark.parametrize("text", ["", EXISTING, '[project]\nname = "x"\n[tool.ruff]\nline-length = 3\n'])
def test_what_is_added_is_read_back_and_added_once(text):
    after = with_tools(text, ["my_tools", "mcp:python s.py"], LINES, baseline="b.json")
    ours = tomllib.loads(after)["tool"]["aptix-conformance"]
    assert (ours["tools"], ours["baseline"]) == (["my_tools", "mcp:python s.py"], "b.json")
    assert ours["tool"]["my_tools:B"] == {"examples": [LINES[1].example]}
    assert ours["tool"]["mcp:python s.py#c"] == {}
    assert '# env = { TOKEN = "…" }' in after
    assert "my_tools:D" not in ours["tool"]
    assert with_tools(after, ["my_tools", "mcp:python s.py"], LINES, baseline="b.json") == after


def test_what_is_there_stays():
    after = with_tools(EXISTING, ["my_tools"], LINES)
    kept = [line for line in after.splitlines() if line in EXISTING.splitlines() and line]
    assert kept == [line for line in EXISTING.splitlines() if line]
    assert tomllib.loads(after)["tool"]["aptix-conformance"]["tool"]["my_tools:A"] == {"timeout": 3}


@pytest.mark.parametrize(
    "before",
    [
        '[tool.aptix-conformance]\nbaseline = "x"  \n# ours\n',
        "[tool.ruff]\nline-length = 3\n",
        "[tool.aptix-conformance]\n[tool.aptix-conformance.tool.'my_tools:A']\ntimeout = 3\n",
        "[tool.aptix-conformance]\n[[tool.aptix-conformance.tool.'my_tools:A'.waivers]]\nrule = 'ARG008'\n",
    ],
)
def test_the_comment_of_the_next_section_stays_with_it(before):
    section = "\n# what the groups\n# are for\n\n[dependency-groups]\ndev = []\n"
    after = with_tools(f"{before}{section}", ["my_tools"], LINES)
    assert after.endswith(section)
    assert before.partition("]\n")[2] in after
    assert after.index("tools = [") < after.index("# what the")


def test_line_ends_stay():
    before = EXISTING.replace("\n", "\r\n")
    after = with_tools(before, ["my_tools", "mcp:python s.py"], LINES)
    assert after == with_tools(EXISTING, ["my_tools", "mcp:python s.py"], LINES).replace("\n", "\r\n")


def test_a_file_that_cannot_be_changed_safely_is_refused():
    with pytest.raises(ConfigurationError, match=r'write \[tool.aptix-conformance\] by hand.*"my_tools"'):
        with_tools("tool = { ruff = { line-length = 3 } }\n", ["my_tools"], [])


@pytest.mark.parametrize("value", [None, [{"a": None}], 2**63, "a\u202eb", {"\ud800": 1}])
def test_what_toml_cannot_show_is_no_example(value):
    assert not fits_toml({"value": value})
    assert fits_toml({"value": [1.5, True, "a\n", {"b": 2**63 - 1}]})


# ---- the workflow


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Writes files of a project that is in no repository; the suite is from a folder."""
    monkeypatch.setattr(init_workflow, "git", lambda *_: None)
    monkeypatch.setattr(init_workflow, "_source", lambda: "")

    def write(**files):
        for name, text in files.items():
            place = tmp_path / name.replace("__", "/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        return tmp_path

    write.patch = monkeypatch.setattr
    return write


def steps(workflow):
    import yaml

    document = yaml.safe_load(workflow.text)
    assert document[True] == ["push", "pull_request"]  # YAML 1.1 reads `on` so; GitHub does not
    return [step.get("run", step.get("uses")) for step in document["jobs"]["conformance"]["steps"]]


def test_a_project_in_python_is_installed_beside_the_suite(project):
    project.patch(init_workflow, "_source", lambda: "aptix-conformance==0.1.0")
    root = project(**{"pyproject.toml": "[build-system]\n", "requirements.txt": "mcp\n"})
    workflow = workflow_for(root, {"mcp"})
    assert workflow.left == ()
    assert [step for step in steps(workflow) if step.startswith((".venv", "python"))] == [
        "python -m venv .venv",
        ".venv/bin/pip install -r requirements.txt",
        ".venv/bin/pip install --editable .",
        '.venv/bin/pip install "aptix-conformance==0.1.0"',
        ".venv/bin/pytest --aptix-conformance --aptix-report report.json --aptix-report html=report.html",
    ]


def test_each_runtime_is_set_up_and_a_suite_from_a_folder_is_left_to_a_variable(project):
    root = project(**{"package.json": "{}", "package-lock.json": "{}", "My__My.csproj": ""})
    workflow = workflow_for(root, {"art", "amplifier"})
    done = steps(workflow)
    assert {"actions/setup-node@v4", "actions/setup-dotnet@v4"} <= set(done)
    assert {"npm ci && npm run build --if-present", "dotnet build"} <= set(done)
    assert '.venv/bin/pip install "aptix-conformance[amplifier]"' in done
    assert "APTIX_CONFORMANCE: ${{ vars.APTIX_CONFORMANCE }}" in workflow.text
    assert "variable APTIX_CONFORMANCE" in workflow.left[0]


@pytest.mark.parametrize(
    ("files", "prefix", "left"),
    [
        ({".github__workflows__ci.yaml": "run: pytest --aptix-conformance"}, None, ""),
        ({".gitlab-ci.yml": ""}, b"\n", ".gitlab-ci.yml"),
        ({}, b"tools/\n", "root of the git repository"),
    ],
)
def test_nothing_is_written_where_it_would_not_be_read_or_is_there(project, files, prefix, left):
    project.patch(init_workflow, "git", lambda *_: prefix)
    workflow = workflow_for(project(**files), {"mcp"})
    assert workflow.text == ""
    assert left in "".join(workflow.left)


@pytest.mark.parametrize(
    ("required", "version"),
    [(">=3.10", "3.12"), (">=3.12.4", "3.12"), (">=3.13", "3.13"), ("<3.12", "3.11"), ("?", "3.12")],
)
def test_the_workflow_has_a_python_that_the_project_supports(project, required, version):
    root = project(**{"pyproject.toml": f'[project]\nrequires-python = "{required}"\n'})
    assert f'python-version: "{version}"' in workflow_for(root, {"mcp"}).text


@pytest.mark.parametrize("is_link", [False, True])
def test_a_workflow_of_somebody_else_stays(project, is_link):
    place = project(**{".github__workflows__ci.yml": ""}) / PLACE
    os.mkfifo(place.with_name("pipe.yml"))  # reading it would wait for ever
    place.symlink_to("nowhere") if is_link else place.write_text("on: push\n", encoding="utf-8")
    workflow = workflow_for(place.parents[2], {"mcp"})
    assert workflow.text == ""
    assert f"{PLACE} is there" in workflow.left[0]


@pytest.mark.parametrize(
    ("origin", "source"),
    [
        (None, "aptix-conformance==0.1.0"),
        ({"url": "file:///home/me/suite", "dir_info": {}}, ""),
        ({"url": "https://me:secret@host.example/suite.whl"}, ""),
        ({"url": "https://host.example/suite.whl"}, "aptix-conformance @ https://host.example/suite.whl"),
        (
            {"url": "https://host.example/suite", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "aptix-conformance @ git+https://host.example/suite@abc",
        ),
    ],
)
def test_the_workflow_installs_what_is_installed_here(monkeypatch, tmp_path, origin, source):
    class Installed:
        def read_text(self, _name):
            return None if origin is None else json.dumps(origin)

    monkeypatch.setattr(init_workflow, "distribution", lambda _name: Installed())
    monkeypatch.setattr(init_workflow, "__version__", "0.1.0")
    monkeypatch.setattr(init_workflow, "_extras", frozenset)
    monkeypatch.setattr(init_workflow, "git", lambda *_: None)
    workflow = workflow_for(tmp_path, set())
    assert f'pip install "{source or "$APTIX_CONFORMANCE"}"' in workflow.text
    assert "secret" not in workflow.text
    assert PLACE.as_posix() == ".github/workflows/aptix-conformance.yml"
