"""What the repeat and catalog probes plan."""

import json

import pytest

from aptix_conformance.core.model import Call, Change, Kind, Outcome, Result
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.probes import RepeatProbe
from aptix_conformance.stimuli.probes.planning import plan
from aptix_conformance.systems.aptix.catalog_probe import CatalogProbe
from aptix_conformance.targets.settings import ToolSettings

NAMED = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


@pytest.fixture
def subject(make_subject):
    return replace(make_subject(NAMED), disturbances=frozenset({"together", "catalog"}))


def answered(subject, arguments, payload, elapsed=0.01, probe="valid"):
    made = plan(subject, probe, Change(Kind.CUSTOM, detail=f"example:{payload}"), json.dumps(arguments))
    return Call(made, Outcome.RETURNED, elapsed, Result("InvokeResult", True, True, payload, "str"))


def groups(subject, seen):
    return list(RepeatProbe().together(subject, seen))


def test_two_sets_of_arguments_are_repeated_preferably_such_as_give_other_answers(subject):
    seen = [
        answered(subject, {"name": name}, payload) for name, payload in (("a", "1"), ("b", "1"), ("c", "2"))
    ]
    plans = list(RepeatProbe().fixed(subject, seen))
    assert [(made.label, json.loads(made.arguments)["name"]) for made in plans] == [
        ("same:A:1", "a"),
        ("same:A:2", "a"),
        ("same:B:1", "c"),
        ("same:B:2", "c"),
    ]
    assert len({json.dumps(made.context) for made in plans}) == 4


def test_of_other_answers_one_that_shows_texts_in_a_row_is_repeated(subject):
    payloads = {
        "a": '{"tags": []}',
        "b": '{"tags": ["x"]}',
        "c": '{"tags": ["x", "y"]}',
        "d": '{"tags": ["z", "y"]}',
    }
    seen = [answered(subject, {"name": name}, payload) for name, payload in payloads.items()]
    plans = RepeatProbe().fixed(subject, seen)
    assert list(dict.fromkeys(json.loads(made.arguments)["name"] for made in plans)) == ["a", "c"]


def test_the_authors_word_is_in_the_label(subject):
    seen = [answered(subject, {"name": "a"}, "1")]
    vouched = replace(subject, settings=ToolSettings(idempotent=True))
    assert {made.kind for made in RepeatProbe().fixed(vouched, seen)} == {"idempotent"}


def test_two_equal_two_different_and_fifty_are_made_at_once_each_with_identifiers_of_its_own(subject):
    seen = [answered(subject, {"name": name}, name) for name in ("a", "b")]
    equal, different, many = groups(subject, seen)
    assert [len(group) for group in (equal, different, many)] == [2, 2, 50]
    assert equal[0].arguments == equal[1].arguments
    assert different[0].arguments != different[1].arguments
    assert len({json.dumps(made.context) for made in many}) == 50
    assert {made.kind for made in many} == {"together"}
    assert RepeatProbe().shortfall(subject, seen) is None


TEXT, PLACE = {"type": "string"}, {"enum": ["north", "south", "harbour"]}


@pytest.fixture
def swaps(make_subject, host):
    """The calls with two values exchanged, one after the other and in their group, by their arguments."""

    def made(example, properties, refuses=lambda _: False):
        schema = {"type": "object", "properties": properties, "required": sorted(example)}
        subject = replace(make_subject(schema), disturbances=frozenset({"together"}))
        tool, seen = host(subject, refuses=refuses), [answered(subject, example, "1")]
        for each in RepeatProbe().fixed(subject, seen):
            seen += [tool.execute(each)]
        sequence = [call.plan for call in seen if call.plan.change.detail == "swapped"]
        together = [group for group in groups(subject, seen) if group[0].change.detail == "swapped"]
        return [[json.loads(each.arguments) for each in plans] for plans in (sequence, *together)]

    return made


@pytest.mark.parametrize(
    ("node", "one", "other"),
    [(PLACE, "north", "south"), (TEXT, "Ada", "Bob"), ({"type": "integer", "description": "No."}, 17, 23)],
)
def test_two_values_that_each_argument_may_have_are_exchanged(swaps, node, one, other):
    example = {"source": one, "target": other, "count": 2}
    count = {"type": "integer", "maximum": 9}
    swapped = {**example, "source": other, "target": one}
    properties = {"source": node, "target": {**node, "description": "Where."}, "count": count}
    assert swaps(example, properties) == [[swapped] * 2, [example, swapped] * 4]


@pytest.mark.parametrize(
    ("example", "properties"),
    [
        ({"source": "north", "target": "north"}, {"source": PLACE, "target": PLACE}),
        ({"source": "north", "target": "south"}, {"source": PLACE, "target": {"enum": ["south"]}}),
        ({"name": "Ada", "city": "Oslo"}, {"name": TEXT, "city": {**TEXT, "pattern": "^O"}}),
        ({"name": "Ada", "days": 3}, {"name": TEXT, "days": {"type": "integer"}}),
        ({"page": 1, "limit": 9}, {"page": {"type": "integer", "minimum": 1}, "limit": {"type": "integer"}}),
        ({"bold": True, "wide": False}, {"bold": {"type": "boolean"}, "wide": {"type": "boolean"}}),
    ],
)
def test_values_that_are_equal_or_of_another_kind_are_not_exchanged(swaps, example, properties):
    assert swaps(example, properties) == [[]]


def test_of_several_pairs_those_of_one_list_come_first_until_one_works(swaps):
    example = {"note": "a", "by": "b", "source": "north", "target": "south"}
    properties = {"note": TEXT, "by": TEXT, "source": PLACE, "target": PLACE}
    places = {**example, "source": "south", "target": "north"}
    texts = {**example, "note": "b", "by": "a"}
    assert swaps(example, properties) == [[places] * 2, [example, places] * 4]
    found = swaps(example, properties, lambda sent: sent["source"] == "south")
    assert found == [[places, texts, texts], [example, texts] * 4]


def test_exchanged_values_that_are_refused_are_not_sent_at_once(swaps):
    example, properties = {"source": "north", "target": "south"}, {"source": PLACE, "target": PLACE}
    found = swaps(example, properties, lambda sent: sent["source"] == "south")
    assert found == [[{"source": "south", "target": "north"}]]


def test_nothing_is_repeated_that_never_worked_or_where_the_host_cannot(subject):
    assert list(RepeatProbe().fixed(subject, [])) == []
    assert groups(subject, []) == []
    assert "no valid call succeeded" in RepeatProbe().shortfall(subject, []).reason
    seen = [answered(subject, {"name": "a"}, "1")]
    assert groups(replace(subject, disturbances=frozenset()), seen) == []


def test_catalogs_are_for_the_one_tool_that_lists_modes(subject, make_subject):
    assert list(CatalogProbe().fixed(subject, [])) == []
    assert CatalogProbe().shortfall(subject, []) is None
    tool = replace(make_subject(NAMED, name="agent_list_modes"), disturbances=frozenset({"catalog"}))
    plans = list(CatalogProbe().fixed(tool, []))
    assert {made.catalog for made in plans} == {
            "typical", "one_mode", "empty", "null_optional_fields", "unicode_rtl", "duplicates", "shared", "changing",
            "many", "returns_none", "raises", "hangs",
    }  # fmt: skip
    assert json.loads(plans[0].expected)["modes"][0]["key"] == "general"
    assert "cannot replace" in CatalogProbe().shortfall(replace(tool, disturbances=frozenset()), []).reason
