"""The collection of rules: ours, third parties', and what is refused."""

import sys
import types
from dataclasses import replace
from importlib.metadata import EntryPoint, PathDistribution

import pytest

from aptix_conformance.core.contracts import Level, load
from aptix_conformance.core.errors import ContractDataError
from aptix_conformance.core.model import Call, Declaration
from aptix_conformance.rules import rule
from aptix_conformance.systems.profile import SystemProfile
from aptix_conformance.systems.registry import installed
from aptix_conformance.systems.rulebook import ENTRY_POINTS, all_rules


@pytest.fixture
def third_party(monkeypatch):
    """Makes an importable module out of some values, and an entry point that names it or one of them."""

    def make(reference="third_party_rules", **values):
        module = types.ModuleType("third_party_rules")
        vars(module).update(values)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        return EntryPoint("theirs", reference, ENTRY_POINTS)

    return make


def made(code, *clauses, source="suite"):
    @rule(code, *clauses, remedy="Do better.", source=source)
    def their_own_rule(_call: Call):
        """Something else holds."""

    return their_own_rule


def test_rules_are_sorted_and_have_codes_and_names_of_their_own():
    rules = all_rules(others=())
    codes = [found.code for found in rules]
    assert codes == sorted(codes)
    assert len({found.name for found in rules}) == len(rules) > 70


@pytest.mark.parametrize("found", all_rules(others=()), ids=lambda found: found.code)
def test_a_rule_tells_a_person_what_to_do(found):
    assert found.demand.endswith(".")
    assert found.remedy.endswith((".", "…"))
    assert found.remedy[0].isupper()
    assert not found.unseen_reason.endswith(".")
    assert not found.not_applicable.endswith(".")


@pytest.mark.parametrize("found", all_rules(others=()), ids=lambda found: found.code)
def test_a_rule_on_prose_alone_never_fails_a_must_unless_it_is_plain(found):
    inventory = load()
    heuristic = found.clauses and all(
        inventory.clauses[clause].kind == "heuristic" for clause in found.clauses
    )
    if heuristic and found.code != "USE011":  # a secret is plainly wrong
        assert found.advice


TAKING = {
    *(
        "EXC001",
        "EXC010",
        "EXC012",
        "EXC016",
        "CAN001",
        "CAN007",
        "ARG002",
        "ARG005",
        "CTX001",
        "CAT014",
    ),  # an exception came out
    "EXC002",  # the call did not come back
    *("RES001", "RES002", "RES003", "ART020", "ART040", "ARG013"),  # the result cannot be read
    *("MCP070", "MCP073"),  # there is no answer
    "ART033",  # JSON cannot write the output, or writes another: what a rule can judge of that, it judges
}
STOPPING = {"AMP002", "AMP003", "AMP004", "AMP005", "AMP008", "REG007", "REG009", "REG011"}


def test_what_a_call_shows_to_others_is_taken_by_those_rules_alone_whose_breach_leaves_nothing():
    """A rule too many masks faults; one too few lets a rule pass that could judge nothing."""
    masking = [found for found in all_rules(others=()) if found.masks_others]
    assert {found.code for found in masking if found.over is not Declaration} == TAKING


def test_a_tool_cannot_be_called_where_its_instance_cannot_be_had():
    """By a constructor, a registration or a method that is not as it must be; no other breach stops all calls."""
    masking = [found for found in all_rules(others=()) if found.masks_others]
    assert {found.code for found in masking if found.over is Declaration} == STOPPING


def is_left_out(found, edition):
    """Whether an edition leaves out all clauses of a rule, though it has their documents."""
    documents = {clause.partition(".")[0] for clause in found.clauses}
    return bool(documents & set(edition.documents)) and not any(map(edition.binds, found.clauses))


def test_every_rule_is_in_force_in_every_edition_of_its_systems_and_in_one_system_at_least():
    """Except where an edition leaves out what a rule is for."""
    by_system = {}
    for edition in load().editions.values():
        by_system.setdefault(edition.system, []).append(edition)
    for found in all_rules(others=()):
        levels = {
            system: [found.level(edition) for edition in editions if not is_left_out(found, edition)]
            for system, editions in by_system.items()
        }
        bound = [system for system, of_editions in levels.items() if any(of_editions)]
        assert bound
        assert all(level in (Level.MUST, Level.SHOULD) for system in bound for level in levels[system])


