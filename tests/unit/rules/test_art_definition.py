"""ART: the members of a schema, the name and the description."""

import pytest
from tests.unit.rules import art_builders as a

from aptix_conformance.core.contracts import Level

DECLARED = ["ART001", "ART002", "ART006", "ART007", "ART008"]


@pytest.mark.parametrize("code", DECLARED)
def test_the_model_tool_conforms(code):
    assert a.unconcerned(code, a.tool()) is None
    assert a.judge(code, a.tool()) is None


# ---- ART001: a schema, and execute(input, context)


def executing(*names):
    parameters = tuple(a.Parameter(name, "positional", required=True) for name in names)
    return a.replace(a.tool(), execute=a.Member("execute", "method", is_async=True, parameters=parameters))


def having(kind, text=None):
    return a.replace(a.with_schema(text, "not_json"), get_schema=a.Member("schema", kind))


def test_a_tool_of_which_nothing_is_known_is_not_judged():
    assert a.is_for("ART001", a.without_art()) is False


def test_a_tool_that_could_not_be_made_is_not_blamed_for_its_schema():
    broken = a.replace(having("missing"), construction_error="it needs a key")
    assert a.judge("ART001", broken) is None


def test_a_missing_schema_is_found():
    assert a.judge("ART001", having("missing")) == "There is no schema."


@pytest.mark.parametrize("other", ["getSchema()", "toolSchema", "Schema", "definition"])
def test_another_spelling_of_the_schema_is_named(other):
    declared = having("missing")
    named = a.replace(declared, facts=a.replace(declared.facts, members=("price", other, "execute()")))
    said = a.judge("ART001", named)
    assert said == f"There is no schema; there is {other}, which the framework does not read."


def test_a_schema_that_has_to_be_called_is_found():
    assert "schema is a method" in a.judge("ART001", having("method"))


@pytest.mark.parametrize("kind", ["attribute", "property"])
def test_a_schema_may_be_a_member_or_a_getter(kind):
    declared = a.replace(a.tool(), get_schema=a.Member("schema", kind))
    assert a.judge("ART001", declared) is None


def test_a_schema_that_throws_when_it_is_read_is_found_with_what_it_threw():
    said = a.judge("ART001", a.with_schema(outcome="raised", error="TypeError: no catalogue yet"))
    assert "TypeError: no catalogue yet" in said


def test_a_schema_that_has_no_json_is_found_with_what_it_is():
    assert "not_json" in a.judge("ART001", a.with_schema(outcome="not_json"))


@pytest.mark.parametrize("text", ["null", "[]", '"tide_times"', "7", "no JSON at all"])
def test_a_schema_that_is_no_object_is_quoted(text):
    said = a.judge("ART001", a.with_schema(text))
    assert text in said
    assert "no object" in said


def test_a_schema_too_deep_to_be_read_is_no_object():
    assert "no object" in a.judge("ART001", a.with_schema("[" * 200_000))


def test_an_empty_schema_is_an_object():
    assert a.judge("ART001", a.with_schema("{}")) is None


@pytest.mark.parametrize("names", [(), ("input",), ("input", "context")])
def test_execute_may_take_what_it_is_given_or_less(names):
    assert a.judge("ART001", executing(*names)) is None


def test_execute_that_takes_more_than_it_is_given_is_found():
    said = a.judge("ART001", executing("input", "context", "signal"))
    assert "takes 3 parameters" in said


# ---- ART002: name, description and inputSchema


@pytest.mark.parametrize("text", ["null", "[1]"])
@pytest.mark.parametrize("code", ["ART002", "ART003", "ART004"])
def test_members_of_a_schema_that_is_no_object_are_not_judged(code, text):
    assert a.is_for(code, a.with_schema(text)) is False


@pytest.mark.parametrize("code", ["ART002", "ART003", "ART004"])
def test_members_of_an_unknown_schema_are_not_judged(code):
    assert a.is_for(code, a.without_art()) is False
    assert a.is_for(code, a.with_schema(outcome="raised", error="it broke")) is False


