"""SCH001 to SCH016: schemas that are just right, those that are just wrong, and what is another rule's."""

import re

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.argument_builders import emitted

from aptix_conformance.core.model import Exploration
from aptix_conformance.rules.lib import declarations


def parameters(*names, kind="positional", required=True):
    return tuple(b.Parameter(name, kind, required) for name in names)


def test_sch001_takes_parameters_that_may_be_left_out_as_variadic():
    own = b.Member("get_schema", "static_method", parameters=parameters("rest", kind="var_positional"))
    assert b.judge("SCH001", b.declaration(get_schema=own)) is None


def test_schema_can_be_called_where_no_parameter_is_required():
    optional = b.Member("get_schema", "class_method", parameters=parameters("x", required=False))
    needed = b.Member("get_schema", "class_method", parameters=parameters("x"))
    assert declarations.callable_schema(b.declaration(get_schema=optional))
    assert not declarations.callable_schema(b.declaration(get_schema=needed))


@pytest.mark.parametrize(
    ("changes", "is_judged"),
    [
        ({}, True),
        ({"required": None}, True),
        ({"required": "name"}, False),
        ({"required": None, "properties": {"a": {"type": "string", "required": True}}}, False),
        ({"properties": {"a": {}}}, True),
        ({"properties": {"a": {"anyOf": [{}, {"type": "null"}]}}}, True),
        ({"properties": {"a": {"type": "text"}}}, True),
    ],
)
def test_sch010_is_for_parameters_in_which_nothing_simpler_is_wrong(changes, is_judged):
    assert b.RULES["SCH010"].when(emitted(**changes)) is is_judged


@pytest.mark.parametrize("own", [{"type": "text"}, {"$ref": "#/nowhere"}])
def test_sch010_leaves_an_unknown_type_to_the_rule_on_types_where_that_binds(own):
    """Where it does not, nothing else reports the type: it is no rule of Pydantic AI, for one."""
    (found,) = b.RULES["SCH010"].findings(emitted(properties={"a": own}))
    assert found.defers_to == "SCH008"


def test_sch010_reports_a_schema_too_deep_for_any_checker():
    """It is a finding, and not the end of the checker."""
    deep = '{"type": "array", "items": ' * 3_000 + "{}" + "}" * 3_000
    properties = f'{{"a": {deep}}}'
    own = f'{{"type": "function", "parameters": {{"type": "object", "properties": {properties}, "required": []}}}}'
    assert b.RULES["SCH010"].check(b.declaration(own)) or not b.RULES["SCH010"].when(b.declaration(own))


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("patternProperties", {"^x": {}}),
        ("allOf", [{"properties": {"title": {}}}]),
        ("anyOf", [{}]),
        ("oneOf", [{}]),
        ("if", {}),
        ("additionalProperties", {"type": "string"}),
    ],
)
def test_sch016_knows_that_arguments_may_be_described_elsewhere(keyword, value):
    example = b.call("example:1", '{"name": "Ada", "title": "Countess"}', demand="accepted")
    assert b.judge("SCH016", Exploration((b.declaration(),), (example,)))
    assert b.judge("SCH016", Exploration((emitted(**{keyword: value}),), (example,))) is None
    assert b.judge("SCH016", Exploration((emitted(additionalProperties=True),), (example,)))


def test_sch016_knows_the_arguments_in_branches_of_the_root():
    example = b.call("example:1", '{"name": "Ada", "title": "Countess"}', demand="accepted")
    other = emitted(allOf=[{"properties": {"nickname": {}}}])
    assert "title" in b.judge("SCH016", Exploration((other,), (example,))).message


def test_a_required_argument_may_be_declared_in_a_branch_of_the_root():
    named = {"properties": {"name": {"type": "string", "description": "Whom."}}, "required": ["name"]}
    assert b.judge("SCH011", emitted(properties={}, allOf=[named])) is None
    assert "ghost" in b.judge("SCH011", emitted(allOf=[{"required": ["ghost"]}])).message