def test_identifiers_are_exempt_for_the_tool_whose_own_contract_says_so():
    exempt = {
        found.code
        for found in all_rules(others=())
        if load().exemption(
            "agent_list_modes", [each for each in found.clauses if not each.startswith("MCP.")]
        )
    }
    assert exempt == {"CTX002", "CTX003", "CTX005"}


def bound(mine):
    """A rule that no contract demands binds the first system where it names none."""
    return replace(mine, systems=("aptix",))


def test_a_module_and_a_rule_of_a_third_party_are_added(third_party):
    mine = made("ACME-USE900")
    assert bound(mine) in all_rules([third_party(mine=mine)])
    assert bound(mine) in all_rules([third_party("third_party_rules:mine", mine=mine)])


@pytest.mark.parametrize(
    ("reference", "values", "word"),
    [
        ("no_such_module_anywhere", {}, "cannot be loaded"),
        ("third_party_rules:nothing", {}, "cannot be loaded"),
        ("third_party_rules", {}, "should name a rule"),
        ("third_party_rules:mine", {"mine": 7}, "should name a rule"),
        ("third_party_rules:mine", {"mine": made("ARG002")}, "before it, such as ACME-ARG002"),
        (
            "third_party_rules:mine",
            {"mine": made("ACME-USE901", "TUL-999.1", source="contract")},
            "TUL-999.1",
        ),
    ],
)
def test_a_bad_entry_point_is_named(third_party, reference, values, word):
    with pytest.raises(ContractDataError, match=r"theirs|ACME-USE901") as caught:
        all_rules([third_party(reference, **values)])
    assert word in str(caught.value)


def test_a_code_that_two_third_parties_give_is_refused(third_party):
    first = third_party("third_party_rules:mine", mine=made("ACME-NET001"), yours=made("ACME-NET001"))
    second = EntryPoint("yours", "third_party_rules:yours", ENTRY_POINTS)
    with pytest.raises(ContractDataError, match="the code ACME-NET001 is taken"):
        all_rules([first, second])


def test_a_code_in_an_area_of_the_suite_is_refused_with_its_distribution_and_the_fix(third_party, tmp_path):
    """A later rule of the suite may have it; in an area that the suite does not have, it never meets one."""
    third_party(mine=made("ARG900"), net=made("NET001"))
    folder = tmp_path / "acme-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[{ENTRY_POINTS}]\ntheirs = third_party_rules:mine\n")
    with pytest.raises(ContractDataError) as caught:
        all_rules(PathDistribution(folder).entry_points)
    assert str(caught.value) == (
        f"The entry point 'theirs' (third_party_rules:mine) of acme in the group {ENTRY_POINTS} gives the rule ARG900, and "
        "the area ARG is the suite's, which may use that code for a rule of its own: put a prefix of yours before it, such "
        "as ACME-ARG900"
    )
    assert all_rules([EntryPoint("net", "third_party_rules:net", ENTRY_POINTS)])


def test_the_rules_of_a_third_partys_system_are_held_to_the_same(third_party):
    profile = SystemProfile("theirs", (), rules=(made("REG900"),))
    with pytest.raises(ContractDataError, match="such as ACME-REG900"):
        installed([third_party("third_party_rules:profile", profile=profile)])


def test_a_rule_of_the_suite_may_be_taken_over(third_party):
    ours = next(found for found in all_rules(others=()) if found.code == "ARG002")
    assert ours in all_rules([third_party(ours=ours)])


def test_each_rule_that_leaves_others_nothing_to_judge_is_a_rule():
    rules = {rule.code: rule for rule in all_rules(others=())}
    assert {code for rule in rules.values() for code in rule.after} <= rules.keys()


def test_no_rule_comes_after_itself():
    assert not [rule.code for rule in all_rules(others=()) if rule.code in rule.after]


@pytest.mark.parametrize("found", all_rules(others=()), ids=lambda found: found.code)
def test_the_kind_of_a_call_comes_from_its_typed_stimulus(found):
    """Its label is a text for people."""
    assert "label" not in found.kind.__code__.co_names
