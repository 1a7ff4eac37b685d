"""The clause inventory: what it says of levels and exemptions, and what contradictions it refuses."""

from importlib import resources
from pathlib import Path

import pytest
import yaml

from aptix_conformance.core.contracts import Level, load
from aptix_conformance.core.contracts.inventory import parse, strongest
from aptix_conformance.core.errors import ConfigurationError, ContractDataError

SHARED = Path(__file__).parents[5] / "shared" / "contracts" / "clauses.yaml"

SMALL = {
    "documents": {"DOC": {"system": "aptix"}, "OTHER": {"system": "art"}},
    "editions": {
        "first": {"documents": ["DOC"], "levels": {"DOC.1": "SHOULD"}},
        "second": {"documents": ["DOC"], "levels": {}},
        "art": {"documents": ["OTHER"], "levels": {}},
    },
    "own_contracts": {"agent_x": {"document": "OTHER", "exempt": ["DOC.1", "DOC.2"]}},
    "clauses": [
        {"id": "DOC.1", "level": "MUST", "kind": "static", "text": "one"},
        {"id": "DOC.2", "level": "MAY", "kind": "open", "text": "two", "why": "needs a reader"},
        {"id": "OTHER.1", "level": "SHOULD", "kind": "dynamic", "text": "three"},
    ],
}


def small(**changes):
    return parse(yaml.safe_dump(SMALL | changes))


_ON = True
"""What YAML 1.1 reads for the key `on`, which names what a reading is about."""


def test_the_packaged_clauses_are_the_shared_ones_and_add_the_practice_of_systems_and_settled_readings():
    """Which rules of the suite's own a system adopts is no clause, and what was settled later is in the package only.

    No statement of a document is lost or changed by that.
    """
    if not SHARED.exists():
        pytest.skip(f"there is no {SHARED} beside this checkout to compare with")
    packaged = yaml.safe_load(
        resources.files("aptix_conformance.core.contracts").joinpath("clauses.yaml").read_bytes()
    )
    assert packaged.pop("practice").keys() == {"aptix", "amplifier", "art"}
    shared = yaml.safe_load(SHARED.read_bytes())
    readings = {each.pop(_ON): each for each in packaged.pop("precedence")}
    for each in shared.pop("precedence"):
        ours = readings[each.pop(_ON)]
        assert ours.pop("settled")
        assert ours == {document: text for document, text in each.items() if document != "settled"}
    assert packaged == shared


def test_the_packaged_clauses_are_all_read():
    inventory = load()
    assert len(inventory.clauses) > 100
    assert {clause.document for clause in inventory.clauses.values()} == {
        "TUL-011",
        "AGN-005",
        "TUL-010",
        "AMP",
        "ART",
        "MCP",
        "LCT",
        "OAI",
        "PYD",
        "AIS",
    }
    assert all(clause.why for clause in inventory.clauses.values() if clause.kind == "open")


def test_the_two_aptix_editions_differ_where_the_settled_readings_say():
    inventory = load()
    lenient, strict = inventory.edition("aptix-tul-011"), inventory.edition("aptix-agn-005-1.1")
    for clause in ("AGN-005.2.3", "AGN-005.5.1", "AGN-005.8.2"):
        assert lenient.level([clause]) is Level.SHOULD
        assert strict.level([clause]) is Level.MUST
    assert lenient.level(["TUL-011.3.3"]) is Level.SHOULD
    assert strict.level(["TUL-011.3.3"]) is Level.MUST


def test_an_edition_overrides_the_level_of_a_clause():
    inventory = small()
    assert inventory.edition("first").level(["DOC.1"]) is Level.SHOULD
    assert inventory.edition("second").level(["DOC.1"]) is Level.MUST


def test_the_strongest_of_the_clauses_in_force_counts():
    edition = small().edition("second")
    assert edition.level(["DOC.2", "DOC.1"]) is Level.MUST
    assert edition.level(["DOC.2", "OTHER.1"]) is Level.MAY
    assert edition.level(["OTHER.1"]) is None
    assert edition.level([]) is None


def test_an_edition_binds_the_clauses_of_its_documents_only():
    inventory = small()
    assert inventory.edition("first").binds("DOC.2")
    assert not inventory.edition("first").binds("OTHER.1")


def test_levels_are_ordered_by_strength():
    assert strongest([Level.MAY, Level.SHOULD]) is Level.SHOULD
    assert strongest([Level.SHOULD, Level.MUST, Level.MAY]) is Level.MUST
    assert strongest([]) is Level.MAY


def test_each_system_has_its_first_edition_as_default():
    assert load().default_edition("aptix").name == "aptix-tul-011"
    assert load().default_edition("amplifier").name == "amplifier-1.0.0"
    assert load().default_edition("art").name == "art-0.4.16"
    with pytest.raises(ContractDataError, match="no edition for the system 'host'"):
        load().default_edition("host")


def test_an_unknown_edition_is_refused_with_those_that_there_are():
    with pytest.raises(ConfigurationError, match="unknown edition 'third': one of art, first, second"):
        small().edition("third")


def test_a_tool_is_exempt_only_from_what_its_own_contract_names():
    inventory = small()
    assert inventory.exemption("agent_x", ["DOC.1"]) == "OTHER"
    assert inventory.exemption("agent_x", ["DOC.1", "DOC.2"]) == "OTHER"
    assert inventory.exemption("agent_x", ["DOC.1", "OTHER.1"]) is None
    assert inventory.exemption("agent_x", []) is None
    assert inventory.exemption("agent_y", ["DOC.1"]) is None