def test_a_property_of_a_branch_is_described_and_typed_like_any_other():
    bare = {"properties": {"mood": {"description": " "}, "age": {}}}
    assert "'age'" in b.judge("SCH009", emitted(allOf=[bare])).message
    assert "'age'" in b.judge("SCH008", emitted(allOf=[bare])).message
    long = {"properties": {"name": {"description": "x" * 1025}}}
    assert "'name'" in b.judge("SCH014", emitted(allOf=[long])).message


def test_sch016_judges_by_schemas_that_could_be_read_and_examples_that_worked():
    titled = '{"name": "Ada", "title": "Countess"}'
    example = b.call("example:1", titled, demand="accepted")
    unread = b.declaration(b.schema(parameters=None))
    assert b.judge("SCH016", Exploration((unread,), (example,))) is None
    assert b.judge("SCH016", Exploration((unread, b.declaration()), (example,)))
    refused = b.call("example:2", titled, demand="accepted", result=b.failure("No."))
    drawn = b.call("generated", titled)
    assert b.judge("SCH016", Exploration((b.declaration(),), (drawn, refused))) is None


def test_sch014_draws_the_line_at_1024_characters():
    for length, is_broken in ((1024, False), (1025, True)):
        own = b.declaration(b.schema(description="x" * length))
        assert (b.judge("SCH014", own) is not None) is is_broken
        inner = b.with_property(extra={"type": "string", "description": "x" * length})
        assert (b.judge("SCH014", b.declaration(inner)) is not None) is is_broken


@pytest.mark.parametrize(
    ("text", "is_broken"),
    [
        ("Greets people warmly.", False),
        ("Greets people.", True),
        ("The testing greeter tool", True),
        ("A greeter for testing this", False),
    ],
)
def test_sch015_wants_three_words_and_one_that_is_not_of_the_name(text, is_broken):
    assert (b.judge("SCH015", b.declaration(b.schema(description=text))) is not None) is is_broken


@pytest.mark.parametrize(
    ("text", "is_broken"),
    [
        ("Built 2025-11-20T10:23:11", True),
        ("Built '2025-11-20T10:23:11'", False),
        ("Built (2025-11-20T10:23:11)", False),
        ("Built <2025-11-20T10:23:11Z>", False),
        ("Built '2025-11-20T10:23:11 or so", True),
        ("'Now': 2025-11-20T10:23:11 (local)", True),
    ],
)
def test_sch013_takes_what_is_quoted_for_an_example(text, is_broken):
    assert (b.judge("SCH013", b.declaration(b.schema(description=text))) is not None) is is_broken


def test_sch013_looks_at_names_and_in_lists_and_tells_the_first():
    digits = "9f86d081884c7d659f86d081884c7d65"
    listed = b.declaration(b.schema(**{"x-builds": [f"{digits}a", f"{digits}b"]}))
    assert f"{digits}a" in b.judge("SCH013", listed).message
    assert b.judge("SCH013", b.declaration(b.schema(**{digits: 1})))


def test_sch004_and_sch014_are_for_functions():
    nameless = b.declaration(tool_name=b.Constant("TOOL_NAME", "missing", None, ""))
    assert not b.RULES["SCH004"].when(nameless)
    assert not b.RULES["SCH004"].when(b.declaration({"type": "tool"}))
    assert not b.RULES["SCH014"].when(b.declaration({"type": "tool"}))


def test_sch006_tells_what_the_parameters_are():
    assert "['a']" in b.judge("SCH006", b.declaration(b.schema(parameters=["a"]))).message


def test_sch002_tells_what_was_emitted():
    assert "get_schema gave [1]" in b.judge("SCH002", b.declaration("[1]")).message


def test_sch010_is_not_for_one_property_of_several_that_says_that_it_is_required():
    own = {"a": {"type": "string", "required": True}, "b": {"type": "string"}}
    assert not b.RULES["SCH010"].when(emitted(required=None, properties=own))


