"""Evidence is gathered from the files of a checkout, and none of it is run."""

import sys
from types import ModuleType

import pytest
from tools.evidence import CHECKOUT, gather

from aptix_conformance.core.errors import ContractDataError
from aptix_conformance.present import evidence
from aptix_conformance.present.evidence import find_evidence

TOOL = '"""Says nothing.\n\nConforming twin: sound.py\n"""\n\nclass Odd(Sound):\n    LIMIT = 4\n'


@pytest.fixture
def filled(checkout, write):
    write("fixtures/conforming/sound.py", "class Sound:\n    LIMIT = 3\n")
    write("fixtures/nonconforming/ARG001_long.py", TOOL + "    pass\n    pass\n")
    write("fixtures/nonconforming/ARG001_short.py", TOOL)
    found = '{"nonconforming/ARG001_short": {"ARG001": ["odd breaks ARG001", "  the tool"]}}'
    write("snapshots/matrix/findings.json", found)
    write("tests/test_x.py", "import pytest\n@pytest.mark.clause('ONE.3')\ndef test_x(): ...\n")
    return checkout


def test_tests_fixtures_and_the_shortest_example_are_gathered(filled):
    found = gather(filled)
    assert found.tests == {"ONE.3": ("tests/test_x.py::test_x",)}
    assert found.fixtures == {"ARG001": ("ARG001_long", "ARG001_short")}
    example = found.examples["ARG001"]
    assert (example.path, example.says) == ("nonconforming/ARG001_short.py", "Says nothing.")
    assert (example.source, example.counterpart) == (TOOL, "class Sound:\n\n    LIMIT = 3")
    assert example.failure == "odd breaks ARG001\n  the tool"


def test_an_example_is_one_that_was_examined(filled, write):
    write(
        "snapshots/matrix/findings.json", '{"nonconforming/ARG001_long": {"ARG001": ["odd breaks ARG001"]}}'
    )
    example = gather(filled).examples["ARG001"]
    assert (example.path, example.failure) == ("nonconforming/ARG001_long.py", "odd breaks ARG001")


@pytest.mark.parametrize("collection", ["amplifier/nonconforming", "amplifier-nonconforming"])
def test_an_example_of_another_system_stands_in_where_aptix_has_none(filled, write, collection):
    """Fixtures of two systems may have one name."""
    write("fixtures/amplifier/conforming/sound.py", "")
    write("fixtures/amplifier/nonconforming/ARG001_short.py", TOOL)
    write("fixtures/amplifier/nonconforming/AMP001_short.py", TOOL)
    found = f'"{collection}/AMP001_short:tool": {{"AMP001": ["it breaks AMP001"]}}'
    others = '"nonconforming/ARG001_short": {"ARG001": ["odd breaks ARG001"]}'
    write("snapshots/matrix/findings.json", f"{{{found}, {others}}}")
    examples = gather(filled).examples
    assert (examples["ARG001"].name, examples["ARG001"].failure) == ("ARG001_short", "odd breaks ARG001")
    assert (examples["AMP001"].name, examples["AMP001"].failure) == (
        "amplifier/AMP001_short",
        "it breaks AMP001",
    )


def test_an_example_in_python_comes_before_a_shorter_one_in_another_language(filled, write):
    """Parts of its twin can be shown."""
    write("fixtures/mcp/conforming/sound.py", "class Sound:\n    LIMIT = 3\n")
    write("fixtures/mcp/node/http/conforming/sound.mjs", "")
    write("fixtures/mcp/nonconforming/MCP001_long.py", TOOL)
    write(
        "fixtures/mcp/node/http/nonconforming/MCP001_short.mjs", "// Short.\n// Conforming twin: sound.mjs\n"
    )
    found = gather(filled)
    assert found.fixtures["MCP001"] == ("mcp/MCP001_long", "mcp/node/http/MCP001_short")
    assert found.examples["MCP001"].name == "mcp/MCP001_long"


def test_without_a_matrix_or_a_row_in_it_there_is_no_failure_text(filled, write):
    write("snapshots/matrix/findings.json", '{"conforming/ARG001_short": {"ARG001": ["not this one"]}}')
    assert gather(filled).examples["ARG001"].failure == ""
    filled.findings.unlink()
    assert gather(filled).examples["ARG001"].failure == ""


@pytest.mark.parametrize("text", ["{", "[]", '{"nonconforming/x": 1}', '{"nonconforming/x": {"ARG001": 1}}'])
def test_a_malformed_matrix_is_refused(filled, write, text):
    write("snapshots/matrix/findings.json", text)
    with pytest.raises(ContractDataError, match=r"python -m tests\.acceptance\.matrix --write"):
        gather(filled)


def test_evidence_that_was_built_is_read_as_it_was_gathered(filled, tmp_path_factory, monkeypatch):
    built = tmp_path_factory.mktemp("elsewhere") / "evidence.json"
    built.write_text(evidence.text_of(gather(filled)), encoding="utf-8")
    monkeypatch.setattr(evidence, "_BUILT", built)
    assert find_evidence() == gather(filled)


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"tests": 1}', '{"tests": {}, "fixtures": {}, "examples": {"A": {}}}']
)
def test_malformed_evidence_is_refused(tmp_path, monkeypatch, text):
    built = tmp_path / "evidence.json"
    built.write_text(text, encoding="utf-8")
    monkeypatch.setattr(evidence, "_BUILT", built)
    with pytest.raises(ContractDataError, match="reinstall the package"):
        find_evidence()


def test_an_editable_install_gathers_that_of_its_checkout(monkeypatch):
    """Also where another module is named `tools`, as in many projects."""
    monkeypatch.setitem(sys.modules, "tools", ModuleType("tools"))
    assert find_evidence() == gather(CHECKOUT)


def test_an_install_without_evidence_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "_BUILT", tmp_path / "evidence.json")
    monkeypatch.setattr(evidence, "_GATHERING", tmp_path / "gone.py")
    with pytest.raises(ContractDataError, match=r"evidence\.json is missing"):
        find_evidence()
