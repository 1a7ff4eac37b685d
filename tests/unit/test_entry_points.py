"""What entry points of probes, renderers and systems may name, and what is refused."""

import sys
import types
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from aptix_conformance.core.errors import ContractDataError
from aptix_conformance.present.reports.renderers import all_renderers
from aptix_conformance.stimuli.probes import PROBES, ValidProbe
from aptix_conformance.stimuli.probes.installed import all_probes
from aptix_conformance.systems.profile import SystemProfile
from aptix_conformance.systems.registry import BUILT_IN, installed
from aptix_conformance.systems.rulebook import all_rules
from aptix_conformance.targets.spec import SpecTable, Spelling, read_place


@pytest.fixture
def naming(monkeypatch):
    """Makes an entry point that names a value."""

    def make(value):
        module = types.ModuleType("theirs")
        module.value = value
        monkeypatch.setitem(sys.modules, "theirs", module)
        return [EntryPoint("theirs", "theirs:value", "a-group")]

    return make


class Named(ValidProbe):
    name = "theirs"
    render = staticmethod(lambda report: "")


@pytest.mark.parametrize("find", [all_probes, all_renderers, installed])
@pytest.mark.parametrize("value", [7, Named])
def test_something_else_is_refused_with_its_entry_point(naming, find, value):
    with pytest.raises(ContractDataError, match=r"'theirs'.*should name a"):
        find(naming(value))


@pytest.mark.parametrize("find", [all_probes, all_renderers, installed])
def test_what_cannot_be_loaded_is_refused_with_its_entry_point(find):
    with pytest.raises(ContractDataError, match=r"'theirs'.*cannot be loaded: ModuleNotFoundError"):
        find([EntryPoint("theirs", "no_such_module:x", "a-group")])


def test_a_probe_runs_after_ours(naming):
    mine = Named()
    assert all_probes(naming(mine)) == (*PROBES, mine)


def test_a_renderer_is_found_by_its_name(naming):
    mine = Named()
    assert all_renderers(naming(mine))["theirs"] is mine
    assert {"json", "summary"} < all_renderers(naming(mine)).keys()


def test_a_name_that_is_taken_is_refused(naming):
    with pytest.raises(ContractDataError, match="there is a probe valid already"):
        all_probes(naming(ValidProbe()))
    with pytest.raises(ContractDataError, match="there is a system art already"):
        installed(naming(SystemProfile("art", ())))


def test_a_system_is_added_after_ours(naming):
    mine = SystemProfile("theirs", ())
    assert installed(naming(mine)).profiles == (*BUILT_IN, mine)


def test_a_prefix_that_is_taken_is_refused():
    one = Spelling("x", "x", "x:y", read_place)
    with pytest.raises(ContractDataError, match="two systems claim the prefix 'x'"):
        SpecTable((one, Spelling("x", "y", "x:y", read_place)))


def test_a_clause_that_names_a_rule_which_is_not_there_is_refused(naming):
    clause = "{id: NEW.1, level: MUST, kind: static, text: new, rules: [XYZ001]}"
    contracts = f"documents: {{NEW: {{system: theirs}}}}\nclauses: [{clause}]\neditions: {{}}\n"
    registry = installed(naming(SystemProfile("theirs", (), contracts=contracts)))
    with pytest.raises(ContractDataError, match=r"NEW\.1 names the rule XYZ001, which does not exist"):
        all_rules(others=(), systems=registry)


def test_contracts_that_contradict_others_are_refused(naming):
    mine = SystemProfile("theirs", (), contracts="documents: {}\nclauses: []\neditions: {}\n")
    assert installed(naming(mine)).inventory.editions
    broken = replace(mine, contracts="documents: {}")
    with pytest.raises(ContractDataError, match="the contracts of the system theirs"):
        _ = installed(naming(broken)).inventory