@pytest.mark.parametrize(
    ("text", "is_broken"),
    [
        ("' 2025-11-20T10:23:11 '", False),
        ("'  2025-11-20T10:23:11'", True),
        ("'2025-11-20T10:23:11  '", True),
        ("'2025-11-20T10:23:11   ", True),
    ],
)
def test_sch013_sees_a_mark_within_two_characters(text, is_broken):
    assert (b.judge("SCH013", b.declaration(b.schema(description=f"Built {text}"))) is not None) is is_broken


def test_sch013_takes_a_quotation_at_the_very_beginning_for_one():
    assert b.judge("SCH013", b.declaration(b.schema(description="'2025-11-20T10:23:11' it was."))) is None


def test_sch016_names_the_argument_that_is_not_declared():
    example = b.call("example:1", '{"name": "Ada", "title": "Countess"}', demand="accepted")
    assert (
        "The argument 'title' is not"
        in b.judge("SCH016", Exploration((b.declaration(),), (example,))).message
    )


def test_sch015_is_for_descriptions_that_hold_text():
    for description in (None, " \n"):
        assert not b.RULES["SCH015"].when(b.declaration(b.schema(description=description)))
    assert b.RULES["SCH015"].when(b.declaration())


def test_sch016_is_for_calls_with_arguments_of_the_schemas():
    assert not b.RULES["SCH016"].when(Exploration((b.declaration(),), (b.call(probe="repeat"),)))
    assert b.RULES["SCH016"].when(Exploration((b.declaration(),), (b.call(),)))


def test_sch016_says_nothing_where_one_reading_describes_arguments_elsewhere():
    example = b.call("example:1", '{"name": "Ada", "title": "Countess"}', demand="accepted")
    both = (b.declaration(), emitted(patternProperties={"^x": {}}))
    assert b.judge("SCH016", Exploration(both, (example,))) is None


def test_sch010_goes_on_where_the_checker_of_schemas_cannot():
    schema = {"type": "string"}
    for _ in range(200):
        schema = {"type": "object", "properties": {"a": schema}}
    assert "nest more than" in b.judge("SCH010", b.declaration(b.with_property(deep=schema))).message


def test_sch010_shows_every_place_that_is_no_schema_once():
    """The metaschema of the draft judges the place $.properties.d by each of its vocabularies."""
    own = {
        "c": {"type": "string", "minLength": "one", "maxLength": -1},
        "d": {"type": "array", "items": [{"type": "string"}]},
        "e": {"type": "object", "properties": {"f": {"type": "string", "pattern": "("}}},
    }
    found = b.judge("SCH010", emitted(properties=own, required=[]))
    assert re.findall(r"At (\S+): ", found.message) == [
        "$.properties.c.maxLength",
        "$.properties.c.minLength",
        "$.properties.d.items",
        "$.properties.e.properties.f.pattern",
    ]


def test_sch010_shows_fifty_places_of_a_strangers_schema():
    own = {f"a{number}": {"type": "string", "minLength": "one"} for number in range(60)}
    assert b.judge("SCH010", emitted(properties=own, required=[])).message.count("minLength") == 50


@pytest.mark.parametrize(
    ("bare", "said"),
    [
        (["a"], "The property 'a' has no description."),
        (["a", "b"], "The properties 'a' and 'b' have no description."),
        (["a", "b", "c"], "The properties 'a', 'b' and 'c' have no description."),
    ],
)
def test_sch009_names_each_property_without_a_description(bare, said):
    own = emitted(properties={name: {"type": "string"} for name in bare}, required=[])
    assert b.judge("SCH009", own).message == said


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        (["a"], "'a' is required and is no property."),
        (["a", "b"], "'a' and 'b' are required and are no properties."),
    ],
)
def test_sch011_names_each_required_name_that_is_no_property(missing, said):
    assert b.judge("SCH011", emitted(required=["name", *missing])).message == said