@pytest.mark.parametrize("name", ["name", "description"])
def test_a_schema_without_a_text_is_found(name):
    said = a.judge("ART002", a.tool(name))
    assert f"The schema's {name} is not there" in said


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("inputSchema", "input_schema"),
        ("inputSchema", "parameters"),
        ("name", "toolName"),
        ("description", "Description"),
    ],
)
def test_the_other_name_of_a_part_is_given(name, other):
    """As other frameworks spell it."""
    said = a.judge(
        "ART002", a.tool(name, **{other: {"type": "object"} if name == "inputSchema" else "tide_times"})
    )
    assert f"{name} is not there; there is {other}" in said


@pytest.mark.parametrize("name", ["name", "description"])
@pytest.mark.parametrize(
    ("value", "quoted"), [("", '""'), (" \n", r'" \n"'), (7, "7"), (None, "null"), (["a"], '["a"]')]
)
def test_what_is_no_text_is_quoted(name, value, quoted):
    assert f"{name} is {quoted}" in a.judge("ART002", a.tool(**{name: value}))


@pytest.mark.parametrize(
    ("value", "quoted"), [(None, "null"), ("object", '"object"'), ([], "[]"), (True, "true")]
)
def test_an_input_schema_that_is_no_object_is_quoted(value, quoted):
    assert f"inputSchema is {quoted}" in a.judge("ART002", a.tool(inputSchema=value))


def test_a_schema_without_an_input_schema_is_found():
    assert "inputSchema is not there" in a.judge("ART002", a.tool("inputSchema"))


def test_an_empty_input_schema_is_a_json_schema():
    assert a.judge("ART002", a.tool(inputSchema={})) is None


@pytest.mark.parametrize(
    ("place", "what"),
    [
        ("inputSchema", "class Map"),
        ("inputSchema.properties.port.validate", "function"),
        ("inputSchema.properties.day.maximum", "Infinity"),
        ("inputSchema[0]", "hole"),
    ],
)
def test_what_is_lost_of_an_input_schema_is_named(place, what):
    said = a.judge("ART002", a.tool(oddities=[a.Oddity(place, what)]))
    assert place in said
    assert what in said


def test_the_first_loss_is_named_and_not_what_is_kept_before_it():
    kept = a.Oddity("inputSchema.default", "class Date")
    lost = [a.Oddity("inputSchema.properties.a", "symbol"), a.Oddity("inputSchema.properties.b", "BigInt")]
    said = a.judge("ART002", a.tool(oddities=[kept, *lost]))
    assert "inputSchema.properties.a is symbol" in said


@pytest.mark.parametrize("what", ["class Date", "class PortSchema", "getter", "undefined", "-0", "toJSON"])
def test_what_json_keeps_or_rightly_leaves_out_of_an_input_schema_is_no_loss(what):
    assert a.judge("ART002", a.tool(oddities=[a.Oddity("inputSchema.properties.port", what)])) is None


@pytest.mark.parametrize(
    "place", ["", "validate", "outputSchema.properties", "inputSchemas", "inputSchema2.x"]
)
def test_a_loss_elsewhere_in_the_schema_is_none_of_the_input_schema(place):
    assert a.judge("ART002", a.tool(oddities=[a.Oddity(place, "function")])) is None


# ---- ART003: the execution mode


def test_a_tool_without_a_mode_is_not_concerned():
    assert "executionMode" in a.unconcerned("ART003", a.tool())


def test_a_tool_with_any_mode_is_concerned():
    for mode in ("functional", None, ""):
        assert a.unconcerned("ART003", a.tool(executionMode=mode)) is None


@pytest.mark.parametrize("mode", ["functional", "immediate", "blocking", "display"])
def test_the_four_modes_are_known(mode):
    assert a.judge("ART003", a.tool(executionMode=mode)) is None


@pytest.mark.parametrize(
    ("mode", "quoted"), [("Blocking", '"Blocking"'), ("", '""'), (None, "null"), (["display"], '["display"]')]
)
def test_another_mode_is_quoted(mode, quoted):
    assert quoted in a.judge("ART003", a.tool(executionMode=mode))


# ---- ART004: the configurations

