"""Nothing outside of `systems/` names a system in code: what is to be known of one, its profile says."""

import ast
from pathlib import Path

import pytest

import aptix_conformance

PACKAGE = Path(aptix_conformance.__file__).parent
WORDS = {"aptix", "amplifier", "art", "aptix-cs", "mcp"}
NAMES = {"ArtTool", "ArtResult", "AmplifierMount"}
MEMBERS = {"art", "amplifier"}
ALLOWED = {
    "cli.py": {"mcp"},  # a command, which is named for the file that it reads
    "commands/mcp.py": {"mcp"},  # the same
    "plugin/__init__.py": {"aptix"},  # the plugin's group of options, which is named for the suite
    "plugin/items.py": {"aptix"},  # the node that all ids of items begin with
    "plugin/session.py": {"aptix"},  # the same
    "probes/reading.py": {"aptix"},  # a value for a member that nobody declared
    "reports/format_1.py": {"art"},  # a member of results in the frozen format
    "schemas/forms.py": {"mcp"},  # a form of function schemas that models take, whatever tool it is of
    "schemas/diff/compare.py": {
        "art"
    },  # a member of the schemas in locks, which do not say of which system they are
    "hosts/zygote.py": {"aptix"},  # what the message that starts the Python runner says
}
"""Where a word means something else, or stands in a format that is published."""


def named(tree):
    """The systems that a module's code names, documentation left out."""
    prose = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in WORDS and id(node) not in prose:
            yield node.value
        elif (isinstance(node, ast.Attribute) and node.attr in MEMBERS) or (
            isinstance(node, ast.Name) and node.id in NAMES
        ):
            yield node.attr if isinstance(node, ast.Attribute) else node.id
        elif isinstance(node, ast.ImportFrom):
            parts = (node.module or "").split(".")
            if parts[:2] == ["aptix_conformance", "systems"] and set(parts[2:3]) & WORDS:
                yield f"import of {node.module}"


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE)
        # What runs in a tool's process is of its system, and imports nothing of the suite.
        if place.parts[0] not in {"systems", "runners"}:
            yield pytest.param(path, id=str(place))


@pytest.mark.parametrize("path", list(modules()))
def test_a_module_outside_of_systems_names_none(path):
    found = set(named(ast.parse(path.read_text(encoding="utf-8"))))
    assert found == ALLOWED.get(str(path.relative_to(PACKAGE)), set())
