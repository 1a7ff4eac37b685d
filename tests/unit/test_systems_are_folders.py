"""Nothing outside of `systems/` names a system in code: its profile says what others need to know of it."""

import ast
import re
from pathlib import Path

import pytest

import aptix_conformance
from aptix_conformance.systems.named_commands import SYSTEMS_WITH_COMMANDS
from aptix_conformance.systems.registry import OURS

PACKAGE = Path(aptix_conformance.__file__).parent
SYSTEMS = "ai-sdk|amplifier|art|aptix-cs|langchain|mcp|openai-agents|pydantic-ai|coreclr|mono|agent_list_modes|agent_hello_world"
WORDS = re.compile(rf"(?<!\w)(?:{SYSTEMS})(?!\w)|\Aaptix\Z|(?<!\w)aptix:(?!:)")
"""The systems, their runtimes and the tools with a contract of their own; `aptix` alone or before a locator, since it is also
what the suite is named for. In capitals they are the names of contracts."""
FRAMEWORKS = re.compile(r"langchain|openai.?agents|pydantic.?ai|\bai.?sdk\b", re.IGNORECASE)
NAMES = {"ArtTool", "ArtResult", "AmplifierMount"}
MEMBERS = {"art", "amplifier"}
ALLOWED = {
    "hosts/zygote_key.py": {"aptix"},  # what the message that starts the Python runner says
    "app/run/cache.py": {
        "aptix"
    },  # the prefix of the pool whose processes see the project, before any tool is known
    "app/plugin/__init__.py": {"aptix"},  # the plugin's group of options, which is named for the suite
    "app/plugin/items.py": {"aptix"},  # the node that all ids of items begin with
    "app/plugin/session.py": {"aptix"},  # the same
    "present/reports/junit.py": {"aptix"},  # the same
    "stimuli/probes/reading.py": {"aptix"},  # a value for a member that nobody declared
    "core/schemas/diff/compare.py": {"art"},  # a member of schemas in locks, which do not name their system
    "app/commands/schema_export.py": {"mcp"},  # the same form as that in forms.py
    "core/schemas/refusing.py": {"langchain", "mcp"},  # addresses of sources
    "core/schemas/forms.py": {"mcp"},  # a form of function schemas that models take, whatever tool it is of
    "hosts/last_words.py": {"mcp"},  # a distribution, of which a program may need an older version
    "targets/endpoints.py": {"mcp"},  # names of HTTP headers, and the path of a URL in an example
}
"""Where a word means something else, or stands in a format that is published."""


def named(tree):
    """The systems that a module's code names, also within longer strings; documentation is left out."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield from WORDS.findall(node.value)
        elif (isinstance(node, ast.Attribute) and node.attr in MEMBERS) or (
            isinstance(node, ast.Name) and node.id in NAMES
        ):
            yield node.attr if isinstance(node, ast.Attribute) else node.id


def test_no_module_outside_of_systems_names_one():
    """That none imports one is a contract of import-linter."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE)
        # What runs in a tool's process is of its system, and imports nothing of the suite.
        if place.parts[0] not in {"systems", "runners"}:
            found[str(place)] = set(named(ast.parse(path.read_text(encoding="utf-8"))))
    assert {place: names for place, names in found.items() if names} == ALLOWED


def test_only_its_adapter_names_a_framework_among_the_runners():
    """Besides it, the module that finds the tools of the AI SDK."""
    runners = [*(PACKAGE / "runners").rglob("*.py"), *(PACKAGE / "runners").rglob("*.mjs")]
    named = {path.stem for path in runners if FRAMEWORKS.search(path.read_text(encoding="utf-8"))}
    assert named == {"ai_sdk", "langchain", "openai_agents", "pydantic_ai", "toolsets"}


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("help('an art: target')", "art"),
        ("f'{x} is no command: write mcp:{x}'", "mcp"),
        ("known = ('coreclr',)", "coreclr"),
        ("TOOL = 'agent_list_modes'", "agent_list_modes"),
        ("declaration.art.kind", "art"),
    ],
)
def test_the_search_finds_a_system_in_any_string(code, word):
    assert list(named(ast.parse(code))) == [word]


@pytest.mark.parametrize("code", ["'''An art: target.'''", "'a smart one: aptix-conformance'", "'MCP.Sec.1'"])
def test_the_search_leaves_documentation_contracts_and_longer_words_out(code):
    assert list(named(ast.parse(code))) == []


def test_the_program_lists_the_commands_of_each_system_that_has_some():
    """`--help` reads their names from a table, since it imports no system."""
    having = {profile.name for profile in OURS.profiles if profile.commands or profile.client_files}
    assert having == set(SYSTEMS_WITH_COMMANDS)


def test_contributing_names_every_folder_of_the_package():
    page = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert {name for name in folders if f"`{name}/`" not in page} == set()