def test_the_list_of_modes_is_exempt_from_identifiers_and_from_nothing_else():
    inventory = load()
    assert inventory.exemption("agent_list_modes", ["TUL-011.3.3", "AGN-005.5.1"]) == "TUL-010"
    assert inventory.exemption("agent_list_modes", ["TUL-011.3.4"]) is None
    assert inventory.exemption("agent_hello_world", ["TUL-011.3.3"]) is None


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"clauses": [*SMALL["clauses"], SMALL["clauses"][0]]}, "has the clause DOC.1 twice"),
        (
            {"clauses": [{"id": "NEW.1", "level": "MUST", "kind": "static", "text": ""}]},
            "NEW.1 is of no document",
        ),
        (
            {"editions": {"e": {"documents": ["NEW"], "levels": {}}}},
            "edition e names the unknown document NEW",
        ),
        (
            {"editions": {"e": {"documents": ["DOC"], "levels": {"DOC.9": "MUST"}}}},
            "edition e names the unknown clause DOC.9",
        ),
        ({"own_contracts": {"x": {"document": "NEW"}}}, "x names the unknown document NEW"),
        ({"own_contracts": {"x": {"document": "DOC", "exempt": ["DOC.9"]}}}, "unknown clause DOC.9"),
        ({"own_contracts": {"x": {"document": "DOC", "clauses": ["DOC.9"]}}}, "unknown clause DOC.9"),
    ],
)
def test_an_inventory_that_contradicts_itself_is_refused(changes, wrong):
    with pytest.raises(ContractDataError, match=wrong):
        small(**changes)


SETTLED = {
    f"MCP.{number}"
    for number in ("L.8", "L.15", "L.20", "S.3", "C.5", "C.7", "C.9", "E.6", "E.9", "E.10", "X.4", "Sec.5")
}
"""Clauses that the suite has settled in another way than the file that it was given."""
OLDER = {f"MCP.{number}" for number in ("S.4", "S.9", "E.5", "O.4", "O.7", "T.1", "T.6")}
"""Clauses with a note on the revisions before 2025-11-25, which that file does not have."""


def test_the_packaged_clauses_of_servers_say_what_the_shared_ones_say():
    """Kinds are written as in clauses.yaml; what no rule proves yet says why."""
    shared = SHARED.with_name("mcp-clauses.yaml")
    if not shared.exists():
        pytest.skip(f"there is no {shared} beside this checkout to compare with")
    packaged = yaml.safe_load(
        resources.files("aptix_conformance.core.contracts").joinpath("mcp-clauses.yaml").read_bytes()
    )
    original = yaml.safe_load(shared.read_bytes())
    kinds = {"untestable": "open", "transport": "dynamic"}
    differing = set()
    known = {clause["id"] for clause in original["clauses"]}
    shared_clauses = [clause for clause in packaged["clauses"] if clause["id"] in known]
    for clause, ours in zip(original["clauses"], shared_clauses, strict=True):
        ours.pop("pending", None)
        ours["where"] = clause["where"]
        if ours != clause | {"kind": kinds.get(clause["kind"], clause["kind"])}:
            differing.add(ours["id"])
            assert ours["id"] == clause["id"]
    assert differing == SETTLED | OLDER
    for name, edition in original["editions"].items():
        ours = packaged["editions"][name]
        assert [each for each in ours["not_in_force"] if each in known] == edition["not_in_force"]
        assert ours["levels"] == edition["levels"]


def test_what_is_not_in_force_is_what_the_places_of_the_clauses_leave_out():
    data = yaml.safe_load(
        resources.files("aptix_conformance.core.contracts").joinpath("mcp-clauses.yaml").read_bytes()
    )
    documents = data["documents"]["MCP"]["editions"]
    absent = {
        document: [
            clause["id"]
            for clause in data["clauses"]
            if document not in set().union(*(named(key, documents) for key in clause["where"]))
        ]
        for document in documents
    }
    for document in documents:
        edition = data["editions"][f"mcp-{document.removeprefix('MCP-')}"]
        assert edition["not_in_force"] == absent[document]
        assert not {*edition["levels"]} & {*absent[document]}


def named(key, documents):
    """The documents that a key of `where` names."""
    if key == "both":
        return documents[-2:]
    first, is_range, last = key.removeprefix("MCP-").partition("..")
    dates = [document.removeprefix("MCP-") for document in documents]
    assert {first, last or first} <= {*dates}
    until = (last or dates[-1]) if is_range else first
    return [f"MCP-{date}" for date in dates if first <= date <= until]


def test_a_clause_that_an_edition_leaves_out_does_not_bind_there():
    text = """
documents: {ONE: {system: aptix}}
editions:
  old: {documents: [ONE], levels: {}}
  new: {documents: [ONE], not_in_force: [ONE.1], levels: {ONE.2: MUST}}
clauses:
- {id: ONE.1, level: MUST, kind: static, text: "a"}
- {id: ONE.2, level: SHOULD, kind: static, pending: "later", text: "b"}
"""
    found = parse(text)
    assert set(found.editions["old"].levels) == {"ONE.1", "ONE.2"}
    assert found.editions["new"].levels == {"ONE.2": Level.MUST}
    assert found.clauses["ONE.2"].pending == "later"
    with pytest.raises(ContractDataError, match=r"the edition new names the unknown clause ONE\.3"):
        parse(text.replace("[ONE.1]", "[ONE.3]"))