CONFIGURATIONS = ["blockingConfig", "displayConfig"]


def test_a_tool_without_configurations_is_not_concerned():
    assert "blockingConfig" in a.unconcerned("ART004", a.tool())
    assert "displayConfig" in a.unconcerned("ART004", a.without_art())


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("value", [{}, {"timeout": 1}])
def test_a_configuration_that_is_an_object_conforms(name, value):
    declared = a.tool(**{name: value})
    assert a.unconcerned("ART004", declared) is None
    assert a.judge("ART004", declared) is None


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize(("value", "quoted"), [(60, "60"), (None, "null"), ([{}], "[{}]"), ("x", '"x"')])
def test_a_configuration_that_is_no_object_is_quoted(name, value, quoted):
    declared = a.tool(**{name: value})
    assert a.unconcerned("ART004", declared) is None
    assert f"{name} is {quoted}" in a.judge("ART004", declared)


def test_the_second_configuration_is_looked_at_after_a_good_first():
    assert "displayConfig is 1" in a.judge("ART004", a.tool(blockingConfig={}, displayConfig=1))


# ---- ART006: the name


@pytest.mark.parametrize("code", ["ART006", "ART008"])
@pytest.mark.parametrize("declared", [a.tool("name"), a.tool(name=""), a.tool(name=7)])
def test_a_tool_without_a_name_is_not_judged_by_it(code, declared):
    assert a.is_for(code, declared) is False


@pytest.mark.parametrize("name", ["tide_times", "tides", "tides2", "x" * 64])
def test_short_words_joined_by_underscores_are_a_name(name):
    assert a.judge("ART006", a.tool(name=name)) is None


@pytest.mark.parametrize(
    "name", ["tideTimes", "Tides", "tide-times", "tide times", "tide__times", "_tides", "2_tides", " "]
)
def test_another_style_of_name_is_quoted(name):
    assert repr(name) in a.judge("ART006", a.tool(name=name))


def test_a_long_name_is_told_by_its_length():
    assert "65 characters" in a.judge("ART006", a.tool(name="x" * 65))


# ---- ART007: what the description says

WHAT, WHEN, BACK = "what the tool does", "when to use it", "what comes back"


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_description_without_text_is_not_judged(text):
    assert a.is_for("ART007", a.tool(description=text)) is False


def test_no_description_is_not_judged():
    assert a.is_for("ART007", a.tool("description")) is False


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("Port tides", {WHAT, WHEN, BACK}),
        ("Returns port tides", {WHAT, WHEN}),
        ("Returns the port's tides", {WHEN}),
        ("Tells a port's tides when asked", {BACK}),
        ("Use when asked", {WHAT, BACK}),
        ("Tells a port's tides", {WHEN, BACK}),
        ("Use whenever; gives tides", set()),
        ("Tells a port's tides; useful for sailors; the ANSWER is a list", set()),
        ("Tells a port's tides; USEFUL for sailors; ANSWERS with a list", set()),
        ("Reuses gains of iffy whens and regrets", {WHEN, BACK}),
    ],
)
def test_what_a_description_does_not_say_is_named_and_nothing_else(text, missing):
    said = a.judge("ART007", a.tool(description=text))
    assert (said is None) == (not missing)
    for part in (WHAT, WHEN, BACK):
        assert (part in (said or "")) == (part in missing)
    assert text in (said or text)


def test_what_reads_prose_is_advice():
    assert a.RULES["ART007"].advice is True
    assert a.RULES["ART007"].level(a.EDITION) is Level.SHOULD


# ---- ART008: one name, one tool


def test_a_namesake_in_the_module_is_found():
    assert a.NAME in a.judge("ART008", a.tool(neighbours=["moon_phases", a.NAME]))


@pytest.mark.parametrize("others", [[], ["moon_phases"], ["tide_times_2"], ["TIDE_TIMES"]])
def test_other_names_in_the_module_are_no_namesakes(others):
    assert a.judge("ART008", a.tool(neighbours=others)) is None


def test_a_tool_whose_neighbours_are_unknown_has_no_namesake():
    assert a.judge("ART008", a.without_art()) is None
